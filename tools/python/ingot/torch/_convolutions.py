# SPDX-License-Identifier: Apache-2.0
"""Convolutions and their gradients, of one to three spatial axes, with strides, dilations, groups, and transposed ones.

ATen has images as [batch, channels, height, width] and kernels as [outputs, inputs, height, width]. TensorFlow's ops have
channels last: tensors are turned (Builder.turn), so that layers after one another need no transposes.
"""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence

from .._metagraph import Tensor
from ._rules import Refused, rule
from ._shapes import part
from ._walk import Walk


class Window(NamedTuple):
    """How a kernel moves: one figure for each spatial axis. `same` is whether TensorFlow's padding SAME is what pads; then
    `pads` are zero."""

    strides: List[int]
    pads: List[int]
    dilations: List[int]
    groups: int
    same: bool = False


def _window(w: Walk, rank: int, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int], groups: int) -> Window:
    count = rank - 2
    if not 1 <= count <= 3:
        raise Refused(f"{w.name}: {count} spatial axes; 1, 2 and 3 are supported")

    def each(values: Sequence[int]) -> List[int]:
        return [int(one) for one in values] * (count if len(values) == 1 else 1)

    return Window(each(stride), each(padding), each(dilation), int(groups))


def last(w: Walk, x: Tensor) -> Tensor:
    """Images with channels last, with a height of 1 if they have one spatial axis."""
    turned = w.b.turn(x, [0, *range(2, x.rank), 1])
    return w.b.reshape(turned, [turned.shape[0], 1, *turned.shape[1:]]) if x.rank == 3 else turned


def first(w: Walk, y: Tensor, rank: int) -> Tensor:
    """The reverse of `last`, for a tensor of rank `rank`."""
    y = w.b.reshape(y, [y.shape[0], *y.shape[2:]]) if rank == 3 else y
    return w.b.turn(y, [0, rank - 1, *range(1, rank - 1)])


def flat(window: Window) -> Window:
    """A window of one axis as one of two, of which the first is of size 1."""
    if len(window.strides) > 1:
        return window
    return Window([1, *window.strides], [0, *window.pads], [1, *window.dilations], window.groups)


def _with_same(window: Window, sizes: Sequence[int], kernel: Sequence[int]) -> Window:
    """Takes padding SAME where it pads `sizes` as the window does, so that no padded images are stored."""

    def same(size: int, length: int, stride: int, dilation: int) -> List[int]:
        total = max(0, (-(-size // stride) - 1) * stride + (length - 1) * dilation + 1 - size)
        return [total // 2, total - total // 2]

    if not any(window.pads):
        return window
    if all(same(*one) == [pad, pad] for *one, pad in zip(sizes, kernel, window.strides, window.dilations, window.pads)):
        return window._replace(pads=[0] * len(window.pads), same=True)
    return window


def kernel_last(w: Walk, kernel: Tensor) -> Tensor:
    """[height, width, inputs, outputs]"""
    turned = w.b.turn(kernel, [*range(2, kernel.rank), 1, 0])
    return w.b.reshape(turned, [1, *turned.shape]) if kernel.rank == 3 else turned


def _kernel_first(w: Walk, kernel: Tensor, rank: int) -> Tensor:
    kernel = w.b.reshape(kernel, kernel.shape[1:]) if rank == 3 else kernel
    return w.b.turn(kernel, [rank - 1, rank - 2, *range(rank - 2)])


def _padded(w: Walk, x: Tensor, pads: Sequence[int]) -> Tensor:
    return w.b.pad(x, w.b.like(0, x), [0, *pads, 0], [0, *pads, 0])


def _attributes(window: Window) -> Any:
    return dict(strides=[1, *window.strides, 1], padding="SAME" if window.same else "VALID", dilations=[1, *window.dilations, 1])


def _forward(w: Walk, x: Tensor, kernel: Tensor, window: Window) -> Tensor:
    """A convolution of padded images and a kernel, both with channels last. `kernel` has the channels of one group."""
    sizes = [-(-size // stride) if window.same else (size - (length - 1) * dilation - 1) // stride + 1
             for size, length, stride, dilation in zip(x.shape[1:-1], kernel.shape, window.strides, window.dilations)]
    if window.groups > 1:
        return _forward_groups(w, x, kernel, window, sizes)
    op = "Conv2D" if x.rank == 4 else "Conv3D"
    return w.op(op, x, kernel, shape=[x.shape[0], *sizes, kernel.shape[-1]], **_attributes(window))


def _is_depthwise(x: Tensor, kernel: Tensor, window: Window) -> bool:
    return (x.rank == 4 and kernel.shape[-2] == 1 and window.groups == x.shape[-1] and window.strides[0] == window.strides[1]
            and window.dilations[0] == window.dilations[1] and (window.strides[0] == 1 or window.dilations[0] == 1))


def _by_channel(w: Walk, kernel: Tensor, groups: int) -> Tensor:
    """The kernel of a depthwise convolution: [height, width, inputs, multiplier]."""
    return w.b.reshape(kernel, [*kernel.shape[:-2], groups, kernel.shape[-1] // groups])


def _forward_groups(w: Walk, x: Tensor, kernel: Tensor, window: Window, sizes: Sequence[int]) -> Tensor:
    if _is_depthwise(x, kernel, window):
        return w.op("DepthwiseConv2dNative", x, _by_channel(w, kernel, window.groups), shape=[x.shape[0], *sizes, kernel.shape[-1]],
                    **_attributes(window))
    one = window._replace(groups=1)
    return w.b.concat([_forward(w, _share(w, x, index, window.groups), _share(w, kernel, index, window.groups), one)
                       for index in range(window.groups)], x.rank - 1)


def _share(w: Walk, x: Tensor, index: int, groups: int) -> Tensor:
    """The channels of one group."""
    size = x.shape[-1] // groups
    return part(w, x, x.rank - 1, index * size, (index + 1) * size)


def _input_gradient(w: Walk, shape: Sequence[int], kernel: Tensor, y: Tensor, window: Window) -> Tensor:
    """The gradient of padded images of `shape`, with channels last, from that of the result."""
    if window.groups > 1:
        if len(shape) == 4 and kernel.shape[-2] == 1 and window.groups == shape[-1] and window.strides[0] == window.strides[1] and window.dilations == [1, 1]:
            return w.op("DepthwiseConv2dNativeBackpropInput", w.b.sizes(shape), _by_channel(w, kernel, window.groups), y, shape=shape, **_attributes(window))
        one, part_shape = window._replace(groups=1), [*shape[:-1], shape[-1] // window.groups]
        return w.b.concat([_input_gradient(w, part_shape, _share(w, kernel, index, window.groups), _share(w, y, index, window.groups), one)
                           for index in range(window.groups)], len(shape) - 1)
    op = "Conv2DBackpropInput" if len(shape) == 4 else "Conv3DBackpropInputV2"
    return w.op(op, w.b.sizes(shape), kernel, y, shape=shape, **_attributes(window))


def _kernel_gradient(w: Walk, x: Tensor, shape: Sequence[int], y: Tensor, window: Window) -> Tensor:
    """The gradient of a kernel of `shape`, with channels last, of padded images `x`."""
    if window.groups > 1:
        if len(shape) == 4 and shape[-2] == 1 and window.groups == x.shape[-1] and window.strides[0] == window.strides[1] and window.dilations == [1, 1]:
            by_channel = [*shape[:-2], window.groups, shape[-1] // window.groups]
            made = w.op("DepthwiseConv2dNativeBackpropFilter", x, w.b.sizes(by_channel), y, shape=by_channel, **_attributes(window))
            return w.b.reshape(made, shape)
        one, part_shape = window._replace(groups=1), [*shape[:-1], shape[-1] // window.groups]
        return w.b.concat([_kernel_gradient(w, _share(w, x, index, window.groups), part_shape, _share(w, y, index, window.groups), one)
                           for index in range(window.groups)], len(shape) - 1)
    op = "Conv2DBackpropFilter" if len(shape) == 4 else "Conv3DBackpropFilterV2"
    return w.op(op, x, w.b.sizes(shape), y, shape=shape, **_attributes(window))


@rule("convolution")
def convolution(w: Walk, x: Tensor, weight: Tensor, bias: Optional[Tensor], stride: Any, padding: Any, dilation: Any, transposed: bool,
                output_padding: Any, groups: int) -> Tensor:
    rank = x.rank
    window = flat(_window(w, rank, stride, padding, dilation, groups))
    images, kernel = last(w, x), kernel_last(w, weight)
    if transposed:
        y = _transposed(w, images, kernel, window, w.out.shape, rank)
    else:
        window = _with_same(window, images.shape[1:-1], kernel.shape)
        y = _forward(w, _padded(w, images, window.pads), kernel, window)
    y = first(w, y, rank)
    return y if bias is None else w.b.add(y, w.b.broadcast(w.b.reshape(bias, [1, bias.size] + [1] * (rank - 2)), y.shape))


def _transposed(w: Walk, x: Tensor, kernel: Tensor, window: Window, shape: Sequence[int], rank: int) -> Tensor:
    """The gradient of a convolution from `shape`, cut by its padding."""
    inner = [*([1] if rank == 3 else []), *shape[2:]]
    whole = [shape[0], *(size + 2 * pad for size, pad in zip(inner, window.pads)), shape[1]]
    made = _input_gradient(w, whole, kernel, x, window)
    return w.b.slice(made, [0, *window.pads, 0], [shape[0], *(pad + size for pad, size in zip(window.pads, inner)), shape[1]])


@rule("convolution_backward", known=("bias_sizes",))
def convolution_backward(w: Walk, grad_output: Tensor, x: Tensor, weight: Tensor, stride: Any, padding: Any, dilation: Any, transposed: bool,
                         output_padding: Any, groups: int, output_mask: Sequence[bool]) -> List[Any]:
    rank = x.rank
    window = flat(_window(w, rank, stride, padding, dilation, groups))
    images, kernel, y = last(w, x), kernel_last(w, weight), last(w, grad_output)
    found: List[Any] = [None, None, None]
    if output_mask[2]:
        found[2] = w.b.reduce("Sum", grad_output, [axis for axis in range(rank) if axis != 1])
    if transposed:
        # A transposed convolution computes the input gradient of a convolution, so its own input gradient is that convolution.
        wide = _padded(w, y, window.pads)
        if output_mask[0]:
            found[0] = first(w, _forward(w, wide, kernel, window), rank)
        if output_mask[1]:
            found[1] = _kernel_first(w, _kernel_gradient(w, wide, kernel.shape, images, window), rank)
        return found
    window = _with_same(window, images.shape[1:-1], kernel.shape)
    wide_shape = [images.shape[0], *(size + 2 * pad for size, pad in zip(images.shape[1:-1], window.pads)), images.shape[-1]]
    if output_mask[0]:
        made = _input_gradient(w, wide_shape, kernel, y, window)
        end = [images.shape[0], *(pad + size for pad, size in zip(window.pads, images.shape[1:-1])), images.shape[-1]]
        found[0] = first(w, w.b.slice(made, [0, *window.pads, 0], end), rank)
    if output_mask[1]:
        found[1] = _kernel_first(w, _kernel_gradient(w, _padded(w, images, window.pads), kernel.shape, y, window), rank)
    return found
