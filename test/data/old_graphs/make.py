# SPDX-License-Identifier: Apache-2.0
"""Makes graphs as old versions of TensorFlow wrote them, and trains them in a session of TensorFlow 2.15.

    python make.py [GRAPH...]

For each graph NAME.meta.xz, NAME.npz has what steps are fed, the losses and the trained variables.
"""
import lzma
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf
from tensorflow.python.framework import ops

v1 = tf.compat.v1
v1.disable_eager_execution()
v1.disable_resource_variables()
HERE = os.path.dirname(os.path.abspath(__file__))
STEPS = 5


# The gradient of `a - b` of TensorFlow 1.14: the sum is negated, not the summand.
def sub_gradient(op, grad):
    x, y = op.inputs
    sx, sy = tf.shape(x), tf.shape(y)
    rx, ry = tf.raw_ops.BroadcastGradientArgs(s0=sx, s1=sy)
    return tf.reshape(tf.reduce_sum(grad, rx), sx), tf.reshape(-tf.reduce_sum(grad, ry), sy)


ops.gradient_registry._registry.pop("Sub")
tf.RegisterGradient("Sub")(sub_gradient)


def variable(name, *shape):
    values = np.random.default_rng(len(name)).normal(0, 0.5, shape).astype("f")
    return v1.get_variable(name, initializer=tf.constant(values))


def train(name, loss, feeds, rate=0.05, change=None):
    """Trains on `feeds`, and writes the graph, after `change` of its GraphDef, and what came of it."""
    optimizer = v1.train.GradientDescentOptimizer(rate)
    step = optimizer.minimize(loss, global_step=v1.train.get_or_create_global_step(), name="train")
    v1.add_to_collection("train_op", step)
    v1.add_to_collection("losses", loss)
    saver = v1.train.Saver()
    init = v1.global_variables_initializer()
    v1.add_to_collection("init_op", init)
    meta = v1.train.export_meta_graph(saver_def=saver.saver_def)
    meta.meta_info_def.ClearField("stripped_op_list")
    for node in meta.graph_def.node:
        node.attr.pop("_output_shapes", None)
    if change:
        change(meta.graph_def)
    with lzma.open(os.path.join(HERE, name + ".meta.xz"), "wb", preset=9) as file:
        file.write(meta.SerializeToString(deterministic=True))
    v1.reset_default_graph()
    v1.train.import_meta_graph(meta)
    out = {}
    with v1.Session() as session:
        session.run(init.name)
        losses = []
        for i in range(STEPS):
            fed = {tensor: values[i] for tensor, values in feeds.items()}
            losses.append(session.run([loss.name, step.name], fed)[0])
        for each in v1.global_variables():
            out["variable/" + each.op.name] = session.run(each)
    out |= {"feed/" + tensor: values for tensor, values in feeds.items()}
    np.savez(os.path.join(HERE, name + ".npz"), losses=np.array(losses), **out)
    v1.reset_default_graph()


def unknown_ranks():
    """Placeholders without shapes, one of them with a default, axes that are computed, and a Squeeze without axes."""
    x, y = v1.placeholder(tf.float32, name="x"), v1.placeholder(tf.float32, name="y")
    keep, rate = v1.placeholder(tf.float32, name="keep"), v1.placeholder(tf.float32, name="rate")
    scale = v1.placeholder_with_default(np.ones(3, "f"), None, name="scale")
    hidden = tf.tanh(tf.matmul(x, variable("weights", 4, 3)) + variable("bias", 3))
    hidden = tf.divide(hidden, keep) * scale
    column = tf.expand_dims(tf.matmul(hidden, variable("last", 3, 1)), 1)
    predicted = tf.squeeze(column)
    error = tf.square(predicted - tf.reshape(y, [-1]))
    largest = tf.raw_ops.Max(input=error, axis=tf.range(0, 1, 1))
    loss = tf.reduce_mean(error) + 0.1 * largest
    rng = np.random.default_rng(1)
    feeds = {
        "x:0": rng.normal(size=(STEPS, 6, 4)).astype("f"),
        "y:0": rng.normal(size=(STEPS, 6, 1)).astype("f"),
        "keep:0": np.full(STEPS, 0.8, "f"),
        "rate:0": np.full(STEPS, 0.1, "f"),
    }
    train("unknown_ranks", loss, feeds, rate)


def unknown_shapes():
    """A graph of TensorFlow 1.2 or older, in which the shape of a scalar says that the rank is unknown."""

    def change(graph):
        graph.versions.producer = 21
        for node in graph.node:
            if node.op == "Placeholder":
                node.attr["shape"].shape.Clear()

    x, y = v1.placeholder(tf.float32, [None, 4], name="x"), v1.placeholder(tf.float32, [None, 1], name="y")
    loss = tf.reduce_mean(tf.square(y - tf.matmul(x, variable("weights", 4, 1))), name="loss")
    rng = np.random.default_rng(2)
    feeds = {"x:0": rng.normal(size=(STEPS, 6, 4)).astype("f"), "y:0": rng.normal(size=(STEPS, 6, 1)).astype("f")}
    train("unknown_shapes", loss, feeds, change=change)


def stacks_of_version_one():
    """The gradient of a loop whose values, shapes and axes are kept on stacks of version 1, whose handles are references."""

    def change(graph):
        nodes = {node.name: node for node in graph.node}
        for node in list(graph.node):
            if node.op in ("StackV2", "StackPushV2", "StackPopV2"):
                node.op = node.op[:-2]
            if node.op == "Stack":
                del node.input[:]
        for node in graph.node:
            if node.op == "Enter" and nodes[node.input[0].split(":")[0]].op == "Stack":
                node.op = "RefEnter"
                node.attr["T"].type = tf.string.as_datatype_enum

    x = v1.placeholder(tf.float32, [None, 4], name="x")
    weights = variable("weights", 4, 4)

    def body(i, value):
        left, right = tf.split(tf.tanh(tf.matmul(value, weights)), 2, axis=1)
        return i + 1, tf.concat([right, left * tf.cast(tf.shape(value)[0], tf.float32) / 6], 1)

    with v1.variable_scope("", reuse=v1.AUTO_REUSE):
        v1.disable_control_flow_v2()
        _, last = tf.while_loop(lambda i, value: i < 3, body, [tf.constant(0), x])
    loss = tf.reduce_mean(tf.square(last - 0.5))
    feeds = {"x:0": np.random.default_rng(3).normal(size=(STEPS, 6, 4)).astype("f")}
    train("stacks_of_version_one", loss, feeds, change=change)


def arrays_of_version_two():
    """TensorArrays of version 2, whose handles are strings and have no flow, and their gradients."""

    def change(graph):
        graph.versions.producer = 25
        nodes = {node.name: node for node in graph.node}
        for node in graph.node:
            if node.op.startswith("TensorArray"):
                node.op = node.op.replace("V3", "V2")
                node.attr.pop("identical_element_shapes", None)
        for node in graph.node:
            of = nodes[node.input[0].split(":")[0].lstrip("^")] if node.input else node
            if node.op == "Enter" and of.op in ("TensorArrayV2", "TensorArrayGradV2") and ":1" not in node.input[0]:
                node.attr["T"].type = tf.string.as_datatype_enum
            for i, name in enumerate(node.input):
                source = nodes[name.split(":")[0].lstrip("^")]
                if name.endswith(":1") and source.op == "TensorArrayV2":
                    node.input[i] = "flow"
                elif name.endswith(":1") and source.op == "TensorArrayGradV2":
                    node.input[i] = source.input[1]

    x = v1.placeholder(tf.float32, [6, 4], name="x")
    tf.constant(0.0, name="flow")
    weights = variable("weights", 4, 4)
    v1.disable_control_flow_v2()
    rows = tf.TensorArray(tf.float32, 6, element_shape=[4], clear_after_read=False).unstack(x)

    def body(i, out):
        row = tf.tanh(tf.matmul(rows.read(i)[None], weights))[0]
        return i + 1, out.write(i, row * tf.cast(out.size(), tf.float32))

    _, out = tf.while_loop(lambda i, out: i < 6, body, [0, tf.TensorArray(tf.float32, 6, element_shape=[4])])
    halves = tf.TensorArray(tf.float32, 2, element_shape=[None, 4]).split(out.stack() * x, [2, 4])
    joined = halves.concat()
    loss = tf.reduce_mean(tf.square(joined - 0.5))
    feeds = {"x:0": np.random.default_rng(5).normal(size=(STEPS, 6, 4)).astype("f")}
    train("arrays_of_version_two", loss, feeds, change=change)


def queues():
    """A graph that a Python program feeds by queues, with the summary of a queue that Estimators have."""
    queue = v1.RandomShuffleQueue(64, 16, [tf.int64, tf.float32, tf.float32], [[], [4], [1]], name="queue")
    _, x, y = queue.dequeue_many(8, name="batch")
    others = [v1.FIFOQueue(8, [tf.float32], [[]]), v1.PaddingFIFOQueue(8, [tf.float32], [[None]]), v1.PriorityQueue(8, [tf.float32], [[]])]
    size = queue.size() + tf.add_n([other.size() for other in others])
    v1.summary.scalar("fraction_over_16_of_48_full", tf.cast(tf.maximum(0, size - 16), tf.float32) / 48)
    v1.add_to_collection("summary_op", v1.summary.merge_all())
    predicted = tf.matmul(tf.tanh(tf.matmul(x, variable("weights", 4, 3))), variable("last", 3, 1))
    loss = tf.reduce_mean(tf.square(y - predicted))
    rng = np.random.default_rng(4)
    feeds = {
        "batch:1": rng.normal(size=(STEPS, 8, 4)).astype("f"),
        "batch:2": rng.normal(size=(STEPS, 8, 1)).astype("f"),
    }
    train("queues", loss, feeds)


def einsums_of_open_batches():
    """Einsums of TensorFlow 1's gradients, whose ellipsis stands for open dimensions, first, in the middle and last."""
    x = v1.placeholder(tf.float32, [None, None, 3], name="x")
    first = tf.einsum("...i,ij->...j", x, variable("first", 3, 4))
    both = tf.einsum("...i,...ij->...j", tf.tanh(first), variable("broadcast", 5, 1, 4, 2)[:, 0])
    ranks = tf.einsum("...i,i...j->...j", both, variable("middle", 2, 1, 3))
    last = tf.einsum("ij...,jk->ik...", ranks, variable("second", 5, 2))
    loss = tf.reduce_mean(tf.square(last - 0.5))
    feeds = {"x:0": np.random.default_rng(6).normal(size=(STEPS, 6, 5, 3)).astype("f")}
    train("einsums_of_open_batches", loss, feeds)


GRAPHS = (unknown_ranks, unknown_shapes, stacks_of_version_one, arrays_of_version_two, queues, einsums_of_open_batches)
for graph in GRAPHS:
    if not sys.argv[1:] or graph.__name__ in sys.argv[1:]:
        graph()
