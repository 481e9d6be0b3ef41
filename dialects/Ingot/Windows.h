//===- Windows.h - Windows that slide over images ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Shared by convolutions and pools: strides, dilations and padding, the input
// elements under an output's window, and the windows over an input.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_WINDOWS_H
#define INGOT_DIALECTS_INGOT_WINDOWS_H

#include "dialects/Ingot/ShapeInference.h"

namespace mlir::ingot {

/// How a window moves, as the attributes of an op say it. Height comes first.
struct WindowAttributes {
  ArrayRef<int64_t> strides;   // 2
  ArrayRef<int64_t> dilations; // 2, or none: all 1
  StringRef padding;           // SAME, VALID or EXPLICIT
  /// Before and after the height, before and after the width; with EXPLICIT.
  ArrayRef<int64_t> explicitPaddings;
};

/// One of the two dimensions that a window moves along.
struct WindowDim {
  int64_t input; // size, or kDynamic
  int64_t size;  // of the window
  int64_t stride;
  int64_t dilation;
  int64_t before; // padding; kDynamic where the input's size decides
  int64_t output; // size, or kDynamic

  /// Whether some window reaches into the padding, where all is known.
  bool leavesInput() const {
    return before != 0 ||
           (output - 1) * stride + (size - 1) * dilation >= input;
  }
};

struct Window {
  WindowDim height, width;

  /// Whether the window's own size is known.
  bool hasSize() const {
    return !ShapedType::isDynamic(height.size) &&
           !ShapedType::isDynamic(width.size);
  }
  /// Whether an output element depends on one input element only, each on
  /// another.
  bool isPointwise() const {
    for (const WindowDim &dim : {height, width})
      if (dim.size != 1 || dim.stride != 1 || dim.before != 0 ||
          dim.output != dim.input)
        return false;
    return true;
  }
};

/// The windows of size `height` and `width` on an image of the given sizes, any
/// of which may be unknown. Checks the attributes, and that the window fits.
FailureOr<Window> makeWindow(std::optional<Location> loc,
                             const WindowAttributes &attributes,
                             int64_t inputHeight, int64_t inputWidth,
                             int64_t height, int64_t width);

/// The attributes of an op that has them under the usual names.
template <typename OpOrAdaptor>
WindowAttributes getWindowAttributes(OpOrAdaptor op) {
  return {op.getStrides(), op.getDilations(), op.getPadding(),
          op.getExplicitPaddings()};
}

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_WINDOWS_H
