# SPDX-License-Identifier: Apache-2.0
"""Makes entries.meta, a graph without training whose entries change lookup tables and nothing else (test/e2e/tables.py).

    make_entries.py

Run by hand with TensorFlow 2.15.
"""
import os
import pathlib

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow.compat.v1 as tf

HERE = pathlib.Path(__file__).resolve().parent


def build():
    table = tf.lookup.experimental.MutableHashTable
    counts = table(tf.string, tf.int64, 0, name="counts")
    squares = table(tf.int64, tf.int64, -1, name="squares")
    word, number = tf.placeholder(tf.string, [None], "word"), tf.placeholder(tf.int64, [], "number")
    found = tf.identity(counts.lookup(word), name="look")
    with tf.control_dependencies([counts.insert(word, found + 1)]):
        tf.identity(found + 1, name="count")
    with tf.control_dependencies([counts.remove(word)]):
        tf.identity(counts.size(), name="forget")

    # A change in a loop: the squares of 0 to number - 1.
    def body(i):
        with tf.control_dependencies([squares.insert([i], [i * i])]):
            return i + 1

    loop = tf.while_loop(lambda i: i < number, body, [tf.constant(0, tf.int64)])
    tf.identity(loop, name="loop")

    # A change in a branch: of even numbers only.
    def insert():
        with tf.control_dependencies([squares.insert([number], [number * number])]):
            return tf.constant(True)

    tf.identity(tf.cond(tf.equal(number % 2, 0), insert, lambda: tf.constant(False)), name="branch")
    tf.identity(squares.lookup([number]), name="square")


def main():
    for name, control_flow in (("entries", True), ("entries_v1", False)):
        (tf.enable_control_flow_v2 if control_flow else tf.disable_control_flow_v2)()
        with tf.Graph().as_default():
            build()
            saver = tf.train.Saver(allow_empty=True)
            tf.add_to_collection(tf.GraphKeys.SAVERS, saver)
            tf.train.export_meta_graph(str(HERE / f"{name}.meta"), strip_default_attrs=True, saver_def=saver.as_saver_def())


if __name__ == "__main__":
    tf.disable_eager_execution()
    main()
