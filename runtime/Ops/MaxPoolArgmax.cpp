//===- MaxPoolArgmax.cpp - MaxPoolWithArgmax ------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/ElementTypeDispatch.h"
#include "runtime/Ops/OpKernelContext.h"

#include <algorithm>
#include <limits>

using namespace ingot;
using namespace ingot::ops;

namespace {
/// The sizes and positions of windows along one dimension; `before` is the
/// padding before the first element.
struct WindowAxis {
  int64_t input, output, window, stride, before;

  /// begin() and end() return the range of input indices that window `i`
  /// covers, without those in the padding.
  int64_t begin(int64_t i) const {
    return std::max<int64_t>(i * stride - before, 0);
  }
  int64_t end(int64_t i) const {
    return std::min(i * stride - before + window, input);
  }
};
} // namespace

/// Checks the size of windows along one dimension, as TensorFlow's kernel does.
static Status checkAxis(const OpKernelContext &op, int64_t input,
                        int64_t window, int64_t stride, bool isSame) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  if (window > most || stride > most || input > most)
    return op.invalid("image size " + std::to_string(input) + ", window size " +
                      std::to_string(window) + " and stride " +
                      std::to_string(stride) + " must be at most " +
                      std::to_string(most));
  int64_t rest = input - window + stride;
  if (isSame || rest >= 0)
    return Status::ok();
  return op.invalid("Computed output size would be negative: " +
                    std::to_string(rest / stride) +
                    " [input_size: " + std::to_string(input) +
                    ", effective_filter_size: " + std::to_string(window) +
                    ", stride: " + std::to_string(stride) + "]");
}

static WindowAxis axisOf(int64_t input, int64_t window, int64_t stride,
                         bool isSame) {
  int64_t output = isSame ? (input + stride - 1) / stride
                          : (input - window + stride) / stride;
  int64_t padding =
      isSame ? std::max<int64_t>((output - 1) * stride + window - input, 0) : 0;
  return {input, output, window, stride, padding / 2};
}

/// Finds, for each channel of a window, the largest element and its flat index;
/// of equal elements, the first. Comparisons with NaN are false: a NaN is the
/// result if it is the window's first element, and is ignored otherwise.
template <typename T, typename Place>
static void findLargest(std::span<const T> image, const WindowAxis &height,
                        const WindowAxis &width, int64_t row, int64_t column,
                        int64_t base, std::span<T> largest,
                        std::span<Place> places) {
  auto channels = static_cast<int64_t>(largest.size());
  bool isFirst = true;
  for (int64_t y = height.begin(row); y < height.end(row); ++y)
    for (int64_t x = width.begin(column); x < width.end(column); ++x) {
      int64_t at = (y * width.input + x) * channels;
      for (size_t c = 0; c < largest.size(); ++c) {
        const T &element = image[static_cast<size_t>(at) + c];
        if (!isFirst && !(largest[c] < element))
          continue;
        largest[c] = element;
        places[c] = static_cast<Place>(base + at + static_cast<int64_t>(c));
      }
      isFirst = false;
    }
}

template <typename T, typename Place> static Status pool(OpKernelContext &op) {
  OpInput input = op.input(0);
  if (input.rank() != 4)
    return op.invalid("tensor_in must be 4-dimensional, but has shape " +
                      dimsText(input.dims()));
  auto window = op.integers("window"), strides = op.integers("strides");
  bool isSame = op.text("padding") == "SAME";
  for (size_t i : {0, 1})
    INGOT_RETURN_IF_ERROR(
        checkAxis(op, input.dim(i + 1), window[i], strides[i], isSame));
  WindowAxis height = axisOf(input.dim(1), window[0], strides[0], isSame),
             width = axisOf(input.dim(2), window[1], strides[1], isSame);
  int64_t channels = input.dim(3);
  std::vector<int64_t> dims = {input.dim(0), height.output, width.output,
                               channels};
  INGOT_ASSIGN_OR_RETURN(auto largest, op.output<T>(0, dims));
  INGOT_ASSIGN_OR_RETURN(auto places, op.output<Place>(1, dims));
  int64_t size = input.dim(1) * input.dim(2) * channels;
  auto depth = static_cast<size_t>(channels);
  size_t at = 0;
  for (int64_t i = 0; i < dims[0]; ++i) {
    auto image = input.as<T>().subspan(static_cast<size_t>(i * size),
                                       static_cast<size_t>(size));
    int64_t base = op.flag("include_batch_in_index") ? i * size : 0;
    for (int64_t row = 0; row < height.output; ++row)
      for (int64_t column = 0; column < width.output; ++column) {
        findLargest(image, height, width, row, column, base,
                    largest.subspan(at, depth), places.subspan(at, depth));
        at += depth;
      }
  }
  return Status::ok();
}

// Implements MaxPoolWithArgmax. Outputs: the largest element of each window,
// and its flat index in the image, or in the batch with
// `include_batch_in_index`.
INGOT_RUNTIME_OP(max_pool_with_argmax) {
  return visitNumbers(op.input(0).dtype(), [&]<typename T>() {
    return op.outputType(1) == INGOT_INT64 ? pool<T, int64_t>(op)
                                           : pool<T, int32_t>(op);
  });
}
