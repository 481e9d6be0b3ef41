# SPDX-License-Identifier: Apache-2.0
"""Writes graphs whose iterator is one whose string handle is fed, and TensorFlow's losses with each handle.

    make.py    in this folder, with TensorFlow 2.15

`one.meta` has one iterator with a handle (`one_of_1.4.meta` with the first version of the op that reads it), `several.meta` has two with elements of the same types, and a third of other types.
"""
import json

import numpy as np
import tensorflow.compat.v1 as tf

STEPS = 4


def dataset(seed, rows, width=4):
    draw = np.random.RandomState(seed)
    x = draw.rand(rows, width).astype(np.float32)
    return tf.data.Dataset.from_tensor_slices((x, x.sum(1, keepdims=True)))


def losses(names):
    """TensorFlow's losses with the handle of each iterator, and the graph."""
    tf.reset_default_graph()
    tf.set_random_seed(1)
    train, validate = dataset(1, 64).repeat().batch(8), dataset(2, 32).batch(8)
    handle = tf.placeholder(tf.string, [], name="handle")
    iterators = {"train": tf.data.make_one_shot_iterator(train)}
    if len(names) > 1:
        iterators["validate"] = tf.data.make_initializable_iterator(validate)
        tf.data.make_one_shot_iterator(tf.data.Dataset.range(3)).string_handle(name="numbers_handle")
    handles = {name: iterator.string_handle(name=name + "_handle") for name, iterator in iterators.items()}
    x, y = tf.data.Iterator.from_string_handle(handle, tf.data.get_output_types(train), tf.data.get_output_shapes(train)).get_next()
    w, b = tf.get_variable("w", initializer=tf.zeros([4, 1])), tf.get_variable("b", initializer=tf.zeros([1]))
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y), name="loss")
    step = tf.train.get_or_create_global_step()
    tf.add_to_collection("train_op", tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step))
    tf.add_to_collection("losses", loss)
    tf.add_to_collection("init_op", tf.global_variables_initializer())
    if "validate" in iterators:
        tf.add_to_collection("local_init_op", iterators["validate"].initializer)
    tf.train.Saver()
    found = {}
    for name in names:
        with tf.Session() as session:
            session.run([tf.get_collection("init_op"), tf.get_collection("local_init_op")])
            text = session.run(handles[name])
            found[iterators[name]._iterator_resource.op.name] = [
                float(session.run([loss, tf.get_collection("train_op")], {handle: text})[0]) for _ in range(STEPS)
            ]
    return found


tf.disable_v2_behavior()
expected = {}
for graph, names in (("one", ["train"]), ("several", ["train", "validate"])):
    expected[graph] = losses(names)
    meta = tf.train.export_meta_graph(graph + ".meta")
    if graph == "one":
        # As TensorFlow 1.4 has it.
        for node in meta.graph_def.node:
            node.op = node.op.replace("IteratorFromStringHandleV2", "IteratorFromStringHandle")
        with open("one_of_1.4.meta", "wb") as file:
            file.write(meta.SerializeToString())
with open("expect.json", "w", encoding="utf-8") as file:
    json.dump(expected, file, indent=1)
    file.write("\n")
