//===- TranslateConvolutions.cpp - Convolutions ---------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions of one to three spatial axes, with strides, dilations, any
// padding, and groups.
//
//===----------------------------------------------------------------------===//

#include "compiler/StableHLO/Translation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace ingot::stablehlo {

namespace {

/// The attributes of a convolution. `images` and `kernel` are orders of axes:
/// [batch, spatial axes.., channels] and [spatial axes.., inputs, outputs];
/// `result` is where these axes of the result lie.
struct Convolution {
  Sizes images, kernel, result;
  Sizes strides, padding, innerImages, dilations;
  int64_t groups = 1, batches = 1;
};

} // namespace

// Parses "b, 0, 1, f" and returns the order of axes in which `first`, the
// spatial axes, and `last` come. `first` may be empty.
static std::optional<Sizes> orderOf(StringRef text, ArrayRef<char> first,
                                    ArrayRef<char> last) {
  SmallVector<StringRef> names;
  text.split(names, ',');
  size_t spatial = names.size() - first.size() - last.size();
  if (names.size() > 5 || names.size() < first.size() + last.size() + 1)
    return std::nullopt;
  Sizes order(names.size(), -1);
  for (auto [axis, padded] : enumerate(names)) {
    StringRef name = padded.trim();
    size_t place = order.size();
    unsigned number;
    if (!name.getAsInteger(10, number)) {
      place = number < spatial ? first.size() + number : order.size();
    } else if (name.size() == 1) {
      for (auto [index, letter] : enumerate(first))
        if (letter == name[0])
          place = index;
      for (auto [index, letter] : enumerate(last))
        if (letter == name[0])
          place = first.size() + spatial + index;
    }
    if (place >= order.size() || order[place] != -1)
      return std::nullopt;
    order[place] = static_cast<int64_t>(axis);
  }
  return order;
}

// "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]"
static bool parseNumbers(StringRef text, Convolution &c) {
  auto part = [&] {
    auto [inside, rest] = text.split(']');
    text = rest;
    return inside.split('[').second;
  };
  auto images = orderOf(part(), {'b'}, {'f'});
  auto kernel = orderOf(part(), {}, {'i', 'o'});
  auto result = orderOf(part(), {'b'}, {'f'});
  if (!images || !kernel || !result || images->size() != kernel->size() ||
      images->size() != result->size())
    return false;
  c.images = *images;
  c.kernel = *kernel;
  c.result = *result;
  return true;
}

static bool readAttributes(Translation &t, const Op &op, Convolution &c) {
  if (!parseNumbers(t.text(op, "dimension_numbers"), c))
    return false;
  size_t spatial = c.images.size() - 2;
  auto get = [&](StringRef name, size_t count, int64_t otherwise, Sizes &out) {
    out.assign(count, otherwise);
    if (!op.find(name))
      return true;
    auto values = t.integers(op, name);
    if (!values || values->size() != count)
      return false;
    out = *values;
    return true;
  };
  if (!get("window_strides", spatial, 1, c.strides) ||
      !get("padding", 2 * spatial, 0, c.padding) ||
      !get("lhs_dilation", spatial, 1, c.innerImages) ||
      !get("rhs_dilation", spatial, 1, c.dilations))
    return false;
  c.groups = t.integer(op, "feature_group_count").value_or(1);
  c.batches = t.integer(op, "batch_group_count").value_or(1);
  constexpr int64_t most = 1 << 30;
  auto isSize = [&](int64_t value) { return value >= 1 && value < most; };
  return all_of(c.strides, isSize) && all_of(c.innerImages, isSize) &&
         all_of(c.dilations, isSize) && isSize(c.groups) && isSize(c.batches) &&
         all_of(c.padding,
                [&](int64_t value) { return std::abs(value) < most; });
}

/// The sizes of a convolution's result, without its padding.
static Sizes outputSizes(const Tensor &x, ArrayRef<int64_t> window,
                         ArrayRef<int64_t> strides,
                         ArrayRef<int64_t> dilations) {
  Sizes sizes;
  for (size_t i = 0; i < window.size(); ++i)
    sizes.push_back(std::max<int64_t>(
        0, (x->shape[i + 1] - (window[i] - 1) * dilations[i] - 1) / strides[i] +
               1));
  return sizes;
}

static AttributeMap windowAttributes(ArrayRef<int64_t> strides,
                                     ArrayRef<int64_t> dilations) {
  Sizes steps = {1}, spread = {1};
  append_range(steps, strides);
  append_range(spread, dilations);
  steps.push_back(1);
  spread.push_back(1);
  return {{"strides", exporter::integers(steps)},
          {"dilations", exporter::integers(spread)},
          {"padding", exporter::text("VALID")}};
}

static Tensor convolve(GraphBuilder &b, StringRef op, const Tensor &x,
                       const Tensor &kernel, int64_t outputs,
                       const Convolution &c) {
  ArrayRef<int64_t> window(kernel->shape);
  Sizes shape = {x->shape[0]};
  append_range(shape,
               outputSizes(x, window.drop_back(2), c.strides, c.dilations));
  shape.push_back(outputs);
  return b.node(op, {x, kernel}, x->type, shape,
                windowAttributes(c.strides, c.dilations));
}

static Tensor partOf(GraphBuilder &b, const Tensor &x, size_t axis,
                     int64_t index, int64_t count) {
  int64_t size = x->shape[axis] / count;
  Sizes begin(x->rank(), 0), end = x->shape;
  begin[axis] = index * size;
  end[axis] = (index + 1) * size;
  return b.slice(x, begin, end);
}

// Divides channels into groups, or the batch, each of which meets its part of
// the kernel's outputs.
static Tensor grouped(GraphBuilder &b, const Tensor &x, const Tensor &kernel,
                      const Convolution &c) {
  size_t last = x->rank() - 1;
  StringRef op = x->rank() == 4 ? "Conv2D" : "Conv3D";
  int64_t channels = x->shape[last], outputs = kernel->shape[last];
  if (c.groups == 1 && c.batches == 1)
    return convolve(b, op, x, kernel, outputs, c);
  if (c.groups == channels && x->rank() == 4 && c.strides[0] == c.strides[1]) {
    Sizes shape = {kernel->shape[0], kernel->shape[1], channels,
                   outputs / c.groups};
    return convolve(b, "DepthwiseConv2dNative", x, b.reshape(kernel, shape),
                    outputs, c);
  }
  bool dividesBatch = c.groups == 1;
  int64_t count = dividesBatch ? c.batches : c.groups;
  SmallVector<Tensor> parts;
  for (int64_t i = 0; i < count; ++i)
    parts.push_back(
        convolve(b, op, partOf(b, x, dividesBatch ? 0 : last, i, count),
                 partOf(b, kernel, last, i, count), outputs / count, c));
  return b.concat(parts, static_cast<int64_t>(last));
}

// Whether channels, groups and sizes go together.
static bool isValid(const Tensor &x, const Tensor &kernel,
                    const Convolution &c) {
  size_t rank = x->rank();
  int64_t channels = x->shape[rank - 1], outputs = kernel->shape[rank - 1];
  return (c.groups == 1 || c.batches == 1) && outputs > 0 &&
         channels % c.groups == 0 && outputs % c.groups == 0 &&
         kernel->shape[rank - 2] == channels / c.groups &&
         x->shape[0] % c.batches == 0 && outputs % c.batches == 0 &&
         c.groups <= 4096 && c.batches <= 4096;
}

static Tensors convolution(Translation &t, const Op &op,
                           ArrayRef<Tensor> inputs) {
  GraphBuilder &b = t.builder();
  Convolution c;
  if (!readAttributes(t, op, c) || inputs[0]->rank() != c.images.size() ||
      inputs[1]->rank() != c.images.size())
    return t.refuse("its attributes do not fit its operands, or it has not "
                    "one to three spatial axes");
  proto::DataType type = t.resultOf(op).element;
  Tensor x = b.transpose(b.cast(inputs[0], type), c.images);
  Tensor kernel = b.transpose(b.cast(inputs[1], type), c.kernel);
  if (!isValid(x, kernel, c) || !isFloat(type))
    return t.refuse("its channels and groups do not fit one another, or its "
                    "numbers are not floats");
  if (auto reversal = t.integers(op, "window_reversal")) {
    Sizes axes;
    for (auto [axis, isReversed] : enumerate(*reversal))
      if (isReversed && axis + 2 < kernel->rank())
        axes.push_back(static_cast<int64_t>(axis));
    if (!axes.empty())
      kernel =
          b.node("ReverseV2", {kernel, b.sizes(axes)}, type, kernel->shape);
  }
  Sizes low = {0}, high = {0}, inner = {0};
  for (size_t i = 0; i < c.strides.size(); ++i) {
    low.push_back(c.padding[2 * i]);
    high.push_back(c.padding[2 * i + 1]);
    inner.push_back(c.innerImages[i] - 1);
  }
  low.push_back(0);
  high.push_back(0);
  inner.push_back(0);
  x = b.pad(x, b.like(0, x), low, high, inner);
  bool isLine = x->rank() == 3;
  if (isLine) {
    Sizes images = x->shape, weights = kernel->shape;
    images.insert(images.begin() + 1, 1);
    weights.insert(weights.begin(), 1);
    x = b.reshape(x, images);
    kernel = b.reshape(kernel, weights);
    c.strides.insert(c.strides.begin(), 1);
    c.dilations.insert(c.dilations.begin(), 1);
  }
  Tensor y = grouped(b, x, kernel, c);
  if (isLine) {
    Sizes shape = y->shape;
    shape.erase(shape.begin() + 1);
    y = b.reshape(y, shape);
  }
  Sizes back(c.result.size());
  for (auto [place, axis] : enumerate(c.result))
    back[axis] = static_cast<int64_t>(place);
  return {b.transpose(y, back)};
}

void addConvolutionOps(OpTable &table) {
  table["stablehlo.convolution"] = {convolution, 2, 1};
}

} // namespace ingot::stablehlo
