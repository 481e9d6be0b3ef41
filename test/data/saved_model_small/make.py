# SPDX-License-Identifier: Apache-2.0
"""Makes the SavedModel of this folder, and expect.json: what TensorFlow computes with it.

Usage: make.py     (TensorFlow 2.15)
"""
import json
import os
import pathlib
import shutil

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

HERE = pathlib.Path(__file__).resolve().parent


class Model(tf.Module):
    """Least squares by gradient descent, in functions that call functions."""

    def __init__(self):
        super().__init__()
        self.layers = {"w": tf.Variable([[0.5], [-1.0], [2.0]], name="kernel")}
        self.other = tf.Variable([0.25], name="kernel")
        self.step = tf.Variable(0, dtype=tf.int64, trainable=False, name="global_step")

    @tf.function
    def predict(self, x):
        return tf.matmul(x, self.layers["w"]) + self.other

    @tf.function(input_signature=[tf.TensorSpec([4, 3]), tf.TensorSpec([4, 1])])
    def train(self, x, y):
        error = self.predict(x) - y
        slope = tf.constant(0.5, tf.float32) * error
        self.layers["w"].assign_sub(0.1 * tf.matmul(x, slope, transpose_a=True))
        self.other.assign_sub(0.1 * tf.reduce_sum(slope, [0]))
        self.step.assign_add(1)
        return {"loss": tf.reduce_mean(tf.square(error)), "step": self.step.read_value()}

    @tf.function(input_signature=[tf.TensorSpec([4, 3])])
    def infer(self, x):
        return {"y": self.predict(x)}

    @tf.function(input_signature=[tf.TensorSpec([], tf.string)])
    def save(self, path):
        saved = tf.raw_ops.SaveV2(
            prefix=path, tensor_names=["w", "step"], shape_and_slices=["", ""],
            tensors=[self.layers["w"].read_value(), self.step.read_value()],
        )  # fmt: skip
        with tf.control_dependencies([saved]):
            return {"path": tf.identity(path)}

    @tf.function(input_signature=[tf.TensorSpec([], tf.string)])
    def restore(self, path):
        w, step = tf.raw_ops.RestoreV2(
            prefix=path, tensor_names=["w", "step"], shape_and_slices=["", ""],
            dtypes=[tf.float32, tf.int64],
        )  # fmt: skip
        self.layers["w"].assign(w)
        self.step.assign(step)
        return {"step": self.step.read_value()}


def main():
    model = Model()
    x = np.arange(12, dtype=np.float32).reshape(4, 3) / 8
    y = np.array([[1], [2], [-1], [0.5]], np.float32)
    shutil.rmtree(HERE / "saved_model", ignore_errors=True)
    signatures = {
        "train": model.train, "infer": model.infer, "save": model.save, "restore": model.restore,
    }  # fmt: skip
    tf.saved_model.save(
        model, str(HERE / "saved_model"),
        signatures={name: f.get_concrete_function() for name, f in signatures.items()},
    )  # fmt: skip
    (HERE / "saved_model" / "fingerprint.pb").unlink()
    (HERE / "saved_model" / "assets").rmdir()
    losses = [float(model.train(x, y)["loss"]) for _ in range(5)]
    expect = {
        "x": x.flatten().tolist(), "y": y.flatten().tolist(), "losses": losses,
        "infer": model.infer(x)["y"].numpy().flatten().tolist(),
        "w": model.layers["w"].numpy().flatten().tolist(),
    }  # fmt: skip
    (HERE / "expect.json").write_text(json.dumps(expect, indent=1) + "\n")


main()
