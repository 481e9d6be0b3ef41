# SPDX-License-Identifier: Apache-2.0
"""Keras 2's layers in random graphs that TensorFlow makes (tensorflow_graphs.py)."""
import tensorflow as tf

from tensorflow_layers import activation, layer, rank, sizes

K = tf.keras.layers
RATES = [0.0, 0.1, 0.3]


def run(context, made, *inputs, **flags):
    """A layer's result in training; its updates come with the tower's."""
    y = made(*inputs, **flags)
    context.updates += made.updates
    return y


def padding(context, h, size):
    return "same" if min(sizes(h)[:-1]) < size else context.rng.choice(["same", "valid"])


def everyStep(context):
    """In TensorFlow 1's loops an array is not written twice, as Keras writes the last step's."""
    return context.tower.loops or context.rng.random() < 0.5


@layer(4)
def keras_rnn(context, h):
    if rank(h) != 3:
        return None
    rng, kind = context.rng, context.rng.choice([K.LSTM, K.GRU, K.SimpleRNN])
    options = {"dropout": rng.choice(RATES), "recurrent_dropout": rng.choice(RATES), "return_sequences": everyStep(context),
               "go_backwards": rng.random() < 0.2, "unroll": rng.random() < 0.2}  # fmt: skip
    if kind is not K.SimpleRNN:
        options["implementation"] = rng.choice([1, 2])
    if kind is K.GRU:
        options["reset_after"] = rng.random() < 0.5
    made = kind(rng.choice([1, 3, 4]), **options)
    if rng.random() < 0.3:
        made = K.Bidirectional(made, merge_mode=rng.choice(["concat", "sum", "mul", "ave"]))
    return run(context, made, h, training=True)


@layer(3)
def keras_masked(context, h):
    if rank(h) != 3:
        return None
    ids = tf.argmax(h, -1)
    x = K.Embedding(sizes(h)[-1], 4, mask_zero=context.rng.random() < 0.7)(ids)
    made = context.rng.choice([K.LSTM, K.GRU])(3, return_sequences=everyStep(context), dropout=context.rng.choice(RATES))
    return run(context, made, x, training=True)


@layer(3)
def keras_attention(context, h):
    if rank(h) != 3 or sizes(h)[0] == 1:
        return None
    rng = context.rng
    if rng.random() < 0.6:
        made = K.MultiHeadAttention(rng.choice([1, 2, 3]), rng.choice([2, 3, 8]), dropout=rng.choice(RATES), use_bias=rng.random() < 0.7)
        return run(context, made, h, h, training=True, use_causal_mask=rng.random() < 0.3)
    made = rng.choice([lambda: K.Attention(use_scale=True, dropout=rng.choice(RATES)), lambda: K.AdditiveAttention(dropout=rng.choice(RATES))])()
    return run(context, made, [h, tf.tanh(h)], training=True)


@layer(4)
def keras_normalization(context, h):
    rng = context.rng
    kinds = [lambda: K.BatchNormalization(momentum=0.9, epsilon=1e-2, renorm=False, scale=rng.random() < 0.8), lambda: K.LayerNormalization(epsilon=1e-2),
             lambda: K.LayerNormalization(axis=list(range(1, rank(h))), epsilon=1e-2)]  # fmt: skip
    if rank(h) > 2 and sizes(h)[-1] % 2 == 0:
        kinds.append(lambda: K.GroupNormalization(2, epsilon=1e-2))
    made = rng.choice(kinds)()
    return run(context, made, h, training=True) if isinstance(made, K.BatchNormalization) else run(context, made, h)


@layer(5)
def keras_noise(context, h):
    seed = context.drawSeed()
    kinds = [lambda: K.Dropout(0.3, seed=seed), lambda: K.GaussianNoise(0.1, seed=seed), lambda: K.GaussianDropout(0.2, seed=seed),
             lambda: K.AlphaDropout(0.2, seed=seed)]  # fmt: skip
    if rank(h) in (3, 4):
        kinds += [lambda: (K.SpatialDropout1D if rank(h) == 3 else K.SpatialDropout2D)(0.3)] * 2
    return run(context, context.rng.choice(kinds)(), h, training=True)


@layer(4)
def keras_conv(context, h):
    rng, k = context.rng, context.rng.choice([1, 2, 3])
    filters = rng.choice([1, 3, 4])
    if rank(h) == 3:
        made = rng.choice([
            lambda: K.Conv1D(filters, k, strides=rng.choice([1, 2]), padding=padding(context, h, k)), lambda: K.Conv1D(filters, k, dilation_rate=2, padding="causal"),
            lambda: K.Conv1DTranspose(filters, k, strides=rng.choice([1, 2]), padding="same"), lambda: K.SeparableConv1D(filters, k, padding="same"),
            lambda: K.DepthwiseConv1D(k, padding="same"),
        ])()  # fmt: skip
    elif rank(h) == 4:
        made = rng.choice([
            lambda: K.SeparableConv2D(filters, k, padding=padding(context, h, k), depth_multiplier=rng.choice([1, 2])),
            lambda: K.Conv2DTranspose(filters, k, strides=rng.choice([1, 2]), padding=rng.choice(["same", "valid"])),
            lambda: K.Conv2D(filters, k, dilation_rate=rng.choice([1, 2]), padding="same"), lambda: K.DepthwiseConv2D(k, padding="same", depth_multiplier=2),
            lambda: K.Conv2D(2 * filters, k, padding="same", groups=2) if sizes(h)[-1] % 2 == 0 else K.Conv2D(filters, k, padding="same"),
        ])()  # fmt: skip
    else:
        return None
    return activation(context, run(context, made, h))


@layer(2)
def keras_conv3d(context, h):
    if rank(h) != 4:
        return None
    x = tf.expand_dims(h, -1)
    made = context.rng.choice([lambda: K.Conv3D(2, 2, padding="same"), lambda: K.Conv3D(3, 1), lambda: K.Conv3DTranspose(2, 2, padding="same")])()
    y = made(x)
    if context.rng.random() < 0.5:
        y = context.rng.choice([K.MaxPooling3D, K.AveragePooling3D])(2, strides=1, padding="same")(y)
    return tf.reshape(y, [-1, *sizes(h)[:2], sizes(h)[2] * int(y.shape[-1])])


@layer(3)
def keras_pool(context, h):
    rng = context.rng
    if rank(h) == 3:
        kinds = [lambda: K.MaxPooling1D(2, padding="same"), lambda: K.AveragePooling1D(2, strides=1, padding="same"), K.GlobalAveragePooling1D,
                 K.GlobalMaxPooling1D, lambda: K.UpSampling1D(2), lambda: K.ZeroPadding1D((1, 2))]  # fmt: skip
    elif rank(h) == 4:
        kinds = [lambda: K.MaxPooling2D((2, 1), padding="same"), lambda: K.AveragePooling2D(2, strides=1, padding="same"), K.GlobalAveragePooling2D,
                 lambda: K.GlobalMaxPooling2D(keepdims=True), lambda: K.UpSampling2D(2, interpolation=rng.choice(["nearest", "bilinear"])),
                 lambda: K.ZeroPadding2D(((1, 0), (0, 2)))]  # fmt: skip
    else:
        kinds = [lambda: K.RepeatVector(3)]
    return rng.choice(kinds)()(h)


@layer(3)
def keras_dense(context, h):
    rng = context.rng
    kinds = [lambda: K.Dense(rng.choice([1, 4, 9]), activation=rng.choice(["relu", "gelu", "tanh", "selu", "mish" if hasattr(tf.keras.activations, "mish") else "elu"])),
             K.PReLU, lambda: K.LeakyReLU(0.2), lambda: K.ThresholdedReLU(0.1), lambda: K.ELU(0.7), lambda: K.UnitNormalization()]  # fmt: skip
    if rank(h) > 2:
        kinds += [lambda: K.TimeDistributed(K.Dense(3, activation="tanh")), lambda: K.EinsumDense("...d,de->...e", 3, bias_axes="e")]
    y = rng.choice(kinds)()(h)
    return y if rank(y) == rank(h) else None
