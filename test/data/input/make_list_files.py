# SPDX-License-Identifier: Apache-2.0
"""Writes list_files.meta: a training graph whose loss is the squared length of each name that tf.data.Dataset.list_files
finds. Usage: make_list_files.py        (run in this folder; made with tensorflow-cpu 2.15.1)"""
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf

v1 = tf.compat.v1
with tf.Graph().as_default():
    names = tf.data.Dataset.list_files(["missing-*.txt", "found-?.txt"], shuffle=False).map(tf.strings.length)
    iterator = v1.data.make_initializable_iterator(names)
    v1.add_to_collection(v1.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
    weight = v1.get_variable("w", [], initializer=v1.zeros_initializer(), use_resource=True)
    loss = tf.square(0.0 * weight - tf.cast(iterator.get_next(), tf.float32), name="loss")
    step = v1.train.GradientDescentOptimizer(0.1).minimize(loss, v1.train.get_or_create_global_step())
    v1.add_to_collection("train_op", step)
    v1.train.Saver()
    v1.train.export_meta_graph("list_files.meta", clear_devices=True)
