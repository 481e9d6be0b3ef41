# SPDX-License-Identifier: Apache-2.0
"""ATen's reductions along axes, cumulative ops, sorts and the largest elements."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

import numpy as np

from .._builder import FLOATS, prod
from .._metagraph import Tensor
from .._sorting import keys, order, top
from .._wire import Type
from ._rules import Refused, rule
from ._shapes import part
from ._walk import Walk


def axes_of(dim: Any, rank: int) -> List[int]:
    """The axes that an argument names; all if it is None or names none."""
    if dim is None or dim == []:
        return list(range(rank))
    return sorted({one % rank for one in (dim if isinstance(dim, (list, tuple)) else [dim])}) if rank else []


def given_dim(w: Walk) -> Any:
    """The argument `dim`, which not every overload of a reduction has."""
    return w.node.args[1] if len(w.node.args) > 1 else w.node.kwargs.get("dim")


def reduced(w: Walk, op: str, x: Tensor, axes: Sequence[int], keepdim: bool) -> Tensor:
    made = w.b.reduce(op, x, axes)
    return w.b.reshape(made, [1 if axis in axes else size for axis, size in enumerate(x.shape)]) if keepdim else made


@rule("sum", "sum.dim_IntList", known=("dtype", "dim", "keepdim"))
def sum_(w: Walk, x: Tensor) -> Tensor:
    """16-bit floats are added in float32, as in torch."""
    wide = "float32" if w.out.dtype in ("float16", "bfloat16") else w.out.dtype
    made = w.b.reduce("Sum", w.cast(x, wide), axes_of(given_dim(w), x.rank))
    return w.cast(w.b.reshape(made, w.out.shape), w.out.dtype)


@rule("mean", "mean.dim", known=("dim", "dtype", "keepdim"))
def mean(w: Walk, x: Tensor) -> Tensor:
    return average(w, w.cast(x, w.out.dtype), axes_of(given_dim(w), x.rank), w.out.shape)


def average(w: Walk, x: Tensor, axes: Sequence[int], shape: Sequence[int]) -> Tensor:
    """The mean along axes, in the shape `shape`; 16-bit floats are added in float32."""
    b = w.b
    wide = b.cast(x, "float32") if x.dtype in ("float16", "bfloat16") else x
    count = prod([x.shape[axis] for axis in axes])
    made = b.pointwise("RealDiv", b.reduce("Sum", wide, axes), b.like(count, wide))
    return b.cast(b.reshape(made, shape), x.dtype)


@rule("var.correction", "var_mean.correction", "std.correction", "var.dim", "var_mean.dim", known=("keepdim", "unbiased", "correction"))
def variance(w: Walk, x: Tensor, dim: Any) -> Any:
    b, axes, node = w.b, axes_of(dim, x.rank), w.node
    if "correction" in w.name:
        correction = node.kwargs.get("correction", 1)
        correction = 1 if correction is None else correction
    else:
        correction = int(node.args[2] if len(node.args) > 2 else node.kwargs.get("unbiased", True))
    wide = b.cast(x, "float32") if x.dtype in ("float16", "bfloat16") else x
    kept = [1 if axis in axes else size for axis, size in enumerate(x.shape)]
    count = prod([x.shape[axis] for axis in axes])
    center = average(w, wide, axes, kept)
    squares = b.pointwise("Square", b.sub(wide, b.broadcast(center, x.shape)))
    divisor = max(0.0, count - correction)
    made = b.pointwise("RealDiv", b.reduce("Sum", squares, axes), b.like(divisor, wide))
    made = b.pointwise("Sqrt", made) if w.name.startswith("std") else made
    made = b.cast(b.reshape(made, w.out.shape), w.out.dtype)
    return [made, b.cast(b.reshape(center, w.out.shape), w.out.dtype)] if "mean" in w.name else made


@rule("prod", "prod.dim_int", known=("dim", "dtype", "keepdim"))
def prod_(w: Walk, x: Tensor) -> Tensor:
    made = w.b.reduce("Prod", w.cast(x, w.out.dtype), axes_of(given_dim(w), x.rank))
    return w.b.reshape(made, w.out.shape)


@rule("amax", "amin")
def amax(w: Walk, x: Tensor, dim: Any, keepdim: bool) -> Tensor:
    return extreme(w, x, axes_of(dim, x.rank), keepdim, w.name.startswith("amax"))


@rule("max", "min")
def max_(w: Walk, x: Tensor) -> Tensor:
    return extreme(w, x, list(range(x.rank)), False, w.name.startswith("max"))


def extreme(w: Walk, x: Tensor, axes: Sequence[int], keepdim: bool, of_all: bool) -> Tensor:
    if x.dtype == "bool":
        return reduced(w, "Any" if of_all else "All", x, axes, keepdim)
    return reduced(w, "Max" if of_all else "Min", x, axes, keepdim)


@rule("max.dim", "min.dim")
def max_dim(w: Walk, x: Tensor, dim: int, keepdim: bool) -> List[Tensor]:
    if not x.rank:
        return [x, w.b.const(0, "int64")]
    axis, of_all = dim % x.rank, w.name.startswith("max")
    return [extreme(w, x, [axis], keepdim, of_all), place(w, x, axis, keepdim, of_all)]


def place(w: Walk, x: Tensor, axis: int, keepdim: bool, largest: bool) -> Tensor:
    """The first index of the extreme; of the first NaN, if there is one."""
    b = w.b
    shape = [size for one, size in enumerate(x.shape) if one != axis]
    x = b.cast(x, "int32") if x.dtype == "bool" else x

    def first(op: str, x: Tensor) -> Tensor:
        return w.op(op, x, b.const(axis, "int32"), shape=shape, output_type=Type("int64"))

    found = first("ArgMax" if largest else "ArgMin", x)
    if x.dtype in FLOATS:
        nan = b.pointwise("IsNan", x)
        found = w.select(b.reduce("Any", nan, [axis]), first("ArgMax", b.cast(nan, "int32")), found)
    return b.reshape(found, [1 if one == axis else size for one, size in enumerate(x.shape)]) if keepdim else found


@rule("argmax", "argmin")
def argmax(w: Walk, x: Tensor, dim: Optional[int], keepdim: bool) -> Tensor:
    flat = w.b.reshape(x, [x.size]) if dim is None or not x.rank else x
    found = place(w, flat, 0 if dim is None or not x.rank else dim % x.rank, False, w.name.startswith("argmax"))
    return w.b.reshape(found, w.out.shape)


@rule("any", "any.dim", "any.dims", "all", "all.dim", "all.dims", known=("dim", "keepdim",))
def any_(w: Walk, x: Tensor) -> Tensor:
    made = w.b.reduce("Any" if w.name.startswith("any") else "All", w.cast(x, "bool"), axes_of(given_dim(w), x.rank))
    return w.cast(w.b.reshape(made, w.out.shape), w.out.dtype)


@rule("cumsum", "cumprod", "logcumsumexp", known=("dtype",))
def cumulative(w: Walk, x: Tensor, dim: int) -> Tensor:
    x = w.cast(x, w.out.dtype)
    if not x.rank:
        return x
    op = {"cumsum": "Cumsum", "cumprod": "Cumprod", "logcumsumexp": "CumulativeLogsumexp"}[w.name.split(".")[0]]
    return w.op(op, x, w.b.const(dim % x.rank, "int32"), shape=x.shape)


@rule("cummax", "cummin")
def cumulative_extreme(w: Walk, x: Tensor, dim: int) -> List[Tensor]:
    """By doubling the distance over which elements are combined (Hillis and Steele, 1986). Of equals the last is taken."""
    b, of_two = w.b, w.name.startswith("cummax")
    if not x.rank:
        return [x, b.const(0, "int64")]
    axis = dim % x.rank
    places, size, distance = b.broadcast(b.iota(x.shape, axis, "int64"), x.shape), x.shape[axis], 1
    while distance < size:
        late, early = (part(w, one, axis, distance, size) for one in (x, places)), (part(w, one, axis, 0, size - distance) for one in (x, places))
        (near, at), (far, before) = late, early
        takes = b.pointwise("GreaterEqual" if of_two else "LessEqual", near, far)
        if x.dtype in FLOATS:
            takes = b.pointwise("LogicalOr", takes, b.pointwise("IsNan", near))
            takes = b.pointwise("LogicalAnd", takes, b.pointwise("LogicalNot", b.pointwise("LogicalAnd", b.pointwise("IsNan", far),
                                                                                          b.pointwise("LogicalNot", b.pointwise("IsNan", near)))))
        x, places = (b.concat([part(w, one, axis, 0, distance), b.select(takes, new, old)], axis)
                     for one, new, old in ((x, near, far), (places, at, before)))
        distance *= 2
    return [x, places]


@rule("sort", "sort.stable", known=("stable",))
def sort(w: Walk, x: Tensor, dim: int, descending: bool) -> List[Tensor]:
    b = w.b
    if not x.rank or x.shape[dim % x.rank] <= 1:
        return [x, w.zeros(x.shape, "int64")]
    axis = dim % x.rank
    turn = [*(one for one in range(x.rank) if one != axis), axis]
    rows = b.transpose(x, turn)
    by = keys(b, rows)
    places = order(b, b.pointwise("Invert", by) if descending else by)
    back = [turn.index(one) for one in range(x.rank)]
    return [b.transpose(b.gather(rows, places, x.rank - 1, x.rank - 1), back), b.cast(b.transpose(places, back), "int64")]


@rule("topk", known=("sorted",))
def topk(w: Walk, x: Tensor, k: int, dim: int, largest: bool) -> List[Tensor]:
    if not x.rank:
        return [x, w.b.const(0, "int64")]
    values, places = top(w.b, x, k, dim % x.rank, largest)
    return [values, w.b.cast(places, "int64")]


@rule("linalg_vector_norm", known=("keepdim", "dtype"))
def vector_norm(w: Walk, x: Tensor, ord: Any, dim: Any) -> Tensor:
    return w.b.reshape(_norm(w, w.cast(x, w.out.dtype), float(ord), axes_of(dim, x.rank)), w.out.shape)


def _norm(w: Walk, x: Tensor, ord: float, axes: Sequence[int]) -> Tensor:
    b, size = w.b, w.b.pointwise("Abs", x)
    if ord in (np.inf, -np.inf):
        return b.reduce("Max" if ord > 0 else "Min", size, axes)
    if ord == 0:
        return b.reduce("Sum", b.cast(b.pointwise("NotEqual", size, b.like(0, size)), size.dtype), axes)
    if ord == 1:
        return b.reduce("Sum", size, axes)
    if ord == 2:
        return b.pointwise("Sqrt", b.reduce("Sum", b.pointwise("Square", x), axes))
    return b.pointwise("Pow", b.reduce("Sum", b.pointwise("Pow", size, b.like(ord, size)), axes), b.like(1 / ord, size))


@rule("_softmax", "_log_softmax")
def softmax(w: Walk, x: Tensor, dim: int, half_to_float: bool) -> Tensor:
    """16-bit floats are computed in float32, as in torch."""
    b, to = w.b, w.out.dtype
    x = b.cast(x, "float32") if x.dtype in ("float16", "bfloat16") else x
    axes = [dim % x.rank] if x.rank else []
    shifted = b.sub(x, b.broadcast(reduced(w, "Max", x, axes, True), x.shape))
    powers = b.pointwise("Exp", shifted)
    whole = b.broadcast(reduced(w, "Sum", powers, axes, True), x.shape)
    made = b.pointwise("RealDiv", powers, whole) if w.name.startswith("_softmax") else b.sub(shifted, b.pointwise("Log", whole))
    return b.cast(made, to)


@rule("logsumexp", known=("keepdim",))
def logsumexp(w: Walk, x: Tensor, dim: Any) -> Tensor:
    b, axes = w.b, axes_of(dim, x.rank)
    top_ = reduced(w, "Max", x, axes, True)
    top_ = b.select(b.pointwise("Equal", b.pointwise("Abs", top_), b.like(np.inf, x)), b.like(0, x), top_)
    total_ = b.reduce("Sum", b.pointwise("Exp", b.sub(x, b.broadcast(top_, x.shape))), axes)
    return b.reshape(b.add(b.pointwise("Log", total_), b.reshape(top_, total_.shape)), w.out.shape)


def _differences(w: Walk, x1: Tensor, x2: Tensor) -> Tensor:
    """x1 - x2 of each pair of rows."""
    one, other = w.b.reshape(x1, [*x1.shape[:-1], 1, x1.shape[-1]]), w.b.reshape(x2, [*x2.shape[:-2], 1, *x2.shape[-2:]])
    return w.pointwise("Sub", one, other)


@rule("_cdist_forward", known=("compute_mode",))
def cdist(w: Walk, x1: Tensor, x2: Tensor, p: float) -> Tensor:
    between = _differences(w, x1, x2)
    return _norm(w, between, float(p), [between.rank - 1])


@rule("_cdist_backward")
def cdist_backward(w: Walk, grad: Tensor, x1: Tensor, x2: Tensor, p: float, cdist: Tensor) -> Tensor:
    if float(p) != 2:
        raise Refused(f"{w.name}: p={p} is not supported; 2 is")
    b, between = w.b, _differences(w, x1, x2)
    share = b.pointwise("DivNoNan", grad, cdist)
    weighted = b.mul(between, b.broadcast(b.reshape(share, [*share.shape, 1]), between.shape))
    return b.reduce("Sum", weighted, [between.rank - 2])
