# SPDX-License-Identifier: Apache-2.0
"""ATen's ops that draw random numbers. A trainer draws its own, by Philox: they have torch's distributions, not its bits.

Each draw is a RandomUniform of its own seed; the state of all is in checkpoints, so that a run that was killed goes on
with the very next numbers.
"""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

import numpy as np

from .._metagraph import Tensor
from .._wire import Type
from ._rules import Refused, rule
from ._walk import Walk


def _seeds(w: Walk) -> Any:
    """The seeds of the next draw; zeros, which the trainer's --seed replaces, if none was given."""
    w.draws += 1
    return dict(seed=0, seed2=0) if w.seed is None else dict(seed=int(w.seed), seed2=w.draws)


def uniform(w: Walk, shape: Sequence[int], dtype: str = "float32") -> Tensor:
    return w.op("RandomUniform", w.b.sizes(shape), shape=shape, dtype=Type(dtype), **_seeds(w))


def _drawn(w: Walk, normal: bool = False) -> Tensor:
    dtype = "float64" if w.out.dtype == "float64" else "float32"
    op = "RandomStandardNormal" if normal else "RandomUniform"
    made = w.op(op, w.b.sizes(w.out.shape), shape=w.out.shape, dtype=Type(dtype), **_seeds(w))
    return w.b.cast(made, w.out.dtype)


@rule("native_dropout")
def native_dropout(w: Walk, x: Tensor, p: float, train: Optional[bool]) -> List[Tensor]:
    b = w.b
    ones = b.broadcast(b.const(True, "bool"), x.shape)
    if train is False or p == 0:
        return [x, ones]
    if p == 1:
        return [w.zeros(x.shape, x.dtype), w.zeros(x.shape, "bool")]
    keep = b.pointwise("GreaterEqual", uniform(w, x.shape), b.const(p, "float32"))
    return [b.mul(b.mul(x, b.cast(keep, x.dtype)), b.like(1 / (1 - p), x)), keep]


@rule("rand", "rand_like", "uniform", known=("size", "dtype", "self"))
def rand(w: Walk) -> Tensor:
    made = _drawn(w)
    if not w.name.startswith("uniform"):
        return made
    low, high = ([*w.node.args[1:], *[0.0, 1.0][len(w.node.args) - 1:]] + [0.0, 1.0])[:2]
    return w.b.add(w.b.mul(made, w.b.like(high - low, made)), w.b.like(low, made))


@rule("randn", "randn_like", "normal_functional", known=("size", "dtype", "self", "mean", "std"))
def randn(w: Walk) -> Tensor:
    made = _drawn(w, normal=True)
    if not w.name.startswith("normal"):
        return made
    mean, std = ([*w.node.args[1:], *[0.0, 1.0][len(w.node.args) - 1:]] + [0.0, 1.0])[:2]
    return w.b.add(w.b.mul(made, w.b.like(std, made)), w.b.like(mean, made))


@rule("bernoulli", "bernoulli.Tensor")
def bernoulli(w: Walk, x: Tensor) -> Tensor:
    chances = x if w.name.endswith("default") else w._given(w.node.args[1])
    draw = uniform(w, w.out.shape)
    return w.cast(w.pointwise("Less", draw, w.b.cast(chances, "float32")), w.out.dtype)


@rule("bernoulli.p", known=("self",))
def bernoulli_p(w: Walk, p: float) -> Tensor:
    return w.cast(w.b.pointwise("Less", uniform(w, w.out.shape), w.b.const(p, "float32")), w.out.dtype)


@rule("randint", "randint.low", "randint_like", "randint_like.low_dtype", known=("size", "dtype", "self", "low", "from", "high"))
def randint(w: Walk) -> Tensor:
    numbers: List[int] = [one for one in w.node.args if isinstance(one, int)]
    low, high = numbers if len(numbers) == 2 else (0, numbers[0])
    if not -(2**31) <= low < high <= 2**31 - 1:
        raise Refused(f"{w.name}: numbers from {low} to {high} are not supported; they must fit into 32 bits")
    b = w.b
    made = w.op("RandomUniformInt", b.sizes(w.out.shape), b.const(np.int32(low)), b.const(np.int32(high)), shape=w.out.shape, **_seeds(w))
    return b.cast(made, w.out.dtype)


@rule("randperm", known=("n", "dtype"))
def randperm(w: Walk) -> Tensor:
    """The order of random keys, of which 53 bits make equals unlikely."""
    count = w.out.shape[0]
    if count <= 1:
        return w.zeros(w.out.shape, w.out.dtype)
    keys = w.op("RandomUniform", w.b.sizes([count]), shape=[count], dtype=Type("float64"), **_seeds(w))
    places = w.b.scope.op("TopKV2", keys, w.b.const(count, "int32"), shapes=[[count], [count]], sorted=True)[1]
    return w.b.cast(places, w.out.dtype)
