//===- Ops.cpp - Functions that add ops on tensors ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Builder/GraphImpl.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace ingot::graph {

static Tensor make(const char *op, const std::vector<Tensor> &operands,
                   const std::vector<Attribute> &attributes = {}) {
  for (Tensor operand : operands)
    if (!operand)
      return {};
  return operands.front().data()->graph->create(op, operands, attributes);
}

static Graph &graphOf(Tensor tensor) { return *tensor.data()->graph; }

// Returns a constant vector of 32-bit integers in the graph to which the tensor
// `of` belongs.
static Tensor list(Tensor of, ArrayRef<int64_t> values) {
  return wrap(*of.data(), of.data()->ints(values));
}

static Tensor number(Tensor of, int64_t value) {
  return wrap(*of.data(), of.data()->ints(value, /*isScalar=*/true));
}

static bool isFloat(Tensor x) {
  switch (x.dtype()) {
  case DType::Float16:
  case DType::BFloat16:
  case DType::Float32:
  case DType::Float64:
    return true;
  default:
    return false;
  }
}

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

Tensor scalarLike(Tensor x, double value) {
  return x ? graphOf(x).scalar(value, x.dtype()) : Tensor();
}

Tensor operator+(Tensor a, Tensor b) { return make("add", {a, b}); }
Tensor operator-(Tensor a, Tensor b) { return make("sub", {a, b}); }
Tensor operator*(Tensor a, Tensor b) { return make("mul", {a, b}); }
Tensor operator/(Tensor a, Tensor b) {
  return make(isFloat(a) ? "real_div" : "floor_div", {a, b});
}
Tensor operator-(Tensor x) { return make("neg", {x}); }
Tensor operator+(Tensor a, double b) { return a + scalarLike(a, b); }
Tensor operator-(Tensor a, double b) { return a - scalarLike(a, b); }
Tensor operator*(Tensor a, double b) { return a * scalarLike(a, b); }
Tensor operator/(Tensor a, double b) { return a / scalarLike(a, b); }
Tensor operator+(double a, Tensor b) { return scalarLike(b, a) + b; }
Tensor operator-(double a, Tensor b) { return scalarLike(b, a) - b; }
Tensor operator*(double a, Tensor b) { return scalarLike(b, a) * b; }
Tensor operator/(double a, Tensor b) { return scalarLike(b, a) / b; }

Tensor maximum(Tensor a, Tensor b) { return make("maximum", {a, b}); }
Tensor minimum(Tensor a, Tensor b) { return make("minimum", {a, b}); }
Tensor squaredDifference(Tensor a, Tensor b) {
  return make("squared_difference", {a, b});
}
Tensor divNoNan(Tensor a, Tensor b) { return make("div_no_nan", {a, b}); }
Tensor pow(Tensor a, Tensor b) { return make("pow", {a, b}); }
Tensor equal(Tensor a, Tensor b) {
  return make(a.dtype() == DType::String ? "string_equal" : "equal", {a, b});
}
Tensor notEqual(Tensor a, Tensor b) { return make("not_equal", {a, b}); }
Tensor less(Tensor a, Tensor b) { return make("less", {a, b}); }
Tensor lessEqual(Tensor a, Tensor b) { return make("less_equal", {a, b}); }
Tensor greater(Tensor a, Tensor b) { return make("greater", {a, b}); }
Tensor greaterEqual(Tensor a, Tensor b) {
  return make("greater_equal", {a, b});
}
Tensor logicalAnd(Tensor a, Tensor b) { return make("logical_and", {a, b}); }
Tensor logicalOr(Tensor a, Tensor b) { return make("logical_or", {a, b}); }
Tensor logicalNot(Tensor x) { return make("logical_not", {x}); }
Tensor select(Tensor condition, Tensor ifTrue, Tensor ifFalse) {
  return make("select", {condition, ifTrue, ifFalse});
}

Tensor abs(Tensor x) { return make("abs", {x}); }
Tensor sign(Tensor x) { return make("sign", {x}); }
Tensor square(Tensor x) { return make("square", {x}); }
Tensor sqrt(Tensor x) { return make("sqrt", {x}); }
Tensor rsqrt(Tensor x) { return make("rsqrt", {x}); }
Tensor exp(Tensor x) { return make("exp", {x}); }
Tensor log(Tensor x) { return make("log", {x}); }
Tensor log1p(Tensor x) { return make("log1p", {x}); }
Tensor floor(Tensor x) { return make("floor", {x}); }
Tensor cos(Tensor x) { return make("cos", {x}); }
Tensor isNan(Tensor x) { return make("is_nan", {x}); }
Tensor isFinite(Tensor x) { return make("is_finite", {x}); }
Tensor relu(Tensor x) { return make("relu", {x}); }
Tensor relu6(Tensor x) { return make("relu6", {x}); }
Tensor leakyRelu(Tensor x, double alpha) {
  return make("leaky_relu", {x}, {{"alpha", alpha}});
}
Tensor elu(Tensor x) { return make("elu", {x}); }
Tensor selu(Tensor x) { return make("selu", {x}); }
Tensor tanh(Tensor x) { return make("tanh", {x}); }
Tensor sigmoid(Tensor x) { return make("sigmoid", {x}); }
Tensor softplus(Tensor x) { return make("softplus", {x}); }
Tensor softmax(Tensor x) { return make("softmax", {x}); }
Tensor logSoftmax(Tensor x) { return make("log_softmax", {x}); }
Tensor cast(Tensor x, DType dtype) {
  return !x || x.dtype() == dtype ? x : make("cast", {x}, {{"dst", dtype}});
}

Tensor asString(Tensor x) { return make("as_string", {x}); }

//===----------------------------------------------------------------------===//
// Reduction ops
//===----------------------------------------------------------------------===//

static Tensor reduce(const char *op, Tensor x, Axes axes, bool keepDims) {
  if (!x)
    return {};
  if (axes.empty()) {
    auto shape = x.shape();
    if (!shape) {
      graphOf(x).addError(std::string(op) +
                          " over all axes needs a tensor of known rank");
      return {};
    }
    for (size_t axis = 0; axis < shape->size(); ++axis)
      axes.push_back(axis);
  }
  return make(op, {x, list(x, axes)}, {{"keep_dims", keepDims}});
}

Tensor sum(Tensor x, const Axes &axes, bool keepDims) {
  return reduce("sum", x, axes, keepDims);
}
Tensor mean(Tensor x, const Axes &axes, bool keepDims) {
  return reduce("mean", x, axes, keepDims);
}
Tensor prod(Tensor x, const Axes &axes, bool keepDims) {
  return reduce("prod", x, axes, keepDims);
}
Tensor max(Tensor x, const Axes &axes, bool keepDims) {
  return reduce("max", x, axes, keepDims);
}
Tensor min(Tensor x, const Axes &axes, bool keepDims) {
  return reduce("min", x, axes, keepDims);
}
// For bools, false is less than true, so the minimum is true only if all
// elements are true.
Tensor all(Tensor x, const Axes &axes, bool keepDims) {
  return reduce("min", x, axes, keepDims);
}
Tensor any(Tensor x, const Axes &axes, bool keepDims) {
  return reduce("max", x, axes, keepDims);
}
Tensor argMax(Tensor x, int64_t axis, DType dtype) {
  return x ? make("arg_max", {x, number(x, axis)}, {{"output_type", dtype}})
           : x;
}

//===----------------------------------------------------------------------===//
// Ops on shapes, and ops that change the shape of a tensor
//===----------------------------------------------------------------------===//

Tensor shapeOf(Tensor x, DType dtype) {
  return make("shape", {x}, {{"output_type", dtype}});
}

Tensor sizeOf(Tensor x, DType dtype) {
  bool isIndex = dtype == DType::Int32 || dtype == DType::Int64;
  Tensor size = prod(shapeOf(x, isIndex ? dtype : DType::Int32));
  return cast(size, dtype);
}

Tensor reshape(Tensor x, const Shape &shape) {
  return x ? make("reshape", {x, list(x, shape)}) : x;
}
Tensor reshape(Tensor x, Tensor shape) { return make("reshape", {x, shape}); }
Tensor expandDims(Tensor x, int64_t axis) {
  return x ? make("expand_dims", {x, number(x, axis)}) : x;
}
Tensor squeeze(Tensor x, const Axes &axes) {
  return make("squeeze", {x}, {{"dims", axes}});
}
Tensor transpose(Tensor x, const std::vector<int64_t> &permutation) {
  return x ? make("transpose", {x, list(x, permutation)}) : x;
}

Tensor concat(const std::vector<Tensor> &parts, int64_t axis) {
  if (parts.empty() || !parts.front())
    return {};
  if (parts.size() == 1)
    return parts.front();
  std::vector<Tensor> operands{number(parts.front(), axis)};
  operands.insert(operands.end(), parts.begin(), parts.end());
  return make("concat", operands);
}

Tensor stack(const std::vector<Tensor> &parts, int64_t axis) {
  std::vector<Tensor> expanded;
  for (Tensor part : parts)
    expanded.push_back(expandDims(part, axis));
  return concat(expanded, axis);
}

Tensor slice(Tensor x, const std::vector<int64_t> &begin,
             const std::vector<int64_t> &size) {
  return x ? make("slice", {x, list(x, begin), list(x, size)}) : x;
}

Tensor broadcastTo(Tensor x, Tensor shape) {
  return make("broadcast_to", {x, shape});
}
Tensor zerosLike(Tensor x) { return make("zeros_like", {x}); }
Tensor onesLike(Tensor x) { return make("ones_like", {x}); }

Tensor gather(Tensor x, Tensor indices, int64_t axis) {
  return x ? make("gather", {x, indices, number(x, axis)}) : x;
}

Tensor oneHot(Tensor indices, int64_t depth, DType dtype) {
  if (!indices)
    return {};
  Graph &graph = graphOf(indices);
  return make("one_hot", {indices, number(indices, depth),
                          graph.scalar(1, dtype), graph.scalar(0, dtype)});
}

//===----------------------------------------------------------------------===//
// Matmuls, convolutions and pooling
//===----------------------------------------------------------------------===//

Tensor matmul(Tensor a, Tensor b, bool transposeA, bool transposeB) {
  return make("matmul", {a, b},
              {{"transpose_a", transposeA}, {"transpose_b", transposeB}});
}

Tensor biasAdd(Tensor x, Tensor bias) { return make("bias_add", {x, bias}); }

static std::string nameOf(Padding padding) {
  return padding == Padding::Same ? "SAME" : "VALID";
}

Tensor conv2d(Tensor x, Tensor filter, int64_t stride, Padding padding) {
  return make("conv2d", {x, filter},
              {{"strides", std::vector<int64_t>{stride, stride}},
               {"padding", nameOf(padding)}});
}

static Tensor pool(const char *op, Tensor x, int64_t window, int64_t stride,
                   Padding padding) {
  return make(op, {x},
              {{"window", std::vector<int64_t>{window, window}},
               {"strides", std::vector<int64_t>{stride, stride}},
               {"padding", nameOf(padding)}});
}

Tensor maxPool(Tensor x, int64_t window, int64_t stride, Padding padding) {
  return pool("max_pool", x, window, stride, padding);
}
Tensor avgPool(Tensor x, int64_t window, int64_t stride, Padding padding) {
  return pool("avg_pool", x, window, stride, padding);
}

//===----------------------------------------------------------------------===//
// Ops with side effects
//===----------------------------------------------------------------------===//

void summary(std::string tag, Tensor value) {
  if (!value)
    return;
  GraphImpl &data = *value.data();
  data.create("scalar_summary", unwrap(value),
              data.builder.getNamedAttr("tag", data.builder.getStringAttr(tag)),
              TypeRange());
}

void require(Tensor condition, std::string text,
             const std::vector<Tensor> &values) {
  if (!condition)
    return;
  std::vector<Tensor> operands{condition, graphOf(condition).text(text)};
  operands.insert(operands.end(), values.begin(), values.end());
  for (Tensor operand : operands)
    if (!operand)
      return;
  graphOf(condition).createAll("assert", operands);
}

} // namespace ingot::graph
