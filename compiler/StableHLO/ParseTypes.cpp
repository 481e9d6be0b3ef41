//===- ParseTypes.cpp - Types in the text of a module ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/StableHLO/Parser.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace ingot::stablehlo {

static proto::DataType elementType(StringRef name) {
  return StringSwitch<proto::DataType>(name)
      .Case("f32", proto::DT_FLOAT)
      .Case("f64", proto::DT_DOUBLE)
      .Case("f16", proto::DT_HALF)
      .Case("bf16", proto::DT_BFLOAT16)
      .Case("i1", proto::DT_BOOL)
      .Cases({"i8", "si8"}, proto::DT_INT8)
      .Cases({"i16", "si16"}, proto::DT_INT16)
      .Cases({"i32", "si32"}, proto::DT_INT32)
      .Cases({"i64", "si64"}, proto::DT_INT64)
      .Case("ui8", proto::DT_UINT8)
      .Case("ui16", proto::DT_UINT16)
      .Case("ui32", proto::DT_UINT32)
      .Case("ui64", proto::DT_UINT64)
      .Default(proto::DT_INVALID);
}

bool Parser::parseTypeList(SmallVectorImpl<TensorType> &types) {
  while (!scanner.consume(")")) {
    if (!types.empty() && !scanner.expect(","))
      return false;
    if (!parseType(types.emplace_back()))
      return false;
  }
  return true;
}

bool Parser::parseTypeOrList(SmallVectorImpl<TensorType> &types) {
  return scanner.consume("(") ? parseTypeList(types)
                              : parseType(types.emplace_back());
}

// A type of a dialect, a function or something else is kept as text.
bool Parser::parseType(TensorType &type) {
  if (scanner.consume("tensor<"))
    return parseTensorType(type);
  scanner.atEnd();
  size_t begin = scanner.offset();
  if (scanner.peek("(")) {
    if (!scanner.brackets() || !scanner.expect("->"))
      return false;
    scanner.atEnd();
    TensorType ignored;
    if (scanner.peek("(") ? !scanner.brackets() : !parseType(ignored))
      return false;
    type.text = scanner.since(begin).str();
    return true;
  }
  if (auto name = scanner.symbol('!')) {
    if (auto alias = typeAliases.find(*name); alias != typeAliases.end()) {
      type = alias->second;
      return true;
    }
  } else if (scanner.word().empty()) {
    return scanner.fail("expected a type");
  }
  if (scanner.rest().starts_with("<") && !scanner.brackets())
    return false;
  type.text = scanner.since(begin).str();
  return true;
}

// The rest of a tensor's type, such as `4x?xf32>` or `f32>`.
bool Parser::parseTensorType(TensorType &type) {
  size_t begin = scanner.offset();
  scanner.atEnd();
  bool isStatic = true;
  while (true) {
    StringRef digits = scanner.rest().take_while(isDigit);
    bool isDynamic = scanner.rest().starts_with("?");
    StringRef after = scanner.rest().drop_front(isDynamic ? 1 : digits.size());
    if ((digits.empty() && !isDynamic) || !after.starts_with("x"))
      break;
    int64_t size = -1;
    if (!isDynamic && digits.getAsInteger(10, size))
      return scanner.fail("the size of a dimension is too large");
    isStatic &= !isDynamic;
    type.shape.push_back(size);
    scanner.advance((isDynamic ? 1 : digits.size()) + 1);
  }
  TensorType element;
  bool isTensor = !scanner.peek("*") && parseType(element);
  if (scanner.hasFailed())
    return false;
  // What follows a comma is an encoding, such as a bounded size.
  bool isPlain = scanner.peek(">");
  if (!isPlain) {
    int open = 1;
    StringRef rest = scanner.rest();
    size_t length = 0;
    while (length < rest.size() && open) {
      char c = rest[length++];
      open += c == '<' ? 1 : c == '>' ? -1 : 0;
    }
    scanner.advance(length ? length - 1 : 0);
  }
  if (!scanner.expect(">"))
    return false;
  type.text = "tensor<" + scanner.since(begin).str();
  if (isTensor && isPlain && isStatic)
    type.element = elementType(element.text);
  if (type.isValid() && !numElements(type.shape))
    return scanner.fail("the tensor has too many elements");
  return type.shape.size() <= 32 || scanner.fail("the tensor has too many "
                                                 "dimensions");
}

} // namespace ingot::stablehlo
