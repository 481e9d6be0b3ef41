//===- TranslateIntegers.cpp - Integer and bit ops, conversions -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/StableHLO/Translation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace llvm;

namespace ingot::stablehlo {

// Calls `test` with each element of a constant of integers. Returns whether the
// tensor is such a constant, and `test` holds for all.
static bool holds(const Tensor &x, function_ref<bool(int64_t)> test) {
  const auto &constant = thinOf(x)->constant;
  if (!constant || isFloat(x->type))
    return false;
  unsigned size = sizeOf(x->type);
  for (size_t at = 0; at + size <= constant->bytes.size(); at += size) {
    uint64_t bits = 0;
    for (unsigned byte = 0; byte < size; ++byte)
      bits |= uint64_t(static_cast<unsigned char>(constant->bytes[at + byte]))
              << (8 * byte);
    if (!test(isSigned(x->type) ? SignExtend64(bits, 8 * size)
                                : static_cast<int64_t>(bits)))
      return false;
  }
  return true;
}

// Divides integers. TensorFlow refuses a divisor of 0, for which XLA has
// `atZero`.
static Tensor byIntegers(GraphBuilder &b, StringRef op, const Tensor &x,
                         const Tensor &y, const Tensor &atZero) {
  if (holds(y, [](int64_t value) { return value != 0; }))
    return b.pointwise(op, {x, y});
  Tensor isZero = b.compare("Equal", y, b.like(0, y));
  return b.select(isZero, atZero,
                  b.pointwise(op, {x, b.select(isZero, b.like(1, y), y)}));
}

static Tensors divide(Translation &t, const Op &, ArrayRef<Tensor> x) {
  GraphBuilder &b = t.builder();
  if (isFloat(x[0]->type))
    return {b.pointwise("RealDiv", x)};
  return {byIntegers(b, "TruncateDiv", x[0], x[1], b.scalar(-1, x[0]->type))};
}

static Tensors remainder(Translation &t, const Op &, ArrayRef<Tensor> x) {
  GraphBuilder &b = t.builder();
  if (isFloat(x[0]->type))
    return {b.pointwise("TruncateMod", x)};
  return {byIntegers(b, "TruncateMod", x[0], x[1], x[0])};
}

static Tensors bitwise(Translation &t, const Op &op, ArrayRef<Tensor> x) {
  if (isFloat(x[0]->type))
    return t.refuse("floats have no bits here");
  bool isBool = x[0]->type == proto::DT_BOOL;
  StringRef name =
      StringSwitch<StringRef>(op.name)
          .Case("stablehlo.and", isBool ? "LogicalAnd" : "BitwiseAnd")
          .Case("stablehlo.or", isBool ? "LogicalOr" : "BitwiseOr")
          .Default(isBool ? "NotEqual" : "BitwiseXor");
  return {t.builder().pointwise(name, x)};
}

static Tensors invert(Translation &t, const Op &, ArrayRef<Tensor> x) {
  bool isBool = x[0]->type == proto::DT_BOOL;
  return {t.builder().pointwise(isBool ? "LogicalNot" : "Invert", x[0])};
}

// Shifts bits. A count of the type's width or more gives `far`; TensorFlow
// leaves it open.
static Tensor shifted(GraphBuilder &b, StringRef op, const Tensor &x,
                      const Tensor &count, const Tensor &far) {
  int64_t width = bitsOf(x->type);
  if (holds(count, [&](int64_t one) { return one >= 0 && one < width; }))
    return b.pointwise(op, {x, count});
  Tensor isFar = b.compare("GreaterEqual", count, b.scalar(width, count->type));
  if (isSigned(count->type))
    isFar = b.pointwise("LogicalOr",
                        {isFar, b.compare("Less", count, b.like(0, count))});
  Tensor near = b.pointwise(op, {x, b.select(isFar, b.like(0, count), count)});
  return b.select(isFar, far, near);
}

static proto::DataType unsignedOf(proto::DataType type) {
  switch (type) {
  case proto::DT_INT8:
    return proto::DT_UINT8;
  case proto::DT_INT16:
    return proto::DT_UINT16;
  case proto::DT_INT32:
    return proto::DT_UINT32;
  case proto::DT_INT64:
    return proto::DT_UINT64;
  default:
    return type;
  }
}

static proto::DataType signedOf(proto::DataType type) {
  switch (type) {
  case proto::DT_UINT8:
    return proto::DT_INT8;
  case proto::DT_UINT16:
    return proto::DT_INT16;
  case proto::DT_UINT32:
    return proto::DT_INT32;
  case proto::DT_UINT64:
    return proto::DT_INT64;
  default:
    return type;
  }
}

static Tensors shift(Translation &t, const Op &op, ArrayRef<Tensor> x) {
  GraphBuilder &b = t.builder();
  proto::DataType type = x[0]->type;
  if (!isSigned(type) && !isUnsigned(type))
    return t.refuse("numbers of this type are not supported; integers are");
  if (op.name == "stablehlo.shift_left")
    return {shifted(b, "LeftShift", x[0], x[1], b.like(0, x[0]))};
  if (op.name == "stablehlo.shift_right_logical") {
    proto::DataType bits = unsignedOf(type);
    Tensor moved = b.bitcast(x[0], bits);
    return {b.bitcast(shifted(b, "RightShift", moved, b.bitcast(x[1], bits),
                              b.like(0, moved)),
                      type)};
  }
  // The sign is the highest bit, also of unsigned integers.
  proto::DataType own = signedOf(type);
  Tensor moved = b.bitcast(x[0], own), count = b.bitcast(x[1], own);
  Tensor far =
      b.pointwise("RightShift", {moved, b.scalar(bitsOf(own) - 1, own)});
  return {b.bitcast(shifted(b, "RightShift", moved, count, far), type)};
}

// The number of ones in each uint32 (Warren, Hacker's Delight, figure 5-2).
static Tensor ones(GraphBuilder &b, Tensor x) {
  auto right = [&](const Tensor &value, int64_t count) {
    return b.pointwise("RightShift", {value, b.scalar(count, value->type)});
  };
  auto masked = [&](const Tensor &value, int64_t mask) {
    return b.pointwise("BitwiseAnd", {value, b.scalar(mask, value->type)});
  };
  x = b.sub(x, masked(right(x, 1), 0x55555555));
  x = b.add(masked(x, 0x33333333), masked(right(x, 2), 0x33333333));
  x = masked(b.add(x, right(x, 4)), 0x0F0F0F0F);
  x = b.add(x, right(x, 8));
  return masked(b.add(x, right(x, 16)), 0x3F);
}

static Tensors countBits(Translation &t, const Op &op, ArrayRef<Tensor> x) {
  GraphBuilder &b = t.builder();
  proto::DataType type = x[0]->type;
  int64_t width = bitsOf(type);
  if (!(isSigned(type) || isUnsigned(type)) || width > 32)
    return t.refuse("this type is not supported; integers of up to 32 bits "
                    "are");
  Tensor bits = b.cast(b.bitcast(x[0], unsignedOf(type)), proto::DT_UINT32);
  if (op.name == "stablehlo.popcnt")
    return {b.cast(ones(b, bits), type)};
  // All bits below the highest one are set, and what is left is counted.
  for (int64_t count : {1, 2, 4, 8, 16}) {
    Tensor moved =
        b.pointwise("RightShift", {bits, b.scalar(count, bits->type)});
    bits = b.pointwise("BitwiseOr", {bits, moved});
  }
  Tensor used = ones(b, bits);
  return {b.cast(b.sub(b.scalar(width, used->type), used), type)};
}

Tensor limit(GraphBuilder &b, proto::DataType type, bool isLeast) {
  if (isFloat(type))
    return b.number(isLeast ? -INFINITY : INFINITY, type);
  if (type == proto::DT_BOOL)
    return b.scalar(!isLeast, type);
  unsigned bits = bitsOf(type);
  if (isUnsigned(type))
    return b.scalar(isLeast ? 0 : -1, type);
  return b.scalar(isLeast ? minIntN(bits) : maxIntN(bits), type);
}

// Truncates floats as XLA does: NaN gives 0, and what is beyond the type its
// nearest value.
static Tensor toIntegers(GraphBuilder &b, Tensor x, proto::DataType type) {
  if (bitsOf(x->type) == 16)
    x = b.cast(x, proto::DT_FLOAT);
  unsigned bits = bitsOf(type);
  bool hasSign = isSigned(type);
  double top = std::ldexp(1.0, static_cast<int>(bits - hasSign));
  double low = hasSign ? -top : 0;
  Tensor isNan = b.pointwise("IsNan", x, proto::DT_BOOL);
  Tensor number = b.select(isNan, b.like(0, x),
                           b.pointwise("Maximum", {x, b.like(low, x)}));
  Tensor isOver = b.compare("GreaterEqual", number, b.like(top, x));
  Tensor small = b.select(isOver, b.like(0, x), number);
  proto::DataType wide = type == proto::DT_UINT32 ? proto::DT_INT64 : type;
  return b.select(isOver, limit(b, type, false),
                  b.cast(b.cast(small, wide), type));
}

static Tensors convert(Translation &t, const Op &op, ArrayRef<Tensor> x) {
  GraphBuilder &b = t.builder();
  proto::DataType type = t.resultOf(op).element;
  if (type == proto::DT_BOOL && x[0]->type != proto::DT_BOOL)
    return {b.compare("NotEqual", x[0], b.like(0, x[0]))};
  if (isFloat(x[0]->type) && !isFloat(type))
    return {toIntegers(b, x[0], type)};
  return {b.cast(x[0], type)};
}

static Tensors bitcastConvert(Translation &t, const Op &op,
                              ArrayRef<Tensor> x) {
  GraphBuilder &b = t.builder();
  const TensorType &type = t.resultOf(op);
  if (type.element == proto::DT_BOOL || x[0]->type == proto::DT_BOOL)
    return t.refuse("booleans are not supported");
  if (bitsOf(type.element) == bitsOf(x[0]->type))
    return {b.bitcast(x[0], type.element)};
  auto inputs = numElements(x[0]->shape), outputs = numElements(type.shape);
  bool isSplit = bitsOf(type.element) < bitsOf(x[0]->type);
  ArrayRef<int64_t> longer = isSplit ? type.shape : x[0]->shape;
  ArrayRef<int64_t> shorter = isSplit ? x[0]->shape : type.shape;
  if (longer.size() != shorter.size() + 1 || longer.drop_back() != shorter ||
      *inputs * sizeOf(x[0]->type) != *outputs * sizeOf(type.element))
    return {};
  Tensor from = x[0]->rank() ? x[0] : b.reshape(x[0], {1});
  Sizes shape = type.shape;
  if (!x[0]->rank())
    shape.insert(shape.begin(), 1);
  Tensor made = b.node("Bitcast", from, type.element, shape,
                       {{"type", exporter::type(type.element)}});
  return {b.reshape(made, type.shape)};
}

static Tensors reducePrecision(Translation &t, const Op &op,
                               ArrayRef<Tensor> x) {
  GraphBuilder &b = t.builder();
  StringRef format = t.text(op, "format");
  std::string own =
      "e" + std::to_string(t.integer(op, "exponent_bits").value_or(0)) + "m" +
      std::to_string(t.integer(op, "mantissa_bits").value_or(0));
  if (format.empty())
    format = own;
  proto::DataType type = StringSwitch<proto::DataType>(format)
                             .Case("e8m7", proto::DT_BFLOAT16)
                             .Case("e5m10", proto::DT_HALF)
                             .Case("e8m23", proto::DT_FLOAT)
                             .Case("e11m52", proto::DT_DOUBLE)
                             .Default(proto::DT_INVALID);
  if (type == proto::DT_INVALID || !isFloat(x[0]->type))
    return t.refuse("format " + format +
                    " is not that of bf16, f16, f32 or f64");
  return {b.cast(b.cast(x[0], type), x[0]->type)};
}

void addIntegerOps(OpTable &table) {
  auto put = [&](StringRef name, Rule rule, int operands) {
    table[name] = {rule, operands, 1, /*isElementwise=*/true};
  };
  put("stablehlo.divide", divide, 2);
  put("stablehlo.remainder", remainder, 2);
  put("stablehlo.and", bitwise, 2);
  put("stablehlo.or", bitwise, 2);
  put("stablehlo.xor", bitwise, 2);
  put("stablehlo.not", invert, 1);
  put("stablehlo.shift_left", shift, 2);
  put("stablehlo.shift_right_logical", shift, 2);
  put("stablehlo.shift_right_arithmetic", shift, 2);
  put("stablehlo.popcnt", countBits, 1);
  put("stablehlo.count_leading_zeros", countBits, 1);
  put("stablehlo.convert", convert, 1);
  put("stablehlo.reduce_precision", reducePrecision, 1);
  table["stablehlo.bitcast_convert"] = {bitcastConvert, 1, 1};
}

} // namespace ingot::stablehlo
