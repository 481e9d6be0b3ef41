# SPDX-License-Identifier: Apache-2.0
"""The models of images in TensorFlow's graph mode: each function returns a loss, or a loss and what trains."""
import tensorflow.compat.v1 as tf

from unseen import tensorflow_optimizers as optimizers


def classified(h, batch, spec):
    return tf.losses.sparse_softmax_cross_entropy(batch["y"], tf.layers.dense(h, spec["classes"]))


def lenet(batch, spec):
    h = batch["x"]
    for channels in spec["channels"]:
        h = tf.layers.conv2d(h, channels, 5, activation=tf.nn.tanh)
        h = tf.layers.average_pooling2d(h, 2, 2)
    h = tf.layers.flatten(h)
    for width in spec["dense"]:
        h = tf.layers.dense(h, width, tf.nn.tanh)
    return classified(h, batch, spec)


def normalized(h):
    return tf.layers.batch_normalization(h, training=True)


def mobilenet(batch, spec):
    h = tf.layers.conv2d(batch["x"], spec["stem"], 3, 2, "same", use_bias=False)
    h = tf.nn.relu6(normalized(h))
    for channels, stride in spec["blocks"]:
        h = tf.keras.layers.DepthwiseConv2D(3, stride, "same", use_bias=False)(h)
        h = tf.nn.relu6(normalized(h))
        h = tf.layers.conv2d(h, channels, 1, use_bias=False)
        h = tf.nn.relu6(normalized(h))
    return classified(tf.reduce_mean(h, [1, 2]), batch, spec)


def densenet(batch, spec):
    h = tf.layers.conv2d(batch["x"], spec["stem"], 3, padding="same", use_bias=False)
    for number, layers in enumerate(spec["blocks"]):
        if number:
            h = tf.layers.conv2d(tf.nn.relu(normalized(h)), h.shape[-1] // 2, 1, use_bias=False)
            h = tf.layers.average_pooling2d(h, 2, 2)
        for _ in range(layers):
            grown = tf.layers.conv2d(tf.nn.relu(normalized(h)), spec["growth"], 3, padding="same", use_bias=False)
            h = tf.concat([h, grown], -1)
    return classified(tf.reduce_mean(tf.nn.relu(normalized(h)), [1, 2]), batch, spec)


def unet(batch, spec):
    def twice(h, channels):
        for _ in range(2):
            h = tf.layers.conv2d(h, channels, 3, padding="same", activation=tf.nn.relu)
        return h

    *outer, inner = spec["channels"]
    h, kept = batch["x"], []
    for channels in outer:
        kept.append(twice(h, channels))
        h = tf.layers.max_pooling2d(kept[-1], 2, 2)
    h = twice(h, inner)
    for channels, skip in zip(reversed(outer), reversed(kept)):
        h = tf.layers.conv2d_transpose(h, channels, 2, 2)
        h = twice(tf.concat([skip, h], -1), channels)
    logits = tf.layers.conv2d(h, spec["classes"], 1)
    return tf.losses.sparse_softmax_cross_entropy(batch["y"], logits)


def patches(batch, spec):
    """[batch, patches, width]: a linear map of each patch, as a convolution of its size and stride."""
    h = tf.layers.conv2d(batch["x"], spec["width"], spec["patch"], spec["patch"])
    return tf.reshape(h, [h.shape[0], -1, spec["width"]])


def gelu(x):
    return 0.5 * x * (1 + tf.erf(x * 0.5**0.5))


def layer_norm(h):
    return tf.keras.layers.LayerNormalization(epsilon=1e-6)(h)


def vit(batch, spec):
    width, heads = spec["width"], spec["heads"]
    each, normal = width // heads, tf.random_normal_initializer(stddev=0.02)
    h = patches(batch, spec)
    first = tf.get_variable("class_token", [1, 1, width], initializer=tf.zeros_initializer())
    h = tf.concat([tf.tile(first, [h.shape[0], 1, 1]), h], 1)
    length = h.shape[1]
    h += tf.get_variable("positions", [1, length, width], initializer=normal)

    def of_heads(inputs):
        return tf.transpose(tf.reshape(tf.layers.dense(inputs, width), [-1, length, heads, each]), [0, 2, 1, 3])

    for _ in range(spec["layers"]):
        n = layer_norm(h)
        query, key, value = of_heads(n), of_heads(n), of_heads(n)
        weights = tf.nn.softmax(tf.matmul(query, key, transpose_b=True) / each**0.5)
        read = tf.reshape(tf.transpose(tf.matmul(weights, value), [0, 2, 1, 3]), [-1, length, width])
        h += tf.layers.dense(read, width)
        h += tf.layers.dense(tf.layers.dense(layer_norm(h), spec["hidden"], gelu), width)
    return classified(layer_norm(h)[:, 0], batch, spec)


def mixer(batch, spec):
    h = patches(batch, spec)
    length = h.shape[1]
    for _ in range(spec["layers"]):
        mixed = tf.transpose(layer_norm(h), [0, 2, 1])
        mixed = tf.layers.dense(tf.layers.dense(mixed, spec["tokens"], gelu), length)
        h += tf.transpose(mixed, [0, 2, 1])
        h += tf.layers.dense(tf.layers.dense(layer_norm(h), spec["hidden"], gelu), spec["width"])
    return classified(tf.reduce_mean(layer_norm(h), 1), batch, spec)


def dqn(batch, spec):
    def values(frames, scope):
        with tf.variable_scope(scope):
            h = tf.cast(frames, tf.float32) / 255.0
            for filters, size, stride in spec["filters"]:
                h = tf.layers.conv2d(h, filters, size, stride, activation=tf.nn.relu)
            h = tf.layers.dense(tf.layers.flatten(h), spec["dense"], tf.nn.relu)
            return tf.layers.dense(h, spec["actions"])

    taken = tf.reduce_sum(values(batch["state"], "online") * tf.one_hot(batch["action"], spec["actions"]), 1)
    best = tf.reduce_max(values(batch["after"], "target"), 1)
    goal = batch["reward"] + spec["discount"] * (1 - batch["ended"]) * tf.stop_gradient(best)
    loss = tf.losses.huber_loss(goal, taken)
    online, target = (tf.global_variables(scope + "/") for scope in ("online", "target"))
    train = optimizers.trained(loss, spec, online)
    with tf.control_dependencies([train]):
        return loss, tf.group(*[old.assign_add(spec["follow"] * (new - old)) for old, new in zip(target, online)])
