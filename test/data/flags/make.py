# SPDX-License-Identifier: Apache-2.0
"""Makes the graphs of this folder, on which trainers' flags are tried (test/e2e/flags.py).

    make.py

Run by hand with TensorFlow 2.15. Leaves:

- train.meta: steps of gradient descent at a rate that is fed, on a variable whose initial value is
  computed from a placeholder; input from a OneShotIterator and an iterator of TF1's first op,
  whose positions the graph's Saver saves; a summary, and a streaming mean of the loss.
- flat.meta: the same with the variable in another shape, and a Saver that saves variables only.
- nothing.meta: a step that only takes elements.
"""
import os
import pathlib

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf
from tensorflow.python.training.saving import saveable_object

v1, raw = tf.compat.v1, tf.raw_ops
v1.disable_eager_execution()
HERE = pathlib.Path(__file__).resolve().parent


class Position(saveable_object.SaveableObject):
    """An iterator's position, saved like tf.contrib.data's saveable saves it."""

    def __init__(self, iterator):
        spec = saveable_object.SaveSpec(raw.SerializeIterator(resource_handle=iterator), "", iterator.name + "-state")
        super().__init__(iterator, [spec], iterator.name)

    def restore(self, tensors, shapes):
        return raw.DeserializeIterator(resource_handle=self.op, serialized=tensors[0])


def write(name):
    """The default graph, as tf.train.export_meta_graph writes it."""
    v1.train.export_meta_graph(str(HERE / name))


def train(name, shape, savesPositions):
    v1.reset_default_graph()
    start = v1.placeholder(tf.float32, [], "start")
    rate = v1.placeholder(tf.float32, [], "rate")
    step = v1.train.get_or_create_global_step()
    with v1.variable_scope("net"):
        w = v1.get_variable("w", initializer=tf.fill(shape, start), use_resource=True)
    ones = v1.data.make_one_shot_iterator(tf.data.Dataset.range(200))
    old = raw.Iterator(shared_name="old", container="", output_types=[tf.int64],
                       output_shapes=[tf.TensorShape([])], name="Old")  # fmt: skip
    begin = raw.MakeIterator(dataset=tf.data.Dataset.range(1000, 1500)._variant_tensor, iterator=old)
    drawn = ones.get_next() + raw.IteratorGetNext(
        iterator=old, output_types=[tf.int64], output_shapes=[tf.TensorShape([])])[0]  # fmt: skip
    drawn = tf.identity(tf.cast(drawn, tf.float32), "drawn")
    loss = tf.add(tf.reduce_sum(tf.square(w)), drawn * 0.001, name="loss")
    train_op = v1.train.GradientDescentOptimizer(rate).minimize(loss, global_step=step)
    v1.metrics.mean(loss, name="mean_loss")
    v1.summary.scalar("loss", loss)
    v1.add_to_collection("losses", loss)
    v1.add_to_collection("train_op", train_op)
    for iterator in (ones._iterator_resource, old) if savesPositions else ():
        v1.add_to_collection(v1.GraphKeys.SAVEABLE_OBJECTS, Position(iterator))
    v1.add_to_collection(v1.GraphKeys.SUMMARY_OP, v1.summary.merge_all())
    v1.add_to_collection(v1.GraphKeys.INIT_OP, v1.group(v1.global_variables_initializer(), begin))
    v1.add_to_collection(v1.GraphKeys.LOCAL_INIT_OP, v1.local_variables_initializer())
    saver = v1.train.Saver()
    v1.add_to_collection(v1.GraphKeys.SAVERS, saver)
    write(name)


def nothing():
    v1.reset_default_graph()
    iterator = v1.data.make_initializable_iterator(tf.data.Dataset.range(1000))
    v1.add_to_collection(v1.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
    drawn = tf.identity(tf.cast(iterator.get_next(), tf.float32), "drawn")
    v1.add_to_collection("losses", drawn)
    v1.add_to_collection("train_op", tf.identity(drawn, "step"))
    write("nothing.meta")


train("train.meta", [2, 3], savesPositions=True)
train("flat.meta", [6], savesPositions=False)
nothing()
