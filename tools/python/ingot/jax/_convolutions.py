# SPDX-License-Identifier: Apache-2.0
"""conv_general_dilated of one to three spatial axes, with strides, dilations, any padding, and groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Sequence

from .._metagraph import Tensor
from ._products import check_precision
from ._rules import ANY, Refused, rule, unsharded

if TYPE_CHECKING:
    from ._walk import Walk


@rule("conv_general_dilated", window_strides=ANY, padding=ANY, lhs_dilation=ANY, rhs_dilation=ANY, dimension_numbers=ANY,
      feature_group_count=ANY, batch_group_count=ANY, precision=ANY, preferred_element_type=ANY, out_sharding=unsharded)
def conv_general_dilated(w: Walk, eqn: Any, x: Tensor, kernel: Tensor) -> Tensor:
    b, p = w.b, eqn.params
    check_precision("conv_general_dilated", p["precision"])
    dtype = w.type_of(eqn.outvars[0].aval)
    numbers, spatial = p["dimension_numbers"], x.rank - 2
    if not 1 <= spatial <= 3:
        raise Refused(f"conv_general_dilated: {spatial} spatial axes; 1, 2 and 3 are supported")
    x, kernel = b.cast(x, dtype), b.cast(kernel, dtype)
    # Transpose images to [batch, spatial axes.., channels], and the kernel to [spatial axes.., input channels, output channels].
    x = b.transpose(x, [numbers.lhs_spec[0], *numbers.lhs_spec[2:], numbers.lhs_spec[1]])
    kernel = b.transpose(kernel, [*numbers.rhs_spec[2:], numbers.rhs_spec[1], numbers.rhs_spec[0]])
    strides, dilations = [int(one) for one in p["window_strides"]], [int(one) for one in p["rhs_dilation"]]
    pads = [(int(low), int(high)) for low, high in p["padding"]]
    inner = [0, *(int(one) - 1 for one in p["lhs_dilation"]), 0]
    x = b.pad(x, b.like(0, x), [0, *(low for low, _ in pads), 0], [0, *(high for _, high in pads), 0], inner)
    if spatial == 1:
        x, kernel = b.reshape(x, [x.shape[0], 1, *x.shape[1:]]), b.reshape(kernel, [1, *kernel.shape])
        strides, dilations = [1, *strides], [1, *dilations]
    y = _grouped(w, x, kernel, strides, dilations, int(p["feature_group_count"]), int(p["batch_group_count"]))
    if spatial == 1:
        y = b.reshape(y, [y.shape[0], *y.shape[2:]])
    order = [numbers.out_spec[0], *numbers.out_spec[2:], numbers.out_spec[1]]
    return b.transpose(y, [order.index(axis) for axis in range(spatial + 2)])


def _grouped(w: Walk, x: Tensor, kernel: Tensor, strides: Sequence[int], dilations: Sequence[int], groups: int, batches: int) -> Tensor:
    """Divides channels into `groups`, or the batch into `batches`, each of which meets its part of the kernel's outputs."""
    b, last = w.b, x.rank - 1
    if groups == 1 and batches == 1:
        return _plain(w, x, kernel, strides, dilations)
    channels, outputs = x.shape[last], kernel.shape[last]
    if groups == channels and outputs % groups == 0 and last == 3 and strides[0] == strides[1]:
        multiplier = outputs // groups
        by_channel = b.reshape(kernel, [*kernel.shape[:2], channels, multiplier])
        return _depthwise(w, x, by_channel, strides, dilations)
    if groups > 1:
        return b.concat([_plain(w, _part(w, x, last, index, groups), _part(w, kernel, last, index, groups), strides, dilations)
                         for index in range(groups)], last)
    return b.concat([_plain(w, _part(w, x, 0, index, batches), _part(w, kernel, last, index, batches), strides, dilations)
                     for index in range(batches)], last)


def _part(w: Walk, x: Tensor, axis: int, index: int, count: int) -> Tensor:
    size = x.shape[axis] // count
    begin, end = [0] * x.rank, list(x.shape)
    begin[axis], end[axis] = index * size, (index + 1) * size
    part: Tensor = w.b.slice(x, begin, end)
    return part


def _sizes(x: Tensor, window: Sequence[int], strides: Sequence[int], dilations: Sequence[int]) -> List[int]:
    return [max(0, (size - (length - 1) * dilation - 1) // stride + 1)
            for size, length, stride, dilation in zip(x.shape[1:-1], window, strides, dilations)]


def _plain(w: Walk, x: Tensor, kernel: Tensor, strides: Sequence[int], dilations: Sequence[int]) -> Tensor:
    shape = [x.shape[0], *_sizes(x, kernel.shape[:-2], strides, dilations), kernel.shape[-1]]
    op = "Conv2D" if x.rank == 4 else "Conv3D"
    made: Tensor = w.b.scope.op(op, x, kernel, shapes=[shape], strides=[1, *strides, 1], padding="VALID", dilations=[1, *dilations, 1])
    return made


def _depthwise(w: Walk, x: Tensor, kernel: Tensor, strides: Sequence[int], dilations: Sequence[int]) -> Tensor:
    shape = [x.shape[0], *_sizes(x, kernel.shape[:2], strides, dilations), kernel.shape[2] * kernel.shape[3]]
    made: Tensor = w.b.scope.op("DepthwiseConv2dNative", x, kernel, shapes=[shape], strides=[1, *strides, 1], padding="VALID",
                                dilations=[1, *dilations, 1])
    return made
