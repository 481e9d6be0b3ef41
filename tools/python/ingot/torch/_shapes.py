# SPDX-License-Identifier: Apache-2.0
"""ATen's ops that make or move elements. Views are values: a trainer's tensors have no strides."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

import numpy as np

from .._builder import prod
from .._metagraph import Tensor
from ._rules import Refused, rule
from ._walk import Walk


@rule("view", "_unsafe_view", "reshape", "_reshape_alias", "view_copy", "squeeze", "squeeze.dim", "squeeze.dims", "unsqueeze", "flatten.using_ints",
      "unflatten.int", known=("size", "stride", "shape", "dim", "start_dim", "end_dim", "sizes"))  # fmt: skip
def view(w: Walk, x: Tensor) -> Tensor:
    """Also of a broadcast tensor with new or lost axes of size 1, which stays one."""
    thin, shape = x.thin, w.out.shape
    if thin is not x and thin.rank == x.rank:
        ones = [index for index, size in enumerate(shape) if size != 1]
        if [size for size in x.shape if size != 1] == [shape[index] for index in ones]:
            sizes = [1] * len(shape)
            for index, size in zip(ones, [small for small, size in zip(thin.shape, x.shape) if size != 1]):
                sizes[index] = size
            return w.b.broadcast(w.b.reshape(thin, sizes), shape)
    return w.b.reshape(x, shape)


@rule("permute", "permute_copy")
def permute(w: Walk, x: Tensor, dims: Sequence[int]) -> Tensor:
    return w.b.turn(x, [one % x.rank for one in dims])


@rule("transpose.int")
def transpose(w: Walk, x: Tensor, dim0: int, dim1: int) -> Tensor:
    order = list(range(x.rank))
    if x.rank:
        order[dim0], order[dim1] = dim1 % x.rank, dim0 % x.rank
    return w.b.turn(x, order)


@rule("t")
def t(w: Walk, x: Tensor) -> Tensor:
    return w.b.turn(x, list(range(x.rank))[::-1])


@rule("expand", "expand_copy", known=("size",))
def expand(w: Walk, x: Tensor) -> Tensor:
    return w.expanded(x, w.out.shape)


@rule("repeat")
def repeat(w: Walk, x: Tensor, repeats: Sequence[int]) -> Tensor:
    x = w.expanded(x, [1] * (len(repeats) - x.rank) + list(x.shape))
    if all(size == 1 or count == 1 for size, count in zip(x.shape, repeats)):
        return w.b.broadcast(x, w.out.shape)
    return w.op("Tile", x, w.b.sizes(repeats), shape=w.out.shape)


@rule("cat")
def cat(w: Walk, tensors: List[Tensor], dim: int) -> Tensor:
    parts = [w.cast(one, w.out.dtype) for one in tensors if one.shape != (0,) or len(w.out.shape) == 1]
    return w.b.concat(parts, dim % len(w.out.shape)) if parts else w.zeros(w.out.shape, w.out.dtype)


@rule("stack")
def stack(w: Walk, tensors: List[Tensor], dim: int) -> Tensor:
    axis = dim % len(w.out.shape)
    parts = [w.cast(one, w.out.dtype) for one in tensors]
    return w.b.concat([w.b.reshape(one, [*one.shape[:axis], 1, *one.shape[axis:]]) for one in parts], axis)


def part(w: Walk, x: Tensor, axis: int, begin: int, end: int, step: int = 1) -> Tensor:
    """Elements `begin` to `end`, each `step`th, along an axis."""
    first, last, steps = [0] * x.rank, list(x.shape), [1] * x.rank
    first[axis], last[axis], steps[axis] = begin, end, step
    return w.b.slice(x, first, last, steps)


def bounds(start: Optional[int], end: Optional[int], size: int) -> Any:
    """The bounds of a slice, as Python takes them."""
    first, last, _ = slice(start, end).indices(size)
    return first, max(first, last)


@rule("slice.Tensor")
def slice_(w: Walk, x: Tensor, dim: int, start: Optional[int], end: Optional[int], step: int) -> Tensor:
    axis = dim % x.rank
    first, last = bounds(start, end, x.shape[axis])
    return part(w, x, axis, first, last, step)


@rule("select.int")
def select(w: Walk, x: Tensor, dim: int, index: int) -> Tensor:
    axis = dim % x.rank
    place = index % x.shape[axis]
    return w.b.reshape(part(w, x, axis, place, place + 1), w.out.shape)


@rule("split_with_sizes", "split_with_sizes_copy", "split.Tensor", "unsafe_split.Tensor", "chunk", known=("split_sizes", "split_size", "chunks"))
def split(w: Walk, x: Tensor, dim: int) -> List[Tensor]:
    axis, found, begin = dim % x.rank, [], 0
    for one in w.outs:
        found.append(part(w, x, axis, begin, begin + one.shape[axis]))
        begin += one.shape[axis]
    return found


@rule("unbind.int")
def unbind(w: Walk, x: Tensor, dim: int) -> List[Tensor]:
    axis = dim % x.rank
    return [w.b.reshape(part(w, x, axis, index, index + 1), one.shape) for index, one in enumerate(w.outs)]


def put(w: Walk, x: Tensor, update: Tensor, axis: int, begin: int, end: int, step: int) -> Tensor:
    """`x` with `update` in place of a slice of it along an axis."""
    update = w.expanded(w.cast(update, x.dtype), [*x.shape[:axis], len(range(begin, end, step)), *x.shape[axis + 1:]])
    if not update.size:
        return x
    if step == 1:
        return w.b.concat([part(w, x, axis, 0, begin), update, part(w, x, axis, end, x.shape[axis])], axis)
    low, high = [0] * x.rank, [0] * x.rank
    low[axis] = begin
    high[axis] = x.shape[axis] - begin - (update.shape[axis] - 1) * step - 1
    inner = [step - 1 if one == axis else 0 for one in range(x.rank)]
    inside = np.zeros(x.shape[axis], np.bool_)
    inside[begin:end:step] = True
    mask = w.b.const(inside.reshape([-1 if one == axis else 1 for one in range(x.rank)]))
    as_numbers = w.b.cast(update, "uint8") if x.dtype == "bool" else update
    spread = w.cast(w.b.pad(as_numbers, w.b.like(0, as_numbers), low, high, inner), x.dtype)
    return w.select(w.b.broadcast(mask, x.shape), spread, x)


@rule("slice_scatter")
def slice_scatter(w: Walk, x: Tensor, src: Tensor, dim: int, start: Optional[int], end: Optional[int], step: int) -> Tensor:
    axis = dim % x.rank
    first, last = bounds(start, end, x.shape[axis])
    return put(w, x, src, axis, first, last, step)


@rule("select_scatter")
def select_scatter(w: Walk, x: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    axis = dim % x.rank
    place = index % x.shape[axis]
    src = w.b.reshape(w.expanded(src, [*x.shape[:axis], *x.shape[axis + 1:]]), [*x.shape[:axis], 1, *x.shape[axis + 1:]])
    return put(w, x, src, axis, place, place + 1, 1)


@rule("slice_backward")
def slice_backward(w: Walk, grad_output: Tensor, input_sizes: Sequence[int], dim: int, start: int, end: int, step: int) -> Tensor:
    axis = dim % len(input_sizes)
    first, last = bounds(start, end, input_sizes[axis])
    low, high, inner = [0] * grad_output.rank, [0] * grad_output.rank, [0] * grad_output.rank
    count = len(range(first, last, step))
    low[axis], inner[axis] = first, step - 1
    high[axis] = input_sizes[axis] - first - ((count - 1) * step + 1 if count else 0)
    return w.b.pad(grad_output, w.b.like(0, grad_output), low, high, inner)


@rule("select_backward")
def select_backward(w: Walk, grad_output: Tensor, input_sizes: Sequence[int], dim: int, index: int) -> Tensor:
    axis = dim % len(input_sizes)
    place = index % input_sizes[axis]
    row = w.b.reshape(grad_output, [*input_sizes[:axis], 1, *input_sizes[axis + 1:]])
    low, high = [0] * row.rank, [0] * row.rank
    low[axis], high[axis] = place, input_sizes[axis] - place - 1
    return w.b.pad(row, w.b.like(0, row), low, high)


@rule("flip")
def flip(w: Walk, x: Tensor, dims: Sequence[int]) -> Tensor:
    axes = [one % x.rank for one in dims if x.rank]
    return w.op("ReverseV2", x, w.b.sizes(axes), shape=x.shape) if axes else x


@rule("roll")
def roll(w: Walk, x: Tensor, shifts: Sequence[int], dims: Sequence[int]) -> Tensor:
    flat = x if dims else w.b.reshape(x, [x.size])
    for axis, count in zip([one % x.rank for one in dims] or [0], shifts):
        place = -count % flat.shape[axis] if flat.shape[axis] else 0
        if place:
            flat = w.b.concat([part(w, flat, axis, place, flat.shape[axis]), part(w, flat, axis, 0, place)], axis)
    return w.b.reshape(flat, x.shape)


@rule("constant_pad_nd")
def constant_pad(w: Walk, x: Tensor, pad: Sequence[int], value: Any) -> Tensor:
    low, high = [0] * x.rank, [0] * x.rank
    for index in range(len(pad) // 2):
        low[x.rank - 1 - index], high[x.rank - 1 - index] = pad[2 * index], pad[2 * index + 1]
    as_numbers = w.b.cast(x, "uint8") if x.dtype == "bool" else x
    return w.cast(w.b.pad(as_numbers, w.tensor(value, as_numbers.dtype), low, high), x.dtype)


def _strided_places(w: Walk, size: Sequence[int], stride: Sequence[int], offset: Optional[int]) -> Any:
    """The places of a strided view in a contiguous tensor."""
    if not w.node.args[0].meta["val"].is_contiguous():
        raise Refused(f"{w.name}: a tensor that is not contiguous is not supported; call contiguous() first")
    places = np.full(size, offset or 0, np.int64)
    for axis, (count, step) in enumerate(zip(size, stride)):
        places += (np.arange(count) * step).reshape([-1 if one == axis else 1 for one in range(len(size))])
    return places


@rule("as_strided", "as_strided_copy")
def as_strided(w: Walk, x: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: Optional[int]) -> Tensor:
    """Elements of a contiguous tensor, by their places in memory."""
    places = _strided_places(w, size, stride, storage_offset)
    if np.array_equal(places.ravel(), np.arange(x.size)):
        return w.b.reshape(x, size)
    return w.b.gather(w.b.reshape(x, [x.size]), w.b.const(places.astype(np.int32)), 0)


def _placed(w: Walk, flat: Tensor, src: Tensor, places: Any) -> Tensor:
    """`flat` with the last axis of `src` at `places` of its last axis."""
    index = np.arange(flat.shape[-1])
    index[places] = flat.shape[-1] + np.arange(len(places))
    both = w.b.concat([flat, w.cast(src, flat.dtype)], flat.rank - 1)
    return w.b.gather(both, w.b.const(index.astype(np.int32)), flat.rank - 1)


@rule("as_strided_scatter")
def as_strided_scatter(w: Walk, x: Tensor, src: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: Optional[int]) -> Tensor:
    places = _strided_places(w, size, stride, storage_offset).ravel()
    if len(np.unique(places)) != len(places):
        raise Refused(f"{w.name}: overlapping elements are not supported")
    return w.b.reshape(_placed(w, w.b.reshape(x, [x.size]), w.b.reshape(src, [src.size]), places), x.shape)


@rule("diagonal_scatter")
def diagonal_scatter(w: Walk, x: Tensor, src: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
    one, other = dim1 % x.rank, dim2 % x.rank
    order = [*(axis for axis in range(x.rank) if axis not in (one, other)), one, other]
    shape = [x.shape[axis] for axis in order]
    flat = w.b.reshape(w.b.transpose(x, order), [*shape[:-2], shape[-2] * shape[-1]])
    places = np.arange(src.shape[-1]) * (shape[-1] + 1) + (offset if offset >= 0 else -offset * shape[-1])
    return w.b.transpose(w.b.reshape(_placed(w, flat, src, places), shape), [order.index(axis) for axis in range(x.rank)])


@rule("diagonal", "diagonal_copy")
def diagonal(w: Walk, x: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
    one, other = dim1 % x.rank, dim2 % x.rank
    rest = [axis for axis in range(x.rank) if axis not in (one, other)]
    flat = w.b.reshape(w.b.transpose(x, [*rest, one, other]), [*(x.shape[axis] for axis in rest), x.shape[one] * x.shape[other]])
    count = w.out.shape[-1]
    first = offset if offset >= 0 else -offset * x.shape[other]
    places = np.arange(count) * (x.shape[other] + 1) + first
    return w.b.gather(flat, w.b.const(places.astype(np.int32)), len(rest))


@rule("tril", "triu")
def triangle(w: Walk, x: Tensor, diagonal: int) -> Tensor:
    keep = np.tril if w.name.startswith("tril") else np.triu
    mask = w.b.const(keep(np.ones(x.shape[-2:], np.bool_), diagonal).reshape([1] * (x.rank - 2) + list(x.shape[-2:])))
    return w.select(w.b.broadcast(mask, x.shape), x, w.b.like(0, x))


# -- Ops that create tensors


@rule("full", "full_like", "new_full", known=("size", "dtype", "self"))
def full(w: Walk, fill_value: Any) -> Tensor:
    return w.b.broadcast(w.tensor(fill_value, w.out.dtype), w.out.shape)


@rule("fill.Scalar", "fill.Tensor")
def fill(w: Walk, x: Tensor, value: Any) -> Tensor:
    return w.b.broadcast(w.tensor(value, w.out.dtype), w.out.shape)


@rule("zeros", "zeros_like", "new_zeros", "empty.memory_format", "empty_like", "new_empty", "empty_strided", "new_empty_strided", "empty_permuted",
      "zero", known=("size", "dtype", "stride", "self", "physical_layout"))  # fmt: skip
def zeros(w: Walk) -> Tensor:
    """Also of uninitialized tensors."""
    return w.zeros(w.out.shape, w.out.dtype)


@rule("ones", "ones_like", "new_ones", known=("size", "dtype", "self"))
def ones(w: Walk) -> Tensor:
    return w.b.broadcast(w.b.const(1, w.out.dtype), w.out.shape)


@rule("scalar_tensor", known=("dtype",))
def scalar_tensor(w: Walk, s: Any) -> Tensor:
    return w.tensor(s, w.out.dtype)


@rule("arange.start_step", "arange.start", "arange", known=("start", "end", "step", "dtype"))
def arange(w: Walk) -> Tensor:
    args = [*w.node.args]
    start, step = (0 if len(args) == 1 else args[0]), (args[2] if len(args) > 2 else w.node.kwargs.get("step", 1))
    if any(isinstance(one, float) for one in args):
        values = np.float64(start) + np.arange(prod(w.out.shape)) * np.float64(step)
        return w.b.const(values.astype(np.dtype(w.out.dtype)))
    line = w.b.iota(w.out.shape, 0, w.out.dtype)
    line = line if step == 1 else w.b.mul(line, w.b.like(step, line))
    return line if start == 0 else w.b.add(line, w.b.like(start, line))


@rule("linspace", known=("dtype", "end", "start", "steps"))
def linspace(w: Walk) -> Tensor:
    start, end, steps = w.node.args[:3]
    return w.b.const(np.linspace(start, end, steps).astype(np.dtype(w.out.dtype)))


@rule("eye", "eye.m", known=("n", "m", "dtype"))
def eye(w: Walk) -> Tensor:
    return w.b.const(np.eye(*w.out.shape, dtype=np.dtype(w.out.dtype)))


@rule("unfold", "unfold_copy")
def unfold(w: Walk, x: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Windows along an axis, whose elements are a new last axis."""
    axis = dimension % x.rank
    count = w.out.shape[axis]
    places = np.arange(count)[:, None] * step + np.arange(size)
    made = w.b.gather(x, w.b.const(places.astype(np.int32)), axis)
    return w.b.transpose(made, [*range(axis + 1), *range(axis + 2, made.rank), axis + 1])


@rule("tril_indices", "triu_indices", known=("row", "col", "offset", "dtype"))
def triangle_indices(w: Walk) -> Tensor:
    row, column, *offset = w.node.args
    found = (np.tril_indices if w.name.startswith("tril") else np.triu_indices)(row, (offset or [0])[0], column)
    return w.b.const(np.stack(found).astype(np.dtype(w.out.dtype)))
