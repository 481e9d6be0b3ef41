# SPDX-License-Identifier: Apache-2.0
"""ATen's normalizations, as arithmetic: kernels for them are recognized by their form."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from .._metagraph import Tensor
from ._reductions import average
from ._rules import Refused, rule
from ._walk import Walk


def _moments(w: Walk, x: Tensor, axes: Sequence[int]) -> List[Tensor]:
    """The mean and the variance along axes, which stay as sizes of 1."""
    kept = [1 if axis in axes else size for axis, size in enumerate(x.shape)]
    mean = average(w, x, axes, kept)
    squares = w.b.pointwise("Square", w.b.sub(x, w.b.broadcast(mean, x.shape)))
    return [mean, average(w, squares, axes, kept)]


def _scaled(w: Walk, x: Tensor, mean: Tensor, inverse: Tensor, weight: Optional[Tensor], bias: Optional[Tensor]) -> Tensor:
    """(x - mean) * inverse * weight + bias, of which all but x broadcast."""
    b = w.b
    made = b.mul(b.sub(x, b.broadcast(mean, x.shape)), b.broadcast(inverse, x.shape))
    if weight is not None:
        made = b.mul(made, b.broadcast(b.cast(weight, made.dtype), x.shape))
    return made if bias is None else b.add(made, b.broadcast(b.cast(bias, made.dtype), x.shape))


def _inverse(w: Walk, variance: Tensor, eps: float) -> Tensor:
    return w.b.pointwise("Rsqrt", w.b.add(variance, w.b.like(eps, variance)))


def _wide(w: Walk, x: Tensor) -> Tensor:
    return w.b.cast(x, "float32") if x.dtype in ("float16", "bfloat16") else x


@rule("native_layer_norm")
def layer_norm(w: Walk, x: Tensor, normalized_shape: Sequence[int], weight: Optional[Tensor], bias: Optional[Tensor], eps: float) -> List[Tensor]:
    dtype, x = x.dtype, _wide(w, x)
    axes = list(range(x.rank - len(normalized_shape), x.rank))
    mean, variance = _moments(w, x, axes)
    inverse = _inverse(w, variance, eps)
    whole = [1] * (x.rank - len(normalized_shape)) + list(normalized_shape)
    weight, bias = (None if one is None else w.b.reshape(one, whole) for one in (weight, bias))
    made = w.b.cast(_scaled(w, x, mean, inverse, weight, bias), dtype)
    return [made, w.b.cast(mean, w.outs[1].dtype), w.b.cast(inverse, w.outs[2].dtype)]


@rule("native_group_norm", known=("C",))
def group_norm(w: Walk, x: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], N: int, HxW: int, group: int, eps: float) -> List[Tensor]:
    b, dtype, shape = w.b, x.dtype, x.shape
    channels = shape[1]
    rows = b.reshape(_wide(w, x), [N, group, channels // group * HxW])
    mean, variance = _moments(w, rows, [2])
    inverse = _inverse(w, variance, eps)
    rows = _scaled(w, rows, mean, inverse, None, None)
    made = b.reshape(rows, shape)
    sizes = [1, channels] + [1] * (len(shape) - 2)
    if weight is not None:
        made = b.mul(made, b.broadcast(b.cast(b.reshape(weight, sizes), made.dtype), shape))
    if bias is not None:
        made = b.add(made, b.broadcast(b.cast(b.reshape(bias, sizes), made.dtype), shape))
    flat = [b.cast(b.reshape(one, [N, group]), out.dtype) for one, out in zip((mean, inverse), w.outs[1:])]
    return [b.cast(made, dtype), *flat]


def _by_channel(w: Walk, one: Optional[Tensor], rank: int) -> Any:
    return None if one is None else w.b.reshape(one, [1, one.size] + [1] * (rank - 2))


@rule("_native_batch_norm_legit_functional", "_native_batch_norm_legit.no_stats", "_native_batch_norm_legit_no_training",
      "_native_batch_norm_legit", known=("running_mean", "running_var", "training", "momentum"))  # fmt: skip
def batch_norm(w: Walk, x: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], eps: float) -> List[Any]:
    b, dtype, x = w.b, x.dtype, _wide(w, x)
    given = {one.name: index for index, one in enumerate(w.node.target._schema.arguments)}

    def argument(name: str) -> Any:
        return w._given(w.node.args[given[name]]) if name in given else None

    running_mean, running_var, momentum = argument("running_mean"), argument("running_var"), argument("momentum")
    axes = [axis for axis in range(x.rank) if axis != 1]
    trains = bool(argument("training")) if "training" in given else "no_training" not in w.name
    if not trains:
        mean, variance = (_by_channel(w, b.cast(one, x.dtype), x.rank) for one in (running_mean, running_var))
        made = b.cast(_scaled(w, x, mean, _inverse(w, variance, eps), _by_channel(w, weight, x.rank), _by_channel(w, bias, x.rank)), dtype)
        empty = [w.zeros(one.shape, one.dtype) for one in w.outs[1:3]]
        return [made, *empty, running_mean, running_var] if len(w.outs) == 5 else [made, *empty]
    mean, variance = _moments(w, x, axes)
    inverse = _inverse(w, variance, eps)
    made = b.cast(_scaled(w, x, mean, inverse, _by_channel(w, weight, x.rank), _by_channel(w, bias, x.rank)), dtype)
    found = [made, *(b.reshape(one, [one.size]) for one in (mean, inverse))]
    if len(w.outs) != 5:
        if running_mean is not None:
            raise Refused(f"{w.name}: running statistics that change in place are not supported")
        return found
    count = x.size // x.shape[1]
    unbiased = b.mul(variance, b.like(count / max(1, count - 1), variance))
    for old, new in ((running_mean, mean), (running_var, unbiased)):
        new = b.cast(b.reshape(new, [new.size]), old.dtype)
        found.append(b.add(b.mul(new, b.like(momentum, new)), b.mul(old, b.like(1 - momentum, old))))
    return found
