# SPDX-License-Identifier: Apache-2.0
"""Numerics on a scope's tensors: elementwise ops that broadcast, shapes, reductions and selections.

A front end maps its own ops to these. Broadcasts are kept back (`Tensor.thin`): an elementwise op takes its operands as
they were before broadcasting, as TensorFlow's ops broadcast by themselves, and kernels for biases, normalization and
softmax are recognized by that form.
"""

from __future__ import annotations

from typing import Any, List, Sequence, Tuple

import numpy as np

from ._metagraph import Scope, Tensor
from ._wire import Type

# NumPy has these names only if ml_dtypes is imported, which JAX does.
FLOATS = ("float16", "bfloat16", "float32", "float64")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
# A transpose of this many elements takes time that matters; rows shorter than this are no vectors.
_LARGE, _SHORT = 1 << 16, 16


def bits_of(dtype: str) -> int:
    return 1 if dtype == "bool" else 16 if dtype == "bfloat16" else np.dtype(dtype).itemsize * 8


class Builder:
    """Adds nodes to `scope`."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    # -- Constants

    def const(self, value: Any, dtype: str = "") -> Tensor:
        """A constant; `dtype` is the element type if `value` is no array."""
        return self.scope.constant(np.asarray(value, np.dtype(dtype)) if dtype else value)

    def like(self, value: Any, tensor: Tensor) -> Tensor:
        """A scalar constant of the element type of `tensor`."""
        return self.const(value, tensor.dtype)

    def sizes(self, values: Sequence[int]) -> Tensor:
        return self.const(np.array(list(values), np.int32))

    # -- Elementwise

    def pointwise(self, op: str, *inputs: Tensor, dtype: str = "", **attributes: Any) -> Tensor:
        """An op that computes each element by itself and broadcasts its operands; shapes agree, or are scalars'."""
        shape = max((one.shape for one in inputs), key=len)
        shape = np.broadcast_shapes(*(one.shape for one in inputs)) if any(one.shape != shape for one in inputs) else shape
        thin = [one.thin for one in inputs]
        small = np.broadcast_shapes(*(one.shape for one in thin))
        if len(thin) == 3 and any(len(one.shape) not in (0, len(small)) for one in thin):
            thin = list(inputs)
            small = shape
        made: Tensor
        order = next((one.turned[1] for one in thin if one.turned is not None), None)
        if order is not None and all(self._is_free(one, order) for one in thin):
            made = self.scope.op(op, *(self._unturned(one, order) for one in thin), shapes=[_back(small, order)], **attributes)
            made = self.turn(made, order)
            return made if small == tuple(shape) else self.broadcast(made, shape)
        made = self.scope.op(op, *thin, shapes=[small], **attributes)
        return made if small == tuple(shape) else self.broadcast(made, shape)

    def broadcast(self, tensor: Tensor, shape: Sequence[int]) -> Tensor:
        """Broadcasts a tensor of rank 0, or of the rank of `shape`; the node is added when it is used."""
        shape = tuple(shape)
        if tensor.shape == shape:
            return tensor
        thin = tensor.thin

        def make() -> str:
            ref: str = self.scope.op("BroadcastTo", thin, self.sizes(shape), shapes=[shape]).ref
            return ref

        return Tensor(tensor.dtype, shape, thin=thin, make=make)

    def cast(self, x: Tensor, dtype: str) -> Tensor:
        return x if x.dtype == dtype else self.pointwise("Cast", x, DstT=Type(dtype))

    def bitcast(self, x: Tensor, dtype: str) -> Tensor:
        """The bits of `x` as numbers of another type of the same width. The node always has a rank of 1 or more."""
        if x.dtype == dtype:
            return x
        thin = x.thin
        rows = self.reshape(thin, [1]) if thin.rank == 0 else thin
        made = self.scope.op("Bitcast", rows, shapes=[rows.shape], type=Type(dtype))
        return self.broadcast(self.reshape(made, thin.shape), x.shape)

    def select(self, condition: Tensor, yes: Tensor, no: Tensor) -> Tensor:
        return self.pointwise("SelectV2", condition, yes, no)

    def add(self, x: Tensor, y: Tensor) -> Tensor:
        return self.pointwise("AddV2", x, y)

    def sub(self, x: Tensor, y: Tensor) -> Tensor:
        return self.pointwise("Sub", x, y)

    def mul(self, x: Tensor, y: Tensor) -> Tensor:
        return self.pointwise("Mul", x, y)

    # -- Shapes

    def reshape(self, x: Tensor, shape: Sequence[int]) -> Tensor:
        shape = tuple(int(size) for size in shape)
        if x.shape == shape:
            return x
        if x.thin.rank == 0 and x.rank:
            return self.broadcast(x.thin, shape)
        made: Tensor = self.scope.op("Reshape", x, self.sizes(shape), shapes=[shape])
        return made

    def transpose(self, x: Tensor, order: Sequence[int]) -> Tensor:
        order = list(order)
        shape = [x.shape[axis] for axis in order]
        if order == sorted(order):
            return x
        if x.thin.rank == 0:
            return self.broadcast(x.thin, shape)
        # If the order changes only for dimensions of size 1, a reshape suffices.
        if _only_ones_move(x.shape, order):
            return self.reshape(x, shape)
        sizes, groups = _merged(x.shape, order)
        if groups == [2, 1, 0] and prod(sizes) >= _LARGE and min(sizes[0], sizes[2]) < _SHORT <= max(sizes[0], sizes[2]):
            return self.reshape(self._reversed(self.reshape(x, sizes)), shape)
        made: Tensor = self.scope.op("Transpose", x, self.sizes(order), shapes=[shape])
        return made

    def _reversed(self, x: Tensor) -> Tensor:
        """Reverses the axes of [a, b, c], of which a or c is short, as in kernels of convolutions. In one step, loops over short
        rows would take several times as long as both transposes here: one of a matrix, one of whole rows."""
        a, b, c = x.shape
        if c < a:
            columns = self.reshape(self.transpose(self.reshape(x, [a, b * c]), [1, 0]), [b, c, a])
            return self.transpose(columns, [1, 0, 2])
        return self.reshape(self.transpose(self.reshape(self.transpose(x, [1, 0, 2]), [b * a, c]), [1, 0]), [c, b, a])

    # -- Delayed transposes

    def turn(self, x: Tensor, order: Sequence[int]) -> Tensor:
        """A transpose that is kept back: elementwise ops, reductions, slices and products take the tensor before it, so that
        turns and their reverses cancel out."""
        base, first = x.turned if x.turned is not None else (x, tuple(range(x.rank)))
        if x.thin is not x:
            thin = x.thin
            return self.broadcast(self.turn(thin, order) if thin.rank else thin, [x.shape[axis] for axis in order])
        combined = tuple(first[axis] for axis in order)
        if combined == tuple(range(x.rank)):
            return base
        shape = [base.shape[axis] for axis in combined]
        if _only_ones_move(base.shape, combined):
            return self.reshape(base, shape)
        made = Tensor(x.dtype, shape, make=lambda: str(self.transpose(base, combined).ref))
        made.turned = (base, combined)
        return made

    @staticmethod
    def _is_free(x: Tensor, order: Sequence[int]) -> bool:
        """Whether `x` has axes in this order, or is so small that a reshape puts them back."""
        if x.turned is not None:
            return x.turned[1] == order
        return not x.rank or (x.rank == len(order) and len([size for size in x.shape if size != 1]) <= 1)

    def _unturned(self, x: Tensor, order: Sequence[int]) -> Tensor:
        if x.turned is not None:
            return x.turned[0]
        return self.reshape(x, _back(x.shape, order)) if x.rank else x

    def slice(self, x: Tensor, begin: Sequence[int], end: Sequence[int], strides: Sequence[int] = ()) -> Tensor:
        strides = list(strides) or [1] * x.rank
        shape = [max(0, -(-(stop - start) // step)) for start, stop, step in zip(begin, end, strides)]
        if tuple(shape) == x.shape and all(step == 1 for step in strides):
            return x
        if x.thin.rank == 0:
            return self.broadcast(x.thin, shape)
        if x.turned is not None:
            base, order = x.turned
            return self.turn(self.slice(base, _back(begin, order), _back(end, order), _back(strides, order)), order)
        if all(step == 1 for step in strides):
            made: Tensor = self.scope.op("Slice", x, self.sizes(begin), self.sizes(shape), shapes=[shape])
            return made
        made = self.scope.op("StridedSlice", x, self.sizes(begin), self.sizes(end), self.sizes(strides), shapes=[shape])
        return made

    def index(self, x: Tensor, position: int) -> Tensor:
        """`x[..., position]`."""
        end = [*x.shape[:-1], position + 1]
        return self.reshape(self.slice(x, [0] * (x.rank - 1) + [position], end), x.shape[:-1])

    def concat(self, parts: Sequence[Tensor], axis: int) -> Tensor:
        parts = [part for part in parts if part.shape[axis]] or list(parts[:1])
        if len(parts) == 1:
            return parts[0]
        if all(part.turned is not None and part.turned[1] == parts[0].turned[1] for part in parts):  # type: ignore[index]
            order = parts[0].turned[1]  # type: ignore[index]
            return self.turn(self.concat([part.turned[0] for part in parts], order[axis]), order)  # type: ignore[index]
        shape = list(parts[0].shape)
        shape[axis] = sum(part.shape[axis] for part in parts)
        made: Tensor = self.scope.op("ConcatV2", parts, self.const(axis, "int32"), shapes=[shape])
        return made

    def stack(self, parts: Sequence[Tensor]) -> Tensor:
        """Stacks tensors of one shape along a new last axis."""
        return self.concat([self.reshape(part, [*part.shape, 1]) for part in parts], parts[0].rank)

    def pad(self, x: Tensor, value: Tensor, low: Sequence[int], high: Sequence[int], inner: Sequence[int] = ()) -> Tensor:
        """Pads with `value`: `low` before, `high` after, and `inner` between elements of each axis. `low` and `high` may be
        negative, which cuts off."""
        if x.turned is not None:
            base, order = x.turned
            return self.turn(self.pad(base, value, _back(low, order), _back(high, order), _back(inner, order) if inner else ()), order)
        for axis, count in enumerate(inner):
            if count and x.shape[axis] > 1:
                x = self._spread(x, value, axis, count)
        begin = [max(0, -one) for one in low]
        end = [size - max(0, -one) for size, one in zip(x.shape, high)]
        x = self.slice(x, begin, [max(first, last) for first, last in zip(begin, end)])
        widths = np.array([[max(0, a), max(0, b)] for a, b in zip(low, high)], np.int32).reshape(-1, 2)
        if not widths.any():
            return x
        shape = [size + a + b for size, (a, b) in zip(x.shape, widths.tolist())]
        made: Tensor = self.scope.op("PadV2", x, self.const(widths), value, shapes=[shape])
        return made

    def _spread(self, x: Tensor, value: Tensor, axis: int, count: int) -> Tensor:
        """Puts `count` elements of `value` between the elements along `axis`."""
        size = x.shape[axis]
        high = [0] * (x.rank + 1)
        high[axis + 1] = count
        wide = self.pad(self.reshape(x, [*x.shape[: axis + 1], 1, *x.shape[axis + 1 :]]), value, [0] * (x.rank + 1), high)
        flat = self.reshape(wide, [*x.shape[:axis], size * (count + 1), *x.shape[axis + 1 :]])
        end = list(flat.shape)
        end[axis] -= count
        return self.slice(flat, [0] * x.rank, end)

    def iota(self, shape: Sequence[int], axis: int, dtype: str) -> Tensor:
        """The index along `axis`, for each element."""
        size = int(shape[axis])
        if size <= 256:
            line = self.const(np.arange(size).astype(np.dtype(dtype)))
        else:
            made = self.scope.op("Range", *(self.const(one, "int32") for one in (0, size, 1)), shapes=[[size]])
            line = self.cast(made, dtype)
        return self.broadcast(self.reshape(line, [size if one == axis else 1 for one in range(len(shape))]), shape)

    # -- Reductions

    def reduce(self, op: str, x: Tensor, axes: Sequence[int]) -> Tensor:
        axes = list(axes)
        if not axes:
            return x
        shape = [size for axis, size in enumerate(x.shape) if axis not in axes]
        if x.turned is not None:
            base, order = x.turned
            within = self.reduce(op, base, sorted(order[axis] for axis in axes))
            kept = [order[axis] for axis in range(x.rank) if axis not in axes]
            return self.turn(within, [sorted(kept).index(axis) for axis in kept])
        made: Tensor = self.scope.op(op, x, self.sizes(axes), shapes=[shape])
        return made

    def gather(self, x: Tensor, indices: Tensor, axis: int, batch: int = 0) -> Tensor:
        """GatherV2: `x` at `indices` along `axis`, in each of the first `batch` axes of both."""
        shape = [*x.shape[:axis], *indices.shape[batch:], *x.shape[axis + 1 :]]
        more: Any = {"batch_dims": batch} if batch else {}
        made: Tensor = self.scope.op("GatherV2", x, indices, self.const(axis, "int32"), shapes=[shape], **more)
        return made


def _merged(shape: Sequence[int], order: Sequence[int]) -> Tuple[List[int], List[int]]:
    """Sizes and order of a transpose, without axes of size 1 and with those as one that stay together."""
    runs: List[List[int]] = []
    for axis in (axis for axis in order if shape[axis] != 1):
        if runs and all(shape[between] == 1 for between in range(runs[-1][-1] + 1, axis)) and axis > runs[-1][-1]:
            runs[-1].append(axis)
        else:
            runs.append([axis])
    ordered = sorted(runs)
    return [prod([shape[axis] for axis in run]) for run in ordered], [ordered.index(run) for run in runs]


def _only_ones_move(shape: Sequence[int], order: Sequence[int]) -> bool:
    return [axis for axis in order if shape[axis] != 1] == [axis for axis in sorted(order) if shape[axis] != 1]


def _back(sizes: Sequence[int], order: Sequence[int]) -> List[int]:
    """Sizes, one for each axis of a turned tensor, in the order of axes before the turn."""
    found = [0] * len(order)
    for size, axis in zip(sizes, order):
        found[axis] = int(size)
    return found


def prod(values: Sequence[int]) -> int:
    return int(np.prod(list(values), dtype=np.int64))


def listed(made: Any) -> List[Tensor]:
    return list(made) if isinstance(made, (list, tuple)) else [made]
