# SPDX-License-Identifier: Apache-2.0
"""Models of JAX train as under jax.jit: train.py [MODEL..]. Losses of 100 steps, and the state back in JAX."""
import json
import sys

import ingot.jax
import jax
import jax.numpy as jnp
import models
import numpy as np
from ingot.jax._state import State, array_of


def apart(ours, theirs):
    """The greatest difference of losses; beyond a loss of 1, differences are relative."""
    return max(abs(one - other) / max(1, abs(other)) for one, other in zip(ours, theirs))


def trains_as_in_jax(name, steps=100, first=10, first_bound=1e-5, bound=1e-3):
    step, state, data, size = models.MODELS[name]()
    trainer = ingot.jax.compile(step, state, data, name, batch_size=size, shuffle=False)
    trainer.fit(max_steps=steps, model_dir=f"{name}-run", losses=f"{name}.jsonl", verbose=False)
    ours = [json.loads(line)["loss"] for line in open(f"{name}.jsonl")]
    theirs, _, values = models.losses_of(step, state, data, size, steps)
    begin, worst = apart(ours[:first], theirs), apart(ours, theirs)
    loaded = State(ingot.jax.load(state, f"{name}-run"))
    state_apart = max(float(np.max(np.abs(np.asarray(array_of(leaf.value), np.float64) - np.asarray(array_of(value), np.float64)), initial=0))
                      for leaf, value in zip(loaded.leaves, values))  # fmt: skip
    print(f"{name}: losses {theirs[0]:.4f} .. {theirs[-1]:.4f}, within {begin:.1e} for {first} steps and {worst:.1e} for all; state within {state_apart:.1e}", flush=True)
    assert len(ours) == steps and begin <= first_bound and worst <= bound, (name, ours, theirs)
    # Back in JAX, the loss goes on from where the trainer stopped.
    went_on, _, _ = models.losses_of(step, ingot.jax.load(models.MODELS[name]()[1], f"{name}-run"), data, size, 1)
    as_jax, _, _ = models.losses_of(step, models.MODELS[name]()[1], data, size, steps + 1)
    if steps % (len(jax.tree.leaves(data)[0]) // size) == 0:
        assert abs(went_on[0] - as_jax[-1]) <= 2 * bound * max(1, abs(as_jax[-1])), (name, went_on, as_jax[-1])


if __name__ == "__main__":
    failed = []
    for name in sys.argv[1:] or models.MODELS:
        try:
            trains_as_in_jax(name)
        except (AssertionError, ingot.jax.Error) as error:
            failed.append(f"{name}: {error}")
    assert not failed, "\n".join(failed)
    print("passed")
