//===- ParseLocations.cpp - Locations in the text of a module -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/StableHLO/Parser.h"

using namespace llvm;

namespace ingot::stablehlo {

// `loc(..)` after an op or an argument.
bool Parser::parseOptionalLocation(int &location) {
  return !scanner.consumeWord("loc") || parseLocation(location);
}

bool Parser::parseLocation(int &location) {
  return scanner.expect("(") && parseLocationBody(location) &&
         scanner.expect(")");
}

bool Parser::parseLocationBody(int &location) {
  Nesting nesting(*this);
  if (!nesting.ok())
    return false;
  LocationNode node;
  auto addChild = [&] {
    int child = -1;
    if (!parseLocationBody(child))
      return false;
    node.children.push_back(child);
    return true;
  };
  if (auto alias = scanner.symbol('#')) {
    node.alias = *alias;
  } else if (scanner.consumeWord("unknown")) {
  } else if (scanner.consumeWord("loc")) {
    return parseLocation(location);
  } else if (scanner.consumeWord("callsite")) {
    if (!scanner.expect("(") || !addChild() || !scanner.expect("at") ||
        !addChild() || !scanner.expect(")"))
      return false;
  } else if (scanner.consumeWord("fused")) {
    if (scanner.peek("<") && !scanner.brackets())
      return false;
    if (!scanner.expect("["))
      return false;
    do
      if (!addChild())
        return false;
    while (scanner.consume(","));
    if (!scanner.expect("]"))
      return false;
  } else if (auto text = scanner.string()) {
    bool isFile = scanner.peek(":");
    (isFile ? node.file : node.name) = *text;
    if (isFile ? !parseFileRange(node)
               : scanner.consume("(") && (!addChild() || !scanner.expect(")")))
      return false;
  } else {
    return scanner.fail("expected a location");
  }
  module.locations.push_back(std::move(node));
  location = static_cast<int>(module.locations.size() - 1);
  return true;
}

// `:3:5`, `:3:5 to :9` or `:3:5 to 4:9`, of which the first line is kept.
bool Parser::parseFileRange(LocationNode &node) {
  auto number = [&] {
    auto value = scanner.integer();
    if (!value || *value < 0)
      scanner.fail("expected a line or column");
    return value.value_or(0);
  };
  scanner.consume(":");
  node.line = static_cast<unsigned>(number());
  if (scanner.consume(":"))
    number();
  if (scanner.consumeWord("to")) {
    if (!scanner.peek(":"))
      number();
    if (scanner.consume(":"))
      number();
  }
  return !scanner.hasFailed();
}

} // namespace ingot::stablehlo
