# SPDX-License-Identifier: Apache-2.0
"""Orders of elements: stable sorts and the largest of each row, by TopK on integers that order as the elements do."""

from __future__ import annotations

from typing import List

import numpy as np

from ._builder import FLOATS, SIGNED, Builder, bits_of
from ._metagraph import Tensor


def ordered_bits(b: Builder, x: Tensor) -> Tensor:
    """Integers in the total order of floats: -NaN, -inf .. -0, 0 .. inf, NaN."""
    if x.dtype in ("float16", "bfloat16"):
        x = b.cast(x, "float32")
    dtype = "int64" if x.dtype == "float64" else "int32"
    bits = b.bitcast(x, dtype)
    sign = b.pointwise("RightShift", bits, b.const(bits_of(dtype) - 1, dtype))
    return b.pointwise("BitwiseXor", bits, b.pointwise("BitwiseAnd", sign, b.const(np.iinfo(dtype).max, dtype)))


def keys(b: Builder, x: Tensor) -> Tensor:
    """Integers in the order that sorts have: all zeros are equal, and all NaNs come last."""
    if x.dtype in FLOATS:
        x = b.select(b.pointwise("Equal", x, b.like(0, x)), b.like(0, x), x)
        return ordered_bits(b, b.select(b.pointwise("IsNan", x), b.like(np.nan, x), x))
    if x.dtype == "bool" or bits_of(x.dtype) < 32:
        return b.cast(x, "int32")
    if x.dtype in SIGNED:
        return x
    signed = x.dtype[1:]
    return b.pointwise("BitwiseXor", b.bitcast(x, signed), b.const(np.iinfo(signed).min, signed))


def order(b: Builder, keys: Tensor) -> Tensor:
    """The stable order of keys along the last axis: TopK takes the first of equals, and a complement reverses integers."""
    size = keys.shape[-1]
    found = b.scope.op("TopKV2", b.pointwise("Invert", keys), b.const(size, "int32"), shapes=[keys.shape, keys.shape], sorted=True)
    places: Tensor = found[1]
    return places


def top(b: Builder, x: Tensor, k: int, axis: int, largest: bool) -> List[Tensor]:
    """The k largest, or smallest, along an axis, and where they are: of equals the first; NaN is the largest."""
    turn = [*(one for one in range(x.rank) if one != axis), axis]
    rows = b.transpose(x, turn)
    by = keys(b, rows)
    by = by if largest else b.pointwise("Invert", by)
    shape = [*rows.shape[:-1], k]
    places = b.scope.op("TopKV2", by, b.const(k, "int32"), shapes=[shape, shape], sorted=True)[1]
    back = [turn.index(one) for one in range(x.rank)]
    return [b.transpose(b.gather(rows, places, x.rank - 1, x.rank - 1), back), b.transpose(places, back)]
