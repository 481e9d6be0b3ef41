# SPDX-License-Identifier: Apache-2.0
"""ATen's ops that read or write elements at places which are tensors: embeddings, gather, scatter and indexing."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence

import numpy as np

from .._builder import prod
from .._metagraph import Tensor
from ._elementwise import larger
from ._rules import Refused, rule
from ._shapes import part
from ._walk import Walk


def counted(w: Walk, index: Tensor, size: int) -> Tensor:
    """Indices of which negative ones count from the end."""
    known = index.thin.const
    if known is not None and np.all(known >= 0):
        return index
    b = w.b
    return b.select(b.pointwise("Less", index, b.like(0, index)), b.add(index, b.like(size, index)), index)


def _integers(w: Walk, index: Tensor) -> Tensor:
    if index.dtype == "bool":
        raise Refused(f"{w.name}: the shape of what a mask selects depends on values; shapes are static in a trainer (torch.where keeps them)")
    return index if index.dtype in ("int32", "int64") else w.b.cast(index, "int32")


# -- Rows


@rule("embedding", known=("padding_idx", "scale_grad_by_freq", "sparse"))
def embedding(w: Walk, weight: Tensor, indices: Tensor) -> Tensor:
    return w.b.gather(weight, _integers(w, indices), 0)


@rule("embedding_dense_backward")
def embedding_backward(w: Walk, grad_output: Tensor, indices: Tensor, num_weights: int, padding_idx: int, scale_grad_by_freq: bool) -> Tensor:
    b, indices = w.b, _integers(w, indices)
    count, width = prod(indices.shape), grad_output.shape[-1]
    rows, places = b.reshape(grad_output, [count, width]), b.reshape(indices, [count])
    if scale_grad_by_freq:
        ones = b.broadcast(b.const(1, rows.dtype), [count])
        times = _scattered(w, "TensorScatterAdd", w.zeros([num_weights], rows.dtype), places, ones)
        share = b.reshape(b.gather(times, places, 0), [count, 1])
        rows = b.pointwise("RealDiv", rows, b.broadcast(share, rows.shape))
    if padding_idx >= 0:
        padded = b.reshape(b.pointwise("Equal", places, b.like(padding_idx, places)), [count, 1])
        rows = b.select(b.broadcast(padded, rows.shape), b.broadcast(b.like(0, rows), rows.shape), rows)
    return _scattered(w, "TensorScatterAdd", w.zeros([num_weights, width], rows.dtype), places, rows)


def _scattered(w: Walk, op: str, x: Tensor, places: Tensor, updates: Tensor) -> Tensor:
    """Scatters rows of the first axis: `places` are one for each row."""
    dtype = x.dtype
    if dtype == "bool":
        x, updates = w.b.cast(x, "uint8"), w.b.cast(updates, "uint8")
    made = w.op(op, x, w.b.reshape(places, [places.size, 1]), updates, shape=x.shape)
    return w.cast(made, dtype)


@rule("index_select")
def index_select(w: Walk, x: Tensor, dim: int, index: Tensor) -> Tensor:
    if not x.rank:
        return x
    index = _integers(w, index)
    return w.b.reshape(w.b.gather(x, index, dim % x.rank), w.out.shape)


@rule("index_add", "index_copy")
def index_add(w: Walk, x: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    alpha = w.node.kwargs.get("alpha", 1)
    if x.rank != source.rank or not x.rank:
        raise Refused(f"{w.name}: ranks {x.rank} of the tensor and {source.rank} of the source; both must have the same rank, 1 or more")
    axis = dim % x.rank
    turn = [axis, *(one for one in range(x.rank) if one != axis)]
    rows = w.b.transpose(source, turn)
    rows = rows if alpha == 1 else w.b.mul(rows, w.b.like(alpha, rows))
    op = "TensorScatterAdd" if w.name.startswith("index_add") else "TensorScatterUpdate"
    made = _scattered(w, op, w.b.transpose(x, turn), _integers(w, index), rows)
    return w.b.transpose(made, [turn.index(one) for one in range(x.rank)])


# -- Indexing by tensors


class _Indexed(NamedTuple):
    """A tensor whose indexed axes are flattened to its first one, and the places in it: one for each element of `shape`.
    `order` are the axes in that order, and `at` is where the indices' axes are in the result."""

    rows: Tensor
    places: Tensor
    shape: List[int]
    order: List[int]
    at: int


def _indexed(w: Walk, x: Tensor, indices: Sequence[Optional[Tensor]]) -> _Indexed:
    b = w.b
    axes = [axis for axis, one in enumerate(indices) if one is not None]
    order = [*axes, *(axis for axis in range(x.rank) if axis not in axes)]
    shape = list(np.broadcast_shapes(*(one.shape for one in indices if one is not None)))
    total: Optional[Tensor] = None
    for axis in axes:
        one = indices[axis]
        assert one is not None
        index = counted(w, _integers(w, one), x.shape[axis])
        stride = prod([x.shape[other] for other in axes if other > axis])
        index = index if stride == 1 else b.mul(index, b.like(stride, index))
        total = index if total is None else w.pointwise("AddV2", *_same_type(w, total, index))
    assert total is not None
    rows = b.reshape(b.transpose(x, order), [prod([x.shape[axis] for axis in axes]), *(x.shape[axis] for axis in order[len(axes):])])
    adjacent = axes == list(range(axes[0], axes[-1] + 1))
    return _Indexed(rows, w.expanded(total, shape), shape, order, axes[0] if adjacent else 0)


def _same_type(w: Walk, x: Tensor, y: Tensor) -> List[Tensor]:
    return [x, y] if x.dtype == y.dtype else [w.b.cast(x, "int64"), w.b.cast(y, "int64")]


@rule("index.Tensor", "_unsafe_index.Tensor")
def index(w: Walk, x: Tensor, indices: Sequence[Optional[Tensor]]) -> Tensor:
    named = [axis for axis, one in enumerate(indices) if one is not None]
    if len(named) == 1:
        (axis,) = named
        one = indices[axis]
        assert one is not None
        return w.b.gather(x, counted(w, _integers(w, one), x.shape[axis]), axis)
    found = _indexed(w, x, indices)
    made = w.b.gather(found.rows, found.places, 0)
    return _to_place(w, made, len(found.shape), found.at)


def _to_place(w: Walk, x: Tensor, count: int, at: int) -> Tensor:
    """Moves the first `count` axes behind the next `at` ones."""
    order = [*range(count, count + at), *range(count), *range(count + at, x.rank)]
    return w.b.transpose(x, order)


@rule("index_put", "_unsafe_index_put")
def index_put(w: Walk, x: Tensor, indices: Sequence[Optional[Tensor]], values: Tensor, accumulate: bool) -> Tensor:
    masks = [one for one in indices if one is not None and one.dtype == "bool"]
    if len(masks) == 1 and len(indices) == 1 and not values.size > 1 and not accumulate:
        mask = w.b.reshape(masks[0], [*masks[0].shape, *[1] * (x.rank - masks[0].rank)])
        return w.select(w.b.broadcast(mask, x.shape), w.b.reshape(w.cast(values, x.dtype), []), x)
    found, b = _indexed(w, x, indices), w.b
    rest, count = list(found.rows.shape[1:]), len(found.shape)
    whole = w.expanded(w.cast(values, x.dtype), [*rest[: found.at], *found.shape, *rest[found.at:]])
    order = [*range(found.at, found.at + count), *range(found.at), *range(found.at + count, whole.rank)]
    updates = b.reshape(b.transpose(whole, order), [prod(found.shape), *rest])
    op = "TensorScatterAdd" if accumulate else "TensorScatterUpdate"
    made = _scattered(w, op, found.rows, b.reshape(found.places, [prod(found.shape)]), updates)
    turned = b.reshape(made, [x.shape[axis] for axis in found.order])
    return b.transpose(turned, [found.order.index(axis) for axis in range(x.rank)])


# -- Elements along an axis


@rule("gather", known=("sparse_grad",))
def gather(w: Walk, x: Tensor, dim: int, index: Tensor) -> Tensor:
    if not x.rank or not index.rank:
        return w.b.reshape(x, w.out.shape) if x.size == 1 else w.b.reshape(w.b.gather(x, _integers(w, index), 0), w.out.shape)
    axis, b = dim % x.rank, w.b
    for one in range(x.rank):
        if one != axis:
            x = part(w, x, one, 0, index.shape[one])
    turn = [*(one for one in range(x.rank) if one != axis), axis]
    made = b.gather(b.transpose(x, turn), b.transpose(_integers(w, index), turn), x.rank - 1, x.rank - 1)
    return b.transpose(made, [turn.index(one) for one in range(x.rank)])


@rule("take")
def take(w: Walk, x: Tensor, index: Tensor) -> Tensor:
    return w.b.gather(w.b.reshape(x, [x.size]), counted(w, _integers(w, index), x.size), 0)


@rule("put")
def put(w: Walk, x: Tensor, index: Tensor, source: Tensor, accumulate: bool) -> Tensor:
    b, places = w.b, counted(w, _integers(w, index), x.size)
    op = "TensorScatterAdd" if accumulate else "TensorScatterUpdate"
    made = _scattered(w, op, b.reshape(x, [x.size]), b.reshape(places, [places.size]), b.reshape(source, [source.size]))
    return b.reshape(made, x.shape)


def _along(w: Walk, x: Tensor, axis: int, index: Tensor) -> Tensor:
    """Whether each element of `x` is the one that an index, of which each line along the axis has one, names."""
    b = w.b
    return b.pointwise("Equal", b.broadcast(index, x.shape), b.iota(x.shape, axis, index.dtype))


def _flat_places(w: Walk, shape: Sequence[int], axis: int, index: Tensor) -> Tensor:
    """The places of indices along an axis in a flat tensor of `shape`."""
    b, total = w.b, None
    for one in range(len(shape)):
        stride = prod(shape[one + 1:])
        line = index if one == axis else b.iota(index.shape, one, index.dtype)
        line = line if stride == 1 else b.mul(line, b.like(stride, line))
        total = line if total is None else b.add(total, line)
    assert total is not None
    return b.broadcast(total, index.shape)


def _scatter(w: Walk, op: str, x: Tensor, dim: int, index: Tensor, src: Any) -> Tensor:
    """Scatters the elements of `src`, a tensor or a number, to the places of `index` along an axis."""
    b, shape = w.b, x.shape
    if not x.rank:
        x, index, src = b.reshape(x, [1]), b.reshape(index, [1]), b.reshape(src, [1]) if isinstance(src, Tensor) else src
    axis, index = dim % x.rank, _integers(w, index)
    if not index.size:
        return b.reshape(x, shape)
    if isinstance(src, Tensor):
        for one in range(x.rank):
            src = part(w, src, one, 0, index.shape[one])
        src = w.cast(src, x.dtype)
    else:
        src = b.broadcast(w.tensor(src, x.dtype), index.shape)
    if index.shape[axis] == 1 and all(size == x.shape[one] for one, size in enumerate(index.shape) if one != axis):
        return b.reshape(_one_of_each(w, op, x, _along(w, x, axis, index), b.broadcast(src, x.shape)), shape)
    made = _scattered(w, op, b.reshape(x, [x.size]), b.reshape(_flat_places(w, x.shape, axis, index), [index.size]), b.reshape(src, [index.size]))
    return b.reshape(made, shape)


def _one_of_each(w: Walk, op: str, x: Tensor, here: Tensor, src: Tensor) -> Tensor:
    """Scatters one element to each line, which is a selection."""
    if op == "TensorScatterUpdate":
        return w.b.select(here, src, x)
    if op == "TensorScatterAdd":
        return w.b.add(x, w.b.select(here, src, w.b.broadcast(w.b.like(0, x), x.shape)))
    return w.b.select(here, larger(w, x, src, op.endswith("Max")), x)


@rule("scatter.src", "scatter_add")
def scatter_src(w: Walk, x: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    return _scatter(w, "TensorScatterAdd" if w.name.startswith("scatter_add") else "TensorScatterUpdate", x, dim, index, src)


@rule("scatter.value")
def scatter_value(w: Walk, x: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    return _scatter(w, "TensorScatterUpdate", x, dim, index, value)


@rule("scatter_reduce.two", "scatter.reduce")
def scatter_reduce(w: Walk, x: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str) -> Tensor:
    ops = {"sum": "TensorScatterAdd", "add": "TensorScatterAdd", "amax": "TensorScatterMax", "amin": "TensorScatterMin"}
    if reduce not in ops:
        raise Refused(f"{w.name}: reduce={reduce} is not supported; sum, amax and amin are")
    return _scatter(w, ops[reduce], x, dim, index, src)
