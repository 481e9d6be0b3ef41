# SPDX-License-Identifier: Apache-2.0
"""Walks a jaxpr and adds the nodes of its equations to a graph.

Nodes are named by JAX's name stacks, those of gradients under `gradients/`, and carry the user's lines. What cannot be
exported is collected, and raised all at once.
"""

from __future__ import annotations

import re
from typing import Any, Dict, List, Optional, Sequence, Tuple

import jax
import numpy as np
from jax.extend import core as jax_core

from .._errors import is_users
from .._metagraph import Line, MetaGraph, Tensor, node_name
from .._walking import Walking
from .._wire import TYPES
from ._rules import Refused, check

_LITERAL = jax_core.Literal
_WRAPPED = re.compile(r"\b(?:jvp|transpose|vmap|remat|checkpoint|jit|pjit|rematted_computation)\(")


def type_of(aval: Any) -> str:
    """The element type, a key of TYPES, in which a value of JAX is in the graph. A key array is int64: both its words."""
    dtype = aval.dtype
    if jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key):
        if "fry" not in str(dtype):
            raise Refused(f"keys of type {dtype}: only threefry2x32 keys can be exported (jax_default_prng_impl)")
        return "int64"
    name = str(np.dtype(dtype).name)
    if name == "float0":
        return "bool"
    if name not in TYPES:
        raise Refused(f"{name}{list(aval.shape)}: this element type is not supported")
    return name


def stack_name(stack: Any) -> Tuple[str, bool]:
    """Returns a name stack as part of a node's name, and whether it is that of a gradient."""
    text = str(stack)
    bare = _WRAPPED.sub("", text).replace(")", "").replace("(", "/")
    parts = [node_name(part) for part in bare.split("/") if part and part not in ("jvp", "transpose", "checkpoint")]
    return "/".join(parts), "transpose(" in text


class Walk(Walking):
    """Adds jaxprs to `meta`."""

    def __init__(self, meta: MetaGraph) -> None:
        super().__init__(meta)
        self._users: Dict[int, Tuple[Any, List[Tuple[str, int]]]] = {}

    def _frames(self, trace: Any) -> List[Tuple[str, int]]:
        """The user's frames of a traceback, innermost first."""
        if trace is None:
            return []
        if id(trace) not in self._users:
            found = [(frame.file_name, int(frame.line_num)) for frame in trace.frames if is_users(frame.file_name)]
            self._users[id(trace)] = (trace, found)
        return self._users[id(trace)][1]

    def _line_of(self, eqn: Any) -> Line:
        """The user's line of an equation; one in a library's function has the line of the equation that calls it."""
        frames = self._frames(eqn.source_info.traceback)
        return frames[0] if frames else self._line

    # -- Equations

    def run(self, jaxpr: Any, consts: Sequence[Any], arguments: Sequence[Tensor], used: Optional[Sequence[bool]] = None) -> List[Tensor]:
        """Adds the equations of `jaxpr` that its results need. `used` says which results those are."""
        values: Dict[Any, Tensor] = dict(zip(jaxpr.invars, arguments))
        for variable, const in zip(jaxpr.constvars, consts):
            values[variable] = const if isinstance(const, Tensor) else self.value(const, variable.aval)
        wanted = [one for one, is_used in zip(jaxpr.outvars, used or [True] * len(jaxpr.outvars)) if is_used]
        for eqn, live in _live(jaxpr, wanted):
            inputs = [self._read(values, one) for one in eqn.invars]
            for variable, result in zip(eqn.outvars, self._equation(eqn, inputs, live)):
                values[variable] = result
        return [self._read(values, one) if isinstance(one, _LITERAL) or one in values else self._dummy(one.aval) for one in jaxpr.outvars]

    def closed(self, closed: Any, arguments: Sequence[Tensor], used: Optional[Sequence[bool]] = None) -> List[Tensor]:
        return self.run(closed.jaxpr, closed.consts, arguments, used)

    def _read(self, values: Dict[Any, Tensor], one: Any) -> Tensor:
        return self.value(one.val, one.aval) if isinstance(one, _LITERAL) else values[one]

    def value(self, value: Any, aval: Any) -> Tensor:
        """A constant of a value that JAX has traced, or closed over."""
        try:
            dtype = type_of(aval)
        except Refused as refused:
            self.problem(str(refused))
            return self._dummy(aval)
        if jax.dtypes.issubdtype(aval.dtype, jax.dtypes.prng_key):
            words = np.ascontiguousarray(np.asarray(jax.random.key_data(value)))
            return self.b.const(words.view(np.int64).reshape(aval.shape))
        if np.dtype(aval.dtype).name == "float0":
            return self.b.const(np.zeros(aval.shape, np.bool_))
        return self.b.const(np.asarray(value).astype(np.dtype(dtype)).reshape(aval.shape))

    def _dummy(self, aval: Any) -> Tensor:
        """Stands for a value that is not computed: one that nothing uses, or that cannot be exported."""
        return self.b.const(np.zeros(aval.shape, np.dtype(self._dummy_type(aval))))

    @staticmethod
    def _dummy_type(aval: Any) -> str:
        try:
            return type_of(aval)
        except Refused:
            return "float32"

    def _equation(self, eqn: Any, inputs: Sequence[Tensor], live: Sequence[bool]) -> List[Tensor]:
        before = self._line, list(self._path), self.b.scope.path, self.b.scope.line
        self._line = self._line_of(eqn)
        name, is_gradient = stack_name(eqn.source_info.name_stack)
        if is_gradient and "gradients" not in self._path:
            self._path = ["gradients", *self._path]
        self._path += [name] if name else []
        self.b.scope.path, self.b.scope.line = "/".join(self._path), self._line
        try:
            return self._apply(eqn, inputs, live)
        except Refused as refused:
            self.problem(str(refused))
            return [self._dummy(one.aval) for one in eqn.outvars]
        finally:
            self._line, self._path, self.b.scope.path, self.b.scope.line = before[0], before[1], before[2], before[3]

    def _apply(self, eqn: Any, inputs: Sequence[Tensor], live: Sequence[bool]) -> List[Tensor]:
        found = check(eqn.primitive.name, eqn.params)
        # Skip this check of types for an equation that calls a jaxpr: the error about an unsupported type then names the
        # equation in the jaxpr that produces it.
        if not any(hasattr(value, "jaxpr") or hasattr(value, "eqns") for value in eqn.params.values()):
            for one in [*eqn.invars, *eqn.outvars]:
                type_of(one.aval)
        self.live = live
        made = found.function(self, eqn, *inputs)
        results = list(made) if isinstance(made, (list, tuple)) else [made]
        for variable, result in zip(eqn.outvars, results):
            expected = (self._dummy_type(variable.aval), tuple(variable.aval.shape))
            assert (result.dtype, result.shape) == expected, f"{eqn.primitive.name}: {result.dtype}{list(result.shape)} for {variable.aval}"
        return results

    # -- Helpers for rules

    type_of = staticmethod(type_of)

    def trace(self, function: Any, avals: Sequence[Any], *inputs: Tensor) -> List[Tensor]:
        """Adds what `function` of JAX computes of `inputs`, whose types are `avals`."""
        traced = jax.make_jaxpr(function)(*(jax.ShapeDtypeStruct(one.shape, one.dtype) for one in avals))
        return self.closed(traced, inputs)


def _live(jaxpr: Any, wanted: Sequence[Any]) -> List[Tuple[Any, List[bool]]]:
    """Returns the equations that the variables `wanted` need, or that have effects, each with which of its results are
    needed."""
    needed = {one for one in wanted if not isinstance(one, _LITERAL)}
    found = []
    for eqn in reversed(jaxpr.eqns):
        live = [one in needed for one in eqn.outvars]
        if any(live) or eqn.effects:
            found.append((eqn, live))
            needed.update(one for one in eqn.invars if not isinstance(one, _LITERAL))
    return found[::-1]
