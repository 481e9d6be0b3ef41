# SPDX-License-Identifier: Apache-2.0
"""Writes train.meta and expect.json with TensorFlow 2.15: what Keras's ReduceLROnPlateau does to a learning rate.

    python test/data/plateau/make.py test/data/plateau

The graph's step adds learning_rate to `sum`, and its metrics depend on the step alone: `val` and `acc` of evaluation i, at
step 5 i, are element i of two series. So each evaluation has the value that Keras's callback gets for epoch i - 1.
"""
import json
import sys

import numpy as np
import tensorflow as tf

EVERY, EPOCHS = 5, 32
CASES = [
    ("val", {}),
    ("val", {"factor": 0.5, "patience": 2}),
    ("val", {"factor": 0.3, "patience": 1, "min_lr": 0.02}),
    ("val", {"factor": 0.5, "patience": 2, "cooldown": 3}),
    ("val", {"factor": 0.7, "patience": 0, "min_delta": 0.3}),
    ("acc", {"factor": 0.5, "patience": 3}),
    ("acc", {"factor": 0.9, "patience": 2, "mode": "min", "cooldown": 1}),
]


def series():
    """A metric that falls and stays, and one that rises and stays, each with noise."""
    random = np.random.RandomState(3)
    steps = np.arange(EPOCHS + 1)
    falls = np.maximum(2 - 0.3 * steps, 0.5) + 0.05 * random.randn(EPOCHS + 1)
    rises = np.minimum(0.1 * steps, 0.7) + 0.03 * random.randn(EPOCHS + 1)
    return falls.astype(np.float32), rises.astype(np.float32)


def write_graph(path):
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        step = v1.train.get_or_create_global_step()
        rate = v1.get_variable("learning_rate", initializer=tf.constant(0.4), use_resource=True, trainable=False)
        total = v1.get_variable("sum", initializer=tf.constant(0.0), use_resource=True)
        loss = tf.identity(rate.read_value(), name="loss")
        with tf.control_dependencies([total.assign_add(loss), step.assign_add(1)]):
            tf.no_op(name="train")
        for name, values in zip(("val", "acc"), series()):
            tf.gather(tf.constant(values), step.read_value() // EVERY, name=name)
        v1.add_to_collection("train_op", graph.get_operation_by_name("train"))
        saver = v1.train.Saver()
        written = v1.train.export_meta_graph(saver_def=saver.saver_def, clear_devices=True)
        written.meta_info_def.ClearField("stripped_op_list")
        with open(path, "wb") as file:
            file.write(written.SerializeToString(deterministic=True))


def rates(metric, values, arguments):
    """The learning rate after each epoch whose logs have `values`."""
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))])
    model.compile(tf.keras.optimizers.SGD(0.4), "mse")
    callback = tf.keras.callbacks.ReduceLROnPlateau(monitor=metric, **arguments)
    callback.set_model(model)
    callback.on_train_begin()
    found = []
    for epoch, value in enumerate(values):
        callback.on_epoch_end(epoch, {metric: float(value)})
        found.append(float(f"{model.optimizer.learning_rate.numpy():.9g}"))  # enough digits for a float32
    return found


def main(folder):
    write_graph(f"{folder}/train.meta")
    metrics = dict(zip(("val", "acc"), series()))
    cases = [{"metric": metric, "arguments": arguments, "rates": rates(metric, metrics[metric][1:], arguments)}
             for metric, arguments in CASES]  # fmt: skip
    with open(f"{folder}/expect.json", "w", encoding="utf-8") as file:
        json.dump({"every": EVERY, "epochs": EPOCHS, "cases": cases}, file)
        file.write("\n")


main(sys.argv[1])
