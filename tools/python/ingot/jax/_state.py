# SPDX-License-Identifier: Apache-2.0
"""A step's state as variables: names by the paths of the pytree, leaves that are no arrays, and modules of flax nnx."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Tuple

import jax
import numpy as np

from .._errors import Error, export_error
from .._metagraph import node_name
from .._names import Names


def is_array(leaf: Any) -> bool:
    """Whether a leaf is an array, a number or a boolean; others, such as functions, do not change."""
    return hasattr(leaf, "shape") and hasattr(leaf, "dtype") or isinstance(leaf, (bool, int, float, complex))


def is_key(leaf: Any) -> bool:
    return hasattr(leaf, "dtype") and jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def path_name(path: Tuple[Any, ...]) -> str:
    """A leaf's path as a name: keys, fields and indices, joined by `/`."""
    parts = []
    for key in path:
        for field in ("key", "name", "idx"):
            if hasattr(key, field):
                parts.append(str(getattr(key, field)))
                break
        else:
            parts.append(str(key).strip("[].'\""))
    return "/".join(node_name(part.replace("/", "_")) if part else "_" for part in parts)


class Leaf(NamedTuple):
    """A leaf that is a variable: its name, its value, and its place among all leaves."""

    name: str
    value: Any
    place: int


def _module_type() -> Any:
    """flax's nnx.Module, or nothing if nnx is not in use."""
    import sys

    nnx = sys.modules.get("flax.nnx")
    return (nnx.Module, nnx.Optimizer) if nnx is not None else ()


def is_module(thing: Any) -> bool:
    """Whether a state is a module or an optimizer of nnx, or a tuple, list or dictionary that has one."""
    kinds = _module_type()
    if not kinds:
        return False
    parts = list(thing.values()) if isinstance(thing, Mapping) else list(thing) if type(thing) in (tuple, list) else []
    return isinstance(thing, kinds) or any(isinstance(one, kinds) for one in parts)


class State:
    """The leaves of a state that are arrays, by name, and how they are put together."""

    def __init__(self, state: Any) -> None:
        self.modules = state if is_module(state) else None
        if self.modules is not None:
            from flax import nnx

            self.graph, state = nnx.split(self.modules)
        found, self.treedef = jax.tree_util.tree_flatten_with_path(state)
        self.all = [value for _, value in found]
        names = Names(["global_step"])
        self.leaves: List[Leaf] = []
        for place, (path, value) in enumerate(found):
            if is_array(value):
                self.leaves.append(Leaf(names.unique(path_name(path) or "state"), value, place))

    def join(self, values: List[Any]) -> Any:
        """Returns the state with `values` as its arrays."""
        leaves = list(self.all)
        for leaf, value in zip(self.leaves, values):
            leaves[leaf.place] = value
        state = jax.tree_util.tree_unflatten(self.treedef, leaves)
        if self.modules is None:
            return state
        from flax import nnx

        return nnx.merge(self.graph, state)

    def part(self, returned: Any) -> List[Any]:
        """Returns the arrays of a state that the step returned. Raises ExportError if it is another tree."""
        if self.modules is not None:
            from flax import nnx

            _, returned = nnx.split(returned)
        found, treedef = jax.tree_util.tree_flatten_with_path(returned)
        if treedef != self.treedef:
            before = {path_name(path) for path, _ in jax.tree_util.tree_flatten_with_path(jax.tree_util.tree_unflatten(self.treedef, self.all))[0]}
            after = {path_name(path) for path, _ in found}
            changed = ", ".join(sorted(before ^ after)[:5]) or f"{self.treedef} and {treedef}"
            raise export_error(f"the step has to return a state with the same tree structure as the state that it gets; they differ in {changed}")
        return [found[leaf.place][1] for leaf in self.leaves]


def array_of(leaf: Any) -> Any:
    """Returns a leaf's value as it is in checkpoints: a NumPy array, of a key its words."""
    if is_key(leaf):
        return np.asarray(jax.random.key_data(leaf))
    return np.asarray(leaf if hasattr(leaf, "dtype") else jax.numpy.asarray(leaf))


def restored(state: Any, arrays: Mapping[str, Any], where: str) -> Any:
    """Returns `state` with the values of `arrays`, by name. Modules of nnx are updated in place, and returned."""
    found = State(state)
    values: List[Any] = []
    for leaf in found.leaves:
        if leaf.name not in arrays:
            raise Error(f"{where} has no '{leaf.name}': it is another state's")
        was, value = array_of(leaf.value), np.asarray(arrays[leaf.name])
        if was.shape != value.shape:
            raise Error(f"'{leaf.name}' has shape {value.shape} in {where}, the state's has {was.shape}")
        value = value.astype(was.dtype)
        if is_key(leaf.value):
            values.append(jax.random.wrap_key_data(value, impl=jax.random.key_impl(leaf.value)))
        elif not hasattr(leaf.value, "dtype"):
            values.append(type(leaf.value)(value))
        else:
            values.append(value)
    if found.modules is None:
        return found.join(values)
    from flax import nnx

    leaves = list(found.all)
    for leaf, value in zip(found.leaves, values):
        leaves[leaf.place] = value if is_key(leaf.value) else jax.numpy.asarray(value)
    nnx.update(found.modules, jax.tree_util.tree_unflatten(found.treedef, leaves))
    return found.modules


def named(tree: Any, single: str) -> Dict[str, Any]:
    """The leaves of a tree by their paths' names; a tree that is one leaf is called `single`."""
    names = Names([])
    return {names.unique(path_name(path) or single): leaf for path, leaf in jax.tree_util.tree_flatten_with_path(tree)[0]}
