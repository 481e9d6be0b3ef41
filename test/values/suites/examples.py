# SPDX-License-Identifier: Apache-2.0
"""Features of Examples: strings among the results as in strings.py."""
from strings import told
from suite import *


def example(**features):
    """A serialized Example: None is a feature without a kind, a type one of an empty list."""

    def feature(values):
        if values is None:
            return tf.train.Feature()
        kind = values if isinstance(values, type) else type(values[0])
        values = [] if isinstance(values, type) else values
        if kind is bytes:
            return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
        if kind is int:
            return tf.train.Feature(int64_list=tf.train.Int64List(value=values))
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))

    message = tf.train.Example(features=tf.train.Features(feature={k: feature(v) for k, v in features.items()}))
    return message.SerializeToString(deterministic=True)


RECORDS = [
    example(f=[1.5, -2.0], i=[7, 2**40], s=[b"a", b"bc"], vf=[1.0, 2.0, 3.0, 4.0], vi=[5, 6], vs=[b"x"], other=[1]),
    example(f=[3.0, 4.0], i=[-1, 0], s=[b"", b"\x00"], vf=float, vi=None, vs=[b"y", b"", b"zz", b"w"]),
    example(f=[0.0, 0.5], i=[1, 2], s=[b"q", b"r"]),
    example(i=[3, 4], f=[8.0, 9.0], vs=bytes, vf=[5.0, 6.0], s=[b"t", b"u"], vi=[-(2**63), 2**63 - 1, 1, 2]),
]
PARTIAL = [example(f=[1.0, 2.0]), example(i=[3, 4], s=[b"k", b"l"]), example(), example(f=None, s=[b"m", b"n"])]
FIXED = [("f", tf.float32), ("i", tf.int64), ("s", tf.string)]
VARIABLE = [("vf", tf.float32), ("vi", tf.int64), ("vs", tf.string)]


def constants(keys):
    return tf.constant([k for k, _ in keys], tf.string)


def filler(dtype, shape=(1,)):
    return tf.constant(b"fill" if dtype == tf.string else 7, dtype, shape)


def nothing(dtype):
    return tf.constant([], dtype)


def v2(serialized, sparse=(), dense=(), ragged=(), splits=tf.int64):
    """`dense` are (key, shape, default)."""
    return raw.ParseExampleV2(
        serialized=serialized, names=tf.constant([], tf.string), sparse_keys=constants(sparse), dense_keys=tf.constant([k for k, _, _ in dense], tf.string),
        ragged_keys=constants(ragged), dense_defaults=[d for _, _, d in dense], num_sparse=len(sparse), sparse_types=[t for _, t in sparse],
        ragged_value_types=[t for _, t in ragged], ragged_split_types=[splits] * len(ragged), dense_shapes=[s for _, s, _ in dense])  # fmt: skip


def v1_(serialized, sparse=(), dense=()):
    return raw.ParseExample(
        serialized=serialized, names=tf.constant([], tf.string), sparse_keys=[tf.constant(k) for k, _ in sparse], dense_keys=[tf.constant(k) for k, _, _ in dense],
        dense_defaults=[d for _, _, d in dense], sparse_types=[t for _, t in sparse], dense_shapes=[s for _, s, _ in dense])  # fmt: skip


def single(serialized, sparse=(), dense=()):
    return raw.ParseSingleExample(
        serialized=serialized, dense_defaults=[d for _, _, d in dense], num_sparse=len(sparse), sparse_keys=[k for k, _ in sparse],
        dense_keys=[k for k, _, _ in dense], sparse_types=[t for _, t in sparse], dense_shapes=[s for _, s, _ in dense])  # fmt: skip


def examples():
    suite = Suite("examples")

    def case(name, function, *inputs):
        def whole(*feeds):
            return list(told(*tf.nest.flatten(list(function(*feeds)))))
        suite.case(name, whole, *inputs)

    with suite.graph.as_default():
        required = [(k, [2], nothing(t)) for k, t in FIXED]
        defaults = [(k, [2], filler(t, (2,))) for k, t in FIXED]
        scalars = [("one", [], filler(tf.float32, ())), ("two", [], filler(tf.string, ()))]
        matrix = [("vf", [2, 2], filler(tf.float32, (2, 2)))]
        steps = [(k, [None], filler(t)) for k, t in VARIABLE]
        pairs = [("vf", [None, 2], filler(tf.float32)), ("vi", [None, 1], filler(tf.int64))]
    parsers = {"v2": v2, "v1": v1_}
    for name, parse in parsers.items():
        case(f"{name}_dense", lambda parse=parse: parse(tf.constant(RECORDS), dense=required))
        case(f"{name}_dense_defaults", lambda parse=parse: parse(tf.constant(PARTIAL), dense=defaults))
        case(f"{name}_dense_scalars", lambda parse=parse: parse(tf.constant(RECORDS), dense=scalars))
        case(f"{name}_steps", lambda parse=parse: parse(tf.constant(RECORDS), dense=steps))
        case(f"{name}_steps_none", lambda parse=parse: parse(tf.constant(PARTIAL), dense=steps))
        case(f"{name}_steps_of_pairs", lambda parse=parse: parse(tf.constant(RECORDS), dense=pairs))
        case(f"{name}_sparse", lambda parse=parse: parse(tf.constant(RECORDS), sparse=VARIABLE))
        case(f"{name}_sparse_none", lambda parse=parse: parse(tf.constant(PARTIAL), sparse=VARIABLE))
        case(f"{name}_all", lambda parse=parse: parse(tf.constant(RECORDS), sparse=VARIABLE[:2], dense=required + steps[2:]))
        case(f"{name}_no_records", lambda parse=parse: parse(tf.constant([], tf.string), sparse=FIXED[:1], dense=required[1:] + steps))
        # The number of records is fed.
        case(f"{name}_open_batch", lambda n, parse=parse: parse(tf.constant(RECORDS)[:n], sparse=VARIABLE[:2], dense=required + steps[2:]), np.array(3, I32))
        case(f"{name}_open_batch_dense", lambda n, parse=parse: parse(tf.constant(RECORDS)[:n], dense=required), np.array(2, I32))
    for splits in (tf.int32, tf.int64):
        case(f"v2_ragged_{splits.name}", lambda splits=splits: v2(tf.constant(RECORDS), ragged=VARIABLE, splits=splits))
    case("v2_ragged_none", lambda: v2(tf.constant(PARTIAL), ragged=VARIABLE))
    case("v2_everything", lambda: v2(tf.constant(RECORDS), sparse=VARIABLE[:1], dense=required + steps[1:2], ragged=VARIABLE[2:]))
    for number in range(len(RECORDS)):
        for name, parse in (("v2", v2), ("single", single)):
            record = lambda number=number: tf.constant(RECORDS[number])
            case(f"{name}_scalar_dense_{number}", lambda parse=parse, record=record: parse(record(), dense=required))
            case(f"{name}_scalar_{number}", lambda parse=parse, record=record: parse(record(), sparse=VARIABLE[:2], dense=required + steps[2:]))
            case(f"{name}_scalar_steps_{number}", lambda parse=parse, record=record: parse(record(), dense=pairs))
        case(f"v2_scalar_ragged_{number}", lambda record=record: v2(record(), ragged=VARIABLE))
    case("single_defaults", lambda: single(tf.constant(PARTIAL[3]), dense=defaults))
    case("single_matrix", lambda: single(tf.constant(RECORDS[0]), dense=matrix))
    suite.write()


SUITES = [examples]
