# SPDX-License-Identifier: Apache-2.0
"""Makes SavedModels whose signature `train` is a step of Keras 2's mixed precision: float16 with a loss scale that
first is too large, and bfloat16. TensorFlow 2.15, by hand:

    make.py

Leaves mixed_float16/ and mixed_bfloat16/, each with saved_model/ and expect.json: losses (and loss scales) of STEPS
calls; those of calls that are fed the same rows in another order, `reordered`, which differ by rounding alone; and
what the calls are fed.
"""
import json
import os
import pathlib
import shutil

os.environ["TF_CPP_MIN_LOG_LEVEL"], os.environ["TF_ENABLE_ONEDNN_OPTS"] = "3", "0"
import numpy as np
import tensorflow as tf

HERE = pathlib.Path(__file__).resolve().parent
STEPS, ROWS, COLUMNS, CLASSES = 50, 32, 8, 3
layers, mixed = tf.keras.layers, tf.keras.mixed_precision


class Model(tf.Module):
    def __init__(self, policy):
        super().__init__()
        mixed.set_global_policy(policy)
        tf.keras.utils.set_random_seed(5)
        self._model = tf.keras.Sequential([
            layers.Input((COLUMNS,)), layers.Dense(16, activation="relu"), layers.BatchNormalization(),
            layers.Dense(16, activation="tanh"), layers.Dense(CLASSES), layers.Activation("linear", dtype="float32")])  # fmt: skip
        self._optimizer = tf.keras.optimizers.Adam(0.01)
        self._isScaled = policy == "mixed_float16"
        if self._isScaled:
            self._optimizer = mixed.LossScaleOptimizer(self._optimizer, initial_scale=2.0**32, dynamic_growth_steps=40)
        self._optimizer.build(self._model.trainable_variables)
        self.all = [*self._model.variables, *self._optimizer.variables]

    @tf.function(input_signature=[tf.TensorSpec([None, COLUMNS]), tf.TensorSpec([None], tf.int32)])
    def train(self, x, y):
        weights = self._model.trainable_variables
        with tf.GradientTape() as tape:
            logits = self._model(x, training=True)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))
            scaled = self._optimizer.get_scaled_loss(loss) if self._isScaled else loss
        gradients = tape.gradient(scaled, weights)
        if self._isScaled:
            gradients = self._optimizer.get_unscaled_gradients(gradients)
        self._optimizer.apply_gradients(zip(gradients, weights))
        scale = self._optimizer.loss_scale if self._isScaled else tf.constant(1.0)
        return {"loss": loss, "scale": tf.identity(scale)}


def trained(policy, x, y, folder=None):
    model = Model(policy)
    if folder:
        tf.saved_model.save(model, str(folder), signatures={"train": model.train.get_concrete_function()})
    results = [model.train(*batch) for batch in zip(x, y)]
    return [[float(result[name]) for result in results] for name in ("loss", "scale")]


numbers = np.random.RandomState(4)
x = (numbers.randint(-16, 17, size=(STEPS, ROWS, COLUMNS)) / 8).astype(np.float32)
y = x[:, :, :CLASSES].argmax(2).astype(np.int32)
order = numbers.permutation(ROWS)
for policy in ("mixed_float16", "mixed_bfloat16"):
    folder = HERE / policy
    shutil.rmtree(folder, ignore_errors=True)
    losses, scales = trained(policy, x, y, folder / "saved_model")
    reordered, _ = trained(policy, x[:, order], y[:, order])
    expect = dict(losses=losses, scales=scales, reordered=reordered, x=(x * 8).astype(int).tolist(), y=y.tolist())
    (folder / "expect.json").write_text(json.dumps(expect, separators=(",", ":")))
    print(policy, losses[::10], reordered[::10], scales)
