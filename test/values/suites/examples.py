# SPDX-License-Identifier: Apache-2.0
"""Features of Examples and SequenceExamples: strings among the results as in strings.py."""
from strings import told
from suite import *


def feature(values):
    """A Feature: None is one without a kind, a type one of an empty list."""
    if values is None:
        return tf.train.Feature()
    kind = values if isinstance(values, type) else type(values[0])
    values = [] if isinstance(values, type) else values
    if kind is bytes:
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
    if kind is int:
        return tf.train.Feature(int64_list=tf.train.Int64List(value=values))
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))


def features(values):
    return tf.train.Features(feature={k: feature(v) for k, v in values.items()})


def example(**values):
    """A serialized Example."""
    return tf.train.Example(features=features(values)).SerializeToString(deterministic=True)


def sequence(context, **lists):
    """A serialized SequenceExample."""
    lists = {k: tf.train.FeatureList(feature=[feature(row) for row in rows]) for k, rows in lists.items()}
    message = tf.train.SequenceExample(context=features(context), feature_lists=tf.train.FeatureLists(feature_list=lists))
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


SEQUENCES = [
    sequence(dict(f=[1.5, -2.0], i=[7, 2**40], s=[b"a", b"bc"], vf=[1.0, 2.0, 3.0], vs=[b"x"], other=[1]),
             df=[[1.0, 2.0], [3.0, 4.0]], di=[[5]], ds=[[b"a"], [b"bc"], [b""]], lf=[[1.0], [2.0, 3.0]], li=[[4], int, [5, 6]], ls=[[b"x", b"y"]]),
    sequence(dict(f=[3.0, 4.0], i=[-1, 0], s=[b"", b"\x00"], vf=float, vi=[1, 2]),
             df=[[-1.0, 0.5]], di=[[2**63 - 1], [-(2**63)]], ds=[], lf=[], li=[None, [9]], ls=[[b"z"], bytes, [b"", b"q"]]),
    sequence(dict(f=[0.0, 0.5], i=[1, 2], s=[b"q", b"r"], vs=[b"y", b"", b"zz"]),
             df=[[8.0, 9.0], [6.0, 7.0], [4.0, 5.0]], di=[], ds=[[b"t"]], lf=[float, [0.25]]),
]  # fmt: skip
LACKING = [sequence({}), sequence(dict(f=[1.0, 2.0]), df=[[1.0, 2.0]], lf=[[1.0]]), sequence(dict(vf=[1.0]), ds=[[b"k"]], li=[[1, 2, 3]])]
DENSE_LISTS = [("df", tf.float32, [2]), ("di", tf.int64, []), ("ds", tf.string, [1])]
LISTS = [("lf", tf.float32), ("li", tf.int64), ("ls", tf.string)]


def sequences_v2(serialized, sparse=(), dense=(), ragged=(), lists=(), dense_lists=(), ragged_lists=(), missing=(), splits=tf.int64):
    """`dense` are (key, shape, default), `dense_lists` (key, type, shape)."""
    return raw.ParseSequenceExampleV2(
        serialized=serialized, debug_name=tf.constant([], tf.string), context_sparse_keys=constants(sparse),
        context_dense_keys=tf.constant([k for k, _, _ in dense], tf.string), context_ragged_keys=constants(ragged),
        feature_list_sparse_keys=constants(lists), feature_list_dense_keys=tf.constant([k for k, _, _ in dense_lists], tf.string),
        feature_list_ragged_keys=constants(ragged_lists),
        feature_list_dense_missing_assumed_empty=tf.constant([k in missing for k, _, _ in dense_lists], tf.bool),
        context_dense_defaults=[d for _, _, d in dense], Ncontext_sparse=len(sparse), context_sparse_types=[t for _, t in sparse],
        context_ragged_value_types=[t for _, t in ragged], context_ragged_split_types=[splits] * len(ragged),
        context_dense_shapes=[s for _, s, _ in dense], Nfeature_list_sparse=len(lists), Nfeature_list_dense=len(dense_lists),
        feature_list_dense_types=[t for _, t, _ in dense_lists], feature_list_sparse_types=[t for _, t in lists],
        feature_list_ragged_value_types=[t for _, t in ragged_lists], feature_list_ragged_split_types=[splits] * len(ragged_lists),
        feature_list_dense_shapes=[s for _, _, s in dense_lists])  # fmt: skip


def sequences_v1(serialized, sparse=(), dense=(), lists=(), dense_lists=(), missing=()):
    return raw.ParseSequenceExample(
        serialized=serialized, debug_name=tf.constant([], tf.string), context_dense_defaults=[d for _, _, d in dense],
        feature_list_dense_missing_assumed_empty=list(missing), context_sparse_keys=[k for k, _ in sparse],
        context_dense_keys=[k for k, _, _ in dense], feature_list_sparse_keys=[k for k, _ in lists],
        feature_list_dense_keys=[k for k, _, _ in dense_lists], Ncontext_sparse=len(sparse), Ncontext_dense=len(dense),
        Nfeature_list_sparse=len(lists), Nfeature_list_dense=len(dense_lists), context_sparse_types=[t for _, t in sparse],
        feature_list_dense_types=[t for _, t, _ in dense_lists], context_dense_shapes=[s for _, s, _ in dense],
        feature_list_sparse_types=[t for _, t in lists], feature_list_dense_shapes=[s for _, _, s in dense_lists])  # fmt: skip


def sequences():
    suite = Suite("sequences")

    def case(name, function, *inputs, drop=(), **how):
        """`drop` are outputs that TensorFlow does not initialize."""

        def whole(*feeds):
            outputs = tf.nest.flatten(list(function(*feeds)))
            return list(told(*[x for i, x in enumerate(outputs) if i not in drop]))
        suite.case(name, whole, *inputs, **how)

    with suite.graph.as_default():
        required = [(k, [2], nothing(t)) for k, t in FIXED]
        defaults = [(k, [2], filler(t, (2,))) for k, t in FIXED]
    for name, parse in {"v2": sequences_v2, "v1": sequences_v1}.items():
        every = lambda s, parse=parse: parse(s, sparse=VARIABLE, dense=required, lists=LISTS, dense_lists=DENSE_LISTS)
        case(f"{name}_context", lambda parse=parse: parse(tf.constant(SEQUENCES), sparse=VARIABLE, dense=required))
        case(f"{name}_context_defaults", lambda parse=parse: parse(tf.constant(LACKING), sparse=VARIABLE, dense=defaults))
        case(f"{name}_dense", lambda parse=parse: parse(tf.constant(SEQUENCES), dense_lists=DENSE_LISTS))
        case(f"{name}_dense_missing", lambda parse=parse: parse(tf.constant(LACKING), dense_lists=DENSE_LISTS, missing=["df", "di", "ds"]))
        case(f"{name}_dense_shapes", lambda parse=parse: parse(tf.constant(SEQUENCES), dense_lists=[("df", tf.float32, [2, 1]), ("di", tf.int64, [1, 1])]))
        case(f"{name}_sparse", lambda parse=parse: parse(tf.constant(SEQUENCES), lists=LISTS))
        case(f"{name}_sparse_missing", lambda parse=parse: parse(tf.constant(LACKING), lists=LISTS))
        case(f"{name}_everything", lambda every=every: every(tf.constant(SEQUENCES)))
        case(f"{name}_open_batch", lambda n, every=every: every(tf.constant(SEQUENCES)[:n]), np.array(2, I32))
        case(f"{name}_no_records", lambda n, parse=parse: parse(tf.constant(SEQUENCES)[:n], sparse=VARIABLE, lists=LISTS, dense_lists=DENSE_LISTS), np.array(0, I32))
        wrong = {
            "missing": ([SEQUENCES[0], LACKING[0]], [("df", tf.float32, [2])], "Feature list 'df' is required but could not be found"),
            "type": (SEQUENCES, [("df", tf.int64, [2])], "Data types don't match. Expected type: int64"),
            "count": (SEQUENCES[:1], [("lf", tf.float32, [])], "Number of values != expected.  values size: 2 but output shape: []"),
            "bytes": ([b"\xff\xff"], DENSE_LISTS, "Invalid protocol message input"),
        }  # fmt: skip
        for kind, (records, what, message) in wrong.items():
            case(f"{name}_wrong_{kind}", lambda parse=parse, records=records, what=what: parse(tf.constant(records), dense_lists=what), fails=message)
    for number, record in enumerate(SEQUENCES + LACKING[:1]):
        case(f"scalar_{number}", lambda record=record: sequences_v2(tf.constant(record), sparse=VARIABLE, dense=defaults, lists=LISTS,
                                                                    dense_lists=DENSE_LISTS, missing=["df", "di", "ds"]))  # fmt: skip
    for splits in (tf.int32, tf.int64):
        case(f"ragged_{splits.name}", lambda splits=splits: sequences_v2(tf.constant(SEQUENCES), ragged=VARIABLE, ragged_lists=LISTS, splits=splits))
    case("ragged_missing", lambda: sequences_v2(tf.constant(LACKING), ragged=VARIABLE, ragged_lists=LISTS))
    case("ragged_open_batch", lambda n: sequences_v2(tf.constant(SEQUENCES)[:n], ragged=VARIABLE, ragged_lists=LISTS), np.array(1, I32))
    case("every_kind", lambda: sequences_v2(tf.constant(SEQUENCES), sparse=VARIABLE[:1], dense=required, ragged=VARIABLE[1:],
                                            lists=LISTS[:1], dense_lists=DENSE_LISTS, ragged_lists=LISTS[1:]))  # fmt: skip
    # TensorFlow does not initialize the splits of a batch that there is not: outputs 1 and 3.
    case("ragged_scalar", lambda: sequences_v2(tf.constant(SEQUENCES[0]), ragged=VARIABLE[:1], ragged_lists=LISTS[1:2]), drop=(1, 3))
    suite.write()


SUITES = [examples, sequences]
