//===- GraphNumerics.cpp - Elementwise ops, shapes and reductions ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/StableHLO/GraphBuilder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace ingot::stablehlo {

// The shape of operands of one rank, or of rank 0, broadcast to one another.
static Sizes broadcastShape(ArrayRef<Tensor> inputs) {
  Sizes shape;
  for (const Tensor &input : inputs) {
    if (input->rank() > shape.size())
      shape.insert(shape.begin(), input->rank() - shape.size(), 1);
    size_t offset = shape.size() - input->rank();
    for (size_t axis = 0; axis < input->rank(); ++axis)
      if (shape[offset + axis] == 1)
        shape[offset + axis] = input->shape[axis];
  }
  return shape;
}

// Returns the value of a scalar in iteration `step`, if it is a constant
// integer or follows from the counter.
static std::optional<int64_t> valueAt(const Tensor &x, size_t step) {
  if (x->perStep)
    return (*x->perStep)[step];
  if (!x->constant || isFloat(x->type))
    return std::nullopt;
  unsigned size = sizeOf(x->type);
  if (x->constant->bytes.size() != size)
    return std::nullopt;
  uint64_t bits = 0;
  for (unsigned byte = 0; byte < size; ++byte)
    bits |= uint64_t(static_cast<unsigned char>(x->constant->bytes[byte]))
            << (8 * byte);
  return isSigned(x->type) ? SignExtend64(bits, 8 * size)
                           : static_cast<int64_t>(bits);
}

static std::optional<int64_t> compute(StringRef op, ArrayRef<int64_t> x) {
  constexpr int64_t limit = INT32_MAX;
  if (any_of(x, [](int64_t one) { return one > limit || one < -limit; }))
    return std::nullopt;
  if (x.size() == 1)
    return op == "Cast"  ? std::optional(x[0])
           : op == "Neg" ? std::optional(-x[0])
                         : std::nullopt;
  if (x.size() == 3)
    return op == "SelectV2" ? std::optional(x[0] ? x[1] : x[2]) : std::nullopt;
  return StringSwitch<std::optional<int64_t>>(op)
      .Case("AddV2", x[0] + x[1])
      .Case("Sub", x[0] - x[1])
      .Case("Mul", x[0] * x[1])
      .Case("Maximum", std::max(x[0], x[1]))
      .Case("Minimum", std::min(x[0], x[1]))
      .Case("Less", x[0] < x[1])
      .Case("LessEqual", x[0] <= x[1])
      .Case("Greater", x[0] > x[1])
      .Case("GreaterEqual", x[0] >= x[1])
      .Case("Equal", x[0] == x[1])
      .Case("NotEqual", x[0] != x[1])
      .Default(std::nullopt);
}

// Returns the values of an op in the iterations of a counted loop; null if they
// do not follow from the counter.
static std::shared_ptr<const std::vector<int64_t>>
valuesPerStep(StringRef op, ArrayRef<Tensor> inputs) {
  auto counted =
      find_if(inputs, [](const Tensor &one) { return one->perStep; });
  if (counted == inputs.end() || inputs.size() > 3)
    return nullptr;
  std::vector<int64_t> values;
  for (size_t step = 0; step < (*counted)->perStep->size(); ++step) {
    SmallVector<int64_t, 3> x;
    for (const Tensor &input : inputs) {
      auto value = valueAt(input, step);
      if (!value)
        return nullptr;
      x.push_back(*value);
    }
    auto result = compute(op, x);
    if (!result)
      return nullptr;
    values.push_back(*result);
  }
  return std::make_shared<const std::vector<int64_t>>(std::move(values));
}

Tensor GraphBuilder::pointwise(StringRef op, ArrayRef<Tensor> inputs,
                               proto::DataType type, AttributeMap attributes) {
  Sizes shape = broadcastShape(inputs);
  SmallVector<Tensor> thin;
  for (const Tensor &input : inputs)
    thin.push_back(thinOf(input));
  Sizes small = broadcastShape(thin);
  // SelectV2 takes operands of one rank, or scalars.
  if (thin.size() == 3 && any_of(thin, [&](const Tensor &one) {
        return one->rank() && one->rank() != small.size();
      })) {
    thin.assign(inputs.begin(), inputs.end());
    small = shape;
  }
  if (type == proto::DT_INVALID)
    type = inputs.front()->type;
  Tensor made = node(op, thin, type, small, std::move(attributes));
  if (small.empty())
    made->perStep = valuesPerStep(op, thin);
  return broadcast(made, shape);
}

Tensor GraphBuilder::broadcast(const Tensor &x, ArrayRef<int64_t> shape) {
  if (ArrayRef<int64_t>(x->shape) == shape)
    return x;
  Tensor made = std::make_shared<TensorNode>();
  made->type = x->type;
  made->shape = Sizes(shape);
  made->thin = thinOf(x);
  return made;
}

Tensor GraphBuilder::cast(const Tensor &x, proto::DataType type) {
  return x->type == type
             ? x
             : pointwise("Cast", {x}, type, {{"DstT", exporter::type(type)}});
}

Tensor GraphBuilder::bitcast(const Tensor &x, proto::DataType type) {
  if (x->type == type)
    return x;
  Tensor thin = thinOf(x);
  // The node always has a rank of 1 or more.
  Tensor rows = thin->rank() ? thin : reshape(thin, {1});
  Tensor made = node("Bitcast", {rows}, type, rows->shape,
                     {{"type", exporter::type(type)}});
  return broadcast(reshape(made, thin->shape), x->shape);
}

Tensor GraphBuilder::select(const Tensor &condition, const Tensor &yes,
                            const Tensor &no) {
  return pointwise("SelectV2", {condition, yes, no}, yes->type);
}

Tensor GraphBuilder::reshape(const Tensor &x, ArrayRef<int64_t> shape) {
  if (ArrayRef<int64_t>(x->shape) == shape)
    return x;
  if (!thinOf(x)->rank() && x->rank())
    return shape.empty() ? thinOf(x) : broadcast(thinOf(x), shape);
  Tensor made = node("Reshape", {x, sizes(shape)}, x->type, shape);
  made->constant = x->constant;
  made->isRange = x->isRange;
  return made;
}

// Whether only dimensions of size 1 change their order.
static bool onlyOnesMove(ArrayRef<int64_t> shape, ArrayRef<int64_t> order) {
  int64_t last = -1;
  for (int64_t axis : order) {
    if (shape[axis] == 1)
      continue;
    if (axis < last)
      return false;
    last = axis;
  }
  return true;
}

Tensor GraphBuilder::transpose(const Tensor &x, ArrayRef<int64_t> order) {
  Sizes shape;
  for (int64_t axis : order)
    shape.push_back(x->shape[axis]);
  if (is_sorted(order))
    return x;
  const Tensor &thin = thinOf(x);
  if (!thin->rank())
    return broadcast(thin, shape);
  if (thin != x)
    return broadcast(transpose(thin, order), shape);
  if (onlyOnesMove(x->shape, order))
    return reshape(x, shape);
  return node("Transpose", {x, sizes(order)}, x->type, shape);
}

Tensor GraphBuilder::slice(const Tensor &x, ArrayRef<int64_t> begin,
                           ArrayRef<int64_t> end, ArrayRef<int64_t> strides) {
  Sizes shape;
  bool isPlain = true;
  for (size_t axis = 0; axis < x->rank(); ++axis) {
    int64_t stride = strides.empty() ? 1 : strides[axis];
    isPlain &= stride == 1;
    shape.push_back(
        std::max<int64_t>(0, (end[axis] - begin[axis] + stride - 1) / stride));
  }
  if (isPlain && shape == x->shape)
    return x;
  if (!thinOf(x)->rank())
    return broadcast(thinOf(x), shape);
  if (isPlain)
    return node("Slice", {x, sizes(begin), sizes(shape)}, x->type, shape);
  return node("StridedSlice", {x, sizes(begin), sizes(end), sizes(strides)},
              x->type, shape);
}

Tensor GraphBuilder::concat(ArrayRef<Tensor> parts, int64_t axis) {
  SmallVector<Tensor> kept;
  for (const Tensor &part : parts)
    if (part->shape[axis])
      kept.push_back(part);
  if (kept.empty())
    kept.push_back(parts.front());
  if (kept.size() == 1)
    return kept.front();
  Sizes shape = kept.front()->shape;
  shape[axis] = 0;
  for (const Tensor &part : kept)
    shape[axis] += part->shape[axis];
  kept.push_back(scalar(axis, proto::DT_INT32));
  return node("ConcatV2", kept, kept.front()->type, shape);
}

Tensor GraphBuilder::pad(const Tensor &x, const Tensor &value,
                         ArrayRef<int64_t> low, ArrayRef<int64_t> high,
                         ArrayRef<int64_t> inner) {
  Tensor padded = x;
  for (size_t axis = 0; axis < inner.size(); ++axis)
    if (inner[axis] && padded->shape[axis] > 1)
      padded = spread(padded, value, axis, inner[axis]);
  Sizes begin, end, shape, widths;
  bool isPadded = false;
  for (size_t axis = 0; axis < padded->rank(); ++axis) {
    int64_t size = padded->shape[axis];
    begin.push_back(std::min(size, std::max<int64_t>(0, -low[axis])));
    end.push_back(
        std::max(begin.back(), size - std::max<int64_t>(0, -high[axis])));
    widths.push_back(std::max<int64_t>(0, low[axis]));
    widths.push_back(std::max<int64_t>(0, high[axis]));
    isPadded |= widths.back() || widths[widths.size() - 2];
    shape.push_back(end.back() - begin.back() + widths.back() +
                    widths[widths.size() - 2]);
  }
  padded = slice(padded, begin, end);
  if (!isPadded)
    return padded;
  auto elements = std::make_shared<Elements>();
  elements->type.element = proto::DT_INT32;
  elements->type.shape = {static_cast<int64_t>(shape.size()), 2};
  for (int64_t width : widths)
    elements->bytes += encode(width, proto::DT_INT32);
  return node("PadV2", {padded, constant(elements), value}, x->type, shape);
}

// Puts `count` elements of `value` between the elements along `axis`.
Tensor GraphBuilder::spread(const Tensor &x, const Tensor &value, size_t axis,
                            int64_t count) {
  Sizes wide = x->shape;
  wide.insert(wide.begin() + axis + 1, 1);
  Sizes low(wide.size(), 0), high(wide.size(), 0);
  high[axis + 1] = count;
  Tensor padded = pad(reshape(x, wide), value, low, high);
  Sizes flat = x->shape;
  flat[axis] *= count + 1;
  Sizes end = flat;
  end[axis] -= count;
  return slice(reshape(padded, flat), Sizes(flat.size(), 0), end);
}

Tensor GraphBuilder::iota(ArrayRef<int64_t> shape, int64_t axis,
                          proto::DataType type) {
  int64_t size = shape[axis];
  Tensor line;
  if (size <= 256) {
    auto elements = std::make_shared<Elements>();
    elements->type.element = type;
    elements->type.shape = {size};
    for (int64_t i = 0; i < size; ++i)
      elements->bytes += encode(i, type);
    line = constant(elements);
  } else {
    line = cast(node("Range",
                     {scalar(0, proto::DT_INT32), scalar(size, proto::DT_INT32),
                      scalar(1, proto::DT_INT32)},
                     proto::DT_INT32, {size}),
                type);
  }
  line->isRange = true;
  Sizes expanded(shape.size(), 1);
  expanded[axis] = size;
  return broadcast(reshape(line, expanded), shape);
}

Tensor GraphBuilder::reduce(StringRef op, const Tensor &x,
                            ArrayRef<int64_t> axes) {
  if (axes.empty())
    return x;
  Sizes shape;
  for (auto [axis, size] : enumerate(x->shape))
    if (!is_contained(axes, static_cast<int64_t>(axis)))
      shape.push_back(size);
  return node(op, {x, sizes(axes)}, x->type, shape);
}

Tensor GraphBuilder::gather(const Tensor &x, const Tensor &indices,
                            int64_t axis, int64_t batch) {
  Sizes shape(x->shape.begin(), x->shape.begin() + axis);
  shape.append(indices->shape.begin() + batch, indices->shape.end());
  shape.append(x->shape.begin() + axis + 1, x->shape.end());
  AttributeMap attributes;
  if (batch)
    attributes["batch_dims"] = exporter::integer(batch);
  return node("GatherV2", {x, indices, scalar(axis, proto::DT_INT32)}, x->type,
              shape, std::move(attributes));
}

} // namespace ingot::stablehlo
