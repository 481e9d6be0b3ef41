# SPDX-License-Identifier: Apache-2.0
"""sort of several operands, top_k, and the order of floats as integers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List

import numpy as np

from .._builder import FLOATS, SIGNED, bits_of
from .._metagraph import Tensor
from .._wire import Type
from ._rules import ANY, Refused, rule

if TYPE_CHECKING:
    from ._walk import Walk


def ordered_bits(w: Walk, x: Tensor) -> Tensor:
    """Integers in the total order of floats: -NaN, -inf .. -0, 0 .. inf, NaN."""
    b = w.b
    if x.dtype in ("float16", "bfloat16"):
        x = b.cast(x, "float32")
    dtype = "int64" if x.dtype == "float64" else "int32"
    bits = b.bitcast(x, dtype)
    sign = b.pointwise("RightShift", bits, b.const(bits_of(dtype) - 1, dtype))
    ordered: Tensor = b.pointwise("BitwiseXor", bits, b.pointwise("BitwiseAnd", sign, b.const(np.iinfo(dtype).max, dtype)))
    return ordered


def _keys(w: Walk, x: Tensor) -> Tensor:
    """Integers in the order that sort has: all zeros are equal, and all NaNs come last."""
    b = w.b
    if x.dtype in FLOATS:
        x = b.select(b.pointwise("Equal", x, b.like(0, x)), b.like(0, x), x)
        return ordered_bits(w, b.select(b.pointwise("IsNan", x), b.like(np.nan, x), x))
    if x.dtype == "bool" or bits_of(x.dtype) < 32:
        return b.cast(x, "int32")
    if x.dtype in SIGNED:
        return x
    signed = x.dtype[1:]
    return b.pointwise("BitwiseXor", b.bitcast(x, signed), b.const(np.iinfo(signed).min, signed))


def _order(w: Walk, keys: Tensor) -> Tensor:
    """The stable order of keys along the last axis: TopK takes the first of equals, and a complement reverses integers."""
    b = w.b
    size = keys.shape[-1]
    found = b.scope.op("TopKV2", b.pointwise("Invert", keys), b.const(size, "int32"), shapes=[keys.shape, keys.shape], sorted=True)
    places: Tensor = found[1]
    return places


@rule("sort", dimension=ANY, is_stable=ANY, num_keys=ANY)
def sort(w: Walk, eqn: Any, *x: Tensor) -> List[Tensor]:
    """By the last key first: each sort is stable."""
    b, p = w.b, eqn.params
    axis, rank = int(p["dimension"]), x[0].rank
    if x[0].shape[axis] <= 1:
        return list(x)
    turn = [*(one for one in range(rank) if one != axis), axis]
    rows = [b.transpose(one, turn) for one in x]
    *others, last = [_keys(w, one) for one in rows[: int(p["num_keys"])]]
    order = _order(w, last)
    for key in reversed(others):
        order = b.gather(order, _order(w, b.gather(key, order, rank - 1, rank - 1)), rank - 1, rank - 1)
    back = [turn.index(one) for one in range(rank)]
    return [b.transpose(b.gather(one, order, rank - 1, rank - 1), back) for one in rows]


@rule("top_k", k=ANY, axis=ANY, operand_longest_axis=ANY)
def top_k(w: Walk, eqn: Any, x: Tensor) -> List[Tensor]:
    axis = int(eqn.params.get("axis", x.rank - 1)) % x.rank
    return _top(w, x, int(eqn.params["k"]), axis, True)


def _top(w: Walk, x: Tensor, k: int, axis: int, largest: bool) -> List[Tensor]:
    """The k largest, or smallest, along an axis, and where they are: of equals the first; NaN is the largest."""
    b = w.b
    turn = [*(one for one in range(x.rank) if one != axis), axis]
    rows = b.transpose(x, turn)
    keys = _keys(w, rows)
    keys = keys if largest else b.pointwise("Invert", keys)
    shape = [*rows.shape[:-1], k]
    places = b.scope.op("TopKV2", keys, b.const(k, "int32"), shapes=[shape, shape], sorted=True)[1]
    back = [turn.index(one) for one in range(x.rank)]
    return [b.transpose(b.gather(rows, places, x.rank - 1, x.rank - 1), back), b.transpose(places, back)]


@rule("approx_top_k", k=ANY, reduction_dimension=ANY, recall_target=ANY, is_max_k=ANY, reduction_input_size_override=ANY,
      aggregate_to_topk=(True,))
def approx_top_k(w: Walk, eqn: Any, x: Tensor) -> List[Tensor]:
    p = eqn.params
    if x.dtype not in FLOATS:
        raise Refused(f"approx_top_k: {x.dtype} is not supported")
    return _top(w, x, int(p["k"]), int(p["reduction_dimension"]) % x.rank, bool(p["is_max_k"]))
