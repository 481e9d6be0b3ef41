# SPDX-License-Identifier: Apache-2.0
"""A training loop of one's own: a tf.function of one step, further entries, variables of no model."""
import json

import ingot
import numpy as np
import tensorflow as tf
from common import close, examples

x, y = examples()


class Net(tf.Module):
    def __init__(self):
        super().__init__()
        rng = np.random.RandomState(2)
        self.w = tf.Variable(rng.normal(size=(6, 4)).astype("f"), name="w")
        self.b = tf.Variable(tf.zeros([4]), name="b")
        self.seen = tf.Variable(0, dtype=tf.int64, name="seen", trainable=False)
        self.table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(
            tf.constant([0, 1, 2, 3], tf.int64), tf.constant([3, 2, 1, 0], tf.int64)), -1)  # fmt: skip

    @tf.function
    def step(self, features, labels):
        with tf.GradientTape() as tape:
            logits = features @ self.w + self.b
            loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.table.lookup(labels), logits=logits)
            loss = tf.reduce_mean(loss)
        for variable, gradient in zip([self.w, self.b], tape.gradient(loss, [self.w, self.b])):
            variable.assign_sub(0.1 * gradient)
        self.seen.assign_add(tf.shape(features, tf.int64)[0])
        if self.seen > 150:  # Python's own branches, converted.
            self.b.assign_add(tf.fill([4], 0.01))
        return {"loss": loss, "seen": self.seen}

    @tf.function(input_signature=[tf.TensorSpec([None, 6], tf.float32, name="features")])
    def predict(self, features):
        return {"logits": features @ self.w + self.b}


data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(100, seed=2).batch(32)
net = Net()
ingot.export(net.step, data, "train.meta", signatures={"serving_default": net.predict})
trainer = ingot.compile("train.meta")
history = trainer.fit(max_steps=30, model_dir="run", losses="losses.jsonl", fetch=["step/seen:0"], verbose=False)
lines = [json.loads(line) for line in open("losses.jsonl")]
expected = [net.step(*batch) for batch in data.repeat().take(30)]
close([line["loss"] for line in lines], [float(one["loss"]) for one in expected], 1e-5)
assert [line["step/seen:0"] for line in lines] == [int(one["seen"]) for one in expected]
assert trainer.steps_per_epoch == 4 and len(history.history["loss"]) == 7, history
close(history.history["loss"][0], np.mean([float(one["loss"]) for one in expected[:4]]), 1e-5)
close(trainer.predict(x), net.predict(x)["logits"], 1e-5)
assert np.allclose(trainer.checkpoint()["w"], net.w.numpy(), atol=1e-5)

# A function defines the evaluation: numbers for each batch, or for each example.
@tf.function
def judged(a, b):
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(b, net.predict(a)["logits"])
    return {"loss": losses, "worst": tf.reduce_max(losses), "accuracy": tf.cast(tf.equal(tf.argmax(net.predict(a)["logits"], 1), tf.cast(b, tf.int64)), tf.float32)}


batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(30)
trainer = ingot.compile(net.step, data, "evaluated", validation_data=batches, evaluate=judged)
history = trainer.fit(max_steps=8, model_dir="evaluated-run", verbose=False).history
for variable in (net.w, net.b):
    variable.assign(trainer.checkpoint()[variable.name.split(":")[0]])
parts = [judged(*batch) for batch in batches]
figures = {name: np.concatenate([np.ravel(part[name]) for part in parts]).mean() for name in parts[0]}
found = trainer.evaluate()
assert sorted(found) == ["accuracy", "loss", "worst"], found
for name, value in found.items():
    close(value, figures[name], 1e-5)
    close(history[f"val_{name}"][-1], figures[name], 1e-4)


def refused(words, *arguments, **more):
    try:
        ingot.export(*arguments, **more)
    except ingot.ExportError as error:
        assert words in str(error) and "function.py:" in str(error), error
        return
    raise AssertionError(f"exported, without {words}")


refused("no 'loss'", lambda a, b: {"other": tf.reduce_sum(a)}, data)
refused("has to return the loss", lambda a, b: None, data)
refused("both or neither", net.step, data, validation_data=batches)
refused("a figure", net.step, data, validation_data=batches, evaluate=lambda a, b: None)
refused("input_signature", net.step, data, signatures={"serving_default": tf.function(lambda a: a)})
print("passed")
