# SPDX-License-Identifier: Apache-2.0
"""Ops that change sizes, in random graphs whose placeholders have open sizes (tensorflow_open_sizes.py).

Each gets a context, whose `rng` draws its attributes, and tensors; it gives one tensor. Tensors are of four kinds: "f" of
float32 and rank 1 to 4, "f2" of that rank, "s" an int32 scalar that is used as a size, "i" an int32 vector of indices.
Where an op asks for sizes that fit, `fits` tells of the operands' shapes in one run whether they do: in others they need
not.
"""
import collections

import tensorflow as tf

v1 = tf.compat.v1
SizeOp = collections.namedtuple("SizeOp", "function kinds fits weight")
SIZE_OPS = {}


def op(*kinds, fits=lambda *shapes: True, weight=2):
    def add(function):
        SIZE_OPS[function.__name__] = SizeOp(function, kinds, fits, weight)
        return function

    return add


def rank(x):
    return len(x.shape)


def axisOf(context, x):
    return context.rng.randrange(rank(x))


def broadcasts(a, b):
    """Whether shapes broadcast, to no more than one of them has."""
    return all(x == y or 1 in (x, y) for x, y in zip(reversed(a), reversed(b)))


def sameBut(axis):
    return lambda a, b: len(a) == len(b) and all(x == y for i, (x, y) in enumerate(zip(a, b)) if i != axis % len(a))


def same(a, b):
    return a == b


def along(x, axis, part):
    """x[..., part, ...], of one axis."""
    return x[(slice(None),) * axis + (part,)]


@op("f", weight=6)
def size_of(context, x):
    """A dimension, the number of elements, or how many of them are positive."""
    axis = axisOf(context, x)
    return context.rng.choice([
        lambda: tf.shape(x)[axis], lambda: tf.shape(x)[axis], lambda: tf.shape(x)[-1], lambda: tf.size(x),
        lambda: tf.reduce_sum(tf.cast(x > 0.5, tf.int32)), lambda: tf.reduce_prod(tf.shape(x)[:1]),
        lambda: tf.cast(tf.shape(x, out_type=tf.int64)[axis], tf.int32), lambda: tf.reduce_max(tf.shape(x)),
    ])()  # fmt: skip


@op("s", weight=6)
def size_from_one(context, n):
    return context.rng.choice([
        lambda: n // 2, lambda: (n + 1) // 2, lambda: (n - 1) // 2, lambda: n // 3, lambda: n - 1, lambda: n + 1, lambda: n % 2,
        lambda: n % 3, lambda: 2 * n, lambda: -(-n // 2), lambda: tf.maximum(n, 2), lambda: tf.minimum(n, 3), lambda: tf.abs(n - 3),
        lambda: tf.cast(tf.math.ceil(tf.cast(n, tf.float32) / 2), tf.int32), lambda: n // 4 * 4, lambda: tf.math.floordiv(n + 3, 4),
        lambda: tf.clip_by_value(n, 1, 4), lambda: tf.where(n > 2, n, 2), lambda: tf.bitwise.bitwise_and(n, -2),
    ])()  # fmt: skip


@op("s", "s", weight=6)
def size_from_two(context, m, n):
    return context.rng.choice([
        lambda: m + n, lambda: m - n, lambda: tf.maximum(m, n), lambda: tf.minimum(m, n), lambda: m * n, lambda: tf.abs(m - n),
        lambda: (m + n) // 2, lambda: m // tf.maximum(n, 1), lambda: tf.where(m > n, m, n), lambda: m // 2 + n // 2,
        lambda: tf.math.floormod(m, tf.maximum(n, 1)), lambda: tf.cond(m < n, lambda: m, lambda: n + 0),
    ])()  # fmt: skip


@op("f", weight=6)
def strided(context, x):
    """Halves, thirds, ends and reversed parts."""
    axis = axisOf(context, x)
    n = tf.shape(x)[axis]
    parts = [
        slice(None, None, 2), slice(1, None, 2), slice(None, None, 3), slice(2, None, 3), slice(None, None, -1), slice(None, None, -2),
        slice(1, None), slice(None, -1), slice(2, -1), slice(-3, None), slice(None, 3), slice(1, 4), slice(-2, None, -1),
        slice(None, n // 2), slice(n // 2, None), slice((n - 1) // 2, None), slice(None, (n + 1) // 2), slice(0, n - 1), slice(1, n + 1),
        slice(n - 2, n), slice(n // 3, -1, 2), slice(None, 0, -1), slice(3, None, -1), slice(-1, -4, -1), slice(n, 0, -2), slice(0, n, 3),
        slice(-n, None), slice(None, n - 1, 2), slice(None, -n // 2),
    ]  # fmt: skip
    part = context.rng.choice(parts)
    if rank(x) > 1 and context.rng.random() < 0.2:
        return x[..., context.rng.choice([0, -1, 1])]
    if rank(x) < 4 and context.rng.random() < 0.1:
        return along(x, axis, part)[tf.newaxis]
    return along(x, axis, part)


@op("f", "s", weight=4)
def sliced_by_size(context, x, n):
    axis = axisOf(context, x)
    begin, size = [0] * rank(x), [-1] * rank(x)
    at = lambda values, value: values[:axis] + [value] + values[axis + 1 :]
    return context.rng.choice([
        lambda: along(x, axis, slice(None, n)), lambda: along(x, axis, slice(n, None)), lambda: along(x, axis, slice(-n, None)),
        lambda: along(x, axis, slice(None, -n)), lambda: along(x, axis, slice(None, n, 2)), lambda: along(x, axis, slice(n, None, -1)),
        lambda: tf.slice(x, begin, at(size, n)), lambda: tf.slice(x, at(begin, n), size), lambda: tf.slice(x, at(begin, 1), at(size, n - 1)),
        lambda: along(x, axis, slice(None, None, tf.maximum(n, 1))), lambda: along(x, axis, slice(n // 2, n)),
        lambda: along(x, axis, n) if rank(x) > 1 else x[n:], lambda: tf.gather(x, n, axis=axis) if rank(x) > 1 else x[:n],
    ])()  # fmt: skip


@op("f", "f", fits=lambda a, b: len(a) >= len(b), weight=3)
def sliced_as(context, x, y):
    """As much as another tensor has."""
    n, axis = tf.shape(y)[axisOf(context, y)], axisOf(context, x)
    return along(x, axis, context.rng.choice([slice(None, n), slice(None, n), slice(-n, None), slice(0, tf.minimum(n, tf.shape(x)[axis]))]))


@op("f", weight=3)
def padded(context, x):
    rng = context.rng
    n = tf.shape(x)[axisOf(context, x)]
    widths = [[rng.choice([0, 0, 1, 2]), rng.choice([0, 0, 1, n % 2, n // 2, tf.maximum(4 - n, 0)])] for _ in range(rank(x))]
    return tf.pad(x, widths, rng.choice(["CONSTANT", "CONSTANT", "REFLECT", "SYMMETRIC"]))


@op("f", "f", fits=lambda a, b: len(a) == len(b), weight=4)
def concatenated(context, x, y):
    """Of the axes, one is drawn: where others differ, it fails."""
    return tf.concat([x, y] if context.rng.random() < 0.8 else [x, y, x], axisOf(context, x))


@op("f", "f", fits=sameBut(0), weight=3)
def concatenated_rows(context, x, y):
    return tf.concat([x, y], 0)


@op("f", "f", fits=sameBut(-1), weight=3)
def concatenated_columns(context, x, y):
    return tf.concat([x, y], -1)


@op("f", "f", fits=same, weight=4)
def stacked(context, x, y):
    if rank(x) > 3:
        return None
    kind, axis = context.rng.randrange(4), context.rng.randrange(rank(x) + 1)
    if kind == 0:
        return tf.unstack(tf.stack([x, y, x], axis), 3, axis)[1]
    return tf.stack([x, y], axis)


@op("f")
def tiled(context, x):
    rng = context.rng
    n = tf.shape(x)[axisOf(context, x)]
    return tf.tile(x, [rng.choice([1, 1, 2, 3, n % 3, tf.maximum(n - 1, 1)]) for _ in range(rank(x))])


@op("f", "s")
def repeated(context, x, n):
    axis, times = axisOf(context, x), tf.minimum(n, 4)
    multiples = [1] * rank(x)
    multiples[axis] = times
    return context.rng.choice([lambda: tf.repeat(x, times, axis=axis), lambda: tf.tile(x, multiples)])()


@op("f", weight=4)
def reshaped(context, x):
    sizes, rng = tf.shape(x), context.rng
    count = tf.size(x)
    ways = [
        lambda: [-1], lambda: [-1, 2], lambda: [2, -1], lambda: [-1, 3], lambda: [sizes[0], -1], lambda: [-1, sizes[-1]], lambda: [count],
        lambda: [1, -1], lambda: [-1, 1], lambda: [count // 2, 2], lambda: [2, (count + 1) // 2], lambda: [sizes[-1], -1],
        lambda: [sizes[0] // 2, 2, -1], lambda: [count // 4, 2, 2], lambda: sizes[::-1], lambda: tf.concat([sizes[1:], sizes[:1]], 0),
        lambda: [sizes[0], count // tf.maximum(sizes[0], 1)], lambda: [-1, (sizes[-1] + 1) // 2, 2],
    ]  # fmt: skip
    return tf.reshape(x, rng.choice(ways)())


@op("f", "f", fits=lambda a, b: count(a) == count(b), weight=3)
def reshaped_as(context, x, y):
    return tf.reshape(x, tf.shape(y))


@op("f", "s")
def reshaped_by(context, x, n):
    return tf.reshape(x, context.rng.choice([[n, -1], [-1, n], [n], [2, n], [n, n]]))


def count(shape):
    product = 1
    for size in shape:
        product *= size
    return product


@op("s", weight=2)
def ranged(context, n):
    kind = context.rng.choice([
        lambda: tf.range(n), lambda: tf.range(1, n), lambda: tf.range(0, n, 2), lambda: tf.range(n, 0, -1), lambda: tf.range(n, 2 * n),
        lambda: tf.range(0, 2 * n, 3), lambda: tf.range(n // 2), lambda: tf.range(-n, n, 2),
    ])()  # fmt: skip
    if context.rng.random() < 0.2:
        return tf.linspace(0.0, 1.0, n)
    return 0.1 * tf.cast(kind, tf.float32)


@op("s")
def indices(context, n):
    return context.rng.choice([lambda: tf.range(n), lambda: tf.range(n) // 2, lambda: tf.range(0, n, 2), lambda: n - 1 - tf.range(n)])()


@op("s", "s")
def filled(context, m, n):
    return context.rng.choice([
        lambda: tf.fill([m, n], 0.5), lambda: tf.ones([m]), lambda: tf.eye(m, n), lambda: tf.zeros([n, m]) + 0.25, lambda: tf.eye(n),
        lambda: tf.one_hot(tf.range(m), n), lambda: tf.sequence_mask(tf.range(m), n, tf.float32), lambda: tf.ones([m, 1, n]),
    ])()  # fmt: skip


@op("f", "f", fits=broadcasts, weight=3)
def broadcast(context, x, y):
    """To another's shape; or where both are broadcast to the shape of both."""
    return context.rng.choice([
        lambda: tf.broadcast_to(x, tf.shape(y)), lambda: tf.broadcast_to(x, tf.broadcast_dynamic_shape(tf.shape(x), tf.shape(y))),
    ])()  # fmt: skip


@op("f", "s")
def broadcast_by(context, x, n):
    axis = axisOf(context, x)
    sizes = [tf.shape(x)[i] for i in range(rank(x))]
    sizes[axis] = n
    return tf.broadcast_to(x, context.rng.choice([[n, *sizes] if rank(x) < 4 else sizes, sizes]))


@op("f", weight=3)
def rearranged(context, x):
    rng, axis = context.rng, axisOf(context, x)
    order = rng.sample(range(rank(x)), rank(x))
    return rng.choice([
        lambda: tf.transpose(x, order), lambda: tf.transpose(x, order), lambda: tf.transpose(x), lambda: tf.reverse(x, [axis]),
        lambda: tf.roll(x, 2, axis), lambda: tf.roll(x, tf.shape(x)[axis] // 2, axis),
        lambda: tf.expand_dims(x, axis) if rank(x) < 4 else x, lambda: tf.squeeze(x, [axis]) if rank(x) > 1 else x,
    ])()  # fmt: skip


@op("f", weight=3)
def split(context, x):
    rng, axis = context.rng, axisOf(context, x)
    n = tf.shape(x)[axis]
    return rng.choice([
        lambda: rng.choice(tf.split(x, 2, axis)), lambda: tf.split(x, 3, axis)[2], lambda: rng.choice(tf.split(x, [1, -1], axis)),
        lambda: rng.choice(tf.split(x, [n // 2, n - n // 2], axis)), lambda: rng.choice(tf.split(x, [n // 2, n // 2], axis)),
        lambda: rng.choice(tf.split(x, [n // 3, -1, n // 3], axis)), lambda: rng.choice(tf.split(x, [2, n - 2], axis)),
        lambda: tf.add_n(tf.split(x, 2, axis)), lambda: tf.add(*tf.split(x, [n // 2, n - n // 2], axis)),
    ])()  # fmt: skip


@op("f", "s")
def split_by(context, x, n):
    axis = axisOf(context, x)
    return context.rng.choice(tf.split(x, context.rng.choice([[n, -1], [-1, n], [n, tf.shape(x)[axis] - n]]), axis))


@op("f4")
def blocks(context, x):
    """Space to batch and back; pads are computed, too."""
    rng, sizes = context.rng, tf.shape(x)
    pads = rng.choice([[[0, 0], [0, 0]], [[0, sizes[1] % 2], [0, sizes[2] % 2]], [[1, 1], [0, 0]]])
    whole = lambda: tf.batch_to_space(tf.space_to_batch(x, [2, 2], pads), [2, 2], pads)
    return rng.choice([
        lambda: tf.space_to_batch(x, [2, 2], pads), lambda: tf.batch_to_space(x, [2, 1], [[0, rng.choice([0, 1])], [0, 0]]), whole,
        lambda: tf.nn.space_to_depth(x, 2), lambda: tf.nn.depth_to_space(x, 2),
    ])()  # fmt: skip


@op("f2")
def diagonals(context, x):
    rng = context.rng
    return rng.choice([
        lambda: tf.linalg.diag_part(x), lambda: tf.linalg.diag_part(x), lambda: tf.linalg.band_part(x, 1, 0),
        lambda: tf.linalg.diag_part(x, k=1), lambda: tf.linalg.diag_part(x, k=(-1, 0)), lambda: tf.linalg.band_part(x, 0, tf.shape(x)[0] // 2),
        lambda: tf.linalg.set_diag(x, tf.linalg.diag_part(x) * 2), lambda: tf.linalg.diag_part(x[None] * 0.5)[0],
        lambda: tf.linalg.diag_part(x, k=-1, align="LEFT_RIGHT"),
    ])()  # fmt: skip


@op("f")
def diagonal_matrix(context, x):
    if rank(x) > 3:
        return None
    return context.rng.choice([
        lambda: tf.linalg.diag(x), lambda: tf.linalg.diag(x, k=1), lambda: tf.linalg.diag_part(tf.linalg.diag(x)),
    ])()  # fmt: skip


@op("f2", "f1", fits=lambda a, b: (min(a),) == b, weight=2)
def diagonal_replaced(context, x, y):
    return tf.linalg.set_diag(x, y)


@op("f", "i", weight=3)
def gathered(context, x, ids):
    axis = axisOf(context, x)
    kept = tf.minimum(ids, tf.maximum(tf.shape(x)[axis] - 1, 0))
    return context.rng.choice([
        lambda: tf.gather(x, ids, axis=axis), lambda: tf.gather(x, kept, axis=axis), lambda: tf.gather_nd(x, ids[:, None]),
        lambda: tf.gather(x, ids[::2], axis=axis), lambda: tf.nn.embedding_lookup(x, ids),
    ])()  # fmt: skip


@op("f2", "i", fits=lambda a, b: a[:1] == b)
def element_of_each_row(context, x, ids):
    kept = tf.minimum(ids, tf.shape(x)[1] - 1)
    return context.rng.choice([
        lambda: tf.gather(x, kept, batch_dims=1), lambda: tf.gather_nd(x, tf.stack([tf.range(tf.shape(x)[0]), kept], 1)),
        lambda: tf.gather(x, kept[:, None], axis=1, batch_dims=1), lambda: tf.reverse_sequence(x, kept, seq_axis=1, batch_axis=0),
    ])()  # fmt: skip


@op("f", weight=3)
def chosen(context, x):
    """As many as the data say."""
    return context.rng.choice([
        lambda: tf.gather_nd(x, tf.where(x > 0)), lambda: tf.boolean_mask(x, x > -0.3), lambda: 0.1 * tf.cast(tf.where(x > 0.1), tf.float32),
        lambda: tf.boolean_mask(x, tf.reduce_any(x > 0.5, list(range(1, rank(x))))), lambda: tf.unique(tf.reshape(tf.round(x), [-1]))[0],
        lambda: tf.gather(x, tf.unique(tf.cast(tf.argmax(x, rank(x) - 1), tf.int32))[0]) if rank(x) == 2 else tf.unique(tf.reshape(x, [-1]))[0],
    ])()  # fmt: skip


@op("f", "f1", fits=lambda a, b: a[:1] == b)
def masked(context, x, y):
    return context.rng.choice([
        lambda: tf.boolean_mask(x, y > 0), lambda: tf.dynamic_partition(x, tf.cast(y > 0, tf.int32), 2)[1],
        lambda: tf.gather(x, tf.where(y > 0)[:, 0]), lambda: tf.boolean_mask(x, tf.sequence_mask(2, tf.shape(y)[0])),
    ])()  # fmt: skip


@op("i", weight=2)
def classes(context, ids):
    values, index, counts = tf.unique_with_counts(ids)
    return context.rng.choice([lambda: values, lambda: index, lambda: counts, lambda: tf.argsort(ids), lambda: ids[::2], lambda: ids[1:],
                               lambda: tf.sort(ids), lambda: tf.cast(tf.where(ids > 0)[:, 0], tf.int32), lambda: ids % 2])()  # fmt: skip


@op("i", "s", weight=2)
def encoded(context, ids, n):
    return context.rng.choice([
        lambda: tf.one_hot(ids, n), lambda: tf.sequence_mask(ids, n, tf.float32), lambda: tf.sequence_mask(ids, dtype=tf.float32),
        lambda: tf.one_hot(ids, n, axis=0), lambda: tf.math.bincount(ids, minlength=n, maxlength=n, dtype=tf.float32),
        lambda: tf.math.bincount(tf.abs(ids), minlength=n, dtype=tf.float32),
    ])()  # fmt: skip


@op("i", "i", fits=same)
def matched(context, a, b):
    return context.rng.choice([lambda: a + b, lambda: tf.maximum(a, b), lambda: tf.where(a < b, a, b), lambda: tf.stack([a, b])[1]])()


@op("f", "i", fits=lambda a, b: a[:1] == b, weight=3)
def segments(context, x, ids):
    """Rows that are added up by their class; how many classes there are is a constant, a size, or in the data."""
    ordered = tf.sort(ids)
    n = context.rng.choice([4, 5, tf.shape(x)[0], tf.shape(x)[-1], tf.reduce_max(ids) + 1])
    return context.rng.choice([
        lambda: tf.math.unsorted_segment_sum(x, ids, n), lambda: tf.math.unsorted_segment_max(x, ids, n) * 1e-38,
        lambda: tf.math.unsorted_segment_mean(x, ids, n), lambda: tf.math.segment_sum(x, ordered), lambda: tf.math.segment_mean(x, ordered),
        lambda: tf.math.segment_max(x, ordered), lambda: tf.scatter_nd(ids[:, None], x, tf.concat([[n], tf.shape(x)[1:]], 0)),
        lambda: tf.tensor_scatter_nd_add(x, ids[:, None], 2 * x),
        lambda: v1.sparse_segment_sum(x, ids, ordered), lambda: v1.sparse_segment_mean(x, tf.range(tf.shape(ids)[0]), ordered),
    ])()  # fmt: skip


@op("f", "f", "i", fits=lambda a, b, c: len(a) == len(b) and a[1:] == b[1:] and b[:1] == c)
def scattered(context, x, y, ids):
    kept = tf.minimum(ids, tf.shape(x)[0] - 1)[:, None]
    return context.rng.choice([lambda: tf.tensor_scatter_nd_add(x, kept, y), lambda: tf.tensor_scatter_nd_max(x, kept, y)])()
