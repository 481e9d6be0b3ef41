# SPDX-License-Identifier: Apache-2.0
"""gather, scatter and dynamic slices, for all dimension numbers and modes.

Embeddings (rows of the first axis) are GatherV2 and TensorScatterAdd of rows. Everything else reads and writes elements
of the flat array at computed places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Optional, Sequence

import numpy as np

from .._builder import FLOATS, prod
from .._metagraph import Tensor
from ._rules import ANY, Refused, rule

if TYPE_CHECKING:
    from ._walk import Walk

_SCATTERS = {"scatter": "TensorScatterUpdate", "scatter-add": "TensorScatterAdd", "scatter-sub": "TensorScatterSub",
             "scatter-max": "TensorScatterMax", "scatter-min": "TensorScatterMin", "scatter-mul": "UnsortedSegmentProd"}


def _mode(eqn: Any) -> str:
    """`clip`, `fill` or `promise`."""
    text = str(eqn.params["mode"]).split(".")[-1].upper()
    modes = {"CLIP": "clip", "FILL_OR_DROP": "fill", "PROMISE_IN_BOUNDS": "promise", "ONE_HOT": ""}
    if not modes.get(text):
        raise Refused(f"{eqn.primitive.name}: mode={eqn.params['mode']} is not supported; clip, fill and promise_in_bounds are")
    return modes[text]


def _clipped(w: Walk, index: Tensor, most: int) -> Tensor:
    b = w.b
    clipped: Tensor = b.pointwise("Minimum", b.pointwise("Maximum", index, b.like(0, index)), b.like(most, index))
    return clipped


def _within(w: Walk, index: Tensor, most: int) -> Tensor:
    b = w.b
    both: Tensor = b.pointwise("LogicalAnd", b.pointwise("GreaterEqual", index, b.like(0, index)),
                               b.pointwise("LessEqual", index, b.like(most, index)))
    return both


def _signed(w: Walk, index: Tensor) -> Tensor:
    """Indices in int32, or int64 if they have 64 bits; what does not fit a signed type is out of bounds anyway."""
    if index.dtype in ("int32", "int64"):
        return index
    signed: Tensor = w.b.cast(index, "int64" if index.dtype in ("uint32", "uint64") else "int32")
    return signed


def _expanded(w: Walk, x: Tensor, axes: Sequence[int], rank: int) -> Tensor:
    """Reshapes `x`, whose axes are the `axes` of a tensor of rank `rank`, with sizes of 1 elsewhere."""
    sizes = [1] * rank
    for axis, size in zip(axes, x.shape):
        sizes[axis] = size
    expanded: Tensor = w.b.reshape(x, sizes)
    return expanded


class _Places:
    """Where the elements of windows lie in an array of shape `shape`.

    `indexed` are the array's axes that the last axis of `indices` has indices of; `batching` those that go along with the
    axes `batching_of` of the indices. `window_axes` are the axes of windows in the result, of rank `rank`, and `windowed`
    the array's axes that these are.
    """

    def __init__(self, w: Walk, shape: Sequence[int], indices: Tensor, sizes: Sequence[int], rank: int, *, indexed: Sequence[int],
                 batching: Sequence[int], batching_of: Sequence[int], window_axes: Sequence[int], windowed: Sequence[int],
                 mode: str) -> None:
        b = w.b
        indices = _signed(w, indices)
        self.within: Optional[Tensor] = None
        others = [axis for axis in range(rank) if axis not in window_axes]
        total: Optional[Tensor] = None
        strides = [prod(shape[axis + 1:]) for axis in range(len(shape))]

        def put(part: Tensor, stride: int) -> None:
            nonlocal total
            part = b.cast(part, "int32")
            part = part if stride == 1 else b.mul(part, b.like(stride, part))
            total = part if total is None else b.add(total, part)

        for place, axis in enumerate(indexed):
            index = _expanded(w, b.index(indices, place), others, rank)
            most = shape[axis] - sizes[axis]
            if mode == "fill":
                within = _within(w, index, most)
                self.within = within if self.within is None else b.pointwise("LogicalAnd", self.within, within)
            # With mode promise_in_bounds, the result for an index that is out of bounds is undefined. Clip the index, as XLA
            # does, so that no element outside of the array is read.
            put(_clipped(w, index, most), strides[axis])
        for axis, of in zip(batching, batching_of):
            put(_expanded(w, b.iota([shape[axis]], 0, "int32"), [others[of]], rank), strides[axis])
        for at, axis in zip(window_axes, windowed):
            if sizes[axis] > 1:
                put(_expanded(w, b.iota([sizes[axis]], 0, "int32"), [at], rank), strides[axis])
        self.flat = total if total is not None else b.const(np.zeros([1] * rank, np.int32))


@rule("gather", dimension_numbers=ANY, slice_sizes=ANY, unique_indices=ANY, indices_are_sorted=ANY, mode=ANY, fill_value=ANY)
def gather(w: Walk, eqn: Any, x: Tensor, indices: Tensor) -> Tensor:
    b, n, mode = w.b, eqn.params["dimension_numbers"], _mode(eqn)
    sizes, shape = [int(one) for one in eqn.params["slice_sizes"]], eqn.outvars[0].aval.shape
    if not prod(shape):
        return b.const(np.zeros(shape, np.dtype(x.dtype)))
    if prod(x.shape) >= 1 << 31:
        raise Refused(f"gather: an array of {prod(x.shape)} elements is too large: it must have fewer than 2^31")
    dropped = [*n.collapsed_slice_dims, *n.operand_batching_dims]
    found: Tensor
    rows = _rows(w, x, indices, sizes, n, mode, shape)
    if rows is not None:
        found, within = rows
    else:
        places = _Places(w, x.shape, indices, sizes, len(shape), indexed=n.start_index_map, batching=n.operand_batching_dims,
                         batching_of=n.start_indices_batching_dims, window_axes=n.offset_dims,
                         windowed=[axis for axis in range(x.rank) if axis not in dropped], mode=mode)
        within = places.within
        found = b.gather(b.reshape(x, [prod(x.shape)]), b.broadcast(places.flat, shape), 0)
    if within is None:
        return found
    return b.select(b.broadcast(within, shape), found, b.broadcast(_fill(w, eqn, x), shape))


def _fill(w: Walk, eqn: Any, x: Tensor) -> Tensor:
    """What is read out of bounds: NaN, the least signed or the greatest unsigned integer, or true."""
    value = eqn.params["fill_value"]
    if value is None:
        value = np.nan if x.dtype in FLOATS else True if x.dtype == "bool" else (
            np.iinfo(x.dtype).min if x.dtype.startswith("int") else np.iinfo(x.dtype).max)
    filled: Tensor = w.b.like(value, x)
    return filled


def _rows(w: Walk, x: Tensor, indices: Tensor, sizes: Sequence[int], n: Any, mode: str, shape: Sequence[int]) -> Any:
    """One axis is indexed, others are taken whole, and results lie as GatherV2 has them: the rows, and where they are in
    bounds; None otherwise."""
    b = w.b
    if len(n.start_index_map) != 1 or n.operand_batching_dims or indices.shape[-1] != 1:
        return None
    (axis,) = n.start_index_map
    whole = all(size == x.shape[one] for one, size in enumerate(sizes) if one != axis)
    batch = indices.rank - 1
    expected = [*range(axis), *range(axis + batch, x.rank - 1 + batch)]
    if not whole or sizes[axis] != 1 or tuple(n.collapsed_slice_dims) != (axis,) or list(n.offset_dims) != expected:
        return None
    index = _signed(w, b.reshape(indices, indices.shape[:-1]))
    found = b.gather(x, _clipped(w, index, x.shape[axis] - 1), axis)
    within = _within(w, index, x.shape[axis] - 1) if mode == "fill" else None
    return found, None if within is None else _expanded(w, within, range(axis, axis + batch), len(shape))


@rule(*_SCATTERS, dimension_numbers=ANY, indices_are_sorted=ANY, unique_indices=ANY, mode=ANY, update_jaxpr=ANY,
      update_consts=((),))
def scatter(w: Walk, eqn: Any, x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    b, n, mode, name = w.b, eqn.params["dimension_numbers"], _mode(eqn), eqn.primitive.name
    if not prod(updates.shape) or not prod(x.shape):
        return x
    if prod(x.shape) >= 1 << 31:
        raise Refused(f"{name}: an array of {prod(x.shape)} elements is too large: it must have fewer than 2^31")
    dropped = [*n.inserted_window_dims, *n.operand_batching_dims]
    windowed = [axis for axis in range(x.rank) if axis not in dropped]
    sizes = [1] * x.rank
    for at, axis in zip(n.update_window_dims, windowed):
        sizes[axis] = updates.shape[at]
    as_numbers = x.dtype
    if x.dtype == "bool":
        x, updates = b.cast(x, "uint8"), b.cast(updates, "uint8")
    found = _scattered_rows(w, name, x, indices, updates, sizes, n, mode)
    if found is None:
        # Like XLA, drop updates of windows that are partly outside of the array, in every mode but clip.
        places = _Places(w, x.shape, indices, sizes, updates.rank, indexed=n.scatter_dims_to_operand_dims,
                         batching=n.operand_batching_dims, batching_of=n.scatter_indices_batching_dims,
                         window_axes=n.update_window_dims, windowed=windowed, mode="clip" if mode == "clip" else "fill")
        found = _scattered(w, name, x, b.broadcast(places.flat, updates.shape), updates, places.within)
    return b.cast(found, as_numbers)


def _scattered(w: Walk, name: str, x: Tensor, places: Tensor, updates: Tensor, within: Optional[Tensor]) -> Tensor:
    """Scatters elements of the flat array; those out of bounds into an element after its end."""
    b, size, count = w.b, prod(x.shape), prod(updates.shape)
    flat = b.reshape(x, [size])
    if within is not None:
        flat = b.pad(flat, b.like(0, x), [0], [1])
        places = b.select(b.broadcast(within, updates.shape), places, b.broadcast(b.const(size, "int32"), updates.shape))
    updates = b.reshape(updates, [count])
    made: Tensor
    if name == "scatter-mul":
        # The product of each element's updates is 1 where there are none.
        number = b.const(prod(flat.shape), "int32")
        made = b.mul(flat, b.scope.op(_SCATTERS[name], updates, b.reshape(places, [count]), number, shapes=[flat.shape]))
    else:
        made = b.scope.op(_SCATTERS[name], flat, b.reshape(places, [count, 1]), updates, shapes=[flat.shape])
    whole: Tensor = b.reshape(b.slice(made, [0], [size]), x.shape)
    return whole


def _scattered_rows(w: Walk, name: str, x: Tensor, indices: Tensor, updates: Tensor, sizes: Sequence[int], n: Any, mode: str) -> Any:
    """Adds whole rows of the first axis, such as an embedding's gradients; None if it is something else."""
    b = w.b
    batch = indices.rank - 1
    if (name not in ("scatter-add", "scatter-sub") or tuple(n.scatter_dims_to_operand_dims) != (0,) or tuple(n.inserted_window_dims) != (0,)
            or n.operand_batching_dims or list(sizes[1:]) != list(x.shape[1:]) or indices.shape[-1] != 1
            or list(n.update_window_dims) != list(range(batch, updates.rank))):
        return None
    count = prod(indices.shape)
    index = _signed(w, b.reshape(indices, [count]))
    rows = b.reshape(updates, [count, *x.shape[1:]])
    if mode != "clip":
        within = _expanded(w, _within(w, index, x.shape[0] - 1), [0], rows.rank)
        rows = b.select(b.broadcast(within, rows.shape), rows, b.broadcast(b.like(0, rows), rows.shape))
    index = _clipped(w, index, x.shape[0] - 1)
    return b.scope.op(_SCATTERS[name], x, b.reshape(index, [count, 1]), rows, shapes=[x.shape])


def _starts(w: Walk, shape: Sequence[int], sizes: Sequence[int], starts: Sequence[Tensor]) -> List[Tensor]:
    """Where a window begins on each axis, such that it lies in the array."""
    return [w.b.cast(_clipped(w, _signed(w, one), size - length), "int32") for one, size, length in zip(starts, shape, sizes)]


@rule("dynamic_slice", slice_sizes=ANY)
def dynamic_slice(w: Walk, eqn: Any, x: Tensor, *starts: Tensor) -> Tensor:
    b, sizes = w.b, [int(one) for one in eqn.params["slice_sizes"]]
    moving = [axis for axis, size in enumerate(sizes) if size != x.shape[axis]]
    begins = _starts(w, x.shape, sizes, starts)
    for axis in moving:
        if sizes[axis] == 1:
            x = b.gather(x, b.reshape(begins[axis], [1]), axis)
        else:
            places = b.add(b.iota([sizes[axis]], 0, "int32"), b.broadcast(b.reshape(begins[axis], [1]), [sizes[axis]]))
            x = b.gather(x, places, axis)
    return x


@rule("dynamic_update_slice")
def dynamic_update_slice(w: Walk, eqn: Any, x: Tensor, update: Tensor, *starts: Tensor) -> Tensor:
    b = w.b
    if not prod(update.shape):
        return x
    as_numbers = x.dtype
    begins = _starts(w, x.shape, update.shape, starts)
    if x.dtype == "bool":
        x, update = b.cast(x, "uint8"), b.cast(update, "uint8")
    moving = [axis for axis in range(x.rank) if update.shape[axis] != x.shape[axis]]
    if not moving:
        return b.cast(update, as_numbers)
    if moving == [0]:
        rows = b.add(b.iota([update.shape[0]], 0, "int32"), b.broadcast(b.reshape(begins[0], [1]), [update.shape[0]]))
        made = b.scope.op("TensorScatterUpdate", x, b.reshape(rows, [update.shape[0], 1]), update, shapes=[x.shape])
        return b.cast(made, as_numbers)
    flat: Optional[Tensor] = None
    for axis in range(x.rank):
        line = _expanded(w, b.iota([update.shape[axis]], 0, "int32"), [axis], x.rank)
        if axis in moving:
            line = b.add(line, b.broadcast(b.reshape(begins[axis], [1] * x.rank), line.shape))
        line = b.mul(line, b.const(prod(x.shape[axis + 1:]), "int32"))
        flat = line if flat is None else b.add(flat, line)
    assert flat is not None
    return b.cast(_scattered(w, "scatter", x, b.broadcast(flat, update.shape), update, None), as_numbers)
