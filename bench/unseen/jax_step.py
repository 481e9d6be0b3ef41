# SPDX-License-Identifier: Apache-2.0
"""JAX's steps a second on a model of models.py: one jitted step that takes over its state, with optax's optimizers.
Usage: jax_step.py MODEL WINDOW_SECONDS WINDOWS (0: timing.on_demand)"""
import pathlib
import sys

import jax
import jax.numpy as jnp
import optax

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent)]
from peers import timing  # noqa: E402
from unseen import jax_images, jax_sequences, jax_tables, models  # noqa: E402

NETWORKS = {**vars(jax_tables), **vars(jax_images), **vars(jax_sequences)}
OPTIMIZERS = {
    "sgd": optax.sgd,
    "momentum": lambda rate: optax.sgd(rate, 0.9),
    "nesterov": lambda rate: optax.sgd(rate, 0.9, nesterov=True),
    "adam": optax.adam,
    "adagrad": lambda rate: optax.adagrad(rate, initial_accumulator_value=0.1),
    "rmsprop": lambda rate: optax.rmsprop(rate, initial_scale=1.0),
    "rmsprop-momentum": lambda rate: optax.rmsprop(rate, eps=1e-3, initial_scale=1.0, momentum=0.9),
}


def ftrl(rate, l1):
    """FTRL-proximal of McMahan et al. (2013), which optax lacks."""

    def begin(parameters):
        return jax.tree_util.tree_map(lambda p: (jnp.full_like(p, 0.1), jnp.zeros_like(p)), parameters)

    def updated(g, slots, p):
        squares, linear = slots
        following = squares + g * g
        linear = linear + g - (jnp.sqrt(following) - jnp.sqrt(squares)) / rate * p
        made = jnp.where(jnp.abs(linear) > l1, (jnp.sign(linear) * l1 - linear) * rate / jnp.sqrt(following), 0)
        return made - p, (following, linear)

    def update(gradients, slots, parameters):
        leaves, tree = jax.tree_util.tree_flatten(gradients)
        each = zip(leaves, tree.flatten_up_to(slots), tree.flatten_up_to(parameters))
        changes, slots = zip(*(updated(*parts) for parts in each))
        return tree.unflatten(changes), tree.unflatten(slots)

    return optax.GradientTransformation(begin, update)


def optimizer_of(spec):
    rate = spec["rate"]
    if "warm_up" in spec:

        def rate(step):
            step = step + 1.0
            return spec["width"] ** -0.5 * jnp.minimum(step**-0.5, step * spec["warm_up"] ** -1.5)

    made = OPTIMIZERS[spec["optimizer"]](rate)
    if "clip" in spec:
        made = optax.chain(optax.clip_by_global_norm(spec["clip"]), made)
    if "ftrl" in spec:
        made = optax.partition({"linear": ftrl(**spec["ftrl"]), "deep": made}, {"linear": "linear", "deep": "deep"})
    return made


def made(name):
    """The step of a model, the state that it begins with, and a batch."""
    spec = models.MODELS[name]
    batch = jax.tree_util.tree_map(jnp.asarray, models.batch_of(spec))
    parameters, loss, *others = NETWORKS[spec["kind"]](spec)
    optimizer = optimizer_of(spec)
    # A network that is not trained, and how it follows the one that is.
    others, follow = (others[:1], others[1]) if others else ([], None)

    def train(state, batch):
        parameters, slots, key, others = state
        key, now = jax.random.split(key)
        value, gradients = jax.value_and_grad(loss)(parameters, batch, now, *others)
        updates, slots = optimizer.update(gradients, slots, parameters)
        parameters = optax.apply_updates(parameters, updates)
        others = [follow(each, parameters) for each in others]
        return (parameters, slots, key, others), value

    return train, (parameters, optimizer.init(parameters), jax.random.PRNGKey(0), others), batch


def main():
    name, window_seconds, windows = timing.arguments()
    train, state, batch = made(name)
    step = jax.jit(train, donate_argnums=0)

    def run():
        nonlocal state
        state, value = step(state, batch)
        return value.block_until_ready()

    timing.report(run, window_seconds, windows)


if __name__ == "__main__":
    main()
