# SPDX-License-Identifier: Apache-2.0
"""The layers of random graphs that TensorFlow makes (tensorflow_graphs.py).

Each takes a context, whose `rng` is the layer's own, and a float32 tensor with the batch first; it gives another one, or
None where it does not fit.
"""
import collections

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
Layer = collections.namedtuple("Layer", "function weight")
LAYERS, HEADS = {}, {}


def layer(weight=2):
    def add(function):
        LAYERS[function.__name__] = Layer(function, weight)
        return function

    return add


def head(function):
    HEADS[function.__name__] = function
    return function


class Context:
    def __init__(self, tower, number, noise=0):
        self.tower, self.number, self.noise, self.rng = tower, number, noise, None
        self.count, self.updates, self.seed, self.shared = 0, [], 0, {}
        self.values = np.random.RandomState(tower.seed % 2**31)

    def variable(self, shape, scale=0.5, trainable=True, mean=0.0):
        """Half of them are resource variables."""
        self.count += 1
        value = (mean + scale * self.values.normal(size=shape)).astype(np.float32)
        return v1.get_variable(f"w{self.count}", initializer=value, trainable=trainable, use_resource=self.tower.seed % 2 == 0)

    def drawSeed(self):
        self.seed += 1
        return self.seed


def narrow(context, h, kind):
    """A cast. With noise, some elements are rounded to a neighbour in 16 bits, as a rounding error before the cast may do."""
    unit = {tf.float16: 2.0**-11, tf.bfloat16: 2.0**-8}.get(kind)
    if unit and context.noise:
        units = np.random.RandomState(context.noise + context.count).choice([-unit, 0, unit], sizes(h), p=[0.05, 0.9, 0.05])
        h = h * (1 + units).astype(np.float32)
    return tf.cast(h, kind)


def sizes(h):
    return h.shape.as_list()[1:]


def rank(h):
    return len(h.shape)


def activation(context, h):
    return context.rng.choice([
        tf.nn.relu, tf.tanh, tf.sigmoid, tf.nn.elu, tf.nn.softplus, tf.nn.selu, tf.nn.swish, tf.nn.leaky_relu, tf.nn.relu6,
        lambda x: tf.nn.gelu(x), tf.square, lambda x: tf.sqrt(tf.abs(x) + 0.1), tf.sin, tf.nn.softsign, lambda x: x,
        lambda x: tf.math.erf(x), lambda x: tf.exp(-tf.square(x)), lambda x: tf.pow(tf.abs(x) + 0.5, 1.5),
        lambda x: tf.math.log1p(tf.abs(x)), lambda x: tf.math.atan(x),
    ])(h)  # fmt: skip


@layer(4)
def activate(context, h):
    return activation(context, h)


@layer(6)
def dense(context, h):
    units = context.rng.choice([1, 2, 3, 4, 8, 16, 17, 32])
    depth = sizes(h)[-1]
    w = context.variable([depth, units], 1 / depth**0.5)
    y = tf.matmul(h, w) if rank(h) == 2 else tf.tensordot(h, w, 1)
    if context.rng.random() < 0.6:
        y = tf.nn.bias_add(y, context.variable([units], 0.1))
    return activation(context, y)


@layer(5)
def conv2d(context, h):
    if rank(h) != 4:
        return None
    k, outputs, channels = context.rng.choice([1, 2, 3]), context.rng.choice([1, 2, 4, 8]), sizes(h)[-1]
    padding, stride = context.rng.choice(["SAME", "VALID"]), context.rng.choice([1, 1, 2])
    if padding == "VALID" and min(sizes(h)[:2]) < k:
        return None
    y = tf.nn.conv2d(h, context.variable([k, k, channels, outputs], 1 / (k * k * channels) ** 0.5), stride, padding)
    return activation(context, y)


@layer(2)
def depthwise(context, h):
    if rank(h) != 4 or min(sizes(h)[:2]) < 3:
        return None
    return tf.nn.depthwise_conv2d(h, context.variable([3, 3, sizes(h)[-1], 1], 0.3), [1, 1, 1, 1], "SAME")


@layer(2)
def conv1d(context, h):
    if rank(h) != 3:
        return None
    return tf.nn.conv1d(h, context.variable([context.rng.choice([1, 2, 3]), sizes(h)[-1], 4], 0.4), 1, "SAME")


@layer(2)
def transposed(context, h):
    if rank(h) != 4:
        return None
    height, width, channels = sizes(h)
    size = tf.stack([tf.shape(h)[0], 2 * height, 2 * width, 2])
    y = tf.nn.conv2d_transpose(h, context.variable([2, 2, 2, channels], 0.4), size, 2, "SAME")
    return tf.reshape(y, [-1, 2 * height, 2 * width, 2])


@layer(2)
def pool(context, h):
    if rank(h) != 4 or min(sizes(h)[:2]) < 2:
        return None
    function = context.rng.choice([tf.nn.max_pool2d, tf.nn.avg_pool2d])
    return function(h, 2, context.rng.choice([1, 2]), context.rng.choice(["SAME", "VALID"]))


@layer(4)
def batch_norm(context, h):
    channels, momentum = sizes(h)[-1], 0.9
    gamma, beta = context.variable([channels], 0.1, mean=1.0), context.variable([channels], 0.1)
    mean, variance = context.variable([channels], 0.0, False), context.variable([channels], 0.0, False, 1.0)
    if rank(h) == 4 and context.rng.random() < 0.6:
        y, m, v = v1.nn.fused_batch_norm(h, gamma, beta, epsilon=1e-3)
    else:
        m, v = tf.nn.moments(h, list(range(rank(h) - 1)))
        y = tf.nn.batch_normalization(h, m, v, beta, gamma, 1e-3)
    context.updates += [v1.assign_sub(mean, (mean - m) * (1 - momentum)), v1.assign_sub(variance, (variance - v) * (1 - momentum))]
    return y


@layer(2)
def layer_norm(context, h):
    m, v = tf.nn.moments(h, [-1], keepdims=True)
    return (h - m) * tf.math.rsqrt(v + 1e-3) * context.variable([sizes(h)[-1]], 0.1, mean=1.0)


@layer(8)
def dropout(context, h):
    rate = context.rng.choice([0.1, 0.2, 0.5])
    if context.rng.random() < 0.5:
        step = tf.cast(v1.train.get_or_create_global_step(), tf.int32)
        return tf.nn.experimental.stateless_dropout(h, rate, seed=tf.stack([step, context.rng.choice([1, 2, context.drawSeed()])]))
    shape = [tf.shape(h)[0], *[1] * (rank(h) - 2), sizes(h)[-1]] if context.rng.random() < 0.3 else None
    return tf.nn.dropout(h, rate, noise_shape=shape, seed=context.drawSeed())


@layer(3)
def noise(context, h):
    draw = context.rng.choice([v1.random_normal, v1.random_uniform, v1.truncated_normal])
    return h + 0.1 * draw(tf.shape(h), seed=context.drawSeed())


@layer(3)
def scale(context, h):
    shape = [size if context.rng.random() < 0.5 else 1 for size in sizes(h)]
    w = context.variable(shape, 0.5)
    return context.rng.choice([lambda: h * w, lambda: h + w, lambda: h - w, lambda: w - h, lambda: h / (tf.abs(w) + 1),
                               lambda: tf.maximum(h, w), lambda: tf.math.squared_difference(h, w)])()  # fmt: skip


@layer(3)
def residual(context, h):
    y = activation(context, h)
    return context.rng.choice([lambda: h + y, lambda: h * tf.sigmoid(y), lambda: h - y, lambda: tf.where(h > 0, y, h * 0.3)])()


@layer(2)
def tied(context, h):
    size = sizes(h)[-1]
    w = context.variable([size, size], 1 / size**0.5)
    flat = tf.reshape(h, [-1, size])
    return tf.reshape(tf.tanh(tf.matmul(tf.tanh(tf.matmul(flat, w)), w, transpose_b=True)), [-1, *sizes(h)])


@layer(3)
def reduction(context, h):
    axis = context.rng.randrange(1, rank(h)) if rank(h) > 2 else 1
    keep = rank(h) == 2 or context.rng.random() < 0.5
    function = context.rng.choice([tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_min, tf.reduce_logsumexp,
                                   lambda x, a, keepdims: tf.reduce_prod(tf.tanh(x) + 1.1, a, keepdims=keepdims)])  # fmt: skip
    y = function(h, axis, keepdims=keep)
    return tf.tanh(y) if keep or rank(h) > 2 else None


@layer(2)
def softmax(context, h):
    if sizes(h)[-1] == 1:  # One, up to TensorFlow's rounding, and gradients of nothing else.
        return None
    return context.rng.choice([tf.nn.softmax, lambda x: 0.3 * tf.nn.log_softmax(x)])(h)


@layer(2)
def slices(context, h):
    axis = context.rng.randrange(1, rank(h))
    size = sizes(h)[axis - 1]
    begin, stride = context.rng.randrange(size), context.rng.choice([1, 1, 2, -1])
    index = [slice(None)] * axis
    if rank(h) > 2 and context.rng.random() < 0.3:
        return h[tuple([*index, begin])]
    return h[tuple([*index, slice(begin, None, stride)])]


@layer(2)
def splits(context, h):
    if sizes(h)[-1] % 2:
        return None
    a, b = tf.split(h, 2, -1)
    return context.rng.choice([lambda: tf.concat([b, a], -1), lambda: a * tf.sigmoid(b), lambda: tf.stack([a, b], 1) if rank(h) < 4 else a])()


@layer(2)
def shapes(context, h):
    return context.rng.choice([
        lambda: tf.reshape(h, [-1, int(np.prod(sizes(h)))]), lambda: tf.transpose(h, [0, *range(rank(h) - 1, 0, -1)]),
        lambda: tf.expand_dims(h, 1) if rank(h) < 4 else None, lambda: tf.reverse(h, [context.rng.randrange(1, rank(h))]),
        lambda: tf.roll(h, 1, context.rng.randrange(1, rank(h))), lambda: tf.tile(h, [1] * (rank(h) - 1) + [2]),
        lambda: tf.pad(h, [[0, 0]] * (rank(h) - 1) + [[1, 2]]), lambda: tf.pad(h, [[0, 0]] * (rank(h) - 1) + [[1, 0]], "SYMMETRIC"),
    ])()  # fmt: skip


@layer(3)
def flips(context, h):
    """Reversed along one axis or two, as bidirectional layers and augmentation have it."""
    axes = context.rng.sample(range(1, rank(h)), min(rank(h) - 1, context.rng.choice([1, 1, 2])))
    y = tf.reverse(h, axes)
    return context.rng.choice([lambda: y, lambda: h - tf.tanh(y), lambda: h * tf.sigmoid(y)])()


@layer(2)
def attention(context, h):
    if rank(h) != 3 or sizes(h)[0] == 1:
        return None
    depth, units = sizes(h)[-1], context.rng.choice([2, 4, 8])
    q, k, v = (tf.tensordot(h, context.variable([depth, units], 1 / depth**0.5), 1) for _ in range(3))
    if context.rng.random() < 0.5:
        return tf.einsum("bts,bsd->btd", tf.nn.softmax(tf.einsum("btd,bsd->bts", q, k)), v)
    return tf.matmul(tf.nn.softmax(tf.matmul(q, k, transpose_b=True)), v)


@layer(3)
def loop(context, h):
    """A cell in a while loop, over steps of a sequence or of the same input."""
    size = sizes(h)[-1]
    w = context.variable([size, size], 0.7 / size**0.5)
    last = tf.reshape(h, [-1, size]) if rank(h) != 3 else None
    count = context.rng.choice([1, 2, 3])
    if last is not None:
        body = lambda i, s: (i + 1, tf.tanh(tf.matmul(s, w) + 0.5 * last))
        _, y = tf.while_loop(lambda i, s: i < count, body, [tf.constant(0), last])
        return tf.reshape(y, [-1, *sizes(h)])
    steps = tf.unstack(h, axis=1) if context.rng.random() < 0.3 else None
    if steps is not None:
        s = steps[0]
        for x in steps[1:]:
            s = tf.tanh(tf.matmul(s, w) + x)
        return s
    states = tf.scan(lambda s, x: tf.tanh(tf.matmul(s, w) + x), tf.transpose(h, [1, 0, 2]), initializer=0.1 * h[:, 0])
    return tf.transpose(states, [1, 0, 2])


@layer(3)
def recurrent(context, h):
    """LSTM equations, unrolled by static_rnn's kind of Python loop: forward, back, or both."""
    if rank(h) != 3:
        return None

    def run(x):
        units, depth = 3, sizes(x)[-1]
        w = context.variable([depth + units, 4 * units], 0.4)
        c = s = tf.zeros_like(x[:, 0, :1]) * tf.ones([1, units])
        outputs = []
        for t in range(min(sizes(x)[0], 4)):
            i, f, g, o = tf.split(tf.matmul(tf.concat([x[:, t], s], 1), w), 4, 1)
            c = tf.sigmoid(f + 1) * c + tf.sigmoid(i) * tf.tanh(g)
            s = tf.sigmoid(o) * tf.tanh(c)
            outputs.append(s)
        return tf.stack(outputs, 1)

    direction = context.rng.choice(["forward", "back", "both"])
    if direction == "forward":
        return run(h)
    back = tf.reverse(run(tf.reverse(h, [1])), [1])
    return back if direction == "back" else tf.concat([run(h), back], -1)


@layer(2)
def branch(context, h):
    w = context.variable([sizes(h)[-1]], 0.5)
    # The mean of what is normalized is zero but for rounding.
    return tf.cond(tf.reduce_mean(h) > 0.0137, lambda: tf.tanh(h * w), lambda: h + w)


@layer(1)
def update_in_branch(context, h):
    """An update in a branch of TF1's control flow: what waits for it runs only if the branch is taken."""
    if not context.tower.loops:
        return None
    average, mean = context.variable([sizes(h)[-1]], 0.0, False), tf.reduce_mean(h, list(range(rank(h) - 1)))

    def taken():
        context.updates.append(v1.assign_sub(average, (average - mean) * 0.1))
        return tf.tanh(h)

    return tf.cond(tf.reduce_mean(h) > 0.0137, taken, lambda: h)


@layer(2)
def casts(context, h):
    kind = context.rng.choice([tf.float64, tf.float16, tf.bfloat16])
    return tf.cast(tf.square(narrow(context, tf.tanh(h), kind)), tf.float32)


@layer(2)
def gathers(context, h):
    size = sizes(h)[-1]
    return context.rng.choice([
        lambda: tf.gather(h, [0, size - 1, 0], axis=rank(h) - 1),
        lambda: tf.nn.embedding_lookup(context.variable([size, 4]), tf.argmax(h, -1)),
        lambda: tf.one_hot(tf.argmax(h, -1), size) * h,
        lambda: tf.math.top_k(h, max(1, size // 2)).values,
        lambda: tf.cumsum(h, axis=-1, exclusive=context.rng.random() < 0.5),
        lambda: tf.sort(h, axis=-1),
    ])()  # fmt: skip


@layer(1)
def clips(context, h):
    return context.rng.choice([lambda: tf.clip_by_value(h, -0.7, 0.9), lambda: tf.clip_by_norm(h, 2.0), lambda: tf.stop_gradient(h) * 0.5 + h,
                               lambda: tf.nn.l2_normalize(h, -1, epsilon=1e-2)])()  # fmt: skip


@layer(1)
def resize(context, h):
    if rank(h) != 4:
        return None
    return context.rng.choice([v1.image.resize_bilinear, v1.image.resize_nearest_neighbor])(h, [4, 5])


def flat(h):
    return tf.reshape(h, [-1, int(np.prod(sizes(h)))])


def classOf(x, count, dtype=tf.int32):
    """Integers below count that depend on x. Whole numbers, at which activations and their sums saturate, lie within a
    class: TensorFlow's tanh(8.5) is 1, which is two units in the last place too much."""
    return tf.cast(tf.minimum(tf.abs(x), 100.0) * 6.7 + 0.37, dtype) % count


@head
def mean(context, h, labels):
    return tf.reduce_mean(tf.square(tf.tanh(h) - 0.3)) + 0.0 * tf.reduce_mean(tf.cast(labels, tf.float32))


@head
def classes(context, h, labels):
    x = flat(h)
    logits = tf.matmul(x, context.variable([x.shape[1], 5], 1 / int(x.shape[1]) ** 0.5)) + context.variable([5], 0.1)
    return v1.losses.sparse_softmax_cross_entropy(labels, logits)


@head
def regression(context, h, labels):
    x = flat(h)
    y = tf.matmul(x, context.variable([x.shape[1], 1], 1 / int(x.shape[1]) ** 0.5))
    target = tf.cast(tf.expand_dims(labels, 1), tf.float32)
    return (v1.losses.mean_squared_error if context.tower.seed % 3 else v1.losses.huber_loss)(target, y)


@head
def sigmoid(context, h, labels):
    x = flat(h)
    y = tf.matmul(x, context.variable([x.shape[1], 1], 1 / int(x.shape[1]) ** 0.5))[:, 0]
    weights = tf.cast(labels, tf.float32) * 0.2 + 0.1
    return v1.losses.sigmoid_cross_entropy(tf.cast(labels > 2, tf.int32), y, weights=weights)
