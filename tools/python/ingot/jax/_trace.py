# SPDX-License-Identifier: Apache-2.0
"""Traces the user's functions to jaxprs, and checks what they return."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

import jax
import numpy as np

from .._errors import ExportError, export_error, line_of
from .._materialize import Column, Materialized
from ._state import State, is_array, named


class Traced(NamedTuple):
    """A traced function: its jaxpr, whose arguments are the state's arrays and those of the batch, and its results by
    name, in order after the new state's arrays if there is one."""

    closed: Any
    names: List[str]
    loss: Optional[str] = None


def spec(leaf: Any) -> Any:
    """The type of an argument: a Python number has JAX's weak type."""
    return leaf if not hasattr(leaf, "dtype") else jax.ShapeDtypeStruct(leaf.shape, leaf.dtype)


def _trace(function: Any, *arguments: Any) -> Tuple[Any, Any]:
    try:
        return jax.make_jaxpr(function, return_shape=True)(*arguments)  # type: ignore[no-any-return]
    except ExportError:
        raise
    except Exception as error:  # Whatever the user's code raises.
        raise export_error(f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}", error.__traceback__) from error


def _where(function: Any) -> str:
    """The line on which a function is defined, for errors about what it returns."""
    code = getattr(getattr(function, "__wrapped__", function), "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}: " if code is not None else line_of([])


def _metrics(returned: Any, loss: Optional[str], where: str) -> Dict[str, Any]:
    """The results of a step by name, with the loss first."""
    found = named(returned, "loss")
    if loss is None:
        loss = "loss" if "loss" in found else next(iter(found)) if len(found) == 1 else None
    if loss is None or loss not in found:
        given = ", ".join(found) or "nothing"
        raise ExportError(f"{where}the step returns no '{loss or 'loss'}', but {given}; loss= names the one to be minimized")
    return {"loss": found.pop(loss), **{name: value for name, value in found.items() if name != "loss"}}


def trace_step(step: Any, state: State, batch: Any, loss: Optional[str]) -> Traced:
    """Traces `step(state, batch)`, which returns the new state and the loss, or metrics with a loss by name.

    A step on modules of nnx changes them, and may return the metrics alone.
    """
    names: List[str] = []
    where = _where(step)

    def flat(values: List[Any], batch: Any) -> Any:
        given = state.join(values)
        returned = step(given, batch)
        if state.modules is not None and not (isinstance(returned, tuple) and len(returned) == 2 and returned[0] is not None
                                              and type(returned[0]) is type(given)):
            returned = (given, returned)
        if not isinstance(returned, tuple) or len(returned) != 2:
            raise ExportError(f"{where}the step has to return the new state and its metrics: (state, metrics)")
        metrics = _metrics(returned[1], loss, where)
        names[:] = list(metrics)
        return state.part(returned[0]), [jax.numpy.mean(jax.numpy.asarray(metrics["loss"], jax.numpy.float32)), *list(metrics.values())[1:]]

    closed, (new, metrics) = _trace(flat, [spec(leaf.value) for leaf in state.leaves], jax.tree_util.tree_map(spec, batch))
    for leaf, after in zip(state.leaves, new):
        before = leaf.value if hasattr(leaf.value, "dtype") else jax.numpy.asarray(leaf.value)
        if (tuple(before.shape), before.dtype) != (tuple(after.shape), after.dtype):
            raise ExportError(f"{where}the step returns '{leaf.name}' as {after.dtype}{list(after.shape)}, and gets it as "
                              f"{before.dtype}{list(before.shape)}")
    return Traced(closed, names)


def trace_function(function: Any, state: State, inputs: Any, single: str) -> Traced:
    """Traces `function(state, inputs)`; a single result is called `single`."""
    names: List[str] = []

    def flat(values: List[Any], inputs: Any) -> Any:
        found = named(function(state.join(values), inputs), single)
        names[:] = list(found)
        return [jax.numpy.asarray(one) for one in found.values()]

    closed, _ = _trace(flat, [spec(leaf.value) for leaf in state.leaves], jax.tree_util.tree_map(spec, inputs))
    if not names:
        raise ExportError(f"{_where(function)}the function returns nothing; it has to return an array, or a tuple or dictionary of arrays")
    return Traced(closed, names)


def arrays_of(data: Any, what: str) -> Tuple[List[Any], Any]:
    """Returns the arrays of a tree of data, as JAX would take them, and the tree."""
    if isinstance(data, Materialized):
        data = data.tree()
    leaves, tree = jax.tree_util.tree_flatten(data)
    for leaf in leaves:
        if not is_array(leaf) or not hasattr(leaf, "shape"):
            raise export_error(f"{what} is or has a {type(leaf).__name__}; arrays, and tuples and dictionaries of them, can be exported")
    return [_converted(leaf if isinstance(leaf, Column) else np.asarray(leaf), what) for leaf in leaves], tree


def _converted(array: Any, what: str) -> Any:
    """Converts an array to the type that JAX has it in: without jax_enable_x64, 64 bits become 32."""
    if array.dtype == object:
        raise export_error(f"{what}: an array of Python objects {array.shape}; no graph can hold it")
    return array.astype(jax.dtypes.canonicalize_dtype(array.dtype))


def batch_spec(arrays: List[Any], tree: Any, size: int) -> Any:
    """The types of a batch of `size` examples."""
    return jax.tree_util.tree_unflatten(tree, [jax.ShapeDtypeStruct((size, *array.shape[1:]), array.dtype) for array in arrays])


def first_input(batch: Any) -> Any:
    """What predictions are made from: of a batch (x, y, ..) its x, otherwise the whole batch."""
    return batch[0] if isinstance(batch, (tuple, list)) and batch and not isinstance(batch, Mapping) else batch
