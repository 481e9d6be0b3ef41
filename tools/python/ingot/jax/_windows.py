# SPDX-License-Identifier: Apache-2.0
"""Reductions of windows: pooling where the windows are those of pooling, and otherwise one slice for each place of a
window, axis after axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Tuple

import numpy as np

from .._builder import FLOATS
from .._metagraph import Tensor
from ._elementwise import larger
from ._rules import ANY, Refused, rule, unsharded

if TYPE_CHECKING:
    from ._walk import Walk

# The longest window along one axis: it is computed from one slice of the input per element of the window.
_MOST_SLICES = 256


def _lowest(dtype: str, is_max: bool) -> Any:
    if dtype in FLOATS:
        return -np.inf if is_max else np.inf
    if dtype == "bool":
        return not is_max
    limits = np.iinfo(dtype)
    return limits.min if is_max else limits.max


def _padded(w: Walk, x: Tensor, value: Any, padding: Any, dilation: Any = ()) -> Tensor:
    low, high = [int(one) for one, _ in padding], [int(one) for _, one in padding]
    padded: Tensor = w.b.pad(x, w.b.like(value, x), low, high, [int(one) - 1 for one in dilation])
    return padded


@rule("reduce_window_max", "reduce_window_min", "reduce_window_sum", window_dimensions=ANY, window_strides=ANY, padding=ANY,
      base_dilation=ANY, window_dilation=ANY, out_sharding=unsharded)
def reduce_window(w: Walk, eqn: Any, x: Tensor) -> Tensor:
    p, kind = eqn.params, eqn.primitive.name[len("reduce_window_"):]
    start = 0 if kind == "sum" else _lowest(x.dtype, kind == "max")
    x = _padded(w, x, start, p["padding"], p["base_dilation"])
    window, strides, dilation = ([int(one) for one in p[name]] for name in ("window_dimensions", "window_strides", "window_dilation"))
    places = _pooling_axes(x, window, strides) if all(one == 1 for one in dilation) and x.dtype == "float32" else None
    if kind == "max" and places is not None:
        return _pooled(w, "MaxPool", x, places, window, strides)
    if kind == "sum" and places is not None and np.prod(window) > 16:
        y = _pooled(w, "AvgPool", x, places, window, strides)
        return w.b.mul(y, w.b.like(int(np.prod(window)), y))
    for axis in range(x.rank):
        x = _along(w, x, axis, window[axis], strides[axis], dilation[axis], kind)
    return x


def _along(w: Walk, x: Tensor, axis: int, length: int, stride: int, dilation: int, kind: str) -> Tensor:
    """Combines the elements of windows along one axis."""
    if length > _MOST_SLICES:
        raise Refused(f"reduce_window_{kind}: a window of {length} is too long; the most is {_MOST_SLICES}")
    count = (x.shape[axis] - (length - 1) * dilation - 1) // stride + 1
    found: Optional[Tensor] = None
    for place in range(length):
        begin, end, steps = [0] * x.rank, list(x.shape), [1] * x.rank
        begin[axis], end[axis], steps[axis] = place * dilation, place * dilation + (count - 1) * stride + 1, stride
        one = w.b.slice(x, begin, end, steps)
        found = one if found is None else w.b.add(found, one) if kind == "sum" else larger(w, found, one, kind == "max")
    assert found is not None
    return found


def _pooling_axes(x: Tensor, window: Sequence[int], strides: Sequence[int]) -> Optional[List[int]]:
    """The order of axes in which windows are those of pooling, [batch.., height, width, channel]; None if they are not."""
    spatial = [axis for axis in range(x.rank) if window[axis] != 1 or strides[axis] != 1]
    others = [axis for axis in range(x.rank) if axis not in spatial]
    if not 1 <= len(spatial) <= 2 or not others:
        return None
    last = others.pop() if others[-1] == x.rank - 1 or len(others) > 1 else others.pop()
    return [*others, *spatial, last]


def _as_images(w: Walk, x: Tensor, order: Sequence[int], window: Sequence[int], strides: Sequence[int]) -> Tuple[Tensor, List[int], List[int]]:
    """Returns `x` as [batch, height, width, channels], with the windows' sizes and strides there."""
    count = 2 if len([axis for axis in order if window[axis] != 1 or strides[axis] != 1]) == 2 else 1
    turned = w.b.transpose(x, order)
    batch = turned.shape[: len(order) - 1 - count]
    spatial = [axis for axis in order[len(batch) : -1]]
    height = [1] * (2 - count)
    images = w.b.reshape(turned, [int(np.prod(batch)), *height, *turned.shape[len(batch):]])
    return images, [1, *height, *(window[axis] for axis in spatial), 1], [1, *height, *(strides[axis] for axis in spatial), 1]


def _from_images(w: Walk, y: Tensor, order: Sequence[int], shape: Sequence[int]) -> Tensor:
    """The reverse of _as_images, for a result of shape `shape`."""
    turned = w.b.reshape(y, [shape[axis] for axis in order])
    back: Tensor = w.b.transpose(turned, [list(order).index(axis) for axis in range(len(order))])
    return back


def _pooled(w: Walk, op: str, x: Tensor, order: Sequence[int], window: Sequence[int], strides: Sequence[int]) -> Tensor:
    images, ksize, steps = _as_images(w, x, order, window, strides)
    shape = [(size - length) // step + 1 for size, length, step in zip(images.shape, ksize, steps)]
    y = w.b.scope.op(op, images, shapes=[shape], ksize=ksize, strides=steps, padding="VALID")
    return _from_images(w, y, order, [(size - length) // step + 1 for size, length, step in zip(x.shape, window, strides)])


@rule("select_and_scatter_add", select_prim=ANY, window_dimensions=ANY, window_strides=ANY, padding=ANY)
def select_and_scatter_add(w: Walk, eqn: Any, source: Tensor, operand: Tensor) -> Tensor:
    """The gradient of max pooling: each source goes to the first largest element of its window."""
    p = eqn.params
    if str(p["select_prim"]) != "ge":
        raise Refused(f"select_and_scatter_add: select_prim={p['select_prim']} is not supported; ge (max pooling) is")
    window, strides = [int(one) for one in p["window_dimensions"]], [int(one) for one in p["window_strides"]]
    x = _padded(w, operand, _lowest(operand.dtype, True), p["padding"])
    order = _pooling_axes(x, window, strides)
    if order is None or operand.dtype != "float32":
        raise Refused(f"select_and_scatter_add: windows {window} of {operand.dtype} are not a pooling of float32 over one or two axes")
    images, ksize, steps = _as_images(w, x, order, window, strides)
    gradient, _, _ = _as_images(w, source, order, window, strides)
    attributes: Any = dict(ksize=ksize, strides=steps, padding="VALID")
    largest = w.b.scope.op("MaxPool", images, shapes=[gradient.shape], **attributes)
    found = w.b.scope.op("MaxPoolGrad", images, largest, gradient, shapes=[images.shape], **attributes)
    whole = _from_images(w, found, order, x.shape)
    begin = [max(0, int(low)) for low, _ in p["padding"]]
    cut: Tensor = w.b.slice(whole, begin, [first + size for first, size in zip(begin, operand.shape)])
    return cut
