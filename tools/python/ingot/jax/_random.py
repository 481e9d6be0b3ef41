# SPDX-License-Identifier: Apache-2.0
"""JAX's random numbers, bit for bit: Threefry-2x32 (Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3, 2011).

A key is an int64 in the graph, both its words, so that arrays of keys are reshaped, sliced and selected like any others.
Variables hold keys as JAX's key_data shows them: uint32 with a last axis of 2. Numbers are drawn by Ingot's own op,
Ingot>ThreefryBits, each by its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Sequence, Tuple

import jax
import numpy as np

from .._builder import prod
from .._metagraph import Tensor
from .._wire import Type
from ._rules import ANY, Refused, rule, unsharded

if TYPE_CHECKING:
    from ._walk import Walk

def _packed(w: Walk, low: Tensor, high: Tensor) -> Tensor:
    """Keys of their first words, which are the low halves of the integers, and their second."""
    b = w.b
    shifted = b.pointwise("LeftShift", b.cast(high, "int64"), b.const(32, "int64"))
    keys: Tensor = b.pointwise("BitwiseOr", shifted, b.cast(low, "int64"))
    keys.origin = (low, high)
    return keys


def _words(w: Walk, keys: Tensor) -> Tuple[Tensor, Tensor]:
    if keys.origin is not None:
        return keys.origin
    b = w.b
    mask = b.const(0xFFFFFFFF, "int64")
    high = b.pointwise("BitwiseAnd", b.pointwise("RightShift", keys, b.const(32, "int64")), mask)
    return b.cast(b.pointwise("BitwiseAnd", keys, mask), "uint32"), b.cast(high, "uint32")


def pack(w: Walk, words: Tensor) -> Tensor:
    """Keys of their words, uint32 [..., 2]."""
    return _packed(w, w.b.index(words, 0), w.b.index(words, 1))


def unpack(w: Walk, keys: Tensor) -> Tensor:
    words: Tensor = w.b.stack(_words(w, keys))
    return words


def _threefry(w: Walk, keys: Tensor, first: Tensor, shape: Sequence[int], dtype: str) -> Tensor:
    """The numbers with the counters from `first` on, for each key: `shape` behind the keys' own. Of 64 bits, the upper half is
    the first word of a counter's two; 32 bits are both words' XOR."""
    made: Tensor = w.b.scope.op("Ingot>ThreefryBits", unpack(w, keys), first, w.b.sizes(shape), shapes=[[*keys.shape, *shape]], dtype=Type(dtype))
    return made


def _halves(w: Walk, x: Tensor) -> Tuple[Tensor, Tensor]:
    """The upper and the lower words of numbers of 64 bits."""
    return w.b.cast(w.b.pointwise("RightShift", x, w.b.const(32, "uint64")), "uint32"), w.b.cast(x, "uint32")


def _joined(w: Walk, high: Tensor, low: Tensor) -> Tensor:
    b = w.b
    upper = b.pointwise("LeftShift", b.cast(high, "uint64"), b.const(32, "uint64"))
    joined: Tensor = b.pointwise("BitwiseOr", upper, b.cast(low, "uint64"))
    return joined


def _counters(w: Walk, keys: Tensor) -> Tensor:
    """The counter 0, for each key."""
    return w.b.broadcast(w.b.const(0, "uint64"), keys.shape)


def _each_of(w: Walk, keys: Tensor, count: int) -> Tensor:
    """Each key `count` times, along a new last axis."""
    return w.b.broadcast(w.b.reshape(keys, [*keys.shape, 1]), [*keys.shape, count])


def _in_halves(w: Walk, keys: Tensor, count: int) -> Tensor:
    """`count` words of 32 bits for each key, in JAX's order without jax_threefry_partitionable: the counters' two words are the
    first and the second half of all indices, and so are the results'."""
    b, half = w.b, (count + 1) // 2
    rows = b.iota([half], 0, "uint32")
    others = b.add(rows, b.const(half, "uint32"))
    if count % 2:
        others = b.select(b.pointwise("Less", b.cast(rows, "int32"), b.const(half - 1, "int32")), others, b.like(0, others))
    repeated = _each_of(w, keys, half)
    first = b.broadcast(b.reshape(_joined(w, rows, others), [1] * keys.rank + [half]), repeated.shape)
    parts = b.concat(_halves(w, _threefry(w, repeated, first, (), "uint64")), keys.rank)
    return b.slice(parts, [0] * parts.rank, [*keys.shape, count])


def _is_partitionable() -> bool:
    return bool(getattr(jax.config, "jax_threefry_partitionable", True))


def _bits_in_halves(w: Walk, keys: Tensor, shape: Sequence[int], width: int) -> Tensor:
    b, size = w.b, prod(shape)
    words = -(-width * size // 32)
    bits = _in_halves(w, keys, words)
    if width == 64:
        begin, middle, end = [0] * bits.rank, [*keys.shape, size], [*keys.shape, 2 * size]
        return _joined(w, b.slice(bits, begin, middle), b.slice(bits, [*begin[:-1], size], end))
    if width == 32:
        return bits
    each = 32 // width
    shifts = b.const(np.arange(each, dtype=np.uint32) * np.uint32(width))
    parts = b.pointwise("RightShift", b.reshape(bits, [*keys.shape, words, 1]), b.reshape(shifts, [1] * bits.rank + [each]))
    parts = b.cast(parts, f"uint{width}")
    return b.slice(b.reshape(parts, [*keys.shape, words * each]), [0] * bits.rank, [*keys.shape, size])


@rule("random_bits", bit_width=ANY, shape=ANY, out_sharding=unsharded)
def random_bits(w: Walk, eqn: Any, keys: Tensor) -> Tensor:
    b, width, shape = w.b, int(eqn.params["bit_width"]), eqn.params["shape"]
    if not _is_partitionable():
        return b.reshape(_bits_in_halves(w, keys, shape, width), eqn.outvars[0].aval.shape)
    bits = _threefry(w, keys, _counters(w, keys), shape, "uint64" if width == 64 else "uint32")
    return b.cast(bits, f"uint{width}")


@rule("random_split", shape=ANY)
def random_split(w: Walk, eqn: Any, keys: Tensor) -> Tensor:
    shape = eqn.params["shape"]
    if not _is_partitionable():
        return pack(w, w.b.reshape(_in_halves(w, keys, 2 * prod(shape)), [*keys.shape, *shape, 2]))
    return _packed(w, *_halves(w, _threefry(w, keys, _counters(w, keys), shape, "uint64")))


@rule("random_fold_in")
def random_fold_in(w: Walk, eqn: Any, keys: Tensor, data: Tensor) -> Tensor:
    first = w.b.cast(w.b.cast(data, "uint32"), "uint64")
    return _packed(w, *_halves(w, _threefry(w, keys, w.b.broadcast(first, keys.shape), (), "uint64")))


@rule("random_seed", impl=ANY)
def random_seed(w: Walk, eqn: Any, seeds: Tensor) -> Tensor:
    b = w.b
    if seeds.dtype in ("int64", "uint64"):
        high = b.pointwise("RightShift", b.cast(seeds, "uint64"), b.const(32, "uint64"))
        return _packed(w, b.cast(high, "uint32"), b.cast(b.cast(seeds, "uint64"), "uint32"))
    low = b.cast(seeds, "uint32")
    return _packed(w, b.broadcast(b.const(0, "uint32"), low.shape), low)


@rule("random_wrap", impl=ANY)
def random_wrap(w: Walk, eqn: Any, words: Tensor) -> Tensor:
    return pack(w, words)


@rule("random_unwrap")
def random_unwrap(w: Walk, eqn: Any, keys: Tensor) -> Tensor:
    return unpack(w, keys)


@rule("threefry2x32")
def threefry2x32(w: Walk, eqn: Any, *words: Tensor) -> List[Tensor]:
    shape = eqn.outvars[0].aval.shape
    k0, k1, x0, x1 = (w.b.broadcast(one if one.rank in (0, len(shape)) else w.b.reshape(one, [1] * (len(shape) - one.rank) + list(one.shape)), shape)
                      for one in words)
    return list(_halves(w, _threefry(w, _packed(w, k0, k1), _joined(w, x0, x1), (), "uint64")))


@rule("iota_2x32_shape", shape=ANY, sharding=unsharded)
def iota_2x32_shape(w: Walk, eqn: Any) -> List[Tensor]:
    """Both words of the index of each element, the upper one first."""
    shape = eqn.params["shape"]
    if prod(shape) >= 1 << 31:
        raise Refused(f"random numbers of shape {list(shape)}: fewer than 2^31 can be drawn at once")
    low = w.b.iota([prod(shape)], 0, "uint32")
    return [w.b.broadcast(w.b.const(0, "uint32"), shape), w.b.reshape(low, shape)]
