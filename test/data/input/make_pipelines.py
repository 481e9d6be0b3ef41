# SPDX-License-Identifier: Apache-2.0
"""Writes pipelines.meta, pipelines.json and pipelines_1_13.meta: a training graph
with an iterator for each kind of dataset, what TensorFlow's own iterators gave,
and the same graph with the names that TensorFlow 1.13 had for some of them;
likewise further_pipelines.* of datasets that fewer scripts use, and
random_pipelines.meta and .json, of functions that draw random numbers, and
cached_pipelines.meta and .json, of a cache in files.

Usage: make_pipelines.py        (run in this folder; made with tensorflow-cpu 2.15.1)

Each pipeline is repeated for ever. A step takes an element of each, sums it up
to one number (its place in the element counts) and adds the numbers to a
variable, so that one wrong element shows. The Saver saves the iterators too.
"""
import gzip
import json
import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.data.experimental import CsvDataset as csv_v2
tf.disable_eager_execution()
tf.logging.set_verbosity(tf.logging.ERROR)

STEPS = 60
Dataset = tf.data.Dataset
range_ = Dataset.range
experimental = tf.data.experimental


raw = tf.raw_ops
INT64 = dict(output_types=[tf.int64], output_shapes=[[]])


class Raw(Dataset):
    """A dataset around the tensor that a raw op gives."""

    def __init__(self, variant, dtype=tf.int64, shape=()):
        self.variant, self.dtype, self.shape = variant, dtype, shape
        super().__init__()

    def _as_variant_tensor(self):
        return self.variant

    def _inputs(self):
        return []

    @property
    def element_spec(self):
        return tf.TensorSpec(self.shape, self.dtype)


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


def drawn(most, seed=None):
    return tf.random.uniform([], maxval=most, dtype=tf.int64, seed=seed)


def flipped(x):
    return tf.cond(tf.random.uniform([]) < 0.5, lambda: x * 100 + drawn(100), lambda: x)


def noisy(x):
    """A batch with noise of every kind, in another order."""
    shape = tf.shape(x)
    noise = tf.random.uniform(shape) + tf.random.normal(shape) + tf.random.truncated_normal(shape)
    classes = tf.random.categorical(tf.zeros([1, 9]), 3)[0]
    return tf.random.shuffle(x) * 1000 + tf.cast(noise * 64, tf.int64) + tf.reduce_sum(classes)


def augmented(x):
    image = tf.reshape(tf.range(12), [2, 3, 2]) + tf.cast(x, tf.int32)
    return tf.image.random_crop(tf.image.random_flip_left_right(image), [2, 2, 2])


def walk(x):
    """1 + x % 3 draws."""
    more, step = lambda i, s: i < 1 + x % 3, lambda i, s: (i + 1, s * 10 + drawn(10))
    return tf.while_loop(more, step, [np.int64(0), x], parallel_iterations=1)[1]


FEATURES = {"x": tf.FixedLenFeature([3], tf.float32), "y": tf.FixedLenFeature([], tf.int64)}


def records(files, compression=""):
    return tf.data.TFRecordDataset(files, compression)


def parsed(dataset):
    return dataset.map(lambda r: tf.io.parse_single_example(r, FEATURES)["y"] % 1000)


OLD = {
    "CSVDataset", "ChooseFastestDataset", "GroupByWindowDataset", "IgnoreErrorsDataset", "MatchingFilesDataset",
    "ParseExampleDataset", "SlidingWindowDataset", "UniqueDataset",
    "AssertNextDataset", "AutoShardDataset", "BytesProducedStatsDataset", "DirectedInterleaveDataset",
    "LatencyStatsDataset", "MapAndBatchDataset", "MapDataset", "MaxIntraOpParallelismDataset",
    "NonSerializableDataset", "ParallelInterleaveDataset", "PrivateThreadPoolDataset", "RandomDataset",
    "ScanDataset", "SetStatsAggregatorDataset", "SleepDataset", "StatsAggregatorHandle", "TakeWhileDataset",
    "ThreadPoolDataset", "ThreadPoolHandle", "UnbatchDataset"}  # fmt: skip

def length(text):
    return tf.cast(tf.strings.length(text), tf.int64)


def default(value, dtype=None):
    return tf.constant([value], dtype)


def rows(files, defaults):
    return experimental.CsvDataset(files, defaults, header=True).map(
        lambda i, x, s: i * 1000 + tf.cast(x * 4, tf.int64) + length(s))


ROWS = """number,half,"a
text"
1,0.5,plain
2,-1.25,"quoted, with a comma"
,3e1,"a ""quote"" and
a line"
4, 7 ,""\r
-5,2.,last but one
6,0.5,"end"
"""

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


FURTHER_PIPELINES = {
    "csv": lambda: rows("rows.csv", [default(7, tf.int64), tf.float64, default("none")]),
    "csv_of_two": lambda: rows(["rows.csv", "rows.csv"], [default(7, tf.int64), default(0.5, tf.float64), default("")]).shuffle(5, seed=3),
    "csv_selected": lambda: experimental.CsvDataset(
        "rows.csv", [default(-1, tf.int64), default("none")], header=True, select_cols=[0, 2]).map(
            lambda i, s: i * 1000 + length(s)),
    "csv_excluded": lambda: csv_v2(
        "rows.csv", [default(0.25)], header=True, exclude_cols=[0, 2]).map(lambda x: tf.cast(x * 4, tf.int64)),
    "csv_gzip": lambda: experimental.CsvDataset(
        ["rows.csv.gz"] * 2, [default(3), tf.float32, default("?")], compression_type="GZIP", field_delim=";",
        use_quote_delim=False, na_value="NA").map(
            lambda i, x, s: tf.cast(i, tf.int64) * 1000 + tf.cast(x * 4, tf.int64) + length(s)),
    "csv_first_version": lambda: Raw(raw.CSVDataset(
        filenames="rows.csv", compression_type="", buffer_size=np.int64(64), header=True, field_delim=",",
        use_quote_delim=True, na_value="", select_cols=np.int64([0]), record_defaults=[np.int64([5])],
        output_shapes=[[]])),
    "grouped": lambda: shuffled(20, 5, 3).group_by_window(
        lambda x: x % 3, lambda key, window: window.batch(4), window_size=4),
    "grouped_by_size": lambda: shuffled(20, 5, 3).group_by_window(
        lambda x: x % 3 - 1, lambda key, window: window.map(lambda x: x * 10 + key).batch(2),
        window_size_func=lambda key: key + 3).shuffle(3, seed=4),
    "grouped_pairs": lambda: Dataset.zip((shuffled(9, 4, 3), range_(20, 29))).group_by_window(
        lambda a, b: b % 2, lambda key, window: window.batch(3), window_size=3).map(lambda a, b: a * b),
    "bucketed": lambda: lengths(16).bucket_by_sequence_length(
        lambda x: tf.size(x), [2, 4], [3, 2, 2], padding_values=np.int64(-1)),
    "unique": lambda: shuffled(20, 5, 3).map(lambda x: x * x % 7).unique(),
    "unique_texts": lambda: shuffled(20, 5, 3).map(lambda x: tf.strings.as_string(x * x % 7)).unique().map(
        lambda t: tf.strings.to_number(t, tf.int64)),
    "ignored_errors": lambda: shuffled(10, 4, 3).map(
        lambda x: tf.cast(tf.debugging.check_numerics(12 / (x % 4), "no"), tf.int64) + x).apply(
            experimental.ignore_errors()).prefetch(2),
    "parsed_by_dataset": lambda: records("records.tfrecord").batch(4).apply(
        experimental.parse_example_dataset(FEATURES)).map(lambda f: f["y"] % 1000),
    "parsed_by_first_version": lambda: Raw(raw.ParseExampleDataset(
        input_dataset=of(records("records.tfrecord").batch(4)), num_parallel_calls=np.int64(1), dense_defaults=[
            tf.constant([], tf.int64)], sparse_keys=[], dense_keys=["y"], sparse_types=[], dense_shapes=[[]],
        output_types=[tf.int64], output_shapes=[[None]]), shape=[None]).map(lambda y: y % 1000),
    "sliding": lambda: Raw(raw.SlidingWindowDataset(
        input_dataset=of(shuffled(9, 4, 3)), window_size=np.int64(3), window_shift=np.int64(2),
        window_stride=np.int64(1), output_types=[tf.int64], output_shapes=[[3]]), shape=[3]),
    "matching_files": lambda: Raw(raw.MatchingFilesDataset(
        patterns=["rec*.tfrecord*", "r?ws.[a-d]sv"]), tf.string).map(length),
    "fastest": lambda: Raw(raw.ChooseFastestDataset(
        input_datasets=[of(range_(5)), of(range_(5))], num_experiments=2, **INT64)),
}

# Functions that draw random numbers, from the graph's seed and their own.
RANDOM_PIPELINES = {
    "random_map": lambda: range_(5).map(lambda x: x * 1000 + drawn(1000, seed=3)),
    "random_map_of_one_seed": lambda: range_(5).map(lambda x: drawn(1000, seed=5) * 1000 + drawn(1000, seed=5)),
    "random_map_below_shuffle": lambda: range_(9).map(lambda x: x * 1000 + drawn(1000)).shuffle(4, seed=1).prefetch(2),
    "random_map_cached": lambda: shuffled(8, 4, 3).map(lambda x: x * 1000 + drawn(1000)).cache(),
    "random_map_taken": lambda: range_(8).map(lambda x: x * 1000 + drawn(1000)).take(5),
    "random_map_skipped": lambda: range_(8).map(lambda x: x * 1000 + drawn(1000)).skip(5).shard(2, 1),
    "random_maps": lambda: range_(5).map(lambda x: x * 100 + drawn(100)).map(lambda x: x * 100 + drawn(100)),
    "random_map_twice": lambda: (lambda d: Dataset.zip((d, d)))(range_(5).map(lambda x: drawn(1000))).map(
        lambda x, y: x * 1000 + y),
    "random_parallel_map": lambda: range_(5).map(lambda x: x * 1000 + drawn(1000), num_parallel_calls=1),
    "random_branch": lambda: shuffled(8, 4, 3).map(flipped),
    "random_loop": lambda: range_(7).map(walk),
    "random_batch": lambda: shuffled(11, 4, 3).batch(4).map(noisy),
    "random_image": lambda: range_(6).map(augmented),
    "random_filter": lambda: range_(20).filter(lambda x: tf.random.uniform([], seed=3) > 0.5),
    "random_take_while": lambda: range_(20).take_while(lambda x: tf.random.uniform([]) < 0.9),
    "random_scan": lambda: range_(6).scan(np.int64(0), lambda s, x: (s + drawn(10), s * 100 + x)),
    "random_flat_map": lambda: range_(4).flat_map(lambda x: Dataset.from_tensors(x * 1000 + drawn(1000)).repeat(2)),
    "random_sizes": lambda: range_(5).flat_map(lambda x: range_(drawn(4))),
    "random_within_flat_map": lambda: range_(4).flat_map(
        lambda x: range_(3).map(lambda y: x * 1000 + drawn(1000)).shuffle(2, seed=3)),
    "random_within_flat_maps": lambda: range_(3).flat_map(lambda x: range_(2).flat_map(
        lambda y: range_(2).map(lambda z: x * 1000 + drawn(1000)))).shuffle(3, seed=3),
    "random_within_interleave": lambda: shuffled(5, 3, 2).interleave(
        lambda x: range_(3).map(lambda y: x * 1000 + drawn(1000)), cycle_length=2),
}

# Kept in files, which stay here: a cache that TensorFlow wrote.
CACHED_PIPELINES = {
    "cache_in_file": lambda: shuffled(12, 4, 3).map(lambda x: (x * 10, tf.strings.as_string(x), tf.range(x % 3))).cache(
        "cached").map(lambda x, t, r: x * 100 + tf.strings.to_number(t, tf.int64) + tf.reduce_sum(r)).batch(2),
}


def number(element):
    """A checksum of an element's numbers and their order."""
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


def write(pipelines, file):
    """Writes the graph of the pipelines and their elements; gives the graph."""
    tf.reset_default_graph()
    tf.set_random_seed(42)
    step = tf.train.get_or_create_global_step()
    total = tf.get_variable("total", [len(pipelines)], tf.int64, tf.zeros_initializer())
    names, numbers = [], []
    for name, build in pipelines.items():
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
    if file == "pipelines":
        tf.constant(np.int64([0, 0]), name="byte_offsets")
        tf.constant(np.int64(2), name="two")
    meta = saver.export_meta_graph(clear_devices=True)
    if file == "pipelines":
        with_late_ops(meta)
    with open(f"{file}.meta", "wb") as out:
        out.write(meta.SerializeToString(deterministic=True))
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        values = [session.run([train.op, *numbers])[1:] for _ in range(STEPS)]
        end = [int(v) for v in session.run(total)]
    with open(f"{file}.json", "w") as out:
        steps = ",\n  ".join(json.dumps([int(v) for v in row]) for row in values)
        out.write(f'{{"tensors": {json.dumps(names)},\n "steps": [\n  {steps}],\n "total": {json.dumps(end)}}}\n')
    return meta


def write_rows():
    with open("rows.csv", "w", newline="") as out:
        out.write(ROWS)
    text = "".join(f'{n};{n / 4};say "{"x" * n}"\n' for n in range(5)) + "NA;1;NA\r7;2;end"
    with open("rows.csv.gz", "wb") as out:
        out.write(gzip.compress(text.encode(), mtime=0))


def main():
    write_rows()
    for pipelines, file in ((PIPELINES, "pipelines"), (FURTHER_PIPELINES, "further_pipelines")):
        meta = write(pipelines, file)
        as_in_1_13(meta)
        with open(f"{file}_1_13.meta", "wb") as out:
            out.write(meta.SerializeToString(deterministic=True))
    write(RANDOM_PIPELINES, "random_pipelines")
    write(CACHED_PIPELINES, "cached_pipelines")


main()
