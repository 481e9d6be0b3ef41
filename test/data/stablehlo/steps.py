# SPDX-License-Identifier: Apache-2.0
"""Writes steps of JAX as StableHLO's text, with their roles, their state and their data in files beside it."""
import json
import os

import jax
import jax.numpy as jnp
import numpy as np
from ingot.jax._state import State, array_of, is_key

FORMS = ("pretty", "located", "generic", "exported")


def text_of(function, form, *arguments):
    """The text of a function: as as_text() prints it, with locations, in the generic form, or as jax.export does."""
    jitted = jax.jit(function, keep_unused=True)
    if form == "exported":
        return jax.export.export(jitted)(*(jax.ShapeDtypeStruct(one.shape, one.dtype) for one in jax.tree.leaves(arguments))).mlir_module()
    lowered = jitted.lower(*arguments)
    if form == "generic":
        return lowered.compiler_ir("stablehlo").operation.get_asm(print_generic_op_form=True)
    return lowered.as_text(debug_info=form == "located")


def flat_step(step, known, data):
    """The step as a function of arrays: those of the state, and then those of the batch. Keys are their words."""
    keys, tree = [is_key(leaf.value) for leaf in known.leaves], jax.tree.structure(data)

    def flat(*arrays):
        values = [jax.random.wrap_key_data(one) if key else one for one, key in zip(arrays, keys)]
        given = known.join(values)
        returned = step(given, jax.tree.unflatten(tree, arrays[len(keys):]))
        new, metrics = (given, returned) if known.modules is not None and isinstance(returned, dict) else returned
        loss = metrics["loss"] if isinstance(metrics, dict) else metrics
        return [jax.random.key_data(one) if key else jnp.asarray(one) for one, key in zip(known.part(new), keys)], loss

    return flat


def storable(array):
    """NumPy's files have no bfloat16; values of float32 are read as such."""
    return array.astype(np.float32) if array.dtype.name == "bfloat16" else array


def write_step(name, step, state, data, size, form="pretty", folder="."):
    """Writes NAME.mlir, NAME.json and NAME.npz."""
    known, leaves = State(state), jax.tree.leaves(data)
    arrays = [array_of(leaf.value) for leaf in known.leaves]
    path = os.path.join(folder, name)
    with open(path + ".mlir", "w", encoding="utf-8") as file:
        file.write(text_of(flat_step(step, known, data), form, *arrays, *(one[:size] for one in leaves)))
    # Elements that are all equal, such as an optimizer's zeros, are in the file of roles.
    equal = {leaf.name: float(array.flat[0]) for leaf, array in zip(known.leaves, arrays) if array.size and (array == array.flat[0]).all()}
    named = {leaf.name: storable(array) for leaf, array in zip(known.leaves, arrays) if leaf.name not in equal}
    np.savez_compressed(path + ".npz", **named, **{f"batch/{index}": np.asarray(one) for index, one in enumerate(leaves)})
    state_roles = [{"name": leaf.name, "initial": equal[leaf.name]} if leaf.name in equal else leaf.name for leaf in known.leaves]
    roles = {"state": state_roles, "initial": f"{name}.npz", "batch": [f"batch/{index}" for index in range(len(leaves))],
             "data": {"arrays": [f"{name}.npz:batch/{index}" for index in range(len(leaves))], "shuffle": False}, "outputs": ["loss"]}  # fmt: skip
    with open(path + ".json", "w", encoding="utf-8") as file:
        json.dump(roles, file)
    return known
