# SPDX-License-Identifier: Apache-2.0
"""Reductions along axes, and cumulative ops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._builder import FLOATS
from .._metagraph import Tensor
from .._wire import Type
from ._elementwise import larger
from ._rules import ANY, Refused, rule, unsharded

if TYPE_CHECKING:
    from ._walk import Walk

# For each primitive that combines two elements: the TensorFlow ops that reduce by it, one for numbers and one for booleans.
REDUCTIONS = {"add": ("Sum", "Any"), "mul": ("Prod", "All"), "max": ("Max", "Any"), "min": ("Min", "All"), "or": ("", "Any"),
              "and": ("", "All")}


def reduced(w: Walk, kind: str, x: Tensor, axes: Any) -> Tensor:
    op = REDUCTIONS[kind][x.dtype == "bool"]
    if not op:
        raise Refused(f"reduce_{kind}: {x.dtype} is not supported, only booleans are")
    made: Tensor = w.b.reduce(op, x, axes)
    return made


@rule("reduce_sum", "reduce_max", "reduce_min", "reduce_prod", "reduce_or", "reduce_and", axes=ANY, out_sharding=unsharded)
def reduce_named(w: Walk, eqn: Any, x: Tensor) -> Tensor:
    name = eqn.primitive.name[len("reduce_"):]
    return reduced(w, {"sum": "add", "prod": "mul"}.get(name, name), x, eqn.params["axes"])


@rule("reduce", computation=ANY, jaxpr=ANY, dimensions=ANY, out_sharding=unsharded)
def reduce_(w: Walk, eqn: Any, *x: Tensor) -> Tensor:
    """lax.reduce with a function that is one primitive: its result, and the initial value, are combined once more."""
    inner = eqn.params["jaxpr"].jaxpr
    kind = inner.eqns[0].primitive.name if len(inner.eqns) == 1 else ""
    if len(x) != 2 or kind not in REDUCTIONS or set(inner.eqns[0].invars) != set(inner.invars):
        raise Refused("reduce: its function is not one of add, mul, max, min, and, or of one array")
    whole = reduced(w, kind, x[0], eqn.params["dimensions"])
    if kind in ("max", "min"):
        return larger(w, whole, x[1], kind == "max")
    op = {"add": "AddV2", "mul": "Mul", "or": "LogicalOr", "and": "LogicalAnd"}[kind]
    return w.b.pointwise(op, whole, x[1])


@rule("argmax", "argmin", axes=ANY, index_dtype=ANY)
def arg_extreme(w: Walk, eqn: Any, x: Tensor) -> Tensor:
    """The first index of the extreme; of the first NaN, if there is one."""
    b, (axis,) = w.b, eqn.params["axes"]
    dtype = np.dtype(eqn.params["index_dtype"]).name
    op = "ArgMax" if eqn.primitive.name == "argmax" else "ArgMin"
    shape = eqn.outvars[0].aval.shape
    as_computed = dtype if dtype in ("int32", "int64") else "int32"
    if x.dtype == "bool":
        x = b.cast(x, "int32")

    def first(op: str, x: Tensor) -> Tensor:
        made: Tensor = b.scope.op(op, x, b.const(int(axis), "int32"), shapes=[shape], output_type=Type(as_computed))
        return made

    found = first(op, x)
    if x.dtype in FLOATS:
        nan = b.pointwise("IsNan", x)
        found = b.select(b.reduce("Any", nan, [axis]), first("ArgMax", b.cast(nan, "int32")), found)
    return b.cast(found, dtype)


@rule("cumsum", "cumprod", "cumlogsumexp", axis=ANY, reverse=ANY)
def cumulative(w: Walk, eqn: Any, x: Tensor) -> Tensor:
    op = {"cumsum": "Cumsum", "cumprod": "Cumprod", "cumlogsumexp": "CumulativeLogsumexp"}[eqn.primitive.name]
    made: Tensor = w.b.scope.op(op, x, w.b.const(int(eqn.params["axis"]), "int32"), shapes=[x.shape], reverse=bool(eqn.params["reverse"]))
    return made


@rule("cummax", "cummin", axis=ANY, reverse=ANY)
def cumulative_extreme(w: Walk, eqn: Any, x: Tensor) -> Tensor:
    """By doubling the distance over which elements are combined (Hillis and Steele, 1986)."""
    b, axis, of_two = w.b, int(eqn.params["axis"]), eqn.primitive.name == "cummax"
    size, distance = x.shape[axis], 1
    while distance < size:
        here = [size - distance if one == axis else length for one, length in enumerate(x.shape)]
        ahead = [distance if one == axis else 0 for one in range(x.rank)]
        near, far = b.slice(x, [0] * x.rank, here), b.slice(x, ahead, x.shape)
        joint = larger(w, near, far, of_two)
        if eqn.params["reverse"]:
            x = b.concat([joint, b.slice(x, [here[one] if one == axis else 0 for one in range(x.rank)], x.shape)], axis)
        else:
            x = b.concat([b.slice(x, [0] * x.rank, [distance if one == axis else length for one, length in enumerate(x.shape)]), joint], axis)
        distance *= 2
    return x
