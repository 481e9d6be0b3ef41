"""Writes pipelines.meta, pipelines.json and pipelines_1_13.meta: a training graph
with an iterator for each kind of dataset, what TensorFlow's own iterators gave,
and the same graph with the names that TensorFlow 1.13 had for some of them.

Usage: make_pipelines.py        (run in this folder; made with tensorflow-cpu 2.15.1)

Each pipeline is repeated for ever. A step takes an element of each, sums it up
to one number (its place in the element counts) and adds the numbers to a
variable, so that one wrong element shows. The Saver saves the iterators too.
"""
import json
import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
tf.logging.set_verbosity(tf.logging.ERROR)

STEPS = 60
Dataset = tf.data.Dataset
range_ = Dataset.range
experimental = tf.data.experimental


raw = tf.raw_ops
INT64 = dict(output_types=[tf.int64], output_shapes=[[]])


class Raw(Dataset):
    """A dataset of scalars around the tensor that a raw op gives."""

    def __init__(self, variant, dtype=tf.int64):
        self.variant, self.dtype = variant, dtype
        super().__init__()

    def _as_variant_tensor(self):
        return self.variant

    def _inputs(self):
        return []

    @property
    def element_spec(self):
        return tf.TensorSpec([], self.dtype)


def of(dataset):
    return dataset._variant_tensor


def function(f):
    return tf.function(f).get_concrete_function(tf.TensorSpec([], tf.int64))


def wrapped():
    """Ops that leave the elements as they are."""
    data = of(shuffled(9, 4, 3))
    data = raw.LatencyStatsDataset(input_dataset=data, tag="t", **INT64)
    data = raw.BytesProducedStatsDataset(input_dataset=data, tag="t", **INT64)
    data = raw.MaxIntraOpParallelismDataset(input_dataset=data, max_intra_op_parallelism=np.int64(1), **INT64)
    data = raw.PrivateThreadPoolDataset(input_dataset=data, num_threads=np.int64(2), **INT64)
    data = raw.ThreadPoolDataset(input_dataset=data, thread_pool=raw.ThreadPoolHandle(
        num_threads=2, display_name="p", shared_name="p"), **INT64)
    data = raw.SetStatsAggregatorDataset(input_dataset=data, stats_aggregator=raw.StatsAggregatorHandle(
        shared_name="s"), tag="t", counter_prefix="", **INT64)
    data = raw.SleepDataset(input_dataset=data, sleep_microseconds=np.int64(1), **INT64)
    data = raw.AssertPrevDataset(input_dataset=data, transformations=tf.constant([], tf.string), **INT64)
    data = raw.NonSerializableDataset(input_dataset=data, **INT64)
    data = raw.UnwrapDatasetVariant(input_handle=raw.WrapDatasetVariant(input_handle=data))
    return Raw(data)


def shuffled(n, buffer, seed):
    return range_(n).shuffle(buffer, seed=seed)


def runs(i):
    return range_(10 * i, 10 * i + (i * 7) % 5)


def lengths(n):
    return range_(n).flat_map(lambda i: runs(i).batch(10))


FEATURES = {"x": tf.FixedLenFeature([3], tf.float32), "y": tf.FixedLenFeature([], tf.int64)}


def records(files, compression=""):
    return tf.data.TFRecordDataset(files, compression)


def parsed(dataset):
    return dataset.map(lambda r: tf.io.parse_single_example(r, FEATURES)["y"] % 1000)


OLD = {
    "AssertNextDataset", "AutoShardDataset", "BytesProducedStatsDataset", "DirectedInterleaveDataset",
    "LatencyStatsDataset", "MapAndBatchDataset", "MapDataset", "MaxIntraOpParallelismDataset",
    "NonSerializableDataset", "ParallelInterleaveDataset", "PrivateThreadPoolDataset", "RandomDataset",
    "ScanDataset", "SetStatsAggregatorDataset", "SleepDataset", "StatsAggregatorHandle", "TakeWhileDataset",
    "ThreadPoolDataset", "ThreadPoolHandle", "UnbatchDataset"}  # fmt: skip

PIPELINES = {
    "window": lambda: shuffled(10, 4, 7).window(4, shift=2).flat_map(lambda w: w.batch(4)),
    "window_of_pairs": lambda: Dataset.zip((range_(9), range_(20, 29))).window(3, drop_remainder=True).flat_map(
        lambda a, b: Dataset.zip((a.batch(3), b.batch(3)))).map(lambda a, b: a * b),
    "scan": lambda: shuffled(6, 3, 7).scan(np.int64(5), lambda s, x: (s + x, s * 100 + x)),
    "scan_growing": lambda: range_(5).scan(np.zeros([0], np.int64), lambda s, x: (tf.concat([s, [x]], 0),) * 2),
    "take_while": lambda: shuffled(10, 4, 7).take_while(lambda x: x < 7),
    "enumerate": lambda: shuffled(6, 3, 7).enumerate(10).map(lambda i, x: i * 100 + x),
    "interleave": lambda: shuffled(9, 4, 3).interleave(runs, cycle_length=3, block_length=2),
    "parallel_interleave": lambda: range_(9).interleave(runs, cycle_length=3, num_parallel_calls=2),
    "legacy_interleave": lambda: range_(9).apply(
        experimental.parallel_interleave(runs, cycle_length=3, block_length=2)),
    "parallel_map": lambda: shuffled(8, 3, 2).map(lambda x: x * x, num_parallel_calls=2),
    "map_and_batch": lambda: shuffled(10, 4, 7).apply(experimental.map_and_batch(lambda x: x * 10, 4)),
    "parallel_batch": lambda: shuffled(10, 4, 7).batch(4, num_parallel_calls=2, deterministic=True),
    "shuffle_and_repeat": lambda: range_(8).apply(experimental.shuffle_and_repeat(4, 3, seed=7)),
    "rebatch": lambda: shuffled(10, 4, 7).batch(4).rebatch([2, 1, 4]),
    "padded_batch": lambda: lengths(8).padded_batch(3, [None], np.int64(-1)),
    "unbatch": lambda: shuffled(10, 4, 3).batch(4).unbatch(),
    "random": lambda: Dataset.random(seed=3).take(6),
    "random_anew": lambda: Dataset.random(seed=3, rerandomize_each_iteration=True).take(6),
    "choose": lambda: Dataset.choose_from_datasets(
        [shuffled(4, 3, 7), range_(10, 14), range_(20, 26)], range_(30).map(lambda x: x % 3),
        stop_on_empty_dataset=False),
    "filter": lambda: shuffled(20, 5, 3).filter(lambda x: tf.equal(x % 3, 1)),
    "shard_concatenate": lambda: shuffled(11, 4, 3).shard(3, 1).concatenate(range_(3)),
    "cache": lambda: shuffled(8, 4, 3).cache(),
    "skip_take_prefetch": lambda: shuffled(10, 4, 7).skip(2).take(5).prefetch(3),
    "int32_range": lambda: range_(2, 9, 3, output_type=tf.int32),
    "options": lambda: shuffled(8, 4, 3).with_options(tf.data.Options()),
    "records": lambda: parsed(records("records.tfrecord")).shuffle(10, seed=3).batch(7),
    "gzip_and_more": lambda: parsed(records(["records.tfrecord.gz"] * 2, "GZIP")),
    "zlib_by_name": lambda: parsed(Dataset.from_tensor_slices(["records.tfrecord.zlib"]).flat_map(
        lambda name: records(name, "ZLIB"))),
    "captured_by_map": lambda: range_(1, 5).flat_map(lambda i: shuffled(6, 3, 2).map(lambda x: x * 10 + i)),
    "captured_by_flat_map": lambda: range_(1, 4).interleave(
        lambda i: range_(i).flat_map(lambda j: range_(10 * i, 10 * i + j + 1)), cycle_length=2),
    "wrapped": wrapped,
    "sync": lambda: shuffled(9, 4, 3),
    "aggregated": lambda: Raw(raw.SetStatsAggregatorDataset(
        input_dataset=of(range_(5)), stats_aggregator=raw.StatsAggregatorHandleV2(shared_name="v2"), tag="t",
        counter_prefix="", **INT64)),
    "asserted": lambda: Raw(raw.AssertNextDataset(
        input_dataset=of(range_(5)), transformations=tf.constant([], tf.string), **INT64)),
    "sharded_by_worker": lambda: Raw(raw.AutoShardDataset(
        input_dataset=of(range_(5)), num_workers=np.int64(1), index=np.int64(0), **INT64)),
    "shuffle_and_repeat_v2": lambda: Raw(raw.ShuffleAndRepeatDatasetV2(
        input_dataset=of(range_(8)), buffer_size=np.int64(4), seed=np.int64(3), seed2=np.int64(5), count=np.int64(2),
        seed_generator=raw.DummySeedGenerator(), **INT64)),
    "parallel_filter": lambda: shuffled(20, 5, 3).filter(lambda x: tf.equal(x % 3, 1)),
    "first_parallel_interleave": lambda: Raw(raw.ParallelInterleaveDataset(
        input_dataset=of(range_(9)), other_arguments=[], cycle_length=np.int64(3), block_length=np.int64(2),
        sloppy=False, buffer_output_elements=np.int64(4), prefetch_input_elements=np.int64(3),
        f=function(lambda i: of(runs(i))), **INT64)),
    "records_v2": lambda: parsed(Raw(raw.TFRecordDataset(
        filenames=["records.tfrecord"] * 2, compression_type="", buffer_size=np.int64(0)), tf.string)),
    "lines": lambda: tf.data.TextLineDataset("numbers.txt").map(lambda l: tf.strings.to_number(l, tf.int64)),
}


def number(element):
    """A number that says what an element holds, and in which order."""
    flat = tf.reshape(tf.cast(element, tf.int64), [-1])
    return tf.reduce_sum(flat * (1 + tf.range(tf.size(flat, out_type=tf.int64))))


def with_late_ops(meta):
    """The graph with ops that TensorFlow 2.15 has but cannot run in graphs like this."""
    for old, new, operand in (("records_v2/TFRecordDataset", "TFRecordDatasetV2", "byte_offsets"),
                              ("parallel_filter/FilterDataset", "ParallelFilterDataset", "two")):  # fmt: skip
        node, = (n for n in meta.graph_def.node if n.name == old)
        node.op = new
        node.input.append(operand)


def as_in_1_13(meta):
    """The graph with old names of ops."""
    graph = meta.graph_def
    for node in [*graph.node, *(n for f in graph.library.function for n in f.node_def)]:
        if node.op in OLD:
            node.op = "Experimental" + node.op


def main():
    tf.set_random_seed(42)
    step = tf.train.get_or_create_global_step()
    total = tf.get_variable("total", [len(PIPELINES)], tf.int64, tf.zeros_initializer())
    names, numbers = [], []
    for name, build in PIPELINES.items():
        with tf.name_scope(name):
            pipeline = build().repeat()
        iterator = tf.data.make_initializable_iterator(pipeline, shared_name=name)
        tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, experimental.make_saveable_from_iterator(iterator))
        tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
        element = iterator.get_next()
        if name == "sync":
            element, = raw.IteratorGetNextSync(iterator=iterator._iterator_resource, **INT64)
        numbers.append(tf.identity(number(element), name=f"take/{name}"))
        names.append(numbers[-1].name)
    with tf.control_dependencies([total.assign(total * 3 + tf.stack(numbers))]):
        train = step.assign_add(1, name="train")
    tf.add_to_collection(tf.GraphKeys.TRAIN_OP, train)
    tf.add_to_collection(tf.GraphKeys.LOCAL_INIT_OP, tf.tables_initializer())
    tf.add_to_collection(tf.GraphKeys.INIT_OP, tf.global_variables_initializer())
    saver = tf.train.Saver()
    tf.constant(np.int64([0, 0]), name="byte_offsets")
    tf.constant(np.int64(2), name="two")
    meta = saver.export_meta_graph(clear_devices=True)
    with_late_ops(meta)
    with open("pipelines.meta", "wb") as out:
        out.write(meta.SerializeToString(deterministic=True))
    as_in_1_13(meta)
    with open("pipelines_1_13.meta", "wb") as out:
        out.write(meta.SerializeToString(deterministic=True))
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        values = [session.run([train.op, *numbers])[1:] for _ in range(STEPS)]
        end = [int(v) for v in session.run(total)]
    with open("pipelines.json", "w") as out:
        steps = ",\n  ".join(json.dumps([int(v) for v in row]) for row in values)
        out.write(f'{{"tensors": {json.dumps(names)},\n "steps": [\n  {steps}],\n "total": {json.dumps(end)}}}\n')


main()
