# SPDX-License-Identifier: Apache-2.0
"""Writes a graph that only predicts, and the losses that TensorFlow has when it trains it.

    make.py [FOLDER]    (TensorFlow 2.15; the folder is this one where none is given)

graph.pb has two layers of variables, an embedding, and a loss for each example, `losses`, whose mean is `loss`.
expect.json: for each optimizer as ingotc is given it the losses of 20 steps on the same batch.
"""
import json
import pathlib
import sys

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
STEPS = 20
OPTIMIZERS = {
    "sgd:0.2": lambda: v1.train.GradientDescentOptimizer(0.2),
    "momentum:0.05,momentum=0.8": lambda: v1.train.MomentumOptimizer(0.05, 0.8),
    "momentum:0.05,nesterov=1": lambda: v1.train.MomentumOptimizer(0.05, 0.9, use_nesterov=True),
    "adam:0.01": lambda: v1.train.AdamOptimizer(0.01),
    "adam:0.02,beta1=0.8,beta2=0.99,epsilon=1e-3": lambda: v1.train.AdamOptimizer(0.02, 0.8, 0.99, 1e-3),
    "adagrad:0.1": lambda: v1.train.AdagradOptimizer(0.1),
    "rmsprop:0.01,decay=0.8,momentum=0.5": lambda: v1.train.RMSPropOptimizer(0.01, 0.8, 0.5),
}


def forward():
    """The graph, and its loss."""
    rng = np.random.RandomState(7)
    normal = lambda *shape: rng.normal(size=shape).astype(np.float32)
    x = v1.placeholder(tf.float32, [None, 5], name="x")
    word = v1.placeholder(tf.int32, [None], name="word")
    label = v1.placeholder(tf.int32, [None], name="label")
    table = v1.get_variable("table", initializer=normal(6, 3))
    features = tf.concat([x, tf.gather(table, word)], 1)
    hidden = tf.nn.relu(tf.matmul(features, v1.get_variable("w0", initializer=normal(8, 7) / 3)) + v1.get_variable("b0", initializer=normal(7)))
    # A use that passes no gradient to its input.
    hidden = hidden - tf.stop_gradient(tf.reduce_mean(hidden, 1, keepdims=True))
    logits = tf.nn.bias_add(tf.matmul(hidden, v1.get_variable("w1", initializer=normal(7, 4) / 3)), v1.get_variable("b1", initializer=normal(4)))
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=label, logits=logits, name="losses")
    losses = tf.identity(losses, "losses_out")
    return tf.reduce_mean(losses, name="loss")


def batch():
    rng = np.random.RandomState(8)
    return {"x:0": rng.normal(size=(9, 5)).astype(np.float32), "word:0": rng.randint(0, 6, 9).astype(np.int32),
            "label:0": rng.randint(0, 4, 9).astype(np.int32)}  # fmt: skip


def lossesOf(optimizer):
    with tf.Graph().as_default(), v1.Session() as session:
        loss = forward()
        step = optimizer().minimize(loss)
        session.run(v1.global_variables_initializer())
        return [float(session.run([loss, step], batch())[0]) for _ in range(STEPS)]


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent
    with tf.Graph().as_default() as graph:
        forward()
        v1.global_variables_initializer()
        (folder / "graph.pb").write_bytes(graph.as_graph_def().SerializeToString(deterministic=True))
    for name, value in batch().items():
        np.save(folder / (name[:-2] + ".npy"), value)
    expect = {name: lossesOf(optimizer) for name, optimizer in OPTIMIZERS.items()}
    (folder / "expect.json").write_text(json.dumps(expect, indent=1) + "\n")
