# SPDX-License-Identifier: Apache-2.0
"""A trainer's other uses: history, evaluation, predictions, state back in JAX half-way, types, files beside the graph."""
import json
import os

import ingot.jax
import jax
import jax.numpy as jnp
import models
import numpy as np
import optax
from ingot.jax._state import State

x, y = models.examples(150, (12,))
step, state, _, _ = models.MODELS["adam"]()


def logits(state, x):
    return models.mlp(state["params"], x, jnp.tanh)


def evaluate(state, batch):
    found = logits(state, batch[0])
    return {"loss": optax.softmax_cross_entropy_with_integer_labels(found, batch[1]), "largest": found.max(), "accuracy": found.argmax(-1) == batch[1]}


trainer = ingot.jax.compile(step, state, (x[:100], y[:100]), "trainer", batch_size=16, seed=1, validation_data=(x[100:], y[100:]), evaluate=evaluate,
                            predict=logits, signatures={"norms": (lambda state, more: {"w": optax.global_norm(state["params"]) + more["bias"]}, {"bias": np.zeros((), "f")})})  # fmt: skip
history = trainer.fit(epochs=3, model_dir="run", verbose=False).history
assert trainer.steps_per_epoch == 6 and len(history["loss"]) == 3, history
trained = trainer.load(state)
found = trainer.evaluate()
figures = {name: float(np.mean(value)) for name, value in evaluate(trained, (x[100:], y[100:])).items()}
assert abs(found["loss"] - figures["loss"]) < 1e-5 and abs(found["accuracy"] - figures["accuracy"]) < 1e-6, (found, figures)
assert abs(history["val_loss"][-1] - figures["loss"]) < 1e-5, history
# Whatever the number of examples, though a trace has one.
for count in (1, 16, 37):
    assert np.allclose(trainer.predict(x[:count]), logits(trained, x[:count]), atol=1e-5), count
assert np.allclose(trainer._call("norms", {"bias": np.float32(1)}, trainer._entry("norms"), trainer._folders(None))["w"], 1 + optax.global_norm(trained["params"]))

# The same tree comes back: named tuples, keys, numbers of Python.
assert jax.tree.structure(trained) == jax.tree.structure(state) and type(trained["opt"][0]) is type(state["opt"][0])
assert trained["key"].dtype == state["key"].dtype and int(trained["step"]) == 18
assert {"global_step", "key", "params/layer0/w"} <= set(trainer.checkpoint()) and "opt/0/mu/layer0/w" in trainer.checkpoint()

# 100 steps in JAX, 100 in Ingot, 100 in JAX are 300 in JAX, with dropout too. Each pass begins the data anew.
for name in ("adam", "transformer"):
    step, state, data, size = models.MODELS[name]()
    whole, known, values = models.losses_of(step, state, data, size, 300)
    first, known, values = models.losses_of(step, state, data, size, 100)
    middle = known.join(values)
    second = ingot.jax.compile(step, middle, data, "second", batch_size=size, shuffle=False)
    second.fit(max_steps=100, model_dir=f"second-{name}", losses=f"second-{name}.jsonl", verbose=False)
    ours = [json.loads(line)["loss"] for line in open(f"second-{name}.jsonl")]
    last, _, _ = models.losses_of(step, ingot.jax.load(middle, f"second-{name}"), data, size, 100)
    worst = float(np.max(np.abs(np.array(whole) - np.array(first + ours + last))))
    print(f"{name}: 100 + 100 + 100 steps are 300, within {worst:.1e}")
    assert worst <= 1e-5, (name, whole, ours, last)

# A state of another tree is told.
try:
    ingot.jax.load({"other": jnp.ones(3)}, "run")
    raise AssertionError("loaded")
except ingot.jax.Error as error:
    assert "has no 'other'" in str(error), error
try:
    ingot.jax.load({"step": jnp.ones(3)}, "run")
    raise AssertionError("loaded")
except ingot.jax.Error as error:
    assert "'step' has shape () in" in str(error), error

# Types of all kinds; large arrays lie beside the graph.
kinds = {"half": jnp.ones(3, jnp.float16), "brain": jnp.arange(3, dtype=jnp.bfloat16), "flag": jnp.array([True, False]), "byte": jnp.uint8(7), "long": 5, "rate": 0.5,
         "keys": jax.random.split(jax.random.key(1), 3), "wide": jnp.asarray(np.random.RandomState(0).normal(size=(200, 200)).astype("f")), "function": jnp.tanh}  # fmt: skip


def grow(state, batch):
    new = {name: value if name in ("function", "flag") else value + 1 for name, value in state.items() if name != "keys"}
    new["keys"] = jax.vmap(lambda key: jax.random.fold_in(key, 1))(state["keys"])
    return {**new, "flag": ~state["flag"]}, {"loss": (batch @ state["wide"]).sum() + state["function"](0.0)}


big = np.random.RandomState(1).normal(size=(30000, 200)).astype("f")
trainer = ingot.jax.compile(grow, kinds, big, "kinds", batch_size=100, shuffle=False)
assert os.path.getsize("kinds.meta") < 100_000 and os.path.exists("kinds-state/wide.bin") and os.path.exists("kinds-training-data-0.npy")
trainer.fit(max_steps=2, model_dir="kinds-run", losses="kinds.jsonl", verbose=False)
loaded = trainer.load(kinds)
expected, losses = kinds, []
for index in range(2):
    expected, metrics = grow(expected, big[index * 100 : index * 100 + 100])
    losses.append(float(metrics["loss"]))
assert np.allclose([json.loads(line)["loss"] for line in open("kinds.jsonl")], losses, rtol=1e-4), losses
for name, value in expected.items():
    if name == "function":
        assert loaded[name] is jnp.tanh
        continue
    one, other = (jax.random.key_data(each) if name == "keys" else np.asarray(each) for each in (loaded[name], value))
    assert np.array_equal(np.asarray(one, "d"), np.asarray(other, "d")), (name, one, other)
assert type(loaded["long"]) is int and type(loaded["rate"]) is float and loaded["brain"].dtype == jnp.bfloat16

# Doubles, where JAX has them.
jax.config.update("jax_enable_x64", True)
rows = np.random.RandomState(2).normal(size=(32, 4))
trainer = ingot.jax.compile(lambda s, b: (s - 1e-3 * jax.grad(lambda s: ((b @ s) ** 2).mean())(s), ((b @ s) ** 2).mean()), jnp.ones(4), rows, "doubles", batch_size=8, shuffle=False)
trainer.fit(max_steps=4, model_dir="doubles-run", verbose=False)
weights = np.ones(4)
for index in range(4):
    batch = rows[index * 8 : index * 8 + 8]
    weights = weights - 1e-3 * 2 * batch.T @ (batch @ weights) / 8
assert np.allclose(trainer.load(jnp.ones(4)), weights, rtol=0, atol=1e-14)
print("passed")
