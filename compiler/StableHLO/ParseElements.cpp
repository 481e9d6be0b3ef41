//===- ParseElements.cpp - The elements of constants ----------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Elements are a nested list of numbers, one number for all, or a string of
// hexadecimal digits.
//
//===----------------------------------------------------------------------===//

#include "compiler/StableHLO/Parser.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"

using namespace llvm;

namespace ingot::stablehlo {

namespace {

const fltSemantics *semanticsOf(proto::DataType type) {
  switch (type) {
  case proto::DT_FLOAT:
    return &APFloat::IEEEsingle();
  case proto::DT_DOUBLE:
    return &APFloat::IEEEdouble();
  case proto::DT_HALF:
    return &APFloat::IEEEhalf();
  case proto::DT_BFLOAT16:
    return &APFloat::BFloat();
  default:
    return nullptr;
  }
}

/// Parses a nested list of numbers into bytes.
class ElementsParser {
public:
  ElementsParser(StringRef text, const TensorType &type, std::string &bytes)
      : scanner(text), type(type), bytes(bytes),
        semantics(semanticsOf(type.element)), size(sizeOf(type.element)) {}

  /// Parses the list of dimension `axis`, or a number if there is none.
  bool parse(size_t axis) {
    if (axis == type.shape.size())
      return number();
    if (!scanner.expect("["))
      return false;
    for (int64_t i = 0; i < type.shape[axis]; ++i)
      if ((i && !scanner.expect(",")) || !parse(axis + 1))
        return false;
    return scanner.expect("]");
  }

  bool number() {
    bool isTrue = scanner.consumeWord("true");
    if (isTrue || scanner.consumeWord("false"))
      return type.element == proto::DT_BOOL ? put(isTrue)
                                            : scanner.fail("expected numbers");
    StringRef digits = scanner.number();
    if (digits.empty())
      return scanner.fail("expected a number");
    if (semantics && !digits.starts_with("0x")) {
      APFloat value(*semantics);
      auto status =
          value.convertFromString(digits, APFloat::rmNearestTiesToEven);
      if (!status) {
        consumeError(status.takeError());
        return scanner.fail("expected a number");
      }
      return put(value.bitcastToAPInt().getZExtValue());
    }
    int64_t value;
    uint64_t bits;
    if (digits.getAsInteger(0, value)) {
      if (digits.getAsInteger(0, bits))
        return scanner.fail("expected an integer");
      value = static_cast<int64_t>(bits);
    }
    unsigned width = size * 8;
    bool fits = width == 64 || isIntN(width, value) || isUIntN(width, value);
    return fits ? put(value) : scanner.fail("a number does not fit its type");
  }

  bool atEnd() { return scanner.atEnd(); }

private:
  bool put(uint64_t bits) {
    for (unsigned i = 0; i < size; ++i)
      bytes += static_cast<char>(bits >> (8 * i));
    return true;
  }

  Scanner scanner;
  const TensorType &type;
  std::string &bytes;
  const fltSemantics *semantics;
  unsigned size;
};

} // namespace

// Booleans are stored as bits, in older versions of MLIR, or as bytes.
static bool setBooleans(Elements &elements, StringRef raw, int64_t count) {
  if (static_cast<int64_t>(raw.size()) == count) {
    for (char c : raw)
      elements.bytes += c ? 1 : 0;
    return true;
  }
  if (static_cast<int64_t>(raw.size()) != (count + 7) / 8)
    return false;
  for (int64_t i = 0; i < count; ++i)
    elements.bytes += (raw[i / 8] >> (i % 8)) & 1 ? 1 : 0;
  return true;
}

static bool setBytes(Elements &elements, StringRef text, int64_t count) {
  if (!text.consume_front("\"0x") || !text.consume_back("\"") ||
      text.size() % 2 || !all_of(text, isHexDigit))
    return false;
  std::string raw = fromHex(text);
  unsigned size = sizeOf(elements.type.element);
  if (raw.size() == size && count != 1) {
    elements.isSplat = true;
    elements.bytes = raw;
    if (elements.type.element == proto::DT_BOOL)
      elements.bytes[0] = raw[0] ? 1 : 0;
    return true;
  }
  if (elements.type.element == proto::DT_BOOL)
    return setBooleans(elements, raw, count);
  elements.bytes = raw;
  return raw.size() / size == static_cast<uint64_t>(count) &&
         raw.size() % size == 0;
}

std::shared_ptr<const Elements>
parseElements(StringRef text, const TensorType &type, std::string &error) {
  auto elements = std::make_shared<Elements>();
  elements->type = type;
  int64_t count = numElements(type.shape).value_or(0);
  if (text.empty()) {
    if (count) {
      error = "the constant has no elements";
      return nullptr;
    }
    return elements;
  }
  if (text.starts_with("\"")) {
    if (setBytes(*elements, text, count))
      return elements;
    error = "the constant's hexadecimal digits do not fit its type";
    return nullptr;
  }
  ElementsParser parser(text, type, elements->bytes);
  elements->isSplat = !text.starts_with("[") && !type.shape.empty();
  bool ok = elements->isSplat ? parser.number() : parser.parse(0);
  if (ok && parser.atEnd())
    return elements;
  error = "the constant's elements do not fit its type";
  return nullptr;
}

} // namespace ingot::stablehlo
