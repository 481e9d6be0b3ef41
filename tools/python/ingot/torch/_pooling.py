# SPDX-License-Identifier: Apache-2.0
"""ATen's pooling of images, its gradients, and resizing. Images are turned to channels last, as for convolutions."""

from __future__ import annotations

from typing import Any, List, Sequence, Tuple

import numpy as np

from .._builder import prod
from .._metagraph import Tensor
from ._rules import Refused, rule
from ._shapes import part
from ._walk import Walk


def pair(values: Any, count: int = 2) -> List[int]:
    values = list(values) if isinstance(values, (list, tuple)) else [values]
    return [int(one) for one in values] * (count if len(values) == 1 else 1)


def images_of(w: Walk, x: Tensor) -> Tensor:
    """[batch, height, width, channels] of [(batch,) channels, height, width]."""
    x = x if x.rank == 4 else w.b.reshape(x, [1, *x.shape])
    return w.b.turn(x, [0, 2, 3, 1])


def from_images(w: Walk, y: Tensor, rank: int) -> Tensor:
    y = w.b.turn(y, [0, 3, 1, 2])
    return y if rank == 4 else w.b.reshape(y, y.shape[1:])


def _padding(sizes: Sequence[int], out: Sequence[int], window: Sequence[int], strides: Sequence[int], pads: Sequence[int]) -> Tuple[List[int], List[int]]:
    """What is padded before and after each axis, such that there are `out` windows."""
    after = [(count - 1) * stride + length - size - pad for count, stride, length, size, pad in zip(out, strides, window, sizes, pads)]
    return list(pads), after


class _Windows:
    """Padded images, of which `out` windows are pooled; `low` and `high` are what was padded."""

    def __init__(self, w: Walk, x: Tensor, out: Sequence[int], kernel_size: Any, stride: Any, padding: Any, fill: Any) -> None:
        self.window = pair(kernel_size)
        self.strides = pair(stride) if stride else self.window
        images = images_of(w, x)
        self.out, self.batch, self.channels = list(out), images.shape[0], images.shape[3]
        low, high = _padding(images.shape[1:3], out, self.window, self.strides, pair(padding))
        self.low, self.high, self.shape = low, high, images.shape
        self.images = w.b.pad(images, w.b.like(fill, images), [0, *low, 0], [0, *high, 0])
        self.attributes: Any = dict(ksize=[1, *self.window, 1], strides=[1, *self.strides, 1], padding="VALID")

    @property
    def pooled_shape(self) -> List[int]:
        return [self.batch, *self.out, self.channels]

    def cut(self, w: Walk, whole: Tensor) -> Tensor:
        """The gradient of the images, of that of the padded ones."""
        if any(one < 0 for one in self.high):  # Rows or columns that no window reaches were cut off: their gradient is 0.
            whole = w.b.pad(whole, w.b.like(0, whole), [0] * 4, [0, *(max(0, -one) for one in self.high), 0])
        begin = [0, *self.low, 0]
        return w.b.slice(whole, begin, [first + size for first, size in zip(begin, self.shape)])


def _places(w: Walk, x: Tensor, windows: _Windows, largest: Tensor, fake_shape: Sequence[int]) -> Tensor:
    """The flat place in each image of the first element of a window that is its largest."""
    b, (height, width) = w.b, (windows.shape[1], windows.shape[2])
    found = None
    for row in reversed(range(windows.window[0])):
        for column in reversed(range(windows.window[1])):
            one = windows.images
            for axis, place in ((1, row), (2, column)):
                count, stride = windows.out[axis - 1], windows.strides[axis - 1]
                one = part(w, one, axis, place, place + (count - 1) * stride + 1, stride)
            rows = np.arange(windows.out[0]) * windows.strides[0] + row - windows.low[0]
            columns = np.arange(windows.out[1]) * windows.strides[1] + column - windows.low[1]
            here = b.broadcast(b.const((rows[:, None] * width + columns).astype(np.int64).reshape(1, *windows.out, 1)), largest.shape)
            same = b.pointwise("LogicalOr", b.pointwise("Equal", one, largest), b.pointwise("IsNan", one))
            found = here if found is None else b.select(same, here, found)
    assert found is not None and height
    return from_images(w, found, len(fake_shape))


@rule("max_pool2d_with_indices")
def max_pool(w: Walk, x: Tensor, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> List[Any]:
    if any(one != 1 for one in pair(dilation)):
        raise Refused(f"{w.name}: dilation={list(dilation)} is not supported; 1 is")
    shape = w.out.shape
    windows = _Windows(w, x, shape[-2:], kernel_size, stride, padding, _lowest(x.dtype))
    largest = w.op("MaxPool", windows.images, shape=windows.pooled_shape, **windows.attributes)
    # Compute the indices of the maxima only if an op other than the gradient uses them: the gradient computes them itself.
    used = any(user.args[1] == 1 and any("backward" not in str(one.target) for one in user.users) for user in w.node.users if len(user.args) > 1)
    return [from_images(w, largest, x.rank), _places(w, x, windows, largest, shape) if used else None]


def _lowest(dtype: str) -> Any:
    return np.iinfo(dtype).min if "int" in dtype else -np.inf


@rule("max_pool2d_with_indices_backward", known=("indices",))
def max_pool_backward(w: Walk, grad_output: Tensor, x: Tensor, kernel_size: Any, stride: Any, padding: Any, dilation: Any,
                      ceil_mode: bool) -> Tensor:
    """The gradient goes to the first largest element of each window, as in MaxPoolGrad."""
    windows = _Windows(w, x, grad_output.shape[-2:], kernel_size, stride, padding, _lowest(x.dtype))
    largest = w.op("MaxPool", windows.images, shape=windows.pooled_shape, **windows.attributes)
    made = w.op("MaxPoolGrad", windows.images, largest, images_of(w, grad_output), shape=windows.images.shape, **windows.attributes)
    return from_images(w, windows.cut(w, made), x.rank)


# -- Averages


def _counts(windows: _Windows, sizes: Sequence[int], pads: Sequence[int], count_include_pad: bool, divisor: Any) -> Any:
    """The divisor of each window: a number, or an array [1, height, width, 1]."""
    if divisor:
        return float(divisor)
    lines = []
    for axis in range(2):
        begin = np.arange(windows.out[axis]) * windows.strides[axis] - pads[axis]
        end = np.minimum(begin + windows.window[axis], sizes[axis] + pads[axis])
        inside = np.minimum(end, sizes[axis]) - np.maximum(begin, 0)
        lines.append(end - begin if count_include_pad else inside)
    return (lines[0][:, None] * lines[1]).astype(np.float32).reshape(1, *windows.out, 1)


def _divided(w: Walk, x: Tensor, counts: Any) -> Tensor:
    b = w.b
    if isinstance(counts, float) or np.all(counts == counts.flat[0]):
        return b.pointwise("RealDiv", x, b.like(float(np.ravel(counts)[0]), x))
    return b.pointwise("RealDiv", x, b.broadcast(b.cast(b.const(counts), x.dtype), x.shape))


@rule("avg_pool2d")
def avg_pool(w: Walk, x: Tensor, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool, count_include_pad: bool,
             divisor_override: Any) -> Tensor:
    windows = _Windows(w, x, w.out.shape[-2:], kernel_size, stride, padding, 0)
    size = prod(windows.window)
    mean = w.op("AvgPool", windows.images, shape=windows.pooled_shape, **windows.attributes)
    counts = _counts(windows, windows.shape[1:3], pair(padding), count_include_pad, divisor_override)
    if np.all(counts == size):
        return from_images(w, mean, x.rank)
    return from_images(w, _divided(w, w.b.mul(mean, w.b.like(size, mean)), counts), x.rank)


@rule("avg_pool2d_backward")
def avg_pool_backward(w: Walk, grad_output: Tensor, x: Tensor, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool,
                      count_include_pad: bool, divisor_override: Any) -> Tensor:
    windows = _Windows(w, x, grad_output.shape[-2:], kernel_size, stride, padding, 0)
    counts = _counts(windows, windows.shape[1:3], pair(padding), count_include_pad, divisor_override)
    gradient = images_of(w, grad_output)
    if not np.all(counts == prod(windows.window)):
        gradient = _divided(w, w.b.mul(gradient, w.b.like(prod(windows.window), gradient)), counts)
    whole = windows.images.shape
    made = w.op("AvgPoolGrad", w.b.sizes(whole), gradient, shape=whole, **windows.attributes)
    return from_images(w, windows.cut(w, made), x.rank)


def _shares(size: int, count: int) -> Any:
    """The matrix [count, size] by which adaptive pooling averages an axis."""
    matrix = np.zeros((count, size), np.float32)
    for index in range(count):
        begin, end = index * size // count, -(-(index + 1) * size // count)
        matrix[index, begin:end] = 1 / (end - begin)
    return matrix


def along_axes(w: Walk, x: Tensor, matrices: Sequence[Any], turned: bool = False) -> Tensor:
    """Images [batch, height, width, channels] whose height and width are multiplied by matrices."""
    for axis, matrix in zip((1, 2), matrices):
        matrix = matrix.T if turned else matrix
        if matrix.shape[0] == matrix.shape[1] and np.array_equal(matrix, np.eye(len(matrix))):
            continue
        shape = list(x.shape)
        shape[axis] = matrix.shape[0]
        equation = "ab,nbwc->nawc" if axis == 1 else "ab,nhbc->nhac"
        x = w.op("Einsum", [w.b.cast(w.b.const(matrix.astype(np.float32)), x.dtype), x], shape=shape, equation=equation)
    return x


@rule("_adaptive_avg_pool2d", known=("output_size",))
def adaptive_avg_pool(w: Walk, x: Tensor) -> Tensor:
    images, out = images_of(w, x), w.out.shape[-2:]
    if out == (1, 1):
        mean = w.b.pointwise("RealDiv", w.b.reduce("Sum", images, [1, 2]), w.b.like(images.shape[1] * images.shape[2], images))
        return w.b.reshape(mean, w.out.shape)
    return from_images(w, along_axes(w, images, [_shares(size, count) for size, count in zip(images.shape[1:3], out)]), x.rank)


@rule("_adaptive_avg_pool2d_backward")
def adaptive_avg_pool_backward(w: Walk, grad_output: Tensor, x: Tensor) -> Tensor:
    gradient, sizes = images_of(w, grad_output), x.shape[-2:]
    matrices = [_shares(size, count) for size, count in zip(sizes, gradient.shape[1:3])]
    return from_images(w, along_axes(w, gradient, matrices, turned=True), x.rank)


# -- Resizing


def _nearest(size: int, count: int, scale: Any, exact: bool) -> Any:
    ratio = np.float32(1 / scale) if scale else np.float32(size / count)
    place = (np.arange(count, dtype=np.float32) + np.float32(0.5 if exact else 0)) * ratio
    matrix = np.zeros((count, size), np.float32)
    matrix[np.arange(count), np.minimum(np.floor(place).astype(int), size - 1)] = 1
    return matrix


def _linear(size: int, count: int, scale: Any, align_corners: bool) -> Any:
    places = np.arange(count, dtype=np.float32)
    if align_corners:
        at = places * np.float32((size - 1) / (count - 1) if count > 1 else 0)
    else:
        ratio = np.float32(1 / scale) if scale else np.float32(size / count)
        at = np.maximum(ratio * (places + np.float32(0.5)) - np.float32(0.5), 0)
    low = np.minimum(at.astype(int), size - 1)
    high, share = np.minimum(low + 1, size - 1), at - low
    matrix = np.zeros((count, size), np.float32)
    np.add.at(matrix, (np.arange(count), low), 1 - share)
    np.add.at(matrix, (np.arange(count), high), share)
    return matrix


def _resized(w: Walk, x: Tensor, matrices: Sequence[Any], turned: bool = False) -> Tensor:
    return from_images(w, along_axes(w, images_of(w, x), matrices, turned), x.rank)


@rule("upsample_nearest2d", "_upsample_nearest_exact2d", known=("output_size",))
def upsample_nearest(w: Walk, x: Tensor, scales_h: Any, scales_w: Any) -> Tensor:
    matrices = [_nearest(size, count, scale, "exact" in w.name) for size, count, scale in zip(x.shape[2:], w.out.shape[2:], (scales_h, scales_w))]
    return _resized(w, x, matrices)


@rule("upsample_nearest2d_backward", "_upsample_nearest_exact2d_backward", known=("output_size",))
def upsample_nearest_backward(w: Walk, grad_output: Tensor, input_size: Sequence[int], scales_h: Any, scales_w: Any) -> Tensor:
    matrices = [_nearest(size, count, scale, "exact" in w.name)
                for size, count, scale in zip(input_size[2:], grad_output.shape[2:], (scales_h, scales_w))]
    return _resized(w, grad_output, matrices, turned=True)


@rule("upsample_bilinear2d", known=("output_size",))
def upsample_bilinear(w: Walk, x: Tensor, align_corners: bool, scales_h: Any, scales_w: Any) -> Tensor:
    matrices = [_linear(size, count, scale, align_corners) for size, count, scale in zip(x.shape[2:], w.out.shape[2:], (scales_h, scales_w))]
    return _resized(w, x, matrices)


@rule("upsample_bilinear2d_backward", known=("output_size",))
def upsample_bilinear_backward(w: Walk, grad_output: Tensor, input_size: Sequence[int], align_corners: bool, scales_h: Any,
                               scales_w: Any) -> Tensor:
    matrices = [_linear(size, count, scale, align_corners) for size, count, scale in zip(input_size[2:], grad_output.shape[2:], (scales_h, scales_w))]
    return _resized(w, grad_output, matrices, turned=True)


@rule("upsample_nearest2d.vec", "upsample_bilinear2d.vec", known=("output_size", "align_corners"))
def upsample_by_factors(w: Walk, x: Tensor, scale_factors: Any) -> Tensor:
    scales = list(scale_factors) if scale_factors else [None, None]
    if "nearest" in w.name:
        return upsample_nearest(w, x, *scales)
    return upsample_bilinear(w, x, bool(w.node.args[2]), *scales)


@rule("replication_pad1d_backward", "replication_pad2d_backward")
def replication_pad_backward(w: Walk, grad_output: Tensor, x: Tensor, padding: Sequence[int]) -> Tensor:
    """Each element gets the gradients of all its copies."""
    count = len(padding) // 2
    sizes, wide = ([1] * (2 - count) + list(one.shape[-count:]) for one in (x, grad_output))
    matrices = []
    for axis in range(2):
        low = padding[2 * (1 - axis)] if axis >= 2 - count else 0
        matrix = np.zeros((wide[axis], sizes[axis]), np.float32)
        matrix[np.arange(wide[axis]), np.clip(np.arange(wide[axis]) - low, 0, sizes[axis] - 1)] = 1
        matrices.append(matrix)
    channels = x.shape[-count - 1]
    gradient = w.b.reshape(grad_output, [grad_output.size // (channels * wide[0] * wide[1]), channels, *wide])
    return w.b.reshape(_resized(w, gradient, matrices, turned=True), x.shape)
