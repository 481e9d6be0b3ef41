//===- Windows.h - Windows of convolutions and pools ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Helpers that convolutions and pools share: windows with strides, dilations
// and padding, the input elements that an output's window covers, and the
// windows that cover an input element.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_IR_WINDOWS_H
#define INGOT_DIALECTS_INGOT_IR_WINDOWS_H

#include "dialects/Ingot/IR/ShapeInference.h"

namespace mlir::ingot {

/// The attributes of an op that determine the positions of its windows. Each
/// list has the value for the height before that for the width.
struct WindowAttributes {
  ArrayRef<int64_t> strides; // two numbers
  /// The dilations of height and width. Empty if both are 1.
  ArrayRef<int64_t> dilations;
  StringRef padding; // SAME, VALID or EXPLICIT
  /// The explicit paddings, if `padding` is EXPLICIT: before the height, after
  /// the height, before the width, after the width.
  ArrayRef<int64_t> explicitPaddings;
};

/// The windows along one dimension, height or width: sizes, step and padding.
struct WindowDim {
  /// The size of the input; kDynamic if unknown.
  int64_t input;
  int64_t size; // the window's size
  int64_t stride;
  int64_t dilation;
  /// The padding before the input; kDynamic if it depends on a dynamic size.
  int64_t before;
  /// The size of the output; kDynamic if unknown.
  int64_t output;

  /// Whether at least one window covers padding. All sizes must be static.
  bool leavesInput() const {
    return before != 0 ||
           (output - 1) * stride + (size - 1) * dilation >= input;
  }
};

struct Window {
  WindowDim height, width;

  /// Whether the window's size is static.
  bool hasSize() const {
    return !ShapedType::isDynamic(height.size) &&
           !ShapedType::isDynamic(width.size);
  }
  /// Whether output and input positions correspond one to one: the window is
  /// 1x1, with stride 1 and without padding.
  bool isPointwise() const {
    for (const WindowDim &dim : {height, width})
      if (dim.size != 1 || dim.stride != 1 || dim.before != 0 ||
          dim.output != dim.input)
        return false;
    return true;
  }
};

/// Makes the windows of size `height` x `width` on an image of the given sizes,
/// any of which may be unknown. Emits an error and fails if the attributes are
/// invalid or the window does not fit into the padded image.
FailureOr<Window> makeWindow(std::optional<Location> loc,
                             const WindowAttributes &attributes,
                             int64_t inputHeight, int64_t inputWidth,
                             int64_t height, int64_t width);

/// Returns the attributes `strides`, `dilations`, `padding` and
/// `explicit_paddings` of an op or of its adaptor.
template <typename OpOrAdaptor>
WindowAttributes getWindowAttributes(OpOrAdaptor op) {
  return {op.getStrides(), op.getDilations(), op.getPadding(),
          op.getExplicitPaddings()};
}

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_WINDOWS_H
