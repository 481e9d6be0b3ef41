# SPDX-License-Identifier: Apache-2.0
"""Ops that compute, in random graphs whose placeholders have open sizes (tensorflow_open_sizes.py).

Their operands' sizes look alike in one run, and need not be equal in others; or the sizes of their results follow from
those of their operands.
"""
import tensorflow as tf

from tensorflow_size_ops import along, axisOf, broadcasts, op, rank, same, sameBut

v1 = tf.compat.v1


@op("f", weight=4)
def unary(context, x):
    return context.rng.choice([
        lambda: tf.tanh(x), lambda: tf.nn.relu(x), lambda: 0.5 * x + 0.1, lambda: tf.sigmoid(x), lambda: tf.abs(x), lambda: tf.sin(x),
        lambda: x * context.variable([]), lambda: tf.nn.softmax(x), lambda: tf.nn.log_softmax(tf.tanh(x)), lambda: tf.stop_gradient(x),
        lambda: tf.math.l2_normalize(x, axisOf(context, x), 1e-3), lambda: tf.cast(x > 0, tf.float32), lambda: tf.zeros_like(x) + 0.5,
    ])()  # fmt: skip


@op("f", "f", fits=broadcasts, weight=10)
def binary(context, x, y):
    return context.rng.choice([
        tf.add, tf.subtract, tf.multiply, tf.maximum, tf.minimum, tf.math.squared_difference, lambda a, b: tf.where(a > b, a, b),
        lambda a, b: a / (tf.abs(b) + 0.5), lambda a, b: tf.where(a > 0, tf.ones_like(a), b), tf.math.divide_no_nan,
        lambda a, b: a + tf.zeros_like(b), lambda a, b: tf.cast(a > b + 0.5, tf.float32) + a,
    ])(x, y)  # fmt: skip


@op("f", "f", "f", fits=lambda a, b, c: broadcasts(a, b) and broadcasts(a, c) and broadcasts(b, c), weight=3)
def ternary(context, x, y, z):
    return context.rng.choice([
        lambda: tf.where(x > 0, y, z), lambda: x * y + z, lambda: tf.clip_by_value(x, -tf.abs(y), tf.abs(y)) * z, lambda: tf.where(x > y, z, y),
    ])()  # fmt: skip


@op("f", "f", fits=same, weight=5)
def same_sizes(context, x, y):
    """Ops that do not broadcast."""
    return context.rng.choice([
        lambda: tf.add_n([x, y]), lambda: tf.add_n([x, y, x]), lambda: v1.where(x > y, x, y), lambda: tf.math.accumulate_n([x, y]),
        lambda: tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.sigmoid(x), logits=y), lambda: v1.where(x > 0, x, y),
        lambda: tf.identity_n([x, y])[1] + tf.add_n([x, y]),
    ])()  # fmt: skip


@op("f", "f1", fits=lambda a, b: a[-1:] == b, weight=3)
def biased(context, x, y):
    return tf.nn.bias_add(x, y) if rank(x) > 1 else x + y


@op("f", "f1", fits=lambda a, b: a[:1] == b, weight=2)
def rows_selected(context, x, y):
    """TensorFlow 1's choice of rows by a vector."""
    return context.rng.choice([lambda: v1.where(y > 0, x, 2 * x), lambda: x * tf.reshape(y, [-1] + [1] * (rank(x) - 1))])()


@op("f", weight=5)
def reduced(context, x):
    rng, axis = context.rng, axisOf(context, x)
    reduce = rng.choice([tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_min, tf.reduce_prod, tf.reduce_logsumexp, tf.math.reduce_variance])
    keeps = rank(x) == 1 or rng.random() < 0.5
    return reduce(x, axis, keepdims=keeps)


@op("f", weight=2)
def accumulated(context, x):
    rng, axis = context.rng, axisOf(context, x)
    return rng.choice([
        lambda: tf.cumsum(x, axis), lambda: tf.cumsum(x, axis, exclusive=True, reverse=True), lambda: tf.math.cumprod(tf.tanh(x), axis),
        lambda: tf.sort(x, axis), lambda: 0.1 * tf.cast(tf.argsort(x), tf.float32), lambda: x - tf.reduce_mean(x, axis, keepdims=True),
    ])()  # fmt: skip


@op("f", weight=2)
def arg_reduced(context, x):
    found = context.rng.choice([tf.argmax, tf.argmin])(x, axisOf(context, x), output_type=tf.int32)
    return found if rank(x) == 2 else 0.1 * tf.cast(found, tf.float32) if rank(x) > 2 else found


@op("f", "s", weight=2)
def largest(context, x, k):
    values, places = tf.nn.top_k(x, k)
    if rank(x) == 1:
        return context.rng.choice([values, places])
    return context.rng.choice([lambda: values, lambda: tf.gather(x, places, batch_dims=rank(x) - 1), lambda: values[..., :1]])()


@op("f", weight=2)
def largest_half(context, x):
    k = tf.shape(x)[-1]
    return tf.nn.top_k(x, context.rng.choice([k // 2, (k + 1) // 2, k - 1, tf.minimum(k, 2), 2]))[0]


@op("f2", "f2", fits=lambda a, b: a[1] == b[0], weight=6)
def product(context, x, y):
    return context.rng.choice([
        lambda: tf.matmul(x, y), lambda: tf.matmul(x, y), lambda: tf.einsum("ij,jk->ik", x, y), lambda: tf.tensordot(x, y, 1),
        lambda: tf.einsum("ij,jk->ki", x, y), lambda: tf.nn.relu(tf.matmul(x, y)) + 0.1,
    ])()  # fmt: skip


@op("f2", "f2", fits=lambda a, b: a[1] == b[1], weight=4)
def product_of_rows(context, x, y):
    return context.rng.choice([
        lambda: tf.matmul(x, y, transpose_b=True), lambda: tf.einsum("ij,kj->ik", x, y), lambda: tf.matmul(y, x, transpose_b=True),
    ])()  # fmt: skip


@op("f2", "f2", fits=lambda a, b: a[0] == b[0], weight=4)
def product_of_columns(context, x, y):
    return context.rng.choice([lambda: tf.matmul(x, y, transpose_a=True), lambda: tf.einsum("ij,ik->jk", x, y)])()


@op("f3", "f3", fits=lambda a, b: a[2] == b[1] and (a[0] == b[0] or 1 in (a[0], b[0])), weight=4)
def batch_product(context, x, y):
    return context.rng.choice([lambda: tf.matmul(x, y), lambda: tf.matmul(x, y), lambda: tf.einsum("bij,bjk->bik", x, y)])()


@op("f3", "f2", fits=lambda a, b: a[2] == b[0], weight=3)
def batch_product_of_one(context, x, y):
    return context.rng.choice([lambda: tf.matmul(x, y), lambda: tf.tensordot(x, y, 1), lambda: tf.einsum("bij,jk->bik", x, y)])()


@op("f2", "f1", fits=lambda a, b: a[1:] == b, weight=3)
def matrix_times_vector(context, x, y):
    return context.rng.choice([
        lambda: tf.linalg.matvec(x, y), lambda: tf.einsum("ij,j->i", x, y), lambda: tf.tensordot(x, y, 1), lambda: x * y,
    ])()  # fmt: skip


@op("f2", weight=2)
def gram(context, x):
    return context.rng.choice([lambda: tf.matmul(x, x, transpose_a=True), lambda: tf.matmul(x, x, transpose_b=True), lambda: tf.matmul(x, x)])()


@op("f2", weight=3)
def factored(context, x):
    """Of factors whose signs or order are not unique, only sizes are kept; min(m, n) is one of them."""
    rng = context.rng
    sized = lambda t: tf.ones_like(tf.stop_gradient(t)) * 0.5
    regular = lambda: tf.matmul(x, x, transpose_a=True) + tf.eye(tf.shape(x)[1])
    svd = lambda whole: tf.linalg.svd(x, full_matrices=whole)
    return rng.choice([
        lambda: sized(tf.linalg.qr(x)[0]), lambda: sized(tf.linalg.qr(x)[1]), lambda: sized(tf.linalg.qr(x, full_matrices=True)[0]),
        lambda: sized(tf.linalg.qr(x, full_matrices=True)[1]), lambda: tf.stop_gradient(tf.linalg.svd(x, compute_uv=False)),
        lambda: sized(svd(False)[1]), lambda: sized(svd(True)[2]), lambda: sized(svd(False)[2]), lambda: tf.linalg.cholesky(regular()),
        lambda: tf.linalg.inv(regular()), lambda: tf.linalg.det(tf.stack([regular()] * 2)), lambda: sized(tf.linalg.cholesky(x)),
        lambda: sized(tf.linalg.eigh(regular())[1]), lambda: tf.linalg.matmul(*tf.linalg.qr(tf.stop_gradient(x))),
    ])()  # fmt: skip


@op("f2", "f2", fits=lambda a, b: a[1] == b[0], weight=2)
def solved(context, x, y):
    regular = tf.matmul(x, x, transpose_a=True) + tf.eye(tf.shape(x)[1])
    return context.rng.choice([lambda: tf.linalg.solve(regular, y), lambda: tf.linalg.triangular_solve(tf.linalg.cholesky(regular), y)])()


def windowed(context, x, function):
    """Windows over an image [n, h, w, c], or over a matrix or batch of matrices as images of one channel."""
    if rank(x) == 4:
        return function(x)
    if rank(x) == 3:
        return function(x[..., None])[..., 0]
    return function(x[None, :, :, None])[0, :, :, 0] if rank(x) == 2 else function(x[None, :, None, None])[0, :, 0, 0]


def trained(context, image, function):
    """What a function makes of an image: of no elements, TensorFlow's gradients are memory that nobody wrote to."""
    if context.rng.random() < 0.3:
        return tf.stop_gradient(function(image))
    result = function(image)
    with tf.control_dependencies([v1.assert_positive(tf.size(image)), v1.assert_positive(tf.size(result))]):
        return tf.identity(result)


@op("f", weight=6)
def pooled(context, x):
    rng = context.rng
    kind, padding = rng.choice([tf.nn.max_pool2d, tf.nn.avg_pool2d]), rng.choice(["SAME", "VALID"])
    k, strides = [rng.choice([1, 2, 3]), rng.choice([1, 1, 2])], [rng.choice([1, 2, 3]), rng.choice([1, 2])]
    return trained(context, x, lambda x: windowed(context, x, lambda image: kind(image, k, strides, padding)))


@op("f", weight=5)
def convolved(context, x):
    rng = context.rng
    channels = x.shape[-1] if rank(x) == 4 else 1
    if channels is None:
        return None
    outputs = channels if rank(x) < 4 else rng.choice([1, 2, 3])
    k, padding, stride = [rng.choice([1, 2, 3]), rng.choice([1, 2])], rng.choice(["SAME", "VALID"]), rng.choice([1, 2, 3])
    kind = rng.choice([
        lambda image: tf.nn.conv2d(image, context.variable([*k, channels, outputs]), stride, padding),
        # Its gradient needs oneDNN.
        lambda image: tf.stop_gradient(tf.nn.conv2d(image, context.variable([*k, channels, outputs]), 1, padding, dilations=2)),
        lambda image: tf.nn.depthwise_conv2d(image, context.variable([*k, channels, 1]), [1, stride, stride, 1], padding),
    ])  # fmt: skip
    return trained(context, x, lambda x: windowed(context, x, kind))


@op("f", weight=2)
def transposed_convolution(context, x):
    """Its result has the size that is asked for, where a convolution of that size gives the operand's."""
    channels, rng = x.shape[-1] if rank(x) == 4 else 1, context.rng
    if channels is None:
        return None
    k, more, padding = rng.choice([1, 2, 3]), rng.choice([0, 0, 1, -1]), rng.choice(["SAME", "VALID"])

    def apply(image):
        sizes = tf.shape(image)
        size = tf.stack([sizes[0], 2 * sizes[1] + more, 2 * sizes[2], channels])
        return tf.nn.conv2d_transpose(image, context.variable([k, 2, channels, channels]), size, [2, 2], padding)

    return trained(context, x, lambda x: windowed(context, x, apply))


@op("f4", "f", fits=lambda a, b: True, weight=2)
def resized(context, x, y):
    rng, sizes = context.rng, tf.shape(x)
    h, w = rng.choice([(sizes[1] // 2, sizes[2]), (tf.shape(y)[0], sizes[2] + 1), (2 * sizes[1], (sizes[2] + 1) // 2), (3, tf.shape(y)[-1])])
    kind = rng.choice([v1.image.resize_nearest_neighbor, v1.image.resize_bilinear])
    return rng.choice([
        lambda: kind(x, tf.stack([h, w])), lambda: tf.image.extract_patches(x, [1, 2, 2, 1], [1, 2, 1, 1], [1, 1, 1, 1], rng.choice(["SAME", "VALID"])),
    ])()  # fmt: skip


@op("f4")
def normalized(context, x):
    channels = x.shape[-1]
    if channels is None:
        return None
    return v1.nn.fused_batch_norm(x, context.variable([channels]), context.variable([channels]), epsilon=0.1)[0]


@op("f", weight=2)
def spectrum(context, x):
    """n / 2 + 1 frequencies."""
    n = tf.shape(x)[-1]
    return context.rng.choice([
        lambda: tf.stop_gradient(tf.abs(tf.signal.rfft(x))), lambda: tf.math.real(tf.signal.rfft(x)), lambda: tf.signal.irfft(tf.signal.rfft(x)),
        lambda: tf.math.real(tf.signal.rfft(x, [n + 1])), lambda: tf.math.imag(tf.signal.rfft(x, [n // 2 + 1])),
    ])()  # fmt: skip


@op("f2", "i", fits=lambda a, b: a[:1] == b, weight=2)
def sparse_loss(context, x, labels):
    n = tf.shape(x)[1]
    return tf.nn.sparse_softmax_cross_entropy_with_logits(logits=x, labels=context.rng.choice([labels, labels % tf.maximum(n, 1)]))


@op("f2", "f2", fits=same, weight=2)
def dense_loss(context, x, y):
    return tf.nn.softmax_cross_entropy_with_logits(labels=tf.nn.softmax(y), logits=x)


@op("f", "f", fits=sameBut(0), weight=3)
def looped(context, x, y):
    """Over the rows of one, with the rows of the other at hand."""
    n = tf.shape(x)[0]
    first, zero = along(x, 0, slice(0, 1)), tf.constant(0)
    loop = lambda body, state: tf.while_loop(lambda i, *s: i < n, body, [zero, *state])[1]
    grown = lambda: tf.while_loop(
        lambda i, s: i < n, lambda i, s: (i + 1, tf.concat([s, y[:1]], 0)), [zero, first],
        shape_invariants=[zero.shape, tf.TensorShape([None] * rank(x))],
    )[1]  # fmt: skip
    array = lambda: tf.while_loop(
        lambda i, a: i < n, lambda i, a: (i + 1, a.write(i, x[i] + tf.reduce_mean(y, 0))),
        [zero, tf.TensorArray(tf.float32, n, element_shape=x.shape[1:])],
    )[1].stack()  # fmt: skip
    return context.rng.choice([
        lambda: loop(lambda i, s: (i + 1, tf.tanh(s + y[i])), [tf.reduce_sum(x, 0)[None]]), lambda: loop(lambda i, s: (i + 1, 0.5 * s + y), [x]),
        grown, array, lambda: tf.map_fn(lambda row: tf.tanh(row) + tf.reduce_sum(y, 0), x), lambda: tf.scan(lambda s, row: 0.5 * s + row, x, initializer=y[0]),
        lambda: tf.map_fn(lambda row: row[0] - row[1], (x, y), fn_output_signature=tf.float32),
    ])() if rank(x) > 1 else loop(lambda i, s: (i + 1, s + y[i]), [x])  # fmt: skip


@op("f", "f", fits=lambda a, b: len(a) == len(b), weight=2)
def branched(context, x, y):
    a, b = tf.shape(x)[axisOf(context, x)], tf.shape(y)[axisOf(context, y)]
    return context.rng.choice([
        lambda: tf.cond(a > b, lambda: tf.tanh(x), lambda: 2 * y), lambda: tf.cond(a > 3, lambda: x[1:], lambda: x), lambda: tf.cond(a < b, lambda: y + 0, lambda: y * 2),
        lambda: tf.cond(tf.reduce_sum(x) > 0, lambda: x[:2], lambda: y[:3]), lambda: tf.switch_case(tf.minimum(a, 2), [lambda: x, lambda: y, lambda: x[::-1]]),
    ])()  # fmt: skip


@op("f1", "f1", weight=2)
def grid(context, x, y):
    return context.rng.choice([
        lambda: tf.meshgrid(x, y)[0], lambda: tf.meshgrid(x, y, indexing="ij")[1], lambda: x[:, None] * y[None], lambda: tf.tensordot(x, y, 0),
        lambda: tf.einsum("i,j->ij", x, y), lambda: tf.cast(tf.searchsorted(tf.sort(x), y), tf.float32), lambda: x[:, None] - y,
    ])()  # fmt: skip


@op("f", "f", fits=same, weight=1)
def asserted(context, x, y):
    with tf.control_dependencies([v1.assert_equal(tf.shape(x), tf.shape(y))]):
        return tf.identity(x)


def halves(context, x, axis):
    """Ways to about half, a third, or all of an axis, or one more or less."""
    n = tf.shape(x)[axis]
    part = lambda *ends: along(x, axis, slice(*ends))
    pool = lambda k, stride, padding, kind="AVG": windowed(
        context, x if axis == 0 else tf.transpose(x), lambda image: tf.nn.pool(image, [k, 1], kind, [stride, 1], padding))
    turned = lambda y: y if axis == 0 else tf.transpose(y)
    return [
        lambda: x, lambda: part(None, None, 2), lambda: part(1, None, 2), lambda: part(None, n // 2), lambda: part(n // 2, None),
        lambda: part(None, (n - 1) // 2), lambda: part(None, (n + 1) // 2), lambda: part(None, None, -2), lambda: part(None, None, 3),
        lambda: part(2, None, 3), lambda: part(None, n // 3), lambda: part(1, None), lambda: part(None, -1), lambda: part(-3, None),
        lambda: part(None, 3), lambda: part(None, n - 1), lambda: part(0, n // 4 * 2), lambda: part(1, -1), lambda: part(n - n // 2, None),
        lambda: turned(pool(1, 2, "SAME", "MAX")), lambda: turned(pool(2, 2, "SAME")), lambda: turned(pool(2, 2, "VALID")),
        lambda: turned(pool(3, 2, "VALID")), lambda: turned(pool(3, 3, "SAME", "MAX")), lambda: turned(pool(3, 1, "VALID")), lambda: turned(pool(2, 3, "VALID")),
        lambda: tf.split(x, 2, axis)[1], lambda: tf.split(x, [n // 2, -1], axis)[1], lambda: tf.split(x, [1, -1], axis)[1],
        lambda: tf.gather(x, tf.range(n // 2), axis=axis), lambda: tf.gather(x, tf.range(0, n, 2), axis=axis), lambda: tf.gather(x, tf.range(1, n, 2), axis=axis),
        lambda: tf.boolean_mask(x, tf.range(n) % 2 > 0, axis=axis), lambda: tf.concat([part(1, None, 2), part(None, 1)], axis),
        lambda: tf.concat([part(None, None, 2), part(1, None, 2)], axis), lambda: tf.concat([part(n // 2, None), part(None, n // 2)], axis),
        lambda: tf.dynamic_partition(x, tf.range(n) % 2, 2)[0] if axis == 0 else x, lambda: tf.repeat(part(None, None, 2), 2, axis=axis),
        lambda: part(None, tf.maximum(n // 2, 2)), lambda: part(None, tf.minimum(n, 4)), lambda: part(tf.maximum(n - 4, 0), None), lambda: part(n % 2, None),
        lambda: part(None, tf.cast(tf.math.ceil(tf.cast(n, tf.float32) / 2), tf.int32)), lambda: part(None, tf.cast(tf.cast(n, tf.float32) * 0.5, tf.int32)),
        lambda: part(None, n - n % 2), lambda: part(None, tf.shape(part(1, None, 2))[axis]), lambda: part(None, tf.where(n > 4, 4, n)),
        lambda: part(None, tf.cond(n > 4, lambda: n // 2, lambda: n)), lambda: part(None, tf.reduce_max(tf.shape(x)) // 2), lambda: part(None, tf.reduce_min(tf.shape(x))),
        lambda: part(None, tf.size(x) // tf.maximum(n, 1)), lambda: part(None, tf.reduce_sum(tf.cast(tf.range(n) > 1, tf.int32))),
        lambda: part(None, tf.while_loop(lambda i: i * 2 < n, lambda i: i + 1, [0])), lambda: part(None, tf.bitwise.right_shift(n, 1)),
    ]  # fmt: skip


def combined(context, x, y):
    """Two tensors of one rank, in an op that wants equal sizes, or broadcasts."""
    return context.rng.choice([
        lambda: x + y, lambda: tf.maximum(x, y), lambda: x * y, lambda: tf.add_n([x, y]), lambda: tf.stack([x, y])[1], lambda: tf.where(x > y, x, y),
        lambda: v1.where(x > 0, x, y), lambda: tf.concat([x, y], rank(x) - 1), lambda: tf.concat([x, y], 0), lambda: tf.matmul(x, y, transpose_a=True),
        lambda: tf.matmul(x, y, transpose_b=True), lambda: tf.einsum("...,...->...", x, y), lambda: tf.tensor_scatter_nd_update(x, [[0]], y[:1]),
        lambda: tf.broadcast_to(x, tf.shape(y)), lambda: tf.reshape(x, tf.shape(y)), lambda: tf.cond(tf.reduce_sum(x) > 0, lambda: x, lambda: y) + x,
        lambda: tf.squeeze(x[None], 0) - y, lambda: tf.while_loop(lambda i, s: i < 2, lambda i, s: (i + 1, s + y), [0, x])[1],
    ])()  # fmt: skip


@op("f", weight=40)
def alike(context, x):
    """Two parts of an axis, of sizes that look alike."""
    axis = axisOf(context, x)
    if rank(x) > 2 and axis > 0:
        return None
    first, second = context.rng.sample(halves(context, x, axis), 2)
    return combined(context, tf.tanh(first()), second())


@op("f", "f", weight=20)
def alike_of_two(context, x, y):
    """Parts of two tensors whose sizes may be equal."""
    if rank(x) != rank(y):
        return None
    axis = 0 if rank(x) != 2 else axisOf(context, x)
    return combined(context, context.rng.choice(halves(context, x, axis))(), context.rng.choice(halves(context, y, axis))())
