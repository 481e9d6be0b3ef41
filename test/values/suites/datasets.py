# SPDX-License-Identifier: Apache-2.0
"""Elements of iterators over datasets, of today's ops and of their old versions."""
import numpy as np
import tensorflow as tf

from suite import F32, I32, INITIALIZERS, Suite, apart, raw, v1

Data = tf.data.Dataset
INT64 = dict(output_types=[tf.int64], output_shapes=[[]])
INT64S = dict(output_types=[tf.int64], output_shapes=[[None]])


class Raw(Data):
    """A dataset around the tensor that a raw op gives."""

    def __init__(self, variant, spec, inputs=()):
        self.spec, self.inputs = spec, list(inputs)
        super().__init__(variant)

    def _inputs(self):
        return self.inputs

    @property
    def element_spec(self):
        return self.spec


def scalars(variant, *inputs):
    return Raw(variant, tf.TensorSpec([], tf.int64), inputs)


def vectors(variant, *inputs):
    return Raw(variant, tf.TensorSpec([None], tf.int64), inputs)


def numbers(n):
    return Data.range(n)


def of(dataset):
    return dataset._variant_tensor


def constant(value, dtype=tf.int64):
    return tf.constant(value, dtype)


def function(f, *shapes):
    """`f` as functions of datasets are: of the components of an element."""
    return tf.function(f).get_concrete_function(*[tf.TensorSpec(s, tf.int64) for s in shapes])


def taken(dataset, times, collection=INITIALIZERS):
    """The first `times` elements, component by component, in their order."""
    iterator = v1.data.make_initializable_iterator(dataset)
    v1.add_to_collection(collection, iterator.initializer)
    return drawn(iterator, times)


def drawn(iterator, times):
    results, last = [], []
    for _ in range(times):
        with tf.control_dependencies(last):
            last = [tf.identity(t) for t in tf.nest.flatten(iterator.get_next())]
        results += last
    return results


def datasets():
    suite = Suite("datasets")

    def case(name, make, times, **more):
        suite.case(name, lambda: taken(make(), times), **more)

    pairs = lambda: Data.from_tensor_slices((np.arange(12, dtype=F32).reshape(6, 2), np.arange(6, dtype=I32)))
    spans = lambda: numbers(5).map(lambda n: tf.range(10 * n, 11 * n + 1))
    ragged = lambda: numbers(9).map(lambda n: tf.range(n % 4 + 1))
    case("TensorDataset", lambda: Data.from_tensors((np.arange(3), F32(2))).repeat(2), 2)
    case("TakeDataset", lambda: numbers(9).take(2).repeat(), 5)
    case("SkipDataset", lambda: numbers(5).skip(3).repeat(), 5)
    case("FilterDataset", lambda: numbers(20).filter(lambda n: tf.equal(n % 3, 1)), 5)
    case("ConcatenateDataset", lambda: numbers(2).concatenate(numbers(4).skip(2)), 4)
    case("ZipDataset", lambda: Data.zip((numbers(5), pairs())), 3)
    case("ShardDataset", lambda: numbers(11).shard(3, 1), 4)
    case("UnbatchDataset", lambda: pairs().batch(4).unbatch().batch(3), 2)
    case("cache_of_map", lambda: numbers(3).map(lambda n: n * n).cache().repeat(), 7)
    case("InterleaveDataset", lambda: spans().interleave(Data.from_tensor_slices, cycle_length=2, block_length=2), 12)
    for calls, deterministic in ((2, True), (None, None)):
        case(f"interleave_calls_{calls}", lambda c=calls, d=deterministic: spans().interleave(Data.from_tensor_slices,
            cycle_length=3, block_length=1, num_parallel_calls=c, deterministic=d), 12)  # fmt: skip
    case("PaddedBatchDatasetV2", lambda: ragged().padded_batch(4, padded_shapes=[None], padding_values=constant(-1)), 3)
    case("padded_to", lambda: ragged().padded_batch(4, padded_shapes=[6], drop_remainder=True), 2)
    case("BatchDatasetV2", lambda: pairs().batch(4).repeat(), 3)
    case("ShuffleDataset", lambda: numbers(10).shuffle(4, seed=7).repeat(3), 25)
    case("map_of_pairs", lambda: pairs().map(lambda a, b: (a * 2.0, b + tf.cast(tf.reduce_sum(a), tf.int32))).batch(2), 3)
    case("prefetch_and_options", lambda: numbers(7).map(lambda n: n + 1, num_parallel_calls=2).prefetch(2).batch(3, drop_remainder=True), 2)

    # Datasets of old graphs. TensorFlow 2.15 writes graphs of these two wrongly, so it cannot run them itself.
    batch = [np.array(row) for row in ([0, 1, 2], [3, 4, 5], [6])]
    suite.case("BatchDataset", lambda: taken(vectors(raw.BatchDataset(input_dataset=of(numbers(7)), batch_size=constant(3), **INT64S), numbers(7)), 3, v1.GraphKeys.TABLE_INITIALIZERS), expected=batch)
    padded = np.array([[0, -1, -1, -1], [0, 1, -1, -1], [0, 1, 2, -1], [0, 1, 2, 3]])
    suite.case("PaddedBatchDataset", lambda: taken(Raw(raw.PaddedBatchDataset(input_dataset=of(ragged()), batch_size=constant(4), padded_shapes=[constant([-1])],
        padding_values=[constant(-1)], output_shapes=[[None, None]]), tf.TensorSpec([None, None], tf.int64), [ragged()]), 3, v1.GraphKeys.TABLE_INITIALIZERS), expected=[padded, padded, np.array([[0]])])  # fmt: skip
    case("ParallelMapDataset", lambda: scalars(raw.ParallelMapDataset(input_dataset=of(numbers(7)), other_arguments=[], f=function(lambda n: n * 3, []),
        num_parallel_calls=tf.constant(2), **INT64), numbers(7)), 5)  # fmt: skip
    case("CacheDataset", lambda: scalars(raw.CacheDataset(input_dataset=of(numbers(3)), filename=tf.constant(""), **INT64), numbers(3)).repeat(), 7)
    inner = lambda: function(lambda s: of(Data.from_tensor_slices(s)), [None])
    interleaved = lambda: dict(other_arguments=[], cycle_length=constant(2), block_length=constant(2), num_parallel_calls=constant(2), **INT64)
    case("ParallelInterleaveDatasetV2", lambda: scalars(raw.ParallelInterleaveDatasetV2(input_dataset=of(spans()), f=inner(), **interleaved()), spans()), 12)
    case("ParallelInterleaveDatasetV3", lambda: scalars(raw.ParallelInterleaveDatasetV3(input_dataset=of(spans()), f=inner(), **interleaved()), spans()), 12)
    case("ParallelInterleaveDatasetV4", lambda: scalars(raw.ParallelInterleaveDatasetV4(input_dataset=of(spans()), f=inner(),
        buffer_output_elements=constant(1), prefetch_input_elements=constant(1), **interleaved()), spans()), 12)  # fmt: skip
    case("ShuffleAndRepeatDataset", lambda: scalars(raw.ShuffleAndRepeatDataset(input_dataset=of(numbers(10)), buffer_size=constant(4),
        seed=constant(3), seed2=constant(5), count=constant(2), **INT64), numbers(10)), 20)  # fmt: skip
    shuffled = lambda generator: scalars(raw.ShuffleDatasetV2(input_dataset=of(numbers(10)), buffer_size=constant(4),
        seed_generator=generator.handle, **INT64), numbers(10)).repeat(2)  # fmt: skip
    seeds = lambda: dict(seed=constant(3), seed2=constant(5))
    case("AnonymousSeedGenerator", lambda: shuffled(raw.AnonymousSeedGenerator(reshuffle=True, **seeds())), 15)
    case("AnonymousSeedGenerator_fixed", lambda: shuffled(raw.AnonymousSeedGenerator(reshuffle=False, **seeds())), 15)
    # TensorFlow 2.15 has lost the kernel of its older name.
    suite.case("AnonymousRandomSeedGenerator", lambda: taken(shuffled(raw.AnonymousRandomSeedGenerator(**seeds())), 15, v1.GraphKeys.TABLE_INITIALIZERS),
        expected=apart(lambda: taken(shuffled(raw.AnonymousSeedGenerator(reshuffle=True, **seeds())), 15)))  # fmt: skip
    case("ShuffleDatasetV3", lambda: scalars(raw.ShuffleDatasetV3(input_dataset=of(numbers(10)), buffer_size=constant(4),
        seed_generator=raw.DummySeedGenerator(), **seeds(), **INT64), numbers(10)).repeat(2), 15)  # fmt: skip
    case("DummyMemoryCache", lambda: scalars(raw.CacheDatasetV2(input_dataset=of(numbers(3)), filename=tf.constant(""),
        cache=raw.DummyMemoryCache(), **INT64), numbers(3)).repeat(), 7)  # fmt: skip
    case("AnonymousMemoryCache", lambda: scalars(raw.CacheDatasetV2(input_dataset=of(numbers(3)), filename=tf.constant(""),
        cache=raw.AnonymousMemoryCache().handle, **INT64), numbers(3)).repeat(), 7)  # fmt: skip
    case("AssertNextDataset", lambda: scalars(raw.AssertNextDataset(input_dataset=of(numbers(4)), transformations=tf.constant([], tf.string), **INT64), numbers(4)), 3)

    # Records of 2 bytes between a header of 3 and a footer of 1.
    suite.file("records.bin", b"HHH" + bytes(range(8)) + b"F")
    sizes = lambda: dict(header_bytes=constant(3), record_bytes=constant(2), footer_bytes=constant(1), buffer_size=constant(0))
    records = lambda op, **more: Raw(op(filenames=tf.constant(["records.bin", "records.bin"]), **sizes(), **more),
        tf.TensorSpec([], tf.string)).map(lambda t: tf.reshape(tf.io.decode_raw(t, tf.uint8), [2])).batch(3)  # fmt: skip
    case("FixedLengthRecordDatasetV2", lambda: records(raw.FixedLengthRecordDatasetV2, compression_type=""), 3)
    # Of TensorFlow's iterators this one, too, is out of order.
    suite.case("FixedLengthRecordDataset", lambda: taken(records(raw.FixedLengthRecordDataset), 3, v1.GraphKeys.TABLE_INITIALIZERS),
        expected=[np.array(rows, np.uint8) for rows in ([[0, 1], [2, 3], [4, 5]], [[6, 7], [0, 1], [2, 3]], [[4, 5], [6, 7]])])  # fmt: skip

    # Datasets that TensorFlow wraps around a pipeline to run it.
    case("ModelDataset", lambda: scalars(raw.ModelDataset(input_dataset=of(numbers(4)), **INT64), numbers(4)), 3)
    case("OptimizeDataset", lambda: scalars(raw.OptimizeDataset(input_dataset=of(numbers(4)), optimizations=tf.constant(["map_fusion"]), **INT64), numbers(4)), 3)
    case("OptimizeDatasetV2", lambda: scalars(raw.OptimizeDatasetV2(input_dataset=of(numbers(4)), optimizations_enabled=tf.constant(["map_fusion"]),
        optimizations_disabled=tf.constant([], tf.string), optimizations_default=tf.constant([], tf.string), **INT64), numbers(4)), 3)  # fmt: skip
    case("OptionsDataset", lambda: scalars(raw.OptionsDataset(input_dataset=of(numbers(4)), serialized_options=b"", **INT64), numbers(4)), 3)
    case("FinalizeDataset", lambda: scalars(raw.FinalizeDataset(input_dataset=of(numbers(4)), **INT64), numbers(4)), 3)
    case("AssertCardinalityDataset", lambda: numbers(4).filter(lambda n: n < 3).apply(tf.data.experimental.assert_cardinality(3)), 3)
    case("MaxIntraOpParallelismDataset", lambda: scalars(raw.MaxIntraOpParallelismDataset(input_dataset=of(numbers(4)), max_intra_op_parallelism=constant(1), **INT64), numbers(4)), 3)
    case("PrivateThreadPoolDataset", lambda: scalars(raw.PrivateThreadPoolDataset(input_dataset=of(numbers(4)), num_threads=constant(2), **INT64), numbers(4)), 3)
    case("NonSerializableDataset", lambda: scalars(raw.NonSerializableDataset(input_dataset=of(numbers(4)), **INT64), numbers(4)), 3)
    case("AutoShardDataset", lambda: scalars(raw.AutoShardDataset(input_dataset=of(numbers(4)), num_workers=constant(1), index=constant(0), **INT64), numbers(4)), 3)

    # The iterators themselves.
    suite.case("OneShotIterator", lambda: drawn(v1.data.make_one_shot_iterator(numbers(5).map(lambda n: n * 2)), 4))

    def iterator():
        handle = raw.Iterator(shared_name="", container="", **INT64)
        v1.add_to_collection(INITIALIZERS, raw.MakeIterator(dataset=of(numbers(5).skip(1)), iterator=handle))
        first = raw.IteratorGetNext(iterator=handle, **INT64)
        with tf.control_dependencies(first):
            return [*first, *raw.IteratorGetNext(iterator=handle, **INT64)]

    suite.case("Iterator", iterator)
    suite.write()


SUITES = [datasets]
