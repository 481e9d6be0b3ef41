# SPDX-License-Identifier: Apache-2.0
"""Keras loads the weights that a trainer exports: equal predictions, and an optimizer that continues."""
import json
import subprocess

import numpy as np
import tensorflow as tf

import ingot

layers = tf.keras.layers


def build():
    tf.keras.utils.set_random_seed(3)
    x = layers.Input((6,))
    y = layers.Dense(8, "relu", name="first")(x)
    y = layers.BatchNormalization()(y)
    y = layers.Dropout(0.2)(y)
    y = layers.Reshape((4, 2))(y)
    y = layers.Bidirectional(layers.LSTM(3))(y)
    model = tf.keras.Model(x, layers.Dense(2, name="last")(y))
    model.compile(tf.keras.optimizers.Adam(0.01), "mse", metrics=["mae"])
    return model


random = np.random.RandomState(1)
x, y = random.normal(size=(64, 6)).astype("float32"), random.normal(size=(64, 2)).astype("float32")
model = build()
before = [value.copy() for value in model.get_weights()]
trainer = ingot.compile(model, (x, y), "trainer", batch_size=16)
assert all((a == b).all() for a, b in zip(before, model.get_weights())), "export has changed the model"
trainer.fit(max_steps=20, model_dir="run", verbose=0)
for name in ("w.weights.h5", "w.npz", "w.safetensors"):
    subprocess.run(["./trainer", "export", "--model-dir", "run", "--weights", name], check=True)

expected = np.asarray(trainer.predict(x))
loaded = build()
loaded.fit(x, y, epochs=1, verbose=0)  # makes the optimizer's variables, and other weights
loaded.load_weights("w.weights.h5")
assert np.abs(np.asarray(loaded(x, training=False)) - expected).max() < 1e-5
own = ingot.Checkpoint("run")
if hasattr(loaded.optimizer, "iterations"):
    assert int(loaded.optimizer.iterations) == 20, loaded.optimizer.iterations

# Keras's names, in its order's values.
arrays = np.load("w.npz")
assert sum("kernel" in name for name in arrays.files) == 6, arrays.files
assert not any("adam" in name.lower() or "iteration" in name for name in arrays.files), arrays.files
for name in arrays.files:
    assert (arrays[name] == own[name]).all(), name
data = open("w.safetensors", "rb").read()
size = int.from_bytes(data[:8], "little")
header = json.loads(data[8 : 8 + size])
assert set(header) - {"__metadata__"} == set(arrays.files)
for name in arrays.files:
    begin, end = header[name]["data_offsets"]
    assert data[8 + size + begin : 8 + size + end] == arrays[name].tobytes(), name
try:
    from safetensors.numpy import load_file
except ImportError:
    pass
else:
    assert all((load_file("w.safetensors")[name] == arrays[name]).all() for name in arrays.files)
print("passed")
