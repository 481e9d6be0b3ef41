# SPDX-License-Identifier: Apache-2.0
"""Writes input-*.meta: training graphs that do little but read.

Usage: make_input.py        (run in this folder; made with tensorflow-cpu 2.15.1)

single, batch: a record of 64 floats and a label is parsed alone, as in map(parse_single_example).shuffle().repeat().batch(),
or with its batch, as in shuffle().repeat().batch().map(parse_example). large_buffer: a shuffle of a million of them.
images: an image is decoded, cropped, resized to 224 x 224, flipped and normalized.
csv_single, csv_batch: lines of 32 numbers and a label, alone and by batch.
clicks: lines of 13 counts and 26 categories, which are hashed. click_examples: the same as records of 40 features.
text: lines are split at spaces, words looked up in a vocabulary and batches padded.
large_records: records of 64 KiB are shuffled and decoded by batch. A step adds up what it was given.
"""
import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()

FEATURES = {"x": tf.FixedLenFeature([64], tf.float32), "y": tf.FixedLenFeature([], tf.int64)}


def single(records):
    parsed = records.map(lambda r: tf.io.parse_single_example(r, FEATURES), num_parallel_calls=2)
    return parsed.shuffle(10000, seed=1).repeat().batch(64)


def large_buffer(records):
    parsed = records.map(lambda r: tf.io.parse_single_example(r, FEATURES), num_parallel_calls=2)
    return parsed.shuffle(1000000, seed=1).repeat().batch(64)


def batch(records):
    batches = records.shuffle(10000, seed=1).repeat().batch(64)
    return batches.map(lambda r: tf.io.parse_example(r, FEATURES), num_parallel_calls=2)


def image(record):
    parsed = tf.io.parse_single_example(record, {"x": tf.FixedLenFeature([], tf.string), "y": tf.FixedLenFeature([], tf.int64)})
    x = tf.io.decode_jpeg(parsed["x"], channels=3)
    x = tf.image.resize(tf.image.random_crop(x, [320, 320, 3], seed=3), [224, 224])
    return {"x": (tf.image.random_flip_left_right(x, seed=5) - 127.5) / 58.0, "y": parsed["y"]}


def images(records):
    return records.map(image, num_parallel_calls=tf.data.AUTOTUNE).shuffle(64, seed=1).repeat().batch(32, drop_remainder=True)


def numbers(lines):
    columns = tf.io.decode_csv(lines, [[0.0]] * 32 + [[0]])
    return {"x": tf.stack(columns[:32], -1), "y": columns[32]}


def csv_single(lines):
    return lines.map(numbers, num_parallel_calls=2).shuffle(10000, seed=1).repeat().batch(64)


def csv_batch(lines):
    return lines.shuffle(10000, seed=1).repeat().batch(64).map(numbers, num_parallel_calls=2)


def buckets(categories):
    return tf.stack([tf.strings.to_hash_bucket_fast(words, 10000) for words in categories], -1)


def click_line(lines):
    columns = tf.io.decode_csv(lines, [[0]] * 14 + [[""]] * 26, field_delim="\t")
    counts = tf.math.log1p(tf.cast(tf.nn.relu(tf.stack(columns[1:14], -1)), tf.float32))
    return {"x": counts, "categories": buckets(columns[14:]), "y": columns[0]}


def clicks(lines):
    return lines.shuffle(10000, seed=1).repeat().batch(256).map(click_line, num_parallel_calls=2)


def click_example(records):
    counts = {f"i{column}": tf.FixedLenFeature([], tf.float32, 0.0) for column in range(13)}
    categories = {f"c{column}": tf.FixedLenFeature([], tf.string, "") for column in range(26)}
    parsed = tf.io.parse_example(records, {"y": tf.FixedLenFeature([], tf.int64), **counts, **categories})
    return {"x": tf.stack([parsed[name] for name in counts], -1), "categories": buckets([parsed[name] for name in categories]), "y": parsed["y"]}


def click_examples(records):
    return records.shuffle(10000, seed=1).repeat().batch(256).map(click_example, num_parallel_calls=2)


def text(lines):
    words = tf.lookup.TextFileInitializer("vocabulary.txt", tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER)
    table = tf.lookup.StaticVocabularyTable(words, 10)
    numbered = lines.map(lambda line: {"x": tf.ones([1]), "y": table.lookup(tf.strings.split([line]).values)}, num_parallel_calls=2)
    return numbered.shuffle(10000, seed=1).repeat().padded_batch(64, {"x": [1], "y": [None]})


def large_records(records):
    decode = lambda batch: {"x": tf.io.decode_raw(batch, tf.float32), "y": tf.zeros([], tf.int64)}
    return records.shuffle(1000, seed=1).repeat().batch(16).map(decode, num_parallel_calls=2)


FILES = {
    "records.tfrecord": (single, batch, large_buffer), "images.tfrecord": (images,), "numbers.csv": (csv_single, csv_batch),
    "clicks.tsv": (clicks,), "clicks.tfrecord": (click_examples,), "text.txt": (text,), "large.tfrecord": (large_records,),
}  # fmt: skip
for file, build in ((file, build) for file, builds in FILES.items() for build in builds):
    with tf.Graph().as_default():
        lines = file.endswith((".csv", ".tsv", ".txt"))
        dataset = build((tf.data.TextLineDataset if lines else tf.data.TFRecordDataset)(file)).prefetch(2)
        iterator = tf.data.make_initializable_iterator(dataset)
        tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
        tf.add_to_collection(
            tf.GraphKeys.SAVEABLE_OBJECTS, tf.data.experimental.make_saveable_from_iterator(iterator))
        element = iterator.get_next()
        step = tf.train.get_or_create_global_step()
        total = tf.get_variable("total", [], tf.float32, tf.zeros_initializer())
        seen = sum(tf.cast(tf.reduce_sum(value), tf.float32) for value in element.values())
        with tf.control_dependencies([total.assign(0.9 * total + seen)]):
            tf.add_to_collection(tf.GraphKeys.TRAIN_OP, step.assign_add(1, name="train"))
        tf.add_to_collection(tf.GraphKeys.INIT_OP, tf.global_variables_initializer())
        tf.add_to_collection(tf.GraphKeys.LOCAL_INIT_OP, tf.tables_initializer())
        tf.train.Saver().export_meta_graph(f"input-{build.__name__}.meta", clear_devices=True)
