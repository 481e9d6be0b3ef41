# SPDX-License-Identifier: Apache-2.0
"""More than sixty small models: between them, most layers, losses, optimizers and metrics of Keras 2 and 3.

A row of MODELS is `Row(x, y, layers, loss, optimizer, metrics)`. `x` and `y` make arrays of a batch's features and labels,
`layers` are a list, of which a Sequential is made, or a function of the inputs, of which a functional model is made.
"""
import numpy as np
import tensorflow as tf
from common import k

L, O, M, losses = k.layers, k.optimizers, k.metrics, k.losses
S = O.schedules
COUNT = 80
IS_KERAS_3 = not type(k.Sequential()).__mro__[-2].__module__.startswith("tensorflow") and hasattr(k, "ops")


class Row:
    """A model. `make`, instead of `layers`, returns the model itself; `bound` is the largest difference of losses, relative
    to 1 and to the loss; `only` is the version of Keras that has its parts; `is_last_reported` says that `fit` reports the
    loss of the last step instead of a mean, as for a train_step that returns it."""

    def __init__(self, x, y, layers=None, loss="mse", optimizer=lambda: "adam", metrics=lambda: [], *, make=None, options=None,
                 weights=None, bound=1e-4, dataset=False, only=None, is_last_reported=False):  # fmt: skip
        self.x, self.y, self.layers, self.loss, self.optimizer, self.metrics = x, y, layers, loss, optimizer, metrics
        self.make, self.options, self.weights = make, options or {}, weights
        self.bound, self.dataset, self.only, self.is_last_reported = bound, dataset, only, is_last_reported

    def data(self):
        rng = np.random.RandomState(7)
        made = tf.nest.map_structure(lambda make: make(rng), self.x), tf.nest.map_structure(lambda make: make(rng), self.y)
        return made if self.weights is None else (*made, self.weights(rng))

    def model(self, x):
        """The model, compiled. `x` are its features, which layers may adapt to."""
        k.utils.set_random_seed(4)
        if self.make is not None:
            model = self.make()
        else:
            inputs = tf.nest.map_structure(lambda a: L.Input(a.shape[1:], dtype="string" if a.dtype.kind == "S" else a.dtype.name), x)
            layers = self.layers(x) if self.layers.__code__.co_argcount else self.layers()
            if isinstance(layers, list):
                model = k.Sequential([inputs, *layers])
            else:
                model = k.Model(inputs, layers(inputs))
        loss = self.loss() if callable(self.loss) else self.loss
        model.compile(optimizer=self.optimizer(), loss=loss, metrics=self.metrics() or None, **self.options)
        return model


def numbers(*shape):
    return lambda rng: rng.normal(size=(COUNT, *shape)).astype("float32")


def positive(*shape):
    return lambda rng: rng.uniform(0.1, 1.0, size=(COUNT, *shape)).astype("float32")


def ids(most, *shape):
    return lambda rng: rng.randint(0, most, size=(COUNT, *shape)).astype("int32")


def images(*shape):
    return lambda rng: rng.randint(0, 256, size=(COUNT, *shape)).astype("uint8")


def bits(*shape):
    return lambda rng: rng.randint(0, 2, size=(COUNT, *shape)).astype("float32")


def signs(*shape):
    return lambda rng: (2 * rng.randint(0, 2, size=(COUNT, *shape)) - 1).astype("float32")


def one_hot(most):
    return lambda rng: np.eye(most, dtype="float32")[rng.randint(0, most, size=COUNT)]


def shares(most):
    return lambda rng: rng.dirichlet(np.ones(most), size=COUNT).astype("float32")


def words(*shape):
    return lambda rng: rng.choice(["red", "green", "blue", "teal", "grey"], size=(COUNT, *shape)).astype("S")


def sentences(rng):
    return np.array([[" ".join(rng.choice(["a", "good", "bad", "Movie!", "plot", "it's"], size=rng.randint(1, 6)))] for _ in range(COUNT)]).astype("S")


def adapted(layer, data):
    layer.adapt(data.astype("U") if data.dtype.kind == "S" else data)
    return layer


def sparse():
    return losses.SparseCategoricalCrossentropy(from_logits=True)


dense = L.Dense


def _image_row(*layers, optimizer=lambda: O.Adam(0.01), shape=(8, 8, 3), **more):
    return Row(numbers(*shape), ids(3), lambda: [layer() for layer in layers] + [L.Flatten(), L.Dense(3)], sparse, optimizer, lambda: ["accuracy"], **more)


IMAGES = {
    "conv2d_pool_batchnorm": _image_row(lambda: L.Conv2D(6, 3, activation="relu"), L.BatchNormalization, L.MaxPooling2D,
                                        optimizer=lambda: O.SGD(0.05, momentum=0.9)),
    "conv2d_dilated_average": _image_row(lambda: L.Conv2D(4, 3, dilation_rate=2, padding="same", activation="elu"), lambda: L.AveragePooling2D(2),
                                         lambda: L.Conv2D(4, 3, strides=2), optimizer=lambda: O.Nadam(0.01)),
    "separable_groupnorm": _image_row(lambda: L.SeparableConv2D(8, 3, padding="same"), lambda: L.GroupNormalization(4), lambda: L.Activation("swish"),
                                      L.GlobalMaxPooling2D, optimizer=lambda: O.AdamW(0.01, weight_decay=0.02)),
    "depthwise_layernorm": _image_row(lambda: L.DepthwiseConv2D(3, depth_multiplier=2), L.LayerNormalization, L.LeakyReLU,
                                      L.GlobalAveragePooling2D, optimizer=lambda: O.Adagrad(0.1)),
    "transposed_cropped": _image_row(lambda: L.Conv2DTranspose(3, 3, strides=2, padding="same", activation="tanh"), lambda: L.Cropping2D(((1, 2), (3, 0))),
                                     lambda: L.MaxPooling2D(3, strides=2), optimizer=lambda: O.Adamax(0.01), shape=(5, 5, 2)),
    "padded_upsampled": _image_row(lambda: L.ZeroPadding2D((1, 2)), lambda: L.UpSampling2D(2, interpolation="bilinear"), lambda: L.Conv2D(3, 4, strides=3),
                                   L.PReLU, optimizer=lambda: O.RMSprop(0.01, centered=True), shape=(5, 5, 2)),
    "grouped_spatial_dropout": _image_row(lambda: L.Conv2D(4, 3, groups=2, use_bias=False), lambda: L.SpatialDropout2D(0.3, seed=3),
                                          lambda: L.ReLU(max_value=2.0), shape=(6, 6, 4)),
    "conv1d_pools": _image_row(lambda: L.Conv1D(6, 3, padding="causal", activation="selu"), L.MaxPooling1D, lambda: L.Conv1D(4, 2),
                               lambda: L.AveragePooling1D(2), shape=(12, 3), optimizer=lambda: O.Adadelta(1.0)),
    "conv1d_separable_upsampled": _image_row(lambda: L.SeparableConv1D(6, 3, activation="softplus"), lambda: L.UpSampling1D(2), lambda: L.Cropping1D(1),
                                             lambda: L.Conv1DTranspose(3, 3), lambda: L.ZeroPadding1D(1), L.GlobalMaxPooling1D, shape=(8, 3)),
    "conv1d_depthwise": _image_row(lambda: L.DepthwiseConv1D(3, padding="same"), L.UnitNormalization, L.GlobalAveragePooling1D, shape=(8, 4)),
    "conv3d_pools": _image_row(lambda: L.Conv3D(4, 2, activation="relu"), L.MaxPooling3D, L.GlobalAveragePooling3D, shape=(5, 5, 5, 2)),
    "conv3d_transposed": _image_row(lambda: L.Conv3DTranspose(2, 2, strides=2), lambda: L.AveragePooling3D(2), lambda: L.ZeroPadding3D(1),
                                    lambda: L.Cropping3D(1), lambda: L.UpSampling3D(2), L.GlobalMaxPooling3D, shape=(3, 3, 3, 2)),
    "images_rescaled": Row(images(10, 10, 3), ids(3), lambda: [L.Rescaling(1 / 127.5, -1), L.Resizing(8, 8), L.CenterCrop(6, 6), L.Conv2D(4, 3), L.Flatten(),
                                                              dense(3)], sparse, lambda: O.Adam(0.01), lambda: ["accuracy"]),
}  # fmt: skip


def _residual(x):
    h = L.Conv2D(4, 3, padding="same", kernel_regularizer=k.regularizers.L1L2(1e-4, 1e-3))(x)
    h = L.BatchNormalization(momentum=0.8)(L.Activation("relu")(h))
    h = L.Add()([h, L.Conv2D(4, 1)(x)])
    return dense(3)(L.GlobalAveragePooling2D()(h))


def _shared(inputs):
    """Two towers with the same weights."""
    tower = k.Sequential([L.Input((5,)), dense(8, activation="tanh"), dense(4)])
    a, b = (tower(one) for one in inputs)
    return dense(1, activation="sigmoid")(L.Concatenate()([L.Dot(1, normalize=True)([a, b]), L.Subtract()([a, b]), L.Multiply()([a, b])]))


def _merged(inputs):
    a, b = (dense(6)(one) for one in inputs)
    return dense(2)(L.Concatenate()([L.Maximum()([a, b]), L.Minimum()([a, b]), L.Average()([a, b])]))


def _two_outputs(inputs):
    h = dense(8, activation="relu")(L.Concatenate()([inputs["left"], inputs["right"]]))
    return {"price": dense(1, name="price")(h), "kind": dense(3, activation="softmax", name="kind")(h)}


def _self_attention(x):
    h = L.LayerNormalization()(x + L.MultiHeadAttention(2, 4, dropout=0.0)(x, x, use_causal_mask=True))
    h = L.LayerNormalization()(h + dense(8)(dense(16, activation="gelu")(h)))
    return dense(3)(L.GlobalAveragePooling1D()(h))


def _attention(inputs):
    a, b = inputs
    return dense(2)(L.Flatten()(L.Concatenate()([L.Attention(use_scale=True)([a, b]), L.AdditiveAttention()([a, b])])))


def _seq2seq(inputs):
    known, asked = inputs
    _, h, c = L.LSTM(6, return_state=True)(L.Embedding(12, 4)(known))
    return L.TimeDistributed(dense(12))(L.LSTM(6, return_sequences=True)(L.Embedding(12, 4)(asked), initial_state=[h, c]))


FUNCTIONAL = {
    "residual": Row(numbers(6, 6, 3), ids(3), lambda: _residual, sparse, lambda: O.SGD(S.CosineDecay(0.1, 20), momentum=0.9, nesterov=True),
                    lambda: ["accuracy"]),
    "shared_tower": Row([numbers(5), numbers(5)], bits(1), lambda: _shared, "binary_crossentropy", lambda: O.Adam(0.02, amsgrad=True),
                        lambda: [M.AUC(num_thresholds=30), M.Precision(), M.Recall()]),
    "merged": Row([numbers(4), numbers(3)], numbers(2), lambda: _merged, losses.LogCosh, lambda: O.Adam(0.01, clipvalue=0.1), lambda: [M.LogCoshError()]),
    "two_outputs": Row({"left": numbers(4), "right": numbers(2)}, {"price": numbers(1), "kind": ids(3)}, lambda: _two_outputs,
                       {"price": "mae", "kind": "sparse_categorical_crossentropy"}, lambda: O.RMSprop(0.01, momentum=0.5),
                       lambda: {"price": [M.RootMeanSquaredError()], "kind": ["accuracy"]}, options={"loss_weights": {"price": 0.3, "kind": 1.5}}),
    "transformer": Row(numbers(6, 8), ids(3), lambda: _self_attention, sparse, lambda: O.Adam(0.01, global_clipnorm=0.5),
                       lambda: [M.SparseTopKCategoricalAccuracy(2)]),
    "attentions": Row([numbers(4, 6), numbers(5, 6)], numbers(2), lambda: _attention, "huber", lambda: O.Adam(S.PolynomialDecay(0.02, 15))),
    "translation": Row([ids(12, 5), ids(12, 4)], ids(12, 4), lambda: _seq2seq, sparse, lambda: O.Adam(0.02), lambda: ["accuracy"]),
}  # fmt: skip


def _sequence_row(*layers, optimizer=lambda: O.Adam(0.01), **more):
    return Row(numbers(6, 4), bits(1), lambda: [layer() for layer in layers] + [dense(1, activation="sigmoid")], "binary_crossentropy", optimizer,
               lambda: [M.BinaryAccuracy()], **more)


SEQUENCES = {
    "lstm": _sequence_row(lambda: L.LSTM(6)),
    "lstm_stacked_dropout": _sequence_row(lambda: L.LSTM(5, return_sequences=True), lambda: L.Dropout(0.2, seed=4), lambda: L.LSTM(4, go_backwards=True)),
    "gru": _sequence_row(lambda: L.GRU(6), optimizer=lambda: O.Adam(S.ExponentialDecay(0.05, 5, 0.8, staircase=True))),
    "gru_other_form": _sequence_row(lambda: L.GRU(6, reset_after=False, activation="relu", recurrent_activation="hard_sigmoid")),
    "simple_rnn": _sequence_row(lambda: L.SimpleRNN(6, kernel_regularizer="l2"), optimizer=lambda: O.SGD(S.InverseTimeDecay(0.1, 5, 0.5))),
    "bidirectional": _sequence_row(lambda: L.Bidirectional(L.LSTM(4, return_sequences=True)), lambda: L.Bidirectional(L.GRU(3), merge_mode="sum")),
    "cells": _sequence_row(lambda: L.RNN([L.LSTMCell(4), L.GRUCell(3)])),
    "masked": _sequence_row(lambda: L.Masking(0.0), lambda: L.LSTM(5), lambda: L.ActivityRegularization(l2=0.01)),
    "conv_lstm": Row(numbers(3, 5, 5, 2), ids(3), lambda: [L.ConvLSTM2D(3, 2), L.Flatten(), dense(3)], sparse, lambda: O.Adam(0.01), lambda: ["accuracy"]),
    "embedded_masked": Row(ids(9, 6), ids(2), lambda: [L.Embedding(9, 5, mask_zero=True), L.GRU(6), dense(2)], sparse, lambda: O.Adagrad(0.2),
                           lambda: ["accuracy"]),
    "embedded_bag": Row(ids(30, 5), bits(1), lambda: [L.Embedding(30, 4, embeddings_regularizer="l2"), L.GlobalAveragePooling1D(), dense(1)],
                        lambda: losses.BinaryCrossentropy(from_logits=True, label_smoothing=0.1), lambda: O.Ftrl(0.1, l1_regularization_strength=0.001)),
    "repeated_permuted": Row(numbers(4), numbers(12), lambda: [L.RepeatVector(3), L.Permute((2, 1)), L.TimeDistributed(dense(3)), L.Reshape((12,))], "mse",
                             lambda: O.Adam(0.01), lambda: ["mae", "mape"]),
    "einsum": Row(numbers(5, 4), numbers(5, 3), lambda: [L.EinsumDense("abc,cd->abd", output_shape=(None, 6), bias_axes="d"), L.Softmax(), dense(3)], "mse",
                  lambda: O.Adafactor(0.05), lambda: [M.CosineSimilarity()]),
}  # fmt: skip


PREPARATION = {
    "normalized": Row(positive(4), numbers(1), lambda x: [adapted(L.Normalization(), x), dense(6, activation="swish"), dense(1)], "mse", lambda: O.SGD(0.01)),
    "category_encoded": Row(ids(5, 3), ids(3), lambda: [L.CategoryEncoding(5, "multi_hot"), dense(3)], sparse, lambda: O.Adam(0.05), lambda: ["accuracy"]),
    "discretized": Row(numbers(1), bits(1), lambda x: [adapted(L.Discretization(num_bins=4, output_mode="one_hot"), x), dense(1)], losses.Hinge,
                       lambda: O.SGD(0.1)),
    "hashed": Row(words(1), ids(3), lambda: [L.Hashing(6, output_mode="one_hot"), dense(3)], sparse, lambda: O.Adam(0.05), lambda: ["accuracy"], dataset=True),
    "words_looked_up": Row(words(1), ids(3), lambda x: [adapted(L.StringLookup(output_mode="multi_hot"), x), dense(3)], sparse, lambda: O.Adam(0.05),
                           dataset=True),
    "integers_looked_up": Row(ids(6, 1), ids(3), lambda x: [adapted(L.IntegerLookup(output_mode="one_hot"), x), dense(3)], sparse, lambda: O.Adam(0.05)),
    "text_vectorized": Row(sentences, bits(1), lambda x: [adapted(L.TextVectorization(20, output_sequence_length=5), x), L.Embedding(20, 4), L.Flatten(),
                                                         dense(1, activation="sigmoid")], "binary_crossentropy", lambda: O.Adam(0.05), dataset=True),
    "text_tf_idf": Row(sentences, bits(1), lambda x: [adapted(L.TextVectorization(20, output_mode="tf_idf"), x), dense(1, activation="sigmoid")],
                       "binary_crossentropy", lambda: O.Adam(0.05), dataset=True),
}  # fmt: skip


def _table_row(units, loss, optimizer=lambda: O.Adam(0.01), metrics=lambda: [], y=None, activation=None, hidden="relu", **more):
    return Row(numbers(6), y or numbers(units), lambda: [dense(8, activation=hidden), dense(units, activation=activation)], loss, optimizer, metrics, **more)


LOSSES = {
    "poisson": _table_row(2, "poisson", y=positive(2), activation="exponential", metrics=lambda: [M.Poisson()]),
    "divergence": _table_row(3, losses.KLDivergence, y=shares(3), activation="softmax", metrics=lambda: [M.KLDivergence()]),
    "squared_hinge": _table_row(1, losses.SquaredHinge, lambda: O.Lion(1e-3), lambda: [M.SquaredHinge(), M.Hinge()], y=signs(1)),
    "categorical_hinge": _table_row(3, losses.CategoricalHinge, y=one_hot(3), metrics=lambda: [M.CategoricalHinge(), M.TopKCategoricalAccuracy(2)]),
    "cosine": _table_row(3, losses.CosineSimilarity, metrics=lambda: [M.CosineSimilarity()]),
    "logarithmic": _table_row(2, "msle", y=positive(2), activation="softplus", metrics=lambda: ["mape", "msle"]),
    "smoothed": _table_row(3, lambda: losses.CategoricalCrossentropy(from_logits=True, label_smoothing=0.1), y=one_hot(3), hidden="hard_sigmoid",
                           metrics=lambda: [M.CategoricalAccuracy(), M.CategoricalCrossentropy(from_logits=True)]),
    "focal": _table_row(3, losses.CategoricalFocalCrossentropy, y=one_hot(3), activation="softmax", metrics=lambda: [M.F1Score(average="macro")]),
    "binary_focal": _table_row(1, losses.BinaryFocalCrossentropy, y=bits(1), activation="sigmoid",
                               metrics=lambda: [M.PrecisionAtRecall(0.5, 20), M.SensitivityAtSpecificity(0.5, 20), M.AUC(curve="PR", num_thresholds=20)]),
    "counts": _table_row(1, "bce", y=bits(1), activation="sigmoid", hidden="softsign",
                         metrics=lambda: [M.TruePositives(), M.FalseNegatives(), M.FalsePositives(), M.TrueNegatives(), M.BinaryIoU([0, 1], 0.5)]),
    "mean_iou": _table_row(3, sparse, y=ids(3), metrics=lambda: [M.MeanIoU(3, sparse_y_pred=False)]),
    "one_hot_iou": _table_row(3, "categorical_crossentropy", y=one_hot(3), activation="softmax", metrics=lambda: [M.OneHotMeanIoU(3), M.OneHotIoU(3, [0, 2])]),
    "r2": _table_row(2, "mse", metrics=lambda: [M.R2Score(), M.MeanSquaredLogarithmicError()], hidden="sigmoid"),
    "beta_score": _table_row(4, "bce", y=bits(4), activation="sigmoid", metrics=lambda: [
        M.FBetaScore(beta=0.5, threshold=0.4), M.AUC(multi_label=True, num_labels=4, num_thresholds=10)]),
    "weighted_examples": _table_row(1, "mse", lambda: O.Adam(0.01), y=numbers(1), weights=lambda rng: rng.uniform(size=COUNT).astype("float32"),
                                    options={"weighted_metrics": ["mae"]}),
}  # fmt: skip

OPTIMIZERS = {
    "averaged_weights": _table_row(1, "mse", lambda: O.SGD(0.05, momentum=0.5, use_ema=True, ema_momentum=0.9, ema_overwrite_frequency=7)),
    "decayed_ftrl": _table_row(1, "mse", lambda: O.Ftrl(0.1, l2_regularization_strength=0.01, weight_decay=0.01)),
    "nadam_clipped": _table_row(1, "mae", lambda: O.Nadam(0.02, clipnorm=0.3)),
    "lion_decayed": _table_row(1, "mse", lambda: O.Lion(1e-3, weight_decay=0.1)),
    "adafactor": _table_row(2, "mse", lambda: O.Adafactor(0.02, relative_step=False)),
    "piecewise": _table_row(1, "huber", lambda: O.SGD(S.PiecewiseConstantDecay([5, 12], [0.1, 0.05, 0.01]))),
    "restarts": _table_row(1, "mse", lambda: O.Adam(S.CosineDecayRestarts(0.02, 6))),
    "warmed_up": _table_row(1, "mse", lambda: O.Adam(S.CosineDecay(0.001, 12, warmup_target=0.02, warmup_steps=5))),
    "adadelta_clipped": _table_row(1, "mse", lambda: O.Adadelta(0.5, global_clipnorm=0.2)),
}  # fmt: skip


def _constrained():
    return [dense(8, activation="relu", kernel_constraint=k.constraints.MaxNorm(1.0), bias_constraint=k.constraints.NonNeg()),
            dense(4, kernel_constraint=k.constraints.UnitNorm(), activity_regularizer="l2"),
            dense(1, kernel_constraint=k.constraints.MinMaxNorm(0.2, 0.8), kernel_regularizer=k.regularizers.OrthogonalRegularizer())]  # fmt: skip


class Subclassed(k.Model):
    def __init__(self):
        super().__init__()
        self.out, self.blocks, self.norm = L.Dense(2), [L.Dense(6, activation="relu"), L.Dense(6)], L.BatchNormalization()

    def call(self, x, training=False):
        for block in self.blocks:
            x = block(x)
        return self.out(self.norm(x, training=training))


class OwnStep(Subclassed):
    """Penalizes gradients of the inputs, in a train_step of its own."""

    @property
    def metrics(self):
        return []

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                inner.watch(x)
                found = self(x, training=True)
            slopes = inner.gradient(found, x)
            loss = tf.reduce_mean(tf.square(found - y)) + 0.1 * tf.reduce_mean(tf.square(slopes))
        self.optimizer.apply_gradients(zip(outer.gradient(loss, self.trainable_variables), self.trainable_variables))
        return {"loss": loss}


class Scaled(L.Layer):
    """A layer with a loss and a variable of its own, which training does not change by gradients."""

    def build(self, shape):
        self.scale = self.add_weight(name="scale", shape=(shape[-1],), initializer="ones")
        self.calls = self.add_weight(name="calls", shape=(), initializer="zeros", trainable=False)

    def call(self, x, training=False):
        if training:
            self.calls.assign_add(1.0)
        self.add_loss(0.01 * tf.reduce_mean(tf.square(self.scale)))
        return x * self.scale + 0.0 * self.calls


OWN = {
    "constrained": Row(numbers(6), numbers(1), _constrained, "mse", lambda: O.Adam(0.01)),
    "subclassed": Row(numbers(4), numbers(2), make=Subclassed, optimizer=lambda: O.SGD(0.05, momentum=0.5), metrics=lambda: ["mae"]),
    "own_train_step": Row(numbers(4), numbers(2), make=OwnStep, optimizer=lambda: O.SGD(0.05), is_last_reported=True),
    "own_layer": Row(numbers(4), numbers(1), lambda: [Scaled(), dense(1)], "mse", lambda: O.SGD(0.05)),
    "lambda_layer": Row(numbers(6), numbers(1), lambda: [L.Lambda(lambda x: tf.sin(x)), dense(5), L.ELU(), dense(1)], "mse"),
    "noise": Row(numbers(6), numbers(1), lambda: [L.GaussianNoise(0.1, seed=2), dense(8, activation="tanh"), L.GaussianDropout(0.2, seed=3), dense(1)], "mse"),
}  # fmt: skip

VERSIONS = {
    # Keras 2.15's own fit fails on SpectralNormalization.
    "spectral": Row(numbers(6), numbers(1), lambda: [L.SpectralNormalization(dense(5)), L.ELU(), dense(1)], "mse", only=3),
    "lamb": _table_row(2, "mse", lambda: O.Lamb(0.01), only=3),
    "muon": _table_row(2, "mse", lambda: O.Muon(0.01), only=3),
    "accumulated": _table_row(2, "mse", lambda: O.Adam(0.01, gradient_accumulation_steps=2), only=3),
    "schedule_free": _table_row(2, "mse", lambda: O.ScheduleFreeAdamW(0.01), only=3),
    "dice": _table_row(3, lambda: losses.Dice(), y=one_hot(3), activation="softmax", only=3, metrics=lambda: [M.PearsonCorrelation()]),
    "tversky": _table_row(3, lambda: losses.Tversky(), y=one_hot(3), activation="sigmoid", only=3),
    "rms_norm_query_groups": Row(numbers(5, 8), ids(3), lambda: lambda x: dense(3)(L.GlobalAveragePooling1D()(L.RMSNormalization()(
        x + L.GroupQueryAttention(4, 4, 2)(x, x)))), sparse, lambda: O.Adam(0.01), only=3),
    "locally_connected": Row(numbers(6, 6, 2), ids(3), lambda: [L.LocallyConnected2D(3, 3), L.Flatten(), dense(3)], sparse, lambda: O.Adam(0.01), only=2),
    "legacy_optimizer": _table_row(2, "mse", lambda: O.legacy.Nadam(0.01), only=2),
    "thresholded": _table_row(2, "mse", lambda: O.legacy.Ftrl(0.05), only=2, hidden=lambda x: L.ThresholdedReLU(0.1)(x)),
}  # fmt: skip

MODELS = {**IMAGES, **FUNCTIONAL, **SEQUENCES, **PREPARATION, **LOSSES, **OPTIMIZERS, **OWN, **VERSIONS}
