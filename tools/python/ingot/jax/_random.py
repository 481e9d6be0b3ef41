# SPDX-License-Identifier: Apache-2.0
"""JAX's random numbers, bit for bit: Threefry-2x32 (Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3, 2011).

A key is an int64 in the graph, both its words, so that arrays of keys are reshaped, sliced and selected like any others.
Variables hold keys as JAX's key_data shows them: uint32 with a last axis of 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Sequence, Tuple

import jax
import numpy as np

from .._builder import prod
from .._metagraph import Tensor
from .._wire import Shape
from ._rules import ANY, Refused, rule, unsharded

if TYPE_CHECKING:
    from ._walk import Walk

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))


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


def threefry(w: Walk, k0: Tensor, k1: Tensor, x0: Tensor, x1: Tensor) -> Tuple[Tensor, Tensor]:
    """Twenty rounds on the words `x0`, `x1` under the key `k0`, `k1`: all uint32, which broadcast.

    Four rounds are an iteration of a loop, as in JAX's own lowering for CPUs, so that a step that draws often stays small.
    """
    b = w.b
    mixed = b.pointwise("BitwiseXor", b.pointwise("BitwiseXor", k0, k1), b.const(0x1BD11BDA, "uint32"))
    x0, x1 = b.add(x0, k0), b.add(x1, k1)
    whole = np.broadcast_shapes(x0.shape, x1.shape)
    x0, x1 = b.broadcast(x0, whole), b.broadcast(x1, whole)
    rotations = [b.const(np.array(one, np.uint32)) for one in _ROTATIONS]
    state = [b.const(0, "uint32"), x0, x1, k1, mixed, k0, *rotations]
    shapes = (x0.shape, k0.shape)
    if shapes not in w.threefry_functions:
        w.threefry_functions[shapes] = (w.function("threefry_cond", state, _is_unfinished(w)),
                                        w.function("threefry_body", state, _four_rounds(w)))
    test, body = w.threefry_functions[shapes]
    made = b.scope.op("StatelessWhile", state, shapes=[one.shape for one in state], cond=test, body=body,
                      output_shapes=[Shape(one.shape) for one in state], parallel_iterations=10)
    return made[1], made[2]


def _is_unfinished(w: Walk) -> Any:
    return lambda given: [w.b.pointwise("Less", w.b.cast(given[0], "int32"), w.b.const(5, "int32"))]


def _four_rounds(w: Walk) -> Any:
    """The body of the loop: keys and rotations take turns."""

    def body(given: List[Tensor]) -> List[Tensor]:
        b = w.b
        index, x0, x1, first, second, third, rotations, others = given
        for place in range(4):
            count = b.index(rotations, place)
            x0 = b.add(x0, x1)
            left = b.pointwise("LeftShift", x1, count)
            right = b.pointwise("RightShift", x1, b.sub(b.const(32, "uint32"), count))
            x1 = b.pointwise("BitwiseXor", x0, b.pointwise("BitwiseOr", left, right))
        index = b.add(index, b.const(1, "uint32"))
        return [index, b.add(x0, first), b.add(b.add(x1, second), index), second, third, first, others, rotations]

    return body


def _counts(w: Walk, shape: Sequence[int]) -> Tensor:
    """The low word of the 64-bit index of each element, in one row; the high word is 0."""
    if prod(shape) >= 1 << 31:
        raise Refused(f"random numbers of shape {list(shape)}: fewer than 2^31 can be drawn at once")
    row: Tensor = w.b.iota([prod(shape)], 0, "uint32")
    return row


def _draw(w: Walk, keys: Tensor, shape: Sequence[int]) -> Tuple[Tensor, Tensor]:
    """The two words of each element of `shape`, in a row for each key: [keys, elements], or [elements] for one key."""
    if not getattr(jax.config, "jax_threefry_partitionable", True):
        raise Refused("random numbers under jax_threefry_partitionable=False are not supported; set it to True")
    b, (k0, k1) = w.b, _words(w, keys)
    low = _counts(w, shape)
    k0, k1 = (b.reshape(one, [keys.size, 1] if keys.rank else [1]) for one in (k0, k1))
    if keys.rank:
        low = b.reshape(low, [1, low.size])
    x0, x1 = threefry(w, k0, k1, b.const(0, "uint32"), low)
    whole = [*([keys.size] if keys.rank else []), low.size]
    return b.broadcast(x0, whole), b.broadcast(x1, whole)


@rule("random_bits", bit_width=ANY, shape=ANY, out_sharding=unsharded)
def random_bits(w: Walk, eqn: Any, keys: Tensor) -> Tensor:
    b, width = w.b, int(eqn.params["bit_width"])
    x0, x1 = _draw(w, keys, eqn.params["shape"])
    if width == 64:
        high = b.pointwise("LeftShift", b.cast(x0, "uint64"), b.const(32, "uint64"))
        bits = b.pointwise("BitwiseOr", high, b.cast(x1, "uint64"))
    else:
        bits = b.cast(b.pointwise("BitwiseXor", x0, x1), f"uint{width}")
    return b.reshape(bits, eqn.outvars[0].aval.shape)


@rule("random_split", shape=ANY)
def random_split(w: Walk, eqn: Any, keys: Tensor) -> Tensor:
    x0, x1 = _draw(w, keys, eqn.params["shape"])
    shape = eqn.outvars[0].aval.shape
    return _packed(w, w.b.reshape(x0, shape), w.b.reshape(x1, shape))


@rule("random_fold_in")
def random_fold_in(w: Walk, eqn: Any, keys: Tensor, data: Tensor) -> Tensor:
    b, (k0, k1) = w.b, _words(w, keys)
    data = b.cast(data, "uint32")
    x0, x1 = threefry(w, k0, k1, b.broadcast(b.const(0, "uint32"), data.shape), data)
    return _packed(w, b.broadcast(x0, keys.shape), b.broadcast(x1, keys.shape))


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
    whole = [w.b.broadcast(one if one.rank in (0, len(shape)) else w.b.reshape(one, [1] * (len(shape) - one.rank) + list(one.shape)), shape)
             for one in words]
    return [w.b.broadcast(one, shape) for one in threefry(w, *whole)]


@rule("iota_2x32_shape", shape=ANY, sharding=unsharded)
def iota_2x32_shape(w: Walk, eqn: Any) -> List[Tensor]:
    shape = eqn.params["shape"]
    return [w.b.broadcast(w.b.const(0, "uint32"), shape), w.b.reshape(_counts(w, shape), shape)]
