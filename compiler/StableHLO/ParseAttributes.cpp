//===- ParseAttributes.cpp - Attributes in the text of a module -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/StableHLO/Parser.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"

using namespace llvm;

namespace ingot::stablehlo {

bool Parser::parseAttribute(Attribute &attribute) {
  Nesting nesting(*this);
  if (!nesting.ok())
    return false;
  if (scanner.consume("["))
    return parseList(attribute);
  if (scanner.consume("{")) {
    attribute.kind = Attribute::Dictionary;
    return parseFields(attribute, "}");
  }
  if (scanner.peek("\"")) {
    auto text = scanner.string();
    attribute.kind = Attribute::Text;
    attribute.text = text.value_or("");
    TensorType ignored;
    return text && (!scanner.consume(":") || parseType(ignored));
  }
  if (scanner.peek("@")) {
    auto symbol = scanner.symbol('@');
    attribute.kind = Attribute::Text;
    attribute.text = symbol.value_or("");
    while (symbol && scanner.consume("::"))
      symbol = scanner.symbol('@');
    return symbol.has_value();
  }
  if (scanner.peek("#"))
    return parseDialectAttribute(attribute);
  if (scanner.peek("-") ||
      isDigit(scanner.rest().empty() ? ' ' : scanner.rest().front()))
    return parseNumber(attribute);
  if (scanner.consumeWord("unit"))
    return true;
  attribute.kind = Attribute::Integer;
  if (scanner.consumeWord("true")) {
    attribute.integer = 1;
    return true;
  }
  if (scanner.consumeWord("false"))
    return true;
  if (scanner.consume("dense<"))
    return parseDense(attribute);
  if (scanner.consume("array<"))
    return parseArray(attribute);
  // A type, a location, or an attribute of another kind: no op that is
  // translated has one.
  attribute.kind = Attribute::Unread;
  size_t begin = scanner.offset();
  if (scanner.consumeWord("loc")) {
    if (!scanner.peek("(") || !scanner.brackets())
      return scanner.fail("expected a location");
  } else {
    TensorType type;
    if (!parseType(type))
      return false;
    // Such as `dense_resource<name> : tensor<4xf32>`.
    if (scanner.consume(":") && !parseType(type))
      return false;
  }
  attribute.text = scanner.since(begin).str();
  return true;
}

bool Parser::parseList(Attribute &attribute) {
  attribute.kind = Attribute::List;
  while (!scanner.consume("]")) {
    if (!attribute.list.empty() && !scanner.expect(","))
      return false;
    if (!parseAttribute(attribute.list.emplace_back()))
      return false;
  }
  return true;
}

// `name = attribute, name = attribute`, up to `close`. A name alone is a unit
// attribute.
bool Parser::parseFields(Attribute &attribute, StringRef close,
                         StringRef separator) {
  bool isFirst = true;
  while (!scanner.consume(close)) {
    if (!isFirst && !scanner.expect(","))
      return false;
    isFirst = false;
    std::string name = scanner.word().str();
    if (name.empty()) {
      auto quoted = scanner.string();
      if (!quoted)
        return scanner.fail("expected the name of an attribute");
      name = *quoted;
    }
    Attribute value;
    if (scanner.consume(separator) && !parseAttribute(value))
      return false;
    attribute.add(name, std::move(value));
  }
  return true;
}

// Whether the parameters of a StableHLO attribute are `name = attribute`.
static bool hasFields(StringRef name) {
  return name == "stablehlo.dot" || name == "stablehlo.gather" ||
         name == "stablehlo.scatter" || name == "mhlo.dot" ||
         name == "mhlo.gather" || name == "mhlo.scatter";
}

// An alias, `#stablehlo<precision DEFAULT>`, `#stablehlo.dot<lhs_.. = [1]>`, or
// an attribute that is kept as text.
bool Parser::parseDialectAttribute(Attribute &attribute) {
  size_t begin = scanner.offset();
  auto name = scanner.symbol('#');
  if (!name)
    return false;
  if (!scanner.rest().starts_with("<")) {
    auto alias = attributeAliases.find(*name);
    if (alias == attributeAliases.end())
      return scanner.fail("there is no attribute '#" + *name + "'");
    attribute = alias->second;
    return true;
  }
  if (hasFields(*name)) {
    scanner.consume("<");
    attribute.kind = Attribute::Dictionary;
    return parseFields(attribute, ">");
  }
  auto body = scanner.brackets();
  if (!body)
    return false;
  StringRef text = body->drop_front().drop_back().trim();
  attribute.kind = Attribute::Unread;
  attribute.text = text.str();
  bool isWord = *name == "stablehlo" || *name == "chlo" || *name == "mhlo";
  if (isWord && text.contains(' ')) {
    attribute.kind = Attribute::Text;
    attribute.text = text.split(' ').second.trim().str();
  } else if (!StringRef(*name).starts_with("stablehlo")) {
    attribute.text = scanner.since(begin).str();
  }
  return true;
}

bool Parser::parseNumber(Attribute &attribute) {
  StringRef digits = scanner.number();
  if (digits.empty())
    return scanner.fail("expected a number");
  TensorType type;
  if (scanner.consume(":") && !parseType(type))
    return false;
  StringRef name = type.text;
  bool isFloat = name.starts_with("f") || name == "bf16" ||
                 (name.empty() && digits.contains('.'));
  if (!isFloat) {
    attribute.kind = Attribute::Integer;
    uint64_t bits;
    if (!digits.getAsInteger(0, attribute.integer))
      return true;
    if (digits.getAsInteger(0, bits))
      return scanner.fail("the number is too large");
    attribute.integer = static_cast<int64_t>(bits);
    return true;
  }
  attribute.kind = Attribute::Float;
  const fltSemantics &semantics = name == "f32"    ? APFloat::IEEEsingle()
                                  : name == "f16"  ? APFloat::IEEEhalf()
                                  : name == "bf16" ? APFloat::BFloat()
                                                   : APFloat::IEEEdouble();
  uint64_t bits;
  if (digits.starts_with("0x")) {
    if (digits.getAsInteger(0, bits))
      return scanner.fail("the number is too large");
    APFloat value(semantics,
                  APInt(APFloat::getSizeInBits(semantics), bits, false, true));
    attribute.number = value.convertToDouble();
    return true;
  }
  APFloat value(semantics);
  auto status = value.convertFromString(digits, APFloat::rmNearestTiesToEven);
  if (!status) {
    consumeError(status.takeError());
    return scanner.fail("expected a number");
  }
  attribute.number = value.convertToDouble();
  return true;
}

// `dense<..> : tensor<2xf32>`, after `dense<`.
bool Parser::parseDense(Attribute &attribute) {
  // Step back onto the bracket, so that its counterpart is found.
  scanner.retreat(1);
  auto body = scanner.brackets();
  TensorType type;
  if (!body || !scanner.expect(":") || !parseType(type))
    return false;
  if (!type.isValid()) {
    attribute.kind = Attribute::Unread;
    attribute.text = type.text;
    return true;
  }
  std::string error;
  attribute.kind = Attribute::Dense;
  attribute.elements =
      parseElements(body->drop_front().drop_back().trim(), type, error);
  return attribute.elements || scanner.fail(error);
}

// `array<i64: 1, 2>`, after `array<`.
bool Parser::parseArray(Attribute &attribute) {
  attribute.kind = Attribute::List;
  if (scanner.word().empty())
    return scanner.fail("expected the type of the array's elements");
  if (scanner.consume(">"))
    return true;
  if (!scanner.expect(":"))
    return false;
  do
    if (!parseAttribute(attribute.list.emplace_back()))
      return false;
  while (scanner.consume(","));
  return scanner.expect(">");
}

bool Parser::parseOptionalAttributes(Op &op) {
  return !scanner.consume("{") || parseFields(op.attributes, "}");
}

// `[1, 2]`, a list of integers and nothing else.
bool Parser::parseIntegers(Attribute &attribute) {
  if (!scanner.expect("[") || !parseList(attribute))
    return false;
  for (const Attribute &one : attribute.list)
    if (one.kind != Attribute::Integer)
      return scanner.fail("expected integers");
  return true;
}

} // namespace ingot::stablehlo
