# SPDX-License-Identifier: Apache-2.0
"""`python -m ingot convert` of what Keras and TensorFlow 1 leave on the disk."""
import subprocess
import sys

import numpy as np
import tensorflow as tf


def convert(*words, code=0):
    done = subprocess.run([sys.executable, "-m", "ingot", "convert", *words], capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    # TensorFlow may write lines of its own before.
    assert code == 0 or "\nerror: " in "\n" + done.stderr and "Traceback" not in done.stderr, done.stderr
    return done.stdout + done.stderr


random = np.random.RandomState(0)
x, y = random.rand(96, 4).astype(np.float32), random.randint(0, 3, 96)
np.savez("data.npz", x=x, y=y, x_val=x[:32], y_val=y[:32])
np.savez("other.npz", a=x)
tf.keras.utils.set_random_seed(1)
model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(8, "relu"), tf.keras.layers.Dense(3)])
model.save("bare.keras")
model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
model.save("model.keras")

# A model file trains on the arrays of a file, from its own weights, and is evaluated.
said = convert("model.keras", "--data", "data.npz", "-o", "trainer", "--batch", "16")
assert "trainer: trains" in said and "--model-dir run" in said, said
subprocess.run(["./trainer", "--model-dir", "run", "--max-steps", "0", "--quiet"], check=True)
found = subprocess.run(["./trainer", "evaluate", "--model-dir", "run", "--json", "--quiet"], check=True, capture_output=True, text=True).stdout
import json
loss = json.loads(found)["metrics"]["loss"]
assert abs(loss - model.evaluate(x[:32], y[:32], verbose=0)[0]) < 1e-5, found

# A model directory of TensorFlow 1: its trainer goes on there.
v1 = tf.compat.v1
with tf.Graph().as_default(), v1.Session() as session:
    step = v1.train.get_or_create_global_step()
    w = v1.get_variable("w", (), initializer=v1.ones_initializer())
    v1.add_to_collection("train_op", v1.train.GradientDescentOptimizer(0.25).minimize(w * w, step))
    session.run(v1.global_variables_initializer())
    session.run(v1.get_collection("train_op"))
    v1.train.Saver().save(session, "old/model.ckpt", global_step=step)
said = convert("old")
assert "old-trainer: trains" in said and "--model-dir old" in said, said
subprocess.run(["./old-trainer", "--model-dir", "old", "--steps", "1", "--quiet"], check=True)
assert tf.train.load_variable("old", "w") == 0.25 and tf.train.load_variable("old", "global_step") == 2  # halved twice

# A SavedModel of functions.
tf.saved_model.save(tf.Module(), "saved")
for words, told in (
    (["none.keras"], "'none.keras' does not exist"),
    (["model.keras"], "--data FILE.npz"),
    (["model.keras", "--data", "other.npz"], "'other.npz' has a; expected arrays x and y"),
    (["bare.keras", "--data", "data.npz"], "call compile and save it again"),
    (["old", "--data", "data.npz"], "--data is for Keras model files"),
    (["run"], "has neither a SavedModel nor a meta graph"),
):
    said = convert(*words, code=1)
    assert told in said, said
print("passed")
