# SPDX-License-Identifier: Apache-2.0
"""Layers whose inner sizes depend on data, in random graphs that TensorFlow makes (tensorflow_graphs.py).

Rows are selected, deduplicated, partitioned, sorted into segments and scattered; each layer ends with a row for each
example again.
"""
import tensorflow as tf

from tensorflow_layers import classOf, flat, layer, rank, sizes

v1 = tf.compat.v1


def classesOf(h, count):
    """An integer below count for each example."""
    return classOf(flat(h)[:, 0], count)


@layer(2)
def masked_rows(context, h):
    """Some rows go through a layer of their own and come back to their places."""
    x, rng = flat(h), context.rng
    width = int(x.shape[1])
    w = context.variable([width, width], 1 / width**0.5)
    chosen = tf.where(x[:, 0] > rng.choice([0.0, 0.2, -0.3]))
    rows = tf.gather_nd(x, chosen) if rng.random() < 0.5 else tf.boolean_mask(x, x[:, 0] > 0.1)
    places = chosen if rows.op.type == "GatherNd" else tf.where(x[:, 0] > 0.1)
    y = tf.tanh(tf.matmul(rows, w)) - rows
    size = tf.shape(x, out_type=tf.int64)
    spread = rng.choice([
        lambda: x + tf.scatter_nd(places, y, size),
        lambda: tf.tensor_scatter_nd_add(x, places, y),
        lambda: tf.tensor_scatter_nd_update(x, places, y),
        lambda: tf.tensor_scatter_nd_sub(x, places, y),
    ])()
    return tf.ensure_shape(spread, [None, width])


@layer(2)
def partitioned(context, h):
    """Examples are routed to experts by their class, and stitched together."""
    x, count = flat(h), context.rng.choice([2, 3])
    width = int(x.shape[1])
    where = classesOf(h, count)
    parts = tf.dynamic_partition(x, where, count)
    places = tf.dynamic_partition(tf.range(tf.shape(x)[0]), where, count)
    made = [tf.tanh(tf.matmul(part, context.variable([width, 3], 1 / width**0.5))) for part in parts]
    stitch = tf.dynamic_stitch if context.rng.random() < 0.6 else tf.raw_ops.ParallelDynamicStitch
    y = stitch(places, made) if stitch is tf.dynamic_stitch else stitch(indices=places, data=made)
    return tf.ensure_shape(y, [None, 3])


@layer(3)
def segments(context, h):
    """Each example is compared with the mean, sum, largest or smallest of its class."""
    x, rng, count = flat(h), context.rng, context.rng.choice([1, 2, 5])
    ids = classesOf(h, count)
    unsorted = [tf.math.unsorted_segment_sum, tf.math.unsorted_segment_mean, tf.math.unsorted_segment_max, tf.math.unsorted_segment_min, tf.math.unsorted_segment_sqrt_n]
    if rng.random() < 0.6:
        of = rng.choice(unsorted)(x, ids, count)
        return x - tf.tanh(tf.gather(of, ids))
    order = tf.argsort(ids, stable=True)
    inOrder = tf.gather(ids, order)
    of = rng.choice([tf.math.segment_sum, tf.math.segment_mean, tf.math.segment_max, tf.math.segment_min])(tf.gather(x, order), inOrder)
    back = tf.gather(tf.gather(of, inOrder), tf.math.invert_permutation(order))
    return tf.ensure_shape(x * 0.5 + tf.tanh(back), x.shape)


@layer(2)
def distinct(context, h):
    """Embeddings of distinct classes, looked up once."""
    ids = classesOf(h, 7)
    values, index = tf.unique(ids)
    table = context.variable([7, 3])
    rows = tf.tanh(tf.gather(table, values)) * context.variable([3], 0.3)
    y = tf.gather(rows, index)
    if context.rng.random() < 0.4:
        _, _, counts = tf.unique_with_counts(ids)
        y = y / tf.expand_dims(tf.cast(tf.gather(counts, index), tf.float32), 1)
    return tf.concat([tf.tanh(flat(h)[:, :2]), tf.ensure_shape(y, [None, 3])], 1)


@layer(3)
def ragged(context, h):
    """Sequences of different lengths, as ragged tensors."""
    if rank(h) != 3:
        return None
    rng, (steps, depth) = context.rng, sizes(h)
    lengths = 1 + classesOf(h, steps)
    values = tf.RaggedTensor.from_tensor(h, lengths)
    w = context.variable([depth], 0.6)
    changed = values.with_values(tf.tanh(values.values * w))
    kind = rng.choice(["dense", "sum", "mean", "max", "reverse"])
    if kind == "dense":
        return tf.ensure_shape(changed.to_tensor(0.1, shape=[None, steps, depth]), [None, steps, depth])
    if kind == "reverse":
        return tf.reverse_sequence(h * w, lengths, seq_axis=1)
    reduce = {"sum": tf.reduce_sum, "mean": tf.reduce_mean, "max": tf.reduce_max}[kind]
    return tf.ensure_shape(reduce(changed, 1), [None, depth])


@layer(3)
def places(context, h):
    """Elements chosen by position or by rank."""
    rng, x = context.rng, flat(h)
    width, batch = int(x.shape[1]), tf.shape(x)[0]
    rows = tf.range(batch)
    column = tf.cast(tf.argmax(x, 1), tf.int32)
    ways = [
        lambda: x * tf.expand_dims(tf.gather_nd(x, tf.stack([rows, column], 1)), 1),
        lambda: tf.gather(x, tf.argsort(x, 1), batch_dims=1),
        lambda: tf.gather(x, tf.reverse(rows, [0])) - 0.3 * x,
        lambda: tf.concat([x[1:], x[:1]], 0) * 0.5 + x,
        lambda: x + tf.reduce_mean(x, 0, keepdims=True),
        lambda: tf.where(x > tf.reduce_max(x, 0, keepdims=True) - 0.5, x, -0.5 * x),
        lambda: tf.matmul(tf.nn.softmax(tf.matmul(x, x, transpose_b=True) * 0.1), x),
        lambda: tf.math.cumsum(x, axis=0, reverse=rng.random() < 0.5) * 0.1,
        lambda: tf.sequence_mask(column + 1, width, tf.float32) * x,
    ]  # fmt: skip
    return tf.ensure_shape(rng.choice(ways)(), [None, width])
