//===- TranslateElementwise.cpp - Ops on each element by itself -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/StableHLO/Translation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace llvm;

namespace ingot::stablehlo {

// StableHLO's and CHLO's ops on floats that are one op of TensorFlow.
static StringRef unaryOp(StringRef name) {
  return StringSwitch<StringRef>(name.split('.').second)
      .Case("exponential", "Exp")
      .Case("exponential_minus_one", "Expm1")
      .Case("log", "Log")
      .Case("log_plus_one", "Log1p")
      .Case("tanh", "Tanh")
      .Case("logistic", "Sigmoid")
      .Case("sqrt", "Sqrt")
      .Case("rsqrt", "Rsqrt")
      .Case("sine", "Sin")
      .Case("cosine", "Cos")
      .Case("tan", "Tan")
      .Case("floor", "Floor")
      .Case("ceil", "Ceil")
      .Case("round_nearest_even", "Rint")
      .Case("asin", "Asin")
      .Case("acos", "Acos")
      .Case("atan", "Atan")
      .Case("sinh", "Sinh")
      .Case("cosh", "Cosh")
      .Case("asinh", "Asinh")
      .Case("acosh", "Acosh")
      .Case("atanh", "Atanh")
      .Case("erf", "Erf")
      .Case("erfc", "Erfc")
      .Case("lgamma", "Lgamma")
      .Case("digamma", "Digamma")
      .Default("");
}

// An accuracy other than the default asks for another approximation.
static bool hasDefaultAccuracy(Translation &t, const Op &op) {
  StringRef accuracy = t.text(op, "result_accuracy");
  return accuracy.empty() || accuracy.contains("DEFAULT") ||
         !accuracy.contains("mode");
}

static Tensors unary(Translation &t, const Op &op, ArrayRef<Tensor> x) {
  if (!isFloat(x[0]->type))
    return t.refuse("numbers of this type are not supported; floats are");
  if (!hasDefaultAccuracy(t, op))
    return t.refuse("a result_accuracy other than the default is not "
                    "supported");
  return {t.builder().pointwise(unaryOp(op.name), x[0])};
}

static Tensors isFinite(Translation &t, const Op &, ArrayRef<Tensor> x) {
  return {t.builder().pointwise("IsFinite", x[0], proto::DT_BOOL)};
}

static Tensors add(Translation &t, const Op &, ArrayRef<Tensor> x) {
  bool isBool = x[0]->type == proto::DT_BOOL;
  return {t.builder().pointwise(isBool ? "LogicalOr" : "AddV2", x)};
}

static Tensors subtract(Translation &t, const Op &, ArrayRef<Tensor> x) {
  return {t.builder().sub(x[0], x[1])};
}

static Tensors multiply(Translation &t, const Op &, ArrayRef<Tensor> x) {
  GraphBuilder &b = t.builder();
  if (x[0]->type == proto::DT_BOOL)
    return {b.pointwise("LogicalAnd", x)};
  if (x[0] == x[1] && isFloat(x[0]->type))
    return {b.pointwise("Square", x[0])};
  return {b.mul(x[0], x[1])};
}

Tensor extreme(GraphBuilder &b, const Tensor &x, const Tensor &y,
               bool isLarger) {
  if (x->type == proto::DT_BOOL)
    return b.pointwise(isLarger ? "LogicalOr" : "LogicalAnd", {x, y});
  return b.pointwise(isLarger ? "Maximum" : "Minimum", {x, y});
}

static Tensors maximum(Translation &t, const Op &, ArrayRef<Tensor> x) {
  return {extreme(t.builder(), x[0], x[1], true)};
}

static Tensors minimum(Translation &t, const Op &, ArrayRef<Tensor> x) {
  return {extreme(t.builder(), x[0], x[1], false)};
}

static Tensors negate(Translation &t, const Op &, ArrayRef<Tensor> x) {
  GraphBuilder &b = t.builder();
  return {isUnsigned(x[0]->type) ? b.sub(b.like(0, x[0]), x[0])
                                 : b.pointwise("Neg", x[0])};
}

static Tensors absolute(Translation &t, const Op &, ArrayRef<Tensor> x) {
  return {isUnsigned(x[0]->type) ? x[0] : t.builder().pointwise("Abs", x[0])};
}

static Tensors sign(Translation &t, const Op &, ArrayRef<Tensor> x) {
  GraphBuilder &b = t.builder();
  return {isUnsigned(x[0]->type)
              ? b.pointwise("Minimum", {x[0], b.like(1, x[0])})
              : b.pointwise("Sign", x[0])};
}

static Tensors square(Translation &t, const Op &, ArrayRef<Tensor> x) {
  GraphBuilder &b = t.builder();
  return {isFloat(x[0]->type) ? b.pointwise("Square", x[0])
                              : b.mul(x[0], x[0])};
}

// Rounds halves away from zero.
static Tensors round(Translation &t, const Op &, ArrayRef<Tensor> x) {
  GraphBuilder &b = t.builder();
  Tensor size = b.pointwise("Abs", x[0]), below = b.pointwise("Floor", size);
  Tensor isHalf =
      b.compare("GreaterEqual", b.sub(size, below), b.like(0.5, x[0]));
  Tensor away = b.select(isHalf, b.add(below, b.like(1, x[0])), below);
  return {b.select(b.compare("Less", x[0], b.like(0, x[0])),
                   b.pointwise("Neg", away), away)};
}

static Tensors cubeRoot(Translation &t, const Op &, ArrayRef<Tensor> x) {
  GraphBuilder &b = t.builder();
  Tensor size =
      b.pointwise("Pow", {b.pointwise("Abs", x[0]), b.like(1.0 / 3, x[0])});
  return {b.select(b.compare("Less", x[0], b.like(0, x[0])),
                   b.pointwise("Neg", size), size)};
}

static Tensors power(Translation &t, const Op &, ArrayRef<Tensor> x) {
  if (!isFloat(x[0]->type))
    return t.refuse("powers of integers are not supported; floats are");
  return {t.builder().pointwise("Pow", x)};
}

static Tensors atan2(Translation &t, const Op &, ArrayRef<Tensor> x) {
  return {t.builder().pointwise("Atan2", x)};
}

static Tensors nextAfter(Translation &t, const Op &, ArrayRef<Tensor> x) {
  if (x[0]->type != proto::DT_FLOAT && x[0]->type != proto::DT_DOUBLE)
    return t.refuse("this type is not supported; f32 and f64 are");
  return {t.builder().pointwise("NextAfter", x)};
}

// Integers in the total order of floats: -NaN, -inf .. -0, 0 .. inf, NaN.
Tensor orderedBits(GraphBuilder &b, Tensor x) {
  if (bitsOf(x->type) == 16)
    x = b.cast(x, proto::DT_FLOAT);
  proto::DataType type =
      x->type == proto::DT_DOUBLE ? proto::DT_INT64 : proto::DT_INT32;
  Tensor bits = b.bitcast(x, type);
  Tensor sign =
      b.pointwise("RightShift", {bits, b.scalar(bitsOf(type) - 1, type)});
  int64_t most = type == proto::DT_INT64 ? INT64_MAX : INT32_MAX;
  return b.pointwise(
      "BitwiseXor",
      {bits, b.pointwise("BitwiseAnd", {sign, b.scalar(most, type)})});
}

Tensor sortKeys(GraphBuilder &b, const Tensor &x) {
  if (isFloat(x->type)) {
    Tensor plain =
        b.select(b.compare("Equal", x, b.like(0, x)), b.like(0, x), x);
    Tensor isNan = b.pointwise("IsNan", plain, proto::DT_BOOL);
    return orderedBits(b, b.select(isNan, b.like(std::nan(""), x), plain));
  }
  if (x->type == proto::DT_BOOL || bitsOf(x->type) < 32)
    return b.cast(x, proto::DT_INT32);
  if (isSigned(x->type))
    return x;
  bool isWide = x->type == proto::DT_UINT64;
  proto::DataType type = isWide ? proto::DT_INT64 : proto::DT_INT32;
  return b.pointwise(
      "BitwiseXor",
      {b.bitcast(x, type), b.scalar(isWide ? INT64_MIN : INT32_MIN, type)});
}

static Tensors compare(Translation &t, const Op &op, ArrayRef<Tensor> x) {
  GraphBuilder &b = t.builder();
  StringRef name = StringSwitch<StringRef>(t.text(op, "comparison_direction"))
                       .Case("EQ", "Equal")
                       .Case("NE", "NotEqual")
                       .Case("LT", "Less")
                       .Case("LE", "LessEqual")
                       .Case("GT", "Greater")
                       .Case("GE", "GreaterEqual")
                       .Default("");
  if (name.empty() || x[0]->type != x[1]->type)
    return t.refuse("its comparison_direction is unknown");
  Tensor left = x[0], right = x[1];
  bool isEquality = name == "Equal" || name == "NotEqual";
  if (t.text(op, "compare_type") == "TOTALORDER" && isFloat(left->type)) {
    left = orderedBits(b, left);
    right = orderedBits(b, right);
  } else if (left->type == proto::DT_BOOL && !isEquality) {
    left = b.cast(left, proto::DT_INT32);
    right = b.cast(right, proto::DT_INT32);
  }
  return {b.compare(name, left, right)};
}

static Tensors select(Translation &t, const Op &op, ArrayRef<Tensor> x) {
  GraphBuilder &b = t.builder();
  const Sizes &shape = t.shapeOf(t.resultOf(op));
  bool isMapped = shape != t.resultOf(op).shape;
  for (const Tensor &one : x)
    if (one->shape != shape && (one->rank() || !(isMapped || one == x[0])))
      return t.refuse("its operands do not fit one another");
  if (x[0]->type != proto::DT_BOOL || x[1]->type != x[2]->type)
    return t.refuse("its operands do not fit one another");
  return {b.select(b.broadcast(x[0], shape), b.broadcast(x[1], shape),
                   b.broadcast(x[2], shape))};
}

static Tensors clamp(Translation &t, const Op &op, ArrayRef<Tensor> x) {
  GraphBuilder &b = t.builder();
  for (const Tensor &bound : {x[0], x[2]})
    if ((bound->rank() && bound->shape != x[1]->shape) ||
        bound->type != x[1]->type)
      return t.refuse("its bounds do not fit its operand");
  return {b.pointwise("Minimum", {b.pointwise("Maximum", {x[1], x[0]}), x[2]})};
}

void addElementwiseOps(OpTable &table) {
  auto put = [&](StringRef name, Rule rule, int operands) {
    table[name] = {rule, operands, 1, /*isElementwise=*/true};
  };
  for (StringRef name : {"stablehlo.exponential",
                         "stablehlo.exponential_minus_one",
                         "stablehlo.log",
                         "stablehlo.log_plus_one",
                         "stablehlo.tanh",
                         "stablehlo.logistic",
                         "stablehlo.sqrt",
                         "stablehlo.rsqrt",
                         "stablehlo.sine",
                         "stablehlo.cosine",
                         "stablehlo.tan",
                         "stablehlo.floor",
                         "stablehlo.ceil",
                         "stablehlo.round_nearest_even",
                         "chlo.tan",
                         "chlo.asin",
                         "chlo.acos",
                         "chlo.atan",
                         "chlo.sinh",
                         "chlo.cosh",
                         "chlo.asinh",
                         "chlo.acosh",
                         "chlo.atanh",
                         "chlo.erf",
                         "chlo.erfc",
                         "chlo.lgamma",
                         "chlo.digamma"})
    put(name, unary, 1);
  put("stablehlo.is_finite", isFinite, 1);
  put("stablehlo.add", add, 2);
  put("stablehlo.subtract", subtract, 2);
  put("stablehlo.multiply", multiply, 2);
  put("stablehlo.maximum", maximum, 2);
  put("stablehlo.minimum", minimum, 2);
  put("stablehlo.negate", negate, 1);
  put("stablehlo.abs", absolute, 1);
  put("stablehlo.sign", sign, 1);
  put("chlo.square", square, 1);
  put("stablehlo.round_nearest_afz", round, 1);
  put("stablehlo.cbrt", cubeRoot, 1);
  put("stablehlo.power", power, 2);
  put("stablehlo.atan2", atan2, 2);
  put("chlo.next_after", nextAfter, 2);
  put("stablehlo.compare", compare, 2);
  table["stablehlo.select"] = {select, 3, 1};
  table["stablehlo.clamp"] = {clamp, 3, 1};
}

} // namespace ingot::stablehlo
