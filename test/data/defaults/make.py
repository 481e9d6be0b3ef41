# SPDX-License-Identifier: Apache-2.0
"""Writes train.meta, whose step has placeholders with defaults, and TensorFlow's losses of it.

    python3 make.py   (TensorFlow 2.13 or later)
"""
import json
import os

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
STEPS = 40
SCHEDULE = {0: 0.01, 3: 0.05, 17: 0.002, 30: 0.1}

os.chdir(os.path.dirname(os.path.abspath(__file__)))
with tf.Graph().as_default() as graph:
    rows = [[index % 5 / 4 - 0.5, index % 3 / 2 - 0.5] for index in range(15)]
    data = tf.data.Dataset.from_tensor_slices(rows).shuffle(15, seed=3).repeat().batch(4)
    iterator = tf.data.make_initializable_iterator(data)
    tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
    x = iterator.get_next()
    rate = tf.placeholder_with_default(0.02, [], name="rate")
    trains = tf.placeholder_with_default(False, [], name="trains")
    scale = tf.placeholder_with_default(tf.constant([1.0, 0.5]) * 2.0, [2], name="scale")
    rows_taken = tf.placeholder_with_default(2, [], name="rows_taken")
    w = tf.get_variable("w", [2, 1], initializer=tf.constant_initializer([[1.0], [-2.0]]))
    h = tf.cond(trains, lambda: tf.tanh(x * 3.0), lambda: x + 1.0)
    loss = tf.reduce_mean(tf.square((h * scale)[:rows_taken] @ w - 1.0), name="loss")
    step = tf.train.get_or_create_global_step()
    train = tf.train.GradientDescentOptimizer(rate).minimize(loss, step)
    tf.add_to_collection("train_op", train)
    tf.add_to_collection("loss", loss)
    scaffold = tf.train.Scaffold().finalize()
    meta = tf.train.export_meta_graph(graph=graph, saver_def=scaffold.saver.saver_def, strip_default_attrs=True)


def losses(feeds_of):
    with tf.Session(graph=graph) as session:
        session.run([tf.get_collection("init_op")[0]])
        session.run([tf.get_collection("local_init_op")[0]])
        return [float(session.run([loss, train], feeds_of(step))[0]) for step in range(STEPS)]


def scheduled(step):
    return {rate: SCHEDULE[max(begin for begin in SCHEDULE if begin <= step)]}


with open("train.meta", "wb") as file:
    file.write(meta.SerializeToString())
with open("losses.json", "w", encoding="utf-8") as file:
    json.dump({
        "tensorflow": tf.__version__,
        "schedule": SCHEDULE,
        "defaults": losses(lambda step: {}),
        "values": losses(lambda step: {rate: 0.05, trains: True, scale: [1.5, -0.5]}),
        "scheduled": losses(scheduled),
        "scheduled_values": losses(lambda step: {**scheduled(step), trains: step >= 20}),
    }, file, indent=1)  # fmt: skip
