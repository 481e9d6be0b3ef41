# SPDX-License-Identifier: Apache-2.0
"""Writes input-single.meta, input-batch.meta, input-large_buffer.meta and input-images.meta: training graphs that do little but read.

Usage: make_input.py        (run in this folder; made with tensorflow-cpu 2.15.1)

A record holds 64 floats and a label. It is parsed alone, as in
map(parse_single_example).shuffle().repeat().batch(), or with its batch, as in
shuffle().repeat().batch().map(parse_example). A step adds up what it was given. The large
buffer is a shuffle of a million records. An image is decoded, cropped, resized to 224 x 224,
flipped and normalized.
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


for build in (single, batch, large_buffer, images):
    with tf.Graph().as_default():
        file = "images.tfrecord" if build == images else "records.tfrecord"
        dataset = build(tf.data.TFRecordDataset(file)).prefetch(2)
        iterator = tf.data.make_initializable_iterator(dataset)
        tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
        tf.add_to_collection(
            tf.GraphKeys.SAVEABLE_OBJECTS, tf.data.experimental.make_saveable_from_iterator(iterator))
        element = iterator.get_next()
        step = tf.train.get_or_create_global_step()
        total = tf.get_variable("total", [], tf.float32, tf.zeros_initializer())
        seen = tf.reduce_sum(element["x"]) + tf.cast(tf.reduce_sum(element["y"]), tf.float32)
        with tf.control_dependencies([total.assign(0.9 * total + seen)]):
            tf.add_to_collection(tf.GraphKeys.TRAIN_OP, step.assign_add(1, name="train"))
        tf.add_to_collection(tf.GraphKeys.INIT_OP, tf.global_variables_initializer())
        tf.add_to_collection(tf.GraphKeys.LOCAL_INIT_OP, tf.tables_initializer())
        tf.train.Saver().export_meta_graph(f"input-{build.__name__}.meta", clear_devices=True)
