# SPDX-License-Identifier: Apache-2.0
"""fit's history is Keras's, a second call goes on, weights and the optimizer's state come back."""
import ingot
import numpy as np
import tensorflow as tf
from common import classifier, close, examples, k

x, y = examples()
more = examples(70, seed=1)
model = classifier()
trainer = ingot.compile(model, (x, y), "trainer", shuffle=False, validation_data=more)
history = trainer.fit(epochs=5, model_dir="run", verbose=False)

reference = classifier()
expected = reference.fit(x, y, shuffle=False, validation_data=more, epochs=5, verbose=0)
assert sorted(history.history) == sorted(expected.history), history
assert history.epoch == expected.epoch and history.steps == [4, 8, 12, 16, 20], history.steps
for name, values in expected.history.items():
    close(history.history[name], values, 1e-4)

trainer.load_into(model)
assert int(model.optimizer.iterations.numpy()) == 20
close(model.predict(x, verbose=0), trainer.predict(x), 1e-5)
close(model.predict(x, verbose=0), reference.predict(x, verbose=0), 1e-4)
close(trainer.predict(x, batch_size=7), trainer.predict(x), 1e-6)
# Of a model that the same code made, whatever its layers are called now.
again = classifier()
trainer.load_into(again)
close(again.predict(x, verbose=0), trainer.predict(x), 1e-5)

checkpoint = ingot.Checkpoint("run")
assert checkpoint.step == 20 and len(checkpoint) == len(list(checkpoint))
kernel = model.layers[0].kernel
name = next(name for name in checkpoint if name.endswith("dense/kernel") and "dam" not in name)
assert np.array_equal(checkpoint[name], kernel.numpy()), name
assert np.array_equal(checkpoint.arrays()[name], checkpoint[name])
try:
    checkpoint["none"]
    raise AssertionError("'none' is no tensor")
except KeyError:
    pass

# TensorFlow serves the trainer's export.
trainer.export("exported")
serve = tf.saved_model.load("exported").signatures["serving_default"]
(served,) = serve(**{name: tf.constant(x) for name in serve.structured_input_signature[1]}).values()
close(served, trainer.predict(x), 1e-5)



# Keras continues from the trainer's weights as from its own training.
def plain():
    k.utils.set_random_seed(3)
    net = k.Sequential([k.layers.Input((6,)), k.layers.Dense(8, activation="relu"), k.layers.BatchNormalization(), k.layers.Dense(4)])
    net.compile(k.optimizers.Adam(k.optimizers.schedules.ExponentialDecay(0.05, 4, 0.8)),
                k.losses.SparseCategoricalCrossentropy(from_logits=True))  # fmt: skip
    return net


mine, theirs = plain(), plain()
trained = ingot.compile(mine, (x, y), "plain", shuffle=False)
trained.fit(epochs=3, model_dir="plain-run", verbose=False)
trained.load_into(mine)
theirs.fit(x, y, shuffle=False, epochs=3, verbose=0)
close(mine.fit(x, y, shuffle=False, epochs=3, verbose=0).history["loss"], theirs.fit(x, y, shuffle=False, epochs=3, verbose=0).history["loss"], 1e-4)
close(mine.predict(x, verbose=0), theirs.predict(x, verbose=0), 1e-3)

# With the loss scale, which an overflow halves, and the steps since then.
policy = getattr(k.mixed_precision, "set_global_policy", None) or k.mixed_precision.set_dtype_policy


def scaled():
    k.utils.set_random_seed(2)
    net = k.Sequential([k.layers.Input((2,)), k.layers.Dense(4, "relu"), k.layers.Dense(1, dtype="float32")])
    kind = getattr(k.optimizers, "LossScaleOptimizer", None) or k.mixed_precision.LossScaleOptimizer
    net.compile(kind(k.optimizers.Adam(0.01), initial_scale=2.0**15, dynamic_growth_steps=1000), "mse")
    return net


def scale_of(net):
    own = net.optimizer
    names = ("loss_scale", "dynamic_counter") if hasattr(own, "loss_scale") else ("dynamic_scale", "step_counter")
    return [float(np.array(getattr(own, name))) for name in names]


policy("mixed_float16")
large = np.array([[1, 1], [1, 1], [300, 300], [1, 1], [1, 1], [1, 1]], np.float32), np.ones((6, 1), np.float32)
theirs, mine = scaled(), scaled()
trained = ingot.compile(scaled(), large, "scaled", batch_size=1, shuffle=False)
trained.fit(max_steps=6, model_dir="scaled-run", verbose=False)
trained.load_into(mine)
theirs.fit(*large, batch_size=1, shuffle=False, verbose=0)
assert scale_of(mine) == scale_of(theirs) == [2.0**14, 3.0], (scale_of(mine), scale_of(theirs))
policy("float32")

# The model goes on in Ingot from where it is now: trained weights, the optimizer's moments.
further = ingot.compile(model, (x, y), "further", shuffle=False)
before = further.predict(x)
close(before, model.predict(x, verbose=0), 1e-5)
assert [one["name"] for one in further.info["entries"] if one["name"] == "evaluate"] == []
further.fit(epochs=1, model_dir="further-run", verbose=False)
assert np.max(np.abs(before - further.predict(x))) > 1e-4
assert int(ingot.Checkpoint("further-run")[next(n for n in checkpoint if n.endswith("iteration"))]) == 24
print("passed")
