# SPDX-License-Identifier: Apache-2.0
"""TensorFlow 1's loops, branches, cells, lookups and columns in random graphs that TensorFlow makes (tensorflow_graphs.py).

Iterations of a loop that draw run one by one: else the order of their numbers hangs on time.
"""
import tensorflow as tf

from tensorflow_layers import flat as flatten
from tensorflow_layers import classOf, layer, narrow, rank, sizes

v1 = tf.compat.v1


def rows(h):
    return tf.reshape(h, [-1, sizes(h)[-1]])


@layer(3)
def drawing_loop(context, h):
    """Dropout or noise in each iteration."""
    size, count, seed = sizes(h)[-1], context.rng.choice([1, 2, 4]), context.drawSeed()
    w = context.variable([size, size], 0.7 / size**0.5)
    draw = context.rng.choice([
        lambda x: tf.nn.dropout(x, 0.3, seed=seed), lambda x: x + 0.1 * v1.random_normal(tf.shape(x), seed=seed),
        lambda x: tf.nn.dropout(x, 0.2, seed=seed) * v1.random_uniform(tf.shape(x), 0.5, 1.5, seed=seed + 100),
    ])  # fmt: skip
    first = rows(h)
    body = lambda i, s: (i + 1, tf.tanh(tf.matmul(draw(s), w) + 0.3 * first))
    _, y = tf.while_loop(lambda i, s: i < count, body, [tf.constant(0), first], parallel_iterations=1)
    return tf.reshape(y, [-1, *sizes(h)])


@layer(3)
def nested(context, h):
    """A branch in a loop, a loop in a branch, or a loop in a loop."""
    size, count = sizes(h)[-1], context.rng.choice([1, 2, 3])
    w = context.variable([size], 0.6)
    step = context.rng.choice([
        lambda i, s: tf.cond(tf.equal(i % 2, 0), lambda: tf.tanh(s * w), lambda: s + 0.1 * w),
        lambda i, s: tf.while_loop(lambda j, x: j < 2, lambda j, x: (j + 1, tf.tanh(x * w) + 0.1 * s), [tf.constant(0), s])[1],
        lambda i, s: tf.sin(s * w),
    ])  # fmt: skip
    loop = lambda x: tf.while_loop(lambda i, s: i < count, lambda i, s: (i + 1, step(i, s)), [tf.constant(0), x])[1]
    if context.rng.random() < 0.4:
        return tf.cond(tf.reduce_sum(h) > 0.1, lambda: loop(h), lambda: tf.tanh(h) * w)
    return loop(h)


@layer(2)
def folds(context, h):
    w = context.variable([sizes(h)[-1]], 0.6)
    if rank(h) == 3 and context.rng.random() < 0.5:
        return tf.foldl(lambda s, x: tf.tanh(s * w + x), tf.transpose(h, [1, 0, 2]), initializer=0.1 * h[:, 0])
    return tf.map_fn(lambda x: tf.tanh(x * w) + tf.reduce_mean(x), h)


@layer(3)
def cells(context, h):
    """Cells of TensorFlow 1, with sequences of different lengths."""
    if rank(h) != 3:
        return None
    rng, rnn = context.rng, v1.nn.rnn_cell
    cell = rng.choice([lambda: rnn.BasicLSTMCell(3), lambda: rnn.GRUCell(3), lambda: rnn.LSTMCell(4, use_peepholes=True, num_proj=3), lambda: rnn.BasicRNNCell(3)])()
    if rng.random() < 0.4:
        cell = rnn.DropoutWrapper(cell, input_keep_prob=0.8, output_keep_prob=0.7, seed=context.drawSeed())
    if rng.random() < 0.3:
        cell = rnn.MultiRNNCell([cell, rnn.GRUCell(3)])
    context.count += 1
    lengths = 1 + tf.argmax(h[:, :, 0], 1, output_type=tf.int32) if rng.random() < 0.5 else None
    with v1.variable_scope(f"cells{context.count}"):
        if rng.random() < 0.3 and sizes(h)[0] <= 4:
            outputs, _ = v1.nn.static_rnn(cell, tf.unstack(h, axis=1), dtype=tf.float32, sequence_length=lengths)
            return tf.stack(outputs, 1)
        outputs, state = v1.nn.dynamic_rnn(cell, h, sequence_length=lengths, dtype=tf.float32, parallel_iterations=1)
    return outputs if rng.random() < 0.7 else tf.concat(tf.nest.flatten(state), 1)


@layer(3)
def shared(context, h):
    """A matrix that several layers of a tower use, one way or the other."""
    size = sizes(h)[-1]
    if size not in context.shared:
        context.shared[size] = context.variable([size, size], 1 / size**0.5)
    y = tf.matmul(rows(h), context.shared[size], transpose_b=context.rng.random() < 0.5)
    return tf.reshape(tf.tanh(y), [-1, *sizes(h)])


@layer(3)
def mixed(context, h):
    """A product of 64 bits with weights of 32, or element by element in 16, whose sums TensorFlow orders otherwise."""
    kind, size = context.rng.choice([tf.float64, tf.float16, tf.bfloat16]), sizes(h)[-1]
    x = narrow(context, tf.tanh(h), kind)
    if kind == tf.float64:
        y = tf.matmul(rows(x), tf.cast(context.variable([size, 4], 1 / size**0.5), kind))
        return tf.reshape(tf.tanh(tf.cast(y, tf.float32)), [-1, *sizes(h)[:-1], 4])
    w = narrow(context, context.variable([size], 0.5) * tf.ones_like(h), kind)  # whose gradients are added up in 32
    return tf.cast(context.rng.choice([lambda: x * w + x, lambda: tf.maximum(x, w), lambda: tf.nn.relu(x - w)])(), tf.float32)


@layer(3)
def sparse(context, h):
    """Lookups of lists of different lengths, and products with sparse matrices."""
    rng, flat = context.rng, flatten(h)
    width = int(flat.shape[1])
    ids = classOf(flat, 7, tf.int64)
    some = tf.sparse.from_dense(ids)
    table = context.variable([7, 3])
    kind = rng.choice(["lookup", "safe", "product", "weights"])
    if kind == "product":
        matrix = tf.SparseTensor(some.indices, tf.cast(some.values, tf.float32) * 0.1, some.dense_shape)
        return tf.ensure_shape(tf.sparse.sparse_dense_matmul(matrix, context.variable([width, 3])), [None, 3])
    combiner = rng.choice(["mean", "sum", "sqrtn"])
    weights = tf.SparseTensor(some.indices, tf.cast(some.values, tf.float32) * 0.1 + 0.2, some.dense_shape) if kind == "weights" else None
    y = v1.nn.safe_embedding_lookup_sparse(table, some, weights, combiner=combiner)
    return tf.tanh(flat[:, :1]) + tf.ensure_shape(y, [None, 3])


@layer(2)
def columns(context, h):
    if rank(h) != 2:
        return None
    rng, fc, size = context.rng, tf.feature_column, sizes(h)[-1]
    x = fc.numeric_column("x", [size])
    first = fc.numeric_column("first")
    bucketized = fc.bucketized_column(first, [-0.5, 0.0, 0.7])
    identity = fc.categorical_column_with_identity("id", 5)
    made = [x, bucketized, fc.indicator_column(identity), fc.embedding_column(fc.categorical_column_with_identity("other", 5), 3), fc.embedding_column(fc.crossed_column([bucketized, identity], 13), 2),
            fc.embedding_column(fc.categorical_column_with_hash_bucket("key", 9, tf.int64), 2, combiner="sqrtn")]  # fmt: skip
    ids = classOf(h[:, :1], 5, tf.int64)
    features = {"x": h, "first": h[:, :1], "id": ids, "key": ids, "other": ids}
    with v1.variable_scope(f"columns{context.drawSeed()}"):
        y = v1.feature_column.input_layer(features, rng.sample(made, rng.randint(1, 4)))
    return y
