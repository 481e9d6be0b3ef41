# SPDX-License-Identifier: Apache-2.0
"""Makes search.meta.gz, the first iteration of an adanet.Estimator whose members change lookup tables (test/e2e/tables.py).

    make_search.py

Run by hand with TensorFlow 2.15 and adanet 0.9.0. Each step of a member puts its number into tables of the member's own:
`stays` into four, one by itself, one within a tf.cond, a tf.while_loop and a tf.function, and `learns` into one. The
loss of `stays`, which predicts 0, stays as it is; that of `learns` falls in each step.
"""
import gzip
import os
import pathlib
import shutil
import sys
import tempfile
import types

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy
import tensorflow.compat.v1 as tf
from tensorflow.python.checkpoint import graph_view

# adanet 0.9.0 imports it from where older TensorFlow kept it.
moved = types.ModuleType("tensorflow.python.training.tracking")
moved.graph_view = graph_view
sys.modules["tensorflow.python.training.tracking"] = moved
import adanet

HERE = pathlib.Path(__file__).resolve().parent


def insert(kind, table, step):
    key, one = tf.reshape(step, [1]), tf.ones([1], tf.int64)
    if kind == "branch":
        def then():
            with tf.control_dependencies([table.insert(key, one)]):
                return tf.constant(True)

        return tf.cond(step >= 0, then, lambda: tf.constant(False))
    if kind == "loop":
        def body(i):
            with tf.control_dependencies([table.insert(key, one)]):
                return i + 1

        return tf.while_loop(lambda i: i < 1, body, [tf.constant(0)])
    if kind == "call":
        @tf.function
        def call(key, one):
            table.insert(key, one)
            return tf.identity(one)

        return call(key, one)
    return table.insert(key, one)


WAYS = ("plain", "branch", "loop", "call")


class Builder(adanet.subnetwork.Builder):
    def __init__(self, name, *ways):
        self.own_name, self.ways = name, ways

    name = property(lambda self: self.own_name)

    def build_subnetwork(self, features, logits_dimension, training, iteration_step, summary, previous_ensemble=None):
        table = tf.lookup.experimental.MutableHashTable
        self.tables = [table(tf.int64, tf.int64, 0, name=f"{self.name}_{way}") for way in self.ways]
        # adanet's own checkpoints take no tables (it passes them to tf.train.Checkpoint, which refuses them).
        del tf.get_default_graph().get_collection_ref(tf.GraphKeys.SAVEABLE_OBJECTS)[:]
        logits = tf.layers.dense(features["x"], logits_dimension, kernel_initializer=tf.ones_initializer())
        logits = logits if self.name == "learns" else 0 * logits
        return adanet.Subnetwork(last_layer=logits, logits=logits, complexity=1.0, persisted_tensors={})

    def build_subnetwork_train_op(self, subnetwork, loss, var_list, labels, iteration_step, summary, previous_ensemble):
        with tf.control_dependencies([insert(way, table, iteration_step) for way, table in zip(self.ways, self.tables)]):
            return tf.train.GradientDescentOptimizer(0.01).minimize(loss, var_list=var_list)


def data():
    x = numpy.linspace(-1, 1, 32, dtype=numpy.float32).reshape(16, 2)
    return tf.data.Dataset.from_tensor_slices(({"x": x}, x[:, :1])).repeat().batch(16)


def main():
    folder = tempfile.mkdtemp()
    builders = [Builder("stays", *WAYS), Builder("learns", "plain")]
    estimator = adanet.Estimator(
        head=tf.estimator.RegressionHead(), subnetwork_generator=adanet.subnetwork.SimpleGenerator(builders), max_iteration_steps=40,
        enable_ensemble_summaries=False, enable_subnetwork_summaries=False, config=tf.estimator.RunConfig(model_dir=folder, tf_random_seed=1))  # fmt: skip
    estimator.train(data, max_steps=2)
    graph = tf.MetaGraphDef.FromString(pathlib.Path(f"{folder}/model.ckpt-2.meta").read_bytes())
    graph.meta_info_def.ClearField("stripped_op_list")
    # Without evaluation and hints of shapes, the graph is a third as large.
    roots = [name for key in ("train_op", "init_op", "ready_op", "local_init_op", "losses", "ready_for_local_init_op", "iterators", "savers")
             for name in graph.collection_def[key].node_list.value]  # fmt: skip
    roots += [node.name for node in graph.graph_def.node if node.op.startswith(("Assign", "MakeIterator")) or node.name.startswith(("save/", "group_deps"))]
    kept = tf.graph_util.extract_sub_graph(graph.graph_def, sorted({root.split(":")[0] for root in roots}))
    for node in kept.node:
        node.attr.pop("_output_shapes", None)
    kept.versions.CopyFrom(graph.graph_def.versions)
    graph.graph_def.CopyFrom(kept)
    (HERE / "search.meta.gz").write_bytes(gzip.compress(graph.SerializeToString(deterministic=True), mtime=0))
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
