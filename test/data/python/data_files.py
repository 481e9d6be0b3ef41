# SPDX-License-Identifier: Apache-2.0
"""Data files are found wherever the trainer lies: those that the script names, and arrays beside the graph."""
import os

import ingot
import numpy as np
import tensorflow as tf
from common import close, k

rng = np.random.RandomState(0)
x = rng.normal(size=(1200, 4096)).astype("float32")  # more than stays in a graph
y = rng.normal(size=(1200, 1)).astype("float32")
small = x[:40]
os.makedirs("data")
with tf.io.TFRecordWriter(os.path.join("data", "part.tfrecord")) as writer:
    for row in small:
        writer.write(row.tobytes())
records = tf.data.TFRecordDataset("data/part.tfrecord").map(
    lambda record: (tf.reshape(tf.io.decode_raw(record, tf.float32), [4096]), tf.ones([1]))).batch(10)  # fmt: skip


def net():
    k.utils.set_random_seed(1)
    model = k.Sequential([k.layers.Input((4096,)), k.layers.Dense(1)])
    model.compile(k.optimizers.SGD(1e-4), "mse")
    return model


expected = net().fit(records, epochs=2, verbose=0).history["loss"]
trainer = ingot.compile(net(), records, os.path.join("elsewhere", "deep", "trainer"), validation_data=(x, y))
history = trainer.fit(epochs=2, model_dir="run", verbose=False).history
close(history["loss"], expected, 1e-4)
assert len(history["val_loss"]) == 2 and [name for name in os.listdir("elsewhere/deep") if name.endswith(".npy")], history
trainer.evaluate()
# The user's own flag takes the place of the package's.
trainer.fit(epochs=3, model_dir="run", verbose=False, validate=False, flags=["--data-dir", os.getcwd()])
assert trainer.checkpoint().step == 12
trainer = ingot.compile(net(), (x, y), os.path.join(os.getcwd(), "absolute", "trainer"), shuffle=False, batch_size=100)
expected = net().fit(x, y, shuffle=False, batch_size=100, verbose=0).history["loss"]
close(trainer.fit(epochs=1, model_dir="arrays-run", verbose=False).history["loss"], expected, 1e-3)
print("passed")
