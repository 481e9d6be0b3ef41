# SPDX-License-Identifier: Apache-2.0
"""Writes parsed.meta and parsed.json: a training graph whose iterators parse the
Examples of records.tfrecord in many ways, one by one and by batch, and what
TensorFlow's own iterators gave.

Usage: make_parsed.py        (run in this folder; made with tensorflow-cpu 2.15.1)

Each pipeline is repeated for ever. A step takes an element of each and sums it
up to one number (the place of each value counts). The Saver saves the iterators.
"""
import json
import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
tf.logging.set_verbosity(tf.logging.ERROR)

STEPS = 20
FEATURES = {
    "x": tf.FixedLenFeature([3], tf.float32), "y": tf.FixedLenFeature([], tf.int64),
    "s": tf.FixedLenFeature([], tf.string), "d": tf.FixedLenFeature([2], tf.int64, [7, 8])}  # fmt: skip


def records():
    return tf.data.TFRecordDataset("records.tfrecord")


def one(record):
    return tf.io.parse_single_example(record, FEATURES)


def many(batch):
    return tf.io.parse_example(batch, FEATURES)


def singles(function=one):
    return records().map(function, num_parallel_calls=2)


def computed(record):
    """Results that are parsed, reshaped, and computed."""
    f = one(record)
    return f["s"], tf.reshape(f["x"], [3, 1]), f["y"], tf.cast(f["d"], tf.float32), f["x"] * 2 - 1


def computed_of_batch(batch):
    f = many(batch)
    return f["s"], tf.reshape(f["x"], [-1, 3, 1]), f["y"], tf.cast(f["d"], tf.float32), f["x"] * 2 - 1


def some(record):
    return tf.io.parse_single_example(record, {"y": FEATURES["y"]})["y"]


def twice(record):
    f = one(record)
    return f["x"], f["y"], f["x"]


PIPELINES = {
    "single": lambda: singles().batch(7),
    "single_dropped": lambda: singles().batch(7, drop_remainder=True),
    "single_larger": lambda: singles().batch(100),
    "single_across_passes": lambda: singles().repeat(3).batch(7),
    "single_shuffled": lambda: singles().shuffle(16, seed=3).repeat().batch(7),
    "single_prefetched": lambda: singles().prefetch(4).batch(7).prefetch(2),
    "single_selected": lambda: singles().skip(3).take(30).shard(3, 1).batch(4),
    "single_options": lambda: singles().with_options(tf.data.Options()).batch(7),
    "single_cached": lambda: singles().cache().shuffle(16, seed=3).batch(7),
    "single_filtered": lambda: singles().filter(lambda f: f["y"] % 2 < 1).batch(4),
    "single_unbatched": lambda: singles().batch(7).unbatch().batch(5),
    "computed": lambda: singles(computed).batch(7),
    "computed_shuffled": lambda: singles(computed).shuffle(16, seed=3).repeat().batch(7, drop_remainder=True),
    "computed_prefetched": lambda: singles(computed).prefetch(3).batch(7),
    "some": lambda: singles(some).shuffle(16, seed=3).batch(7),
    "twice": lambda: singles(twice).shuffle(16, seed=3).batch(7),
    "open_batch": lambda: records().batch(7).map(many),
    "open_batch_shuffled": lambda: records().shuffle(16, seed=3).batch(7).map(many).prefetch(2),
    "open_batch_computed": lambda: records().batch(7).map(computed_of_batch),
    "fixed_batch": lambda: records().repeat().batch(7).map(many),
    "fixed_batch_computed": lambda: records().shuffle(16, seed=3).batch(7, drop_remainder=True).map(computed_of_batch),
    "batch_of_batches": lambda: singles().batch(2).batch(3),
}


def number(element):
    """A checksum of an element's numbers and their order."""
    parts = []
    for value in tf.nest.flatten(element):
        if value.dtype == tf.string:
            value = tf.strings.length(value)
        elif value.dtype == tf.float32:
            value = tf.bitcast(value, tf.int32)
        flat = tf.reshape(tf.cast(value, tf.int64), [-1]) % 1000003
        parts.append(tf.reduce_sum(flat * (1 + tf.range(tf.size(flat, out_type=tf.int64)))))
    return tf.reduce_sum(tf.stack(parts) * [i + 1 for i in range(len(parts))])


def main():
    tf.set_random_seed(42)
    step = tf.train.get_or_create_global_step()
    total = tf.get_variable("total", [len(PIPELINES)], tf.int64, tf.zeros_initializer())
    names, numbers = [], []
    for name, build in PIPELINES.items():
        with tf.name_scope(name):
            pipeline = build().repeat()
        iterator = tf.data.make_initializable_iterator(pipeline, shared_name=name)
        tf.add_to_collection(
            tf.GraphKeys.SAVEABLE_OBJECTS, tf.data.experimental.make_saveable_from_iterator(iterator))
        tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
        numbers.append(tf.identity(number(iterator.get_next()), name=f"take/{name}"))
        names.append(numbers[-1].name)
    # Examples that are fed are parsed by the step itself.
    fed = tf.placeholder(tf.string, [None], name="examples")
    tf.identity(number(many(fed)), name="parse_fed")
    with tf.control_dependencies([total.assign(total * 3 + tf.stack(numbers))]):
        train = step.assign_add(1, name="train")
    tf.add_to_collection(tf.GraphKeys.TRAIN_OP, train)
    tf.add_to_collection(tf.GraphKeys.LOCAL_INIT_OP, tf.tables_initializer())
    tf.add_to_collection(tf.GraphKeys.INIT_OP, tf.global_variables_initializer())
    saver = tf.train.Saver()
    with open("parsed.meta", "wb") as out:
        out.write(saver.export_meta_graph(clear_devices=True).SerializeToString(deterministic=True))
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        values = [session.run([train.op, *numbers])[1:] for _ in range(STEPS)]
    with open("parsed.json", "w") as out:
        steps = ",\n  ".join(json.dumps([int(v) for v in row]) for row in values)
        out.write(f'{{"tensors": {json.dumps(names)},\n "steps": [\n  {steps}]}}\n')


main()
