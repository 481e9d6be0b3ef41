//===- EvaluateRegion.cpp - Runs a region on numbers ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/StableHLO/EvaluateRegion.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace llvm;

namespace ingot::stablehlo {

// The value of a scalar constant.
static std::optional<double> constantOf(const Op &op) {
  const Attribute *value = op.find("value");
  if (!value || value->kind != Attribute::Dense)
    return std::nullopt;
  const Elements &elements = *value->elements;
  unsigned size = sizeOf(elements.type.element);
  if (elements.bytes.size() != size)
    return std::nullopt;
  uint64_t bits = 0;
  for (unsigned byte = 0; byte < size; ++byte)
    bits |= uint64_t(static_cast<unsigned char>(elements.bytes[byte]))
            << (8 * byte);
  proto::DataType type = elements.type.element;
  if (!isFloat(type))
    return isSigned(type) ? static_cast<double>(SignExtend64(bits, 8 * size))
                          : static_cast<double>(bits);
  const fltSemantics &semantics =
      type == proto::DT_FLOAT    ? APFloat::IEEEsingle()
      : type == proto::DT_DOUBLE ? APFloat::IEEEdouble()
      : type == proto::DT_HALF   ? APFloat::IEEEhalf()
                                 : APFloat::BFloat();
  APFloat number(semantics, APInt(8 * size, bits));
  bool ignored;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &ignored);
  return number.convertToDouble();
}

int compareTotally(double x, double y) {
  auto key = [](double value) {
    int64_t bits;
    static_assert(sizeof(bits) == sizeof(value));
    memcpy(&bits, &value, sizeof(bits));
    return bits < 0 ? INT64_MIN - bits - 1 : bits;
  };
  int64_t one = key(x), other = key(y);
  return one < other ? -1 : one > other;
}

static std::optional<double> compare(const Op &op, double x, double y) {
  const Attribute *direction = op.find("comparison_direction");
  const Attribute *type = op.find("compare_type");
  if (!direction)
    return std::nullopt;
  if (type && type->text == "TOTALORDER") {
    x = compareTotally(x, y);
    y = 0;
  }
  StringRef name = direction->text;
  if (name == "EQ")
    return x == y;
  if (name == "NE")
    return x != y;
  if (name == "LT")
    return x < y;
  if (name == "LE")
    return x <= y;
  if (name == "GT")
    return x > y;
  if (name == "GE")
    return x >= y;
  return std::nullopt;
}

static std::optional<double> run(const Op &op, ArrayRef<double> x,
                                 bool isBool) {
  StringRef name = op.name;
  if (!name.consume_front("stablehlo."))
    return std::nullopt;
  if (name == "constant" && x.empty())
    return constantOf(op);
  if (name == "compare" && x.size() == 2)
    return compare(op, x[0], x[1]);
  if (name == "select" && x.size() == 3)
    return x[0] != 0 ? x[1] : x[2];
  bool isNan = x.size() == 2 && (std::isnan(x[0]) || std::isnan(x[1]));
  if (name == "maximum" && x.size() == 2)
    return isNan ? std::nan("") : std::max(x[0], x[1]);
  if (name == "minimum" && x.size() == 2)
    return isNan ? std::nan("") : std::min(x[0], x[1]);
  if (name == "negate" && x.size() == 1)
    return -x[0];
  if (!isBool)
    return std::nullopt;
  if (name == "not" && x.size() == 1)
    return x[0] == 0;
  if (x.size() != 2)
    return std::nullopt;
  if (name == "and")
    return x[0] != 0 && x[1] != 0;
  if (name == "or")
    return x[0] != 0 || x[1] != 0;
  if (name == "xor")
    return (x[0] != 0) != (x[1] != 0);
  return std::nullopt;
}

std::optional<SmallVector<double>>
evaluate(const Translation &t, const Block &block, ArrayRef<double> arguments) {
  if (arguments.size() != block.arguments.size())
    return std::nullopt;
  DenseMap<unsigned, double> values;
  for (auto [argument, value] : zip(block.arguments, arguments))
    values[argument] = value;
  for (const Op &op : block.ops) {
    SmallVector<double> inputs;
    for (unsigned operand : op.operands) {
      auto found = values.find(operand);
      if (found == values.end())
        return std::nullopt;
      inputs.push_back(found->second);
    }
    if (op.results.size() != 1)
      return std::nullopt;
    const TensorType &type = t.typeOf(op.results[0]);
    auto result = type.shape.empty()
                      ? run(op, inputs, type.element == proto::DT_BOOL)
                      : std::nullopt;
    if (!result)
      return std::nullopt;
    values[op.results[0]] = *result;
  }
  SmallVector<double> returned;
  for (unsigned value : block.returned) {
    auto found = values.find(value);
    if (found == values.end())
      return std::nullopt;
    returned.push_back(found->second);
  }
  return returned;
}

} // namespace ingot::stablehlo
