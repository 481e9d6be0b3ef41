# SPDX-License-Identifier: Apache-2.0
"""A compiled classifier, exported and trained; Keras trains the same, and both have the same losses."""
import json

import ingot
import numpy as np
import tensorflow as tf
from common import classifier, close, examples, k, keras_losses

x, y = examples()
data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(100, seed=11)
data = data.map(lambda a, b: (a * 2, b)).batch(32).prefetch(tf.data.AUTOTUNE)

model = classifier()
trainer = ingot.compile(model, data, "trainer", validation_data=(x, y))
history = trainer.fit(max_steps=100, model_dir="run", losses="losses.jsonl", verbose=False)
ours = [json.loads(line)["loss"] for line in open("losses.jsonl")]
close(ours, keras_losses(classifier(), data.repeat(), 100), 1e-4)
# A seed of one's own makes a difference, so this can fail.
other = data.map(lambda a, b: (a * 1.01, b)).repeat()
assert np.max(np.abs(ours - keras_losses(classifier(), other, 100))) > 1e-3

assert trainer.steps_per_epoch == 4 and history.epoch == list(range(25)), history
trainer.load_into(model)
close(model.predict(x, verbose=0), trainer.predict(x), 1e-5)
figures = dict(zip(["loss", "accuracy"], model.evaluate(x, y, verbose=0)))
for name, value in trainer.evaluate().items():
    close(value, figures[name], 1e-5)


def rectifiers():
    """Kinks, and steps so large that differences grow tenfold every ten of them."""
    k.utils.set_random_seed(1)
    net = k.Sequential([
        k.layers.Input((6,)), k.layers.Dense(128, activation="relu"), k.layers.BatchNormalization(), k.layers.Dropout(0.3, seed=5),
        k.layers.Dense(128, activation="relu"), k.layers.Dense(4)])  # fmt: skip
    net.compile(k.optimizers.Adam(0.1, clipnorm=1.0), k.losses.SparseCategoricalCrossentropy(from_logits=True))
    return net


# With 53 bits nothing has grown to be seen after 100 steps: what 24 bits lose is rounding, not another gradient.
k.backend.set_floatx("float64")
k.mixed_precision.set_global_policy("float64")
wide = x.astype("float64")
batches = lambda: tf.data.Dataset.from_tensor_slices((wide, y)).batch(32)
trainer = ingot.compile(rectifiers(), batches(), "rectifiers")
trainer.fit(max_steps=100, model_dir="rectifiers-run", losses="rectifiers.jsonl", verbose=False)
ours = [json.loads(line)["loss"] for line in open("rectifiers.jsonl")]
close(ours, keras_losses(rectifiers(), batches().repeat(), 100), 1e-6)
print("passed")
