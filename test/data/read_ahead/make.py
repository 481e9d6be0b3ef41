# SPDX-License-Identifier: Apache-2.0
"""Makes the graphs of this folder: small models that read ahead, with tables
that functions of their datasets look words up in.

    make.py

Run by hand with TensorFlow 2.15. Leaves NAME.meta, and the files they read:
words.txt, more_words.txt and words.tfrecord. An epoch has 20 batches; each graph
reads two.
"""
import os
import pathlib

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
v1.disable_eager_execution()
HERE = pathlib.Path(__file__).resolve().parent
WORDS = [f"word{i}" for i in range(50)]
KEYS, VALUES = tf.constant(WORDS), list(range(50))


def hash_table():
    return v1.lookup.StaticHashTable(v1.lookup.KeyValueTensorInitializer(KEYS, VALUES, tf.string, tf.int64), 50)


def vocabulary():
    initializer = v1.lookup.KeyValueTensorInitializer(KEYS, VALUES, tf.string, tf.int64)
    return v1.lookup.StaticVocabularyTable(initializer, num_oov_buckets=3)


def split(line):
    """A line's words, so often that the thread that looks them up is still at it
    when a run ends."""
    return tf.tile(tf.strings.split([line]).values, [1000])


def words():
    """A line's words are looked up in a parallel map."""
    table = hash_table()
    lines = tf.data.TextLineDataset("words.txt").map(lambda line: table.lookup(split(line))[:6], 4)
    return lines.padded_batch(2, [None], drop_remainder=True).prefetch(30).repeat(2).prefetch(20)


def files():
    """Lines of two files in turn, each read ahead; one table before a
    shuffle and another after it."""
    first, second = vocabulary(), hash_table()
    lines = tf.data.Dataset.from_tensor_slices(["words.txt", "more_words.txt"]).interleave(
        lambda name: tf.data.TextLineDataset(name).take(20).prefetch(1), 2, 1, num_parallel_calls=2)
    ids = lines.map(split, 2).map(lambda row: first.lookup(row)[:6], 3).shuffle(10, seed=1)
    more = tf.data.TextLineDataset("words.txt").map(lambda line: second.lookup(tf.strings.split([line]).values)[:1])
    both = tf.data.Dataset.zip((ids, more)).map(lambda row, one: tf.concat([row, one], 0), 2).prefetch(1)
    return both.padded_batch(2, [None], drop_remainder=True).repeat(2).prefetch(40)


def examples():
    """Examples, parsed in a parallel map that looks up what it has parsed."""
    table = vocabulary()

    def parse(record):
        row = tf.io.parse_single_example(record, {"words": tf.io.VarLenFeature(tf.string)})
        return table.lookup(tf.tile(row["words"].values, [1000]))[:6]

    return tf.data.TFRecordDataset("words.tfrecord").map(parse, 4).prefetch(60).padded_batch(
        2, [None], drop_remainder=True).repeat(2).prefetch(40)  # fmt: skip


def write_files():
    rng = np.random.RandomState(3)
    rows = [[WORDS[i] for i in rng.randint(0, 50, rng.randint(1, 6))] for _ in range(80)]
    for name, part in (("words.txt", rows[:40]), ("more_words.txt", rows[40:])):
        (HERE / name).write_text("".join(" ".join(row) + "\n" for row in part))
    with tf.io.TFRecordWriter(str(HERE / "words.tfrecord")) as file:
        for row in rows[:40]:
            values = tf.train.BytesList(value=[word.encode() for word in row])
            feature = {"words": tf.train.Feature(bytes_list=values)}
            file.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())


def make(dataset):
    v1.reset_default_graph()
    v1.set_random_seed(7)
    global KEYS
    KEYS = tf.constant(WORDS)
    iterator = v1.data.make_initializable_iterator(dataset())
    v1.add_to_collection(v1.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
    ids = iterator.get_next()
    rows = tf.nn.embedding_lookup(v1.get_variable("table", [64, 4]), tf.maximum(ids, 0))
    logits = tf.squeeze(v1.layers.dense(tf.reduce_mean(rows, 1), 1), -1)
    loss = tf.reduce_mean(tf.square(logits - tf.cast(ids[:, 0] % 2, tf.float32)))
    step = v1.train.AdamOptimizer(0.05).minimize(loss, global_step=v1.train.get_or_create_global_step())
    v1.add_to_collection(v1.GraphKeys.TRAIN_OP, step)
    v1.add_to_collection(v1.GraphKeys.INIT_OP, v1.global_variables_initializer())
    v1.add_to_collection(v1.GraphKeys.LOCAL_INIT_OP, tf.group(v1.tables_initializer(), v1.local_variables_initializer()))
    saver = v1.train.Saver()
    os.chdir(HERE)
    with v1.Session() as session:
        session.run([v1.get_collection(v1.GraphKeys.INIT_OP), v1.tables_initializer()])
        steps = 0
        try:
            while True:
                session.run(step)
                steps += 1
        except tf.errors.OutOfRangeError:
            pass
    assert steps == 40, (dataset.__name__, steps)
    saver.export_meta_graph(str(HERE / f"{dataset.__name__}.meta"))


write_files()
for dataset in (words, files, examples):
    make(dataset)
