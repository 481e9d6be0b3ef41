# SPDX-License-Identifier: Apache-2.0
"""Layers with derivatives of their own, in random graphs that TensorFlow makes (tensorflow_graphs.py).

Gradients in the forward pass (penalties, inner steps of gradient descent), custom and recomputed gradients, arrays of
tensors, and linear algebra.
"""
import tensorflow as tf

from tensorflow_layers import classOf, flat, layer, rank, sizes

v1 = tf.compat.v1
SMOOTH = [tf.tanh, tf.sigmoid, tf.sin, tf.nn.softplus, lambda x: x * tf.sigmoid(x), tf.square, lambda x: tf.exp(-tf.square(x)), lambda x: tf.nn.l2_normalize(x, -1, epsilon=1e-2)]


@layer(3)
def inner_gradient(context, h):
    """What a small net's output changes by, element by element: its gradient has second derivatives."""
    rng, x = context.rng, flat(h)
    width = int(x.shape[1])
    w, b = context.variable([width, 4], 1 / width**0.5), context.variable([4], 0.1)
    y = rng.choice(SMOOTH)(tf.matmul(x, w) + b)
    if rng.random() < 0.4:
        y = tf.nn.softmax(y) * tf.constant([1.0, 2.0, 3.0, 4.0])
    if rng.random() < 0.3:
        y = tf.reduce_sum(y, 1, keepdims=True) / (1 + tf.reduce_mean(tf.square(y), 1, keepdims=True))
    (dx,) = tf.gradients(rng.choice([tf.reduce_sum, lambda t: tf.reduce_mean(t) * 10])(y), x)
    return rng.choice([lambda: x - 0.3 * dx, lambda: tf.concat([tf.tanh(x), dx], 1), lambda: x / tf.sqrt(1 + tf.reduce_sum(tf.square(dx), 1, keepdims=True))])()


@layer(2)
def inner_convolution(context, h):
    """The same of convolutions, pooling and normalization."""
    if rank(h) != 4:
        return None
    rng, channels = context.rng, sizes(h)[-1]
    y = tf.nn.conv2d(h, context.variable([3, 3, channels, 2], 1 / (9 * channels) ** 0.5), rng.choice([1, 2]), "SAME")
    y = rng.choice(SMOOTH)(y)
    if min(y.shape.as_list()[1:3]) >= 2 and rng.random() < 0.4:
        y = tf.nn.avg_pool2d(y, 2, 1, "VALID")
    if rng.random() < 0.3:
        y = v1.nn.fused_batch_norm(y, tf.ones([2]), tf.zeros([2]), epsilon=1e-2)[0]
    (dx,) = tf.gradients(tf.reduce_sum(tf.square(y)), h)
    return h - 0.2 * dx


@layer(2)
def inner_steps(context, h):
    """Steps of gradient descent on weights of each batch, as meta-learning has them."""
    x = tf.tanh(flat(h))
    width = int(x.shape[1])
    w = context.variable([width, 2], 1 / width**0.5) * 1.0
    for _ in range(context.rng.choice([1, 2])):
        loss = tf.reduce_mean(tf.square(tf.tanh(tf.matmul(x, w)) - 0.3))
        w = w - 0.2 * tf.gradients(loss, w)[0]
    return tf.concat([x, tf.matmul(x, w)], 1)


@layer(2)
def own_gradients(context, h):
    """Gradients that are not the function's: straight through, reversed, clipped, stopped."""
    def reversing(x):
        return tf.identity(x), lambda dy: -0.5 * dy

    def clipping(x):
        return x * 1.5, lambda dy: tf.clip_by_value(dy, -0.01, 0.01)

    rng = context.rng
    return rng.choice([
        lambda: tf.custom_gradient(reversing)(h), lambda: tf.custom_gradient(clipping)(h),
        lambda: h + tf.stop_gradient(tf.round(h * 4) / 4 - h), lambda: tf.quantization.fake_quant_with_min_max_args(h, -2, 2),
        lambda: tf.sign(h) * tf.stop_gradient(tf.reduce_mean(tf.abs(h))) + h, lambda: tf.grad_pass_through(tf.floor)(h * 3) * 0.3,
    ])()  # fmt: skip


@layer(2)
def arrays(context, h):
    """Tensors of a loop, written and read in another order."""
    if rank(h) != 3:
        return None
    rng, (steps, depth) = context.rng, sizes(h)
    w = context.variable([depth, depth], 0.7 / depth**0.5)
    inputs = tf.TensorArray(tf.float32, steps, clear_after_read=False).unstack(tf.transpose(h, [1, 0, 2]))
    outputs = tf.TensorArray(tf.float32, steps)
    backward = rng.random() < 0.5

    def body(t, state, out):
        place = steps - 1 - t if backward else t
        x = inputs.read(place)
        other = inputs.read(steps - 1 - place) if rng.random() < 0.5 else x
        state = tf.tanh(tf.matmul(state, w) + x - 0.2 * other)
        return t + 1, state, out.write(place, state * 0.7)

    _, last, outputs = tf.while_loop(lambda t, *_: t < steps, body, [tf.constant(0), 0.1 * h[:, 0], outputs], parallel_iterations=1)
    stacked = tf.ensure_shape(tf.transpose(outputs.stack(), [1, 0, 2]), [None, steps, depth])
    return rng.choice([lambda: stacked, lambda: last, lambda: stacked + tf.expand_dims(last, 1), lambda: outputs.read(0)])()


@layer(2)
def algebra(context, h):
    """Products, factors and solutions of small matrices, one for each example or one of the batch."""
    rng, x = context.rng, tf.tanh(flat(h))
    width = int(x.shape[1])
    n = rng.choice([2, 3])
    a = tf.reshape(tf.matmul(x, context.variable([width, n * n], 1 / width**0.5)), [-1, n, n])
    spd = tf.matmul(a, a, transpose_b=True) + 0.7 * tf.eye(n)
    return flat(tf.ensure_shape(rng.choice([
        lambda: tf.linalg.cholesky(spd), lambda: tf.linalg.inv(spd), lambda: tf.linalg.solve(spd, a),
        lambda: tf.linalg.triangular_solve(tf.linalg.cholesky(spd), a), lambda: tf.einsum("bij,bkj,bkl->bil", a, spd, a) * 0.3,
        lambda: a * tf.reshape(tf.linalg.det(spd), [-1, 1, 1]) * 0.3, lambda: tf.linalg.band_part(a, 1, 0) - tf.linalg.diag(tf.linalg.diag_part(a)),
        lambda: tf.linalg.set_diag(a, tf.linalg.diag_part(spd)), lambda: tf.linalg.matrix_transpose(a) * tf.linalg.trace(a)[:, None, None],
        lambda: tf.matmul(tf.matmul(a, spd, adjoint_b=True), a, transpose_a=True) * 0.2,
        lambda: tf.einsum("...ij,jk->...ik", a, context.variable([n, n])), lambda: tf.linalg.cross(a, spd) if n == 3 else a * spd,
    ])(), [None, n, n]))  # fmt: skip


@layer(2)
def branches(context, h):
    """One of several branches, by a number that the batch has; each has variables of its own."""
    rng = context.rng
    size = sizes(h)[-1]
    weights = [context.variable([size], 0.6) for _ in range(3)]
    ways = [lambda: tf.tanh(h * weights[0]), lambda: h + weights[1], lambda: h * tf.sigmoid(weights[2]) - weights[0]]
    step = tf.cast(v1.train.get_or_create_global_step(), tf.int32)
    index = rng.choice([step % 3, classOf(tf.reduce_sum(tf.tanh(h)), 3)])
    if rng.random() < 0.5 and not context.tower.loops:
        return tf.switch_case(index, ways)
    return tf.case([(tf.equal(index, 0), ways[0]), (tf.equal(index, 1), ways[1])], default=ways[2], exclusive=True)
