# SPDX-License-Identifier: Apache-2.0
"""JAX's random numbers, bit for bit: Threefry-2x32 (Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3, 2011).

A key is an int64 in the graph, both its words, so that arrays of keys are reshaped, sliced and selected like any others.
Variables hold keys as JAX's key_data shows them: uint32 with a last axis of 2.
"""

from __future__ import annotations

from typing import Any, List, Sequence, Tuple

import jax
import numpy as np

from .._builder import prod
from .._metagraph import Tensor
from .._wire import Type
from ._rules import ANY, Refused, rule

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))


def pack(w: Any, words: Tensor) -> Tensor:
    """Keys of their words, uint32 [..., 2]."""
    made: Tensor = w.b.scope.op("Bitcast", words, shapes=[words.shape[:-1]], type=Type("int64"))
    return made


def unpack(w: Any, keys: Tensor) -> Tensor:
    made: Tensor = w.b.scope.op("Bitcast", keys, shapes=[[*keys.shape, 2]], type=Type("uint32"))
    return made


def _words(w: Any, keys: Tensor) -> Tuple[Tensor, Tensor]:
    both = unpack(w, keys)
    return w.b.index(both, 0), w.b.index(both, 1)


def threefry(w: Any, k0: Tensor, k1: Tensor, x0: Tensor, x1: Tensor) -> Tuple[Tensor, Tensor]:
    """Twenty rounds on the words `x0`, `x1` under the key `k0`, `k1`: all uint32 of one rank, which broadcast."""
    b = w.b

    def rotated(x: Tensor, count: int) -> Tensor:
        left, right = b.pointwise("LeftShift", x, b.like(count, x)), b.pointwise("RightShift", x, b.like(32 - count, x))
        made: Tensor = b.pointwise("BitwiseOr", left, right)
        return made

    mixed = b.pointwise("BitwiseXor", b.pointwise("BitwiseXor", k0, k1), b.const(0x1BD11BDA, "uint32"))
    keys = [k0, k1, mixed]
    x0, x1 = b.add(x0, k0), b.add(x1, k1)
    for group in range(5):
        for count in _ROTATIONS[group % 2]:
            x0 = b.add(x0, x1)
            x1 = b.pointwise("BitwiseXor", x0, rotated(x1, count))
        x0 = b.add(x0, keys[(group + 1) % 3])
        x1 = b.add(b.add(x1, keys[(group + 2) % 3]), b.const(group + 1, "uint32"))
    return x0, x1


def _counts(w: Any, shape: Sequence[int]) -> Tuple[Tensor, Tensor]:
    """The words of the 64-bit index of each element."""
    if prod(shape) >= 1 << 31:
        raise Refused(f"random numbers of shape {list(shape)}: no more than 2^31 are drawn at once")
    low = w.b.reshape(w.b.iota([prod(shape)], 0, "uint32"), shape)
    return w.b.const(np.zeros([1] * len(shape), np.uint32)), low


def _draw(w: Any, keys: Tensor, shape: Sequence[int]) -> Tuple[Tensor, Tensor]:
    """The two words of each element of `shape`, for each key."""
    if not getattr(jax.config, "jax_threefry_partitionable", True):
        raise Refused("random numbers without jax_threefry_partitionable are not supported")
    b, (k0, k1) = w.b, _words(w, keys)
    k0, k1 = (b.reshape(one, [*keys.shape, *[1] * len(shape)]) for one in (k0, k1))
    high, low = _counts(w, shape)
    high, low = (b.reshape(one, [*[1] * keys.rank, *one.shape]) for one in (high, low))
    whole = [*keys.shape, *shape]
    x0, x1 = threefry(w, k0, k1, high, low)
    return b.broadcast(x0, whole), b.broadcast(x1, whole)


@rule("random_bits", bit_width=ANY, shape=ANY, out_sharding=(None,))
def random_bits(w: Any, eqn: Any, keys: Tensor) -> Tensor:
    b, width = w.b, int(eqn.params["bit_width"])
    x0, x1 = _draw(w, keys, eqn.params["shape"])
    if width == 64:
        high = b.pointwise("LeftShift", b.cast(x0, "uint64"), b.const(32, "uint64"))
        return b.pointwise("BitwiseOr", high, b.cast(x1, "uint64"))
    return b.cast(b.pointwise("BitwiseXor", x0, x1), f"uint{width}")


@rule("random_split", shape=ANY)
def random_split(w: Any, eqn: Any, keys: Tensor) -> Tensor:
    x0, x1 = _draw(w, keys, eqn.params["shape"])
    return pack(w, w.b.stack([x0, x1]))


@rule("random_fold_in")
def random_fold_in(w: Any, eqn: Any, keys: Tensor, data: Tensor) -> Tensor:
    b, (k0, k1) = w.b, _words(w, keys)
    data = b.cast(data, "uint32")
    x0, x1 = threefry(w, k0, k1, b.broadcast(b.const(0, "uint32"), data.shape), data)
    return pack(w, b.stack([b.broadcast(x0, keys.shape), b.broadcast(x1, keys.shape)]))


@rule("random_seed", impl=ANY)
def random_seed(w: Any, eqn: Any, seeds: Tensor) -> Tensor:
    b = w.b
    if seeds.dtype in ("int64", "uint64"):
        both = b.scope.op("Bitcast", seeds, shapes=[[*seeds.shape, 2]], type=Type("uint32"))
        return pack(w, b.stack([b.index(both, 1), b.index(both, 0)]))
    low = b.cast(seeds, "uint32")
    return pack(w, b.stack([b.broadcast(b.const(0, "uint32"), low.shape), low]))


@rule("random_wrap", impl=ANY)
def random_wrap(w: Any, eqn: Any, words: Tensor) -> Tensor:
    return pack(w, words)


@rule("random_unwrap")
def random_unwrap(w: Any, eqn: Any, keys: Tensor) -> Tensor:
    return unpack(w, keys)


@rule("threefry2x32")
def threefry2x32(w: Any, eqn: Any, *words: Tensor) -> List[Tensor]:
    shape = eqn.outvars[0].aval.shape
    whole = [w.b.broadcast(one if one.rank in (0, len(shape)) else w.b.reshape(one, [1] * (len(shape) - one.rank) + list(one.shape)), shape)
             for one in words]
    return [w.b.broadcast(one, shape) for one in threefry(w, *whole)]


@rule("iota_2x32_shape", shape=ANY, sharding=(None,))
def iota_2x32_shape(w: Any, eqn: Any) -> List[Tensor]:
    high, low = _counts(w, eqn.params["shape"])
    return [w.b.broadcast(high, low.shape), low]
