//===- Windows.cpp - Windows of convolutions and pools --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/Windows.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ingot;

/// The maximum size of a window or of an image's dimension, so that products of
/// sizes stay far below 2^63.
static constexpr int64_t maxSize = int64_t(1) << 31;

/// Reports an error if the strides, dilations or padding are invalid whatever
/// the sizes of the image and the window are.
static LogicalResult checkAttributes(std::optional<Location> loc,
                                     const WindowAttributes &attributes) {
  auto check = [&](ArrayRef<int64_t> numbers, StringRef what) -> LogicalResult {
    if (numbers.size() != 2)
      return emitOptionalError(
          loc, "expected two ", what,
          ", one for the height and one for the width, but got ",
          numbers.size());
    for (int64_t number : numbers)
      if (number < 1 || number > maxSize)
        return emitOptionalError(
            loc, "the ", what, " must be from 1 to 2^31, but one is ", number);
    return success();
  };
  // Strides and dilations must be two positive numbers each (window_c1).
  if (failed(check(attributes.strides, "strides")) ||
      (!attributes.dilations.empty() &&
       failed(check(attributes.dilations, "dilations"))))
    return failure();
  StringRef padding = attributes.padding;
  // The padding must be SAME, VALID or EXPLICIT; EXPLICIT must have four
  // numbers, none of them negative (window_c2).
  if (padding != "SAME" && padding != "VALID" && padding != "EXPLICIT")
    return emitOptionalError(loc, "the padding '", padding,
                             "' is neither SAME nor VALID nor EXPLICIT");
  ArrayRef<int64_t> explicitPaddings = attributes.explicitPaddings;
  if (padding == "EXPLICIT" &&
      (explicitPaddings.size() != 4 ||
       llvm::any_of(explicitPaddings,
                    [](int64_t size) { return size < 0 || size > maxSize; })))
    return emitOptionalError(loc,
                             "explicit padding must be four numbers, each "
                             "from 0 to 2^31, but is [",
                             explicitPaddings, "]");
  return success();
}

/// Computes the padding and the output size along one dimension, as TensorFlow
/// does: with SAME padding, the output has ceil(input / stride) elements, and
/// if the total padding is odd, one element more is added after the dimension
/// than before it. Values that depend on unknown sizes are kDynamic.
static FailureOr<WindowDim> makeDim(std::optional<Location> loc,
                                    const WindowAttributes &attributes,
                                    unsigned index, int64_t input,
                                    int64_t size) {
  WindowDim dim{input,
                size,
                attributes.strides[index],
                attributes.dilations.empty() ? 1 : attributes.dilations[index],
                ShapedType::kDynamic,
                ShapedType::kDynamic};
  int64_t after = 0;
  if (attributes.padding == "VALID")
    dim.before = 0;
  if (attributes.padding == "EXPLICIT") {
    dim.before = attributes.explicitPaddings[2 * index];
    after = attributes.explicitPaddings[2 * index + 1];
  }
  if (ShapedType::isDynamic(input) ||
      (ShapedType::isDynamic(size) && attributes.padding != "SAME")) {
    if (dim.stride == 1 && (attributes.padding == "SAME" ||
                            (attributes.padding == "VALID" && size == 1)))
      dim.output = input;
    if (attributes.padding == "SAME" && dim.stride == 1 &&
        !ShapedType::isDynamic(size))
      dim.before = (size - 1) * dim.dilation / 2;
    return dim;
  }
  StringRef what = index == 0 ? "height" : "width";
  // The sizes of the input and of the window must not be too large, and the
  // window must not be empty (window_c3).
  if (input > maxSize || size > maxSize || size == 0)
    return emitOptionalError(loc, "the ", what,
                             " of the window must be from 1 to 2^31, and the ",
                             what, " of the input at most 2^31, but they are ",
                             dimToString(size), " and ", input);
  int64_t reach = (size - 1) * dim.dilation + 1;
  if (attributes.padding == "SAME") {
    dim.output = llvm::divideCeil(input, dim.stride);
    if (!ShapedType::isDynamic(size))
      dim.before =
          std::max<int64_t>((dim.output - 1) * dim.stride + reach - input, 0) /
          2;
    return dim;
  }
  int64_t room = dim.before + input + after - reach;
  // The window must fit into the padded input (window_c3).
  if (room < 0 && input != 0)
    return emitOptionalError(
        loc, "the ", what, " of the window, ", reach, ", is larger than the ",
        what, " of the padded input, ", dim.before + input + after);
  dim.output = room < 0 ? 0 : room / dim.stride + 1;
  return dim;
}

FailureOr<Window> mlir::ingot::makeWindow(std::optional<Location> loc,
                                          const WindowAttributes &attributes,
                                          int64_t inputHeight,
                                          int64_t inputWidth, int64_t height,
                                          int64_t width) {
  if (failed(checkAttributes(loc, attributes)))
    return failure();
  FailureOr<WindowDim> rows = makeDim(loc, attributes, 0, inputHeight, height);
  FailureOr<WindowDim> columns =
      failed(rows) ? rows : makeDim(loc, attributes, 1, inputWidth, width);
  if (failed(columns))
    return failure();
  return Window{*rows, *columns};
}
