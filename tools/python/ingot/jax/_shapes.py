# SPDX-License-Identifier: Apache-2.0
"""Primitives that move elements: reshapes, transposes, slices, pads, concatenations and broadcasts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List

import numpy as np

from .._metagraph import Tensor
from ._rules import ANY, rule, unsharded

if TYPE_CHECKING:
    from ._walk import Walk


@rule("broadcast_in_dim", shape=ANY, broadcast_dimensions=ANY, sharding=unsharded)
def broadcast_in_dim(w: Walk, eqn: Any, x: Tensor) -> Tensor:
    shape, axes = eqn.outvars[0].aval.shape, eqn.params["broadcast_dimensions"]
    thin = x.thin
    if thin.rank == 0:
        return w.b.broadcast(thin, shape)
    sizes = [1] * len(shape)
    for axis, size in zip(axes, thin.shape):
        sizes[axis] = size
    return w.b.broadcast(w.b.reshape(thin, sizes), shape)


@rule("broadcast_to", shape=ANY)
def broadcast_to(w: Walk, eqn: Any, x: Tensor) -> Tensor:
    shape = eqn.outvars[0].aval.shape
    return w.b.broadcast(x if x.rank == 0 else w.b.reshape(x, [1] * (len(shape) - x.rank) + list(x.shape)), shape)


@rule("reshape", new_sizes=ANY, dimensions=ANY, sharding=unsharded)
def reshape(w: Walk, eqn: Any, x: Tensor) -> Tensor:
    dimensions = eqn.params["dimensions"]
    return w.b.reshape(x if dimensions is None else w.b.transpose(x, dimensions), eqn.params["new_sizes"])


@rule("squeeze", dimensions=ANY)
def squeeze(w: Walk, eqn: Any, x: Tensor) -> Tensor:
    return w.b.reshape(x, eqn.outvars[0].aval.shape)


@rule("transpose", permutation=ANY)
def transpose(w: Walk, eqn: Any, x: Tensor) -> Tensor:
    return w.b.transpose(x, eqn.params["permutation"])


@rule("concatenate", dimension=ANY)
def concatenate(w: Walk, eqn: Any, *x: Tensor) -> Tensor:
    return w.b.concat(x, int(eqn.params["dimension"]))


@rule("stack", axis=ANY)
def stack(w: Walk, eqn: Any, *x: Tensor) -> Tensor:
    axis = int(eqn.params["axis"])
    return w.b.concat([w.b.reshape(one, [*one.shape[:axis], 1, *one.shape[axis:]]) for one in x], axis)


@rule("unstack", axis=ANY)
def unstack(w: Walk, eqn: Any, x: Tensor) -> List[Tensor]:
    axis = int(eqn.params["axis"])
    return [w.b.reshape(part, one.aval.shape) for part, one in zip(_parts(w, x, axis, [1] * x.shape[axis]), eqn.outvars)]


@rule("split", sizes=ANY, axis=ANY)
def split(w: Walk, eqn: Any, x: Tensor) -> List[Tensor]:
    return _parts(w, x, int(eqn.params["axis"]), [int(size) for size in eqn.params["sizes"]])


def _parts(w: Walk, x: Tensor, axis: int, sizes: List[int]) -> List[Tensor]:
    if len(sizes) == 1:
        return [x]
    shapes = [[*x.shape[:axis], size, *x.shape[axis + 1 :]] for size in sizes]
    parts: List[Tensor] = w.b.scope.op("SplitV", x, w.b.sizes(sizes), w.b.const(axis, "int32"), shapes=shapes, num_split=len(sizes))
    return parts


@rule("tile", reps=ANY)
def tile(w: Walk, eqn: Any, x: Tensor) -> Tensor:
    made: Tensor = w.b.scope.op("Tile", x, w.b.sizes(eqn.params["reps"]), shapes=[eqn.outvars[0].aval.shape])
    return made


@rule("slice", start_indices=ANY, limit_indices=ANY, strides=ANY)
def slice_(w: Walk, eqn: Any, x: Tensor) -> Tensor:
    p = eqn.params
    return w.b.slice(x, [int(one) for one in p["start_indices"]], [int(one) for one in p["limit_indices"]],
                     [int(one) for one in p["strides"] or ()])


@rule("pad", padding_config=ANY)
def pad(w: Walk, eqn: Any, x: Tensor, value: Tensor) -> Tensor:
    low, high, inner = zip(*eqn.params["padding_config"]) if x.rank else ((), (), ())
    # Padding between elements is added first, since negative padding at the ends may remove some of it.
    return w.b.pad(x, value, [int(one) for one in low], [int(one) for one in high], [int(one) for one in inner])


@rule("rev", dimensions=ANY)
def rev(w: Walk, eqn: Any, x: Tensor) -> Tensor:
    axes = [axis for axis in eqn.params["dimensions"] if x.shape[axis] > 1]
    if not axes:
        return x
    made: Tensor = w.b.scope.op("ReverseV2", x, w.b.sizes(axes), shapes=[x.shape])
    return made


@rule("iota", dtype=ANY, shape=ANY, dimension=ANY, sharding=unsharded)
def iota(w: Walk, eqn: Any) -> Tensor:
    from ._walk import type_of

    return w.b.iota(eqn.params["shape"], int(eqn.params["dimension"]), type_of(eqn.outvars[0].aval))


@rule("empty", "empty2", dtype=ANY, shape=ANY, out_sharding=unsharded, memory_space=ANY)
def empty(w: Walk, eqn: Any) -> Tensor:
    from ._walk import type_of

    aval = eqn.outvars[0].aval
    return w.b.const(np.zeros(aval.shape, np.dtype(type_of(aval))))
