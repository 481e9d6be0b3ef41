//===- Parser.cpp - Parses the text of a StableHLO module -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/StableHLO/Parser.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace ingot::stablehlo {

bool Parser::parse() {
  while (!scanner.atEnd()) {
    if (scanner.peek("#") || scanner.peek("!")) {
      if (!parseAlias())
        return false;
    } else if (scanner.peek("{-#")) {
      // The file's metadata, with the data of dense_resource attributes.
      break;
    } else if (!parseModuleOp()) {
      return false;
    }
  }
  return !scanner.hasFailed();
}

// `#loc3 = loc(..)`, `#map = ..` or `!type = ..`.
bool Parser::parseAlias() {
  if (auto name = scanner.symbol('!')) {
    TensorType type;
    if (!scanner.expect("=") || !parseType(type))
      return false;
    typeAliases[*name] = type;
    return true;
  }
  auto name = scanner.symbol('#');
  if (!name || !scanner.expect("="))
    return scanner.fail("expected an alias");
  if (scanner.peek("loc(")) {
    int location = -1;
    if (!parseOptionalLocation(location))
      return false;
    module.locationAliases[*name] = location;
    return true;
  }
  return parseAttribute(attributeAliases[*name]);
}

// An op outside of functions: a module, a function, or something else.
bool Parser::parseModuleOp() {
  Nesting nesting(*this);
  if (!nesting.ok())
    return false;
  if (scanner.consumeWord("module") || scanner.consumeWord("builtin.module")) {
    scanner.symbol('@');
    Attribute ignored;
    if (scanner.consumeWord("attributes") &&
        (!scanner.expect("{") || !parseFields(ignored, "}")))
      return false;
    int location = -1;
    return scanner.expect("{") && parseModuleBody() &&
           parseOptionalLocation(location);
  }
  if (scanner.consumeWord("func.func"))
    return parseFunction();
  Op op;
  op.line = scanner.line();
  if (scanner.peek("\"")) {
    auto name = scanner.string();
    if (!name)
      return false;
    op.name = *name;
    if (op.name == "func.func")
      return parseGenericFunction(op);
    if (op.name == "builtin.module") {
      int location = -1;
      Attribute ignored;
      return scanner.expect("(") && scanner.expect(")") &&
             (!scanner.consume("<{") ||
              (parseFields(ignored, "}") && scanner.expect(">"))) &&
             scanner.expect("(") && scanner.expect("{") && parseModuleBody() &&
             scanner.expect(")") && parseOptionalAttributes(op) &&
             scanner.expect(":") && scanner.expect("(") &&
             scanner.expect(")") && scanner.expect("->") &&
             scanner.expect("(") && scanner.expect(")") &&
             parseOptionalLocation(location);
    }
  } else if (StringRef name = scanner.word(); !name.empty()) {
    op.name = name.str();
  } else {
    return scanner.fail("expected a module or a function");
  }
  // Such as sdy.mesh: kept as text.
  size_t begin = scanner.offset();
  scanner.skipOp();
  Attribute text;
  text.kind = Attribute::Unread;
  text.text = scanner.since(begin).trim().str();
  op.attributes.add("text", text);
  module.ops.push_back(std::move(op));
  return !scanner.hasFailed();
}

bool Parser::parseModuleBody() {
  while (!scanner.consume("}")) {
    if (scanner.atEnd())
      return scanner.fail("expected '}' at the end of the module");
    if (!parseModuleOp())
      return false;
  }
  return true;
}

bool Parser::parseFunction() {
  for (StringRef visibility : {"public", "private", "nested"})
    scanner.consumeWord(visibility);
  auto parsed = std::make_unique<Function>();
  parsed->line = scanner.line();
  auto name = scanner.symbol('@');
  if (!name)
    return scanner.fail("expected the function's name");
  parsed->name = *name;
  function = parsed.get();
  scopes.assign(1, {});
  Attribute ignored;
  if (!scanner.expect("(") || !parseArguments(parsed->body) ||
      !parseFunctionResults(*parsed))
    return false;
  if (scanner.consumeWord("attributes") &&
      (!scanner.expect("{") || !parseFields(ignored, "}")))
    return false;
  parsed->hasBody = scanner.consume("{");
  if (parsed->hasBody && !parseBlock(parsed->body))
    return false;
  int location = -1;
  return parseOptionalLocation(location) && addFunction(std::move(parsed));
}

bool Parser::parseFunctionResults(Function &function) {
  if (!scanner.consume("->"))
    return true;
  if (!scanner.consume("(")) {
    return parseType(function.resultTypes.emplace_back());
  }
  while (!scanner.consume(")")) {
    Attribute ignored;
    if (!function.resultTypes.empty() && !scanner.expect(","))
      return false;
    if (!parseType(function.resultTypes.emplace_back()) ||
        (scanner.consume("{") && !parseFields(ignored, "}")))
      return false;
  }
  return true;
}

// The arguments of a function or a block, after the opening parenthesis.
bool Parser::parseArguments(Block &block) {
  bool isFirst = true;
  while (!scanner.consume(")")) {
    TensorType type;
    Attribute ignored;
    int location = -1;
    if (!isFirst && !scanner.expect(","))
      return false;
    isFirst = false;
    auto name = scanner.symbol('%');
    // A function without a body may have arguments without names.
    if (name && !scanner.expect(":"))
      return false;
    if (!parseType(type) ||
        (scanner.consume("{") && !parseFields(ignored, "}")) ||
        !parseOptionalLocation(location))
      return false;
    unsigned value = addValue(type);
    block.arguments.push_back(value);
    if (name && !define(*name, value, 1))
      return false;
  }
  return true;
}

bool Parser::addFunction(std::unique_ptr<Function> parsed) {
  if (module.functions.contains(parsed->name))
    return scanner.fail("there are two functions '@" + parsed->name + "'");
  if (parsed->hasBody &&
      parsed->body.returned.size() != parsed->resultTypes.size())
    return scanner.fail("function '@" + parsed->name + "' returns " +
                        Twine(parsed->body.returned.size()) +
                        " values, not as many as it declares");
  for (auto [value, type] : zip(parsed->body.returned, parsed->resultTypes))
    if (!(parsed->types[value] == type) && parsed->types[value].isValid())
      return scanner.fail("function '@" + parsed->name +
                          "' returns a value of another type than it declares");
  function = nullptr;
  StringRef name = parsed->name;
  module.functions[name] = std::move(parsed);
  return true;
}

bool Parser::parseGenericFunction(Op &op) {
  auto parsed = std::make_unique<Function>();
  parsed->line = op.line;
  function = parsed.get();
  scopes.assign(1, {});
  if (!parseGenericOp(op))
    return false;
  const Attribute *name = op.find("sym_name");
  if (!name || name->kind != Attribute::Text)
    return scanner.fail("the function has no sym_name");
  parsed->name = name->text;
  parsed->hasBody = op.regions.size() == 1;
  if (parsed->hasBody)
    parsed->body = std::move(*op.regions.front());
  for (unsigned value : parsed->body.returned)
    parsed->resultTypes.push_back(parsed->types[value]);
  return addFunction(std::move(parsed));
}

// The ops of a block, up to the closing brace.
bool Parser::parseBlock(Block &block) {
  Nesting nesting(*this);
  if (!nesting.ok())
    return false;
  if (scanner.symbol('^')) {
    if (scanner.consume("(") && !parseArguments(block))
      return false;
    if (!scanner.expect(":"))
      return false;
  }
  while (!scanner.consume("}")) {
    if (scanner.hasFailed())
      return false;
    if (scanner.atEnd())
      return scanner.fail("expected '}' at the end of the block");
    if (scanner.peek("^"))
      return scanner.fail("a region of several blocks has no meaning in "
                          "StableHLO");
    if (!parseOp(block))
      return false;
  }
  return true;
}

// A region, after the opening brace, in a scope of its own.
bool Parser::parseRegion(Op &op) {
  scopes.emplace_back();
  bool ok = parseBlock(*op.regions.emplace_back(std::make_unique<Block>()));
  scopes.pop_back();
  return ok;
}

bool Parser::parseResultNames(Results &results) {
  if (!scanner.peek("%"))
    return true;
  do {
    auto name = scanner.symbol('%');
    int64_t count = 1;
    if (!name)
      return scanner.fail("expected the name of a result");
    if (scanner.consume(":")) {
      auto given = scanner.integer();
      if (!given || *given < 1 || *given > 100000)
        return scanner.fail("expected the number of results");
      count = *given;
    }
    results.names.push_back({*name, static_cast<unsigned>(count)});
  } while (scanner.consume(","));
  return scanner.expect("=");
}

static bool isTerminator(StringRef name) {
  return name == "stablehlo.return" || name == "func.return" ||
         name == "return" || name == "mhlo.return" || name == "sdy.return";
}

bool Parser::parseOp(Block &block) {
  Results names;
  Op op;
  op.line = scanner.line();
  if (!block.returned.empty())
    return scanner.fail("expected '}' after the block's return");
  if (!parseResultNames(names))
    return false;
  if (scanner.peek("\"")) {
    auto name = scanner.string();
    if (!name)
      return false;
    op.name = *name;
    if (!parseGenericOp(op))
      return false;
  } else {
    op.name = scanner.word().str();
    if (op.name.empty())
      return scanner.fail("expected an op");
    if (op.name == "call")
      op.name = "func.call";
    if (!(this->*formOf(op.name))(op))
      return false;
    // The results of an op that could not be read have no known type.
    if (!op.problem.empty())
      for (const auto &[name, count] : names.names)
        for (unsigned i = 0; i < count; ++i)
          op.results.push_back(addValue({}));
  }
  if (!parseOptionalLocation(op.location))
    return false;
  if (isTerminator(op.name))
    return finishTerminator(block, std::move(op));
  if (!defineResults(op, names))
    return false;
  block.ops.push_back(std::move(op));
  return true;
}

bool Parser::finishTerminator(Block &block, Op op) {
  block.returned = std::move(op.operands);
  return scanner.peek("}") ||
         scanner.fail("expected '}' after the block's return");
}

// `(%a, %b) <{properties}> ({region}, {region}) {attributes} : (A) -> B`
bool Parser::parseGenericOp(Op &op) {
  Nesting nesting(*this);
  if (!nesting.ok() || !parseOperandsIn(op, "(", ")"))
    return false;
  if (scanner.consume("<{") &&
      (!parseFields(op.attributes, "}") || !scanner.expect(">")))
    return false;
  if (scanner.consume("(")) {
    do
      if (!scanner.expect("{") || !parseRegion(op))
        return false;
    while (scanner.consume(","));
    if (!scanner.expect(")"))
      return false;
  }
  Signature signature;
  return parseOptionalAttributes(op) && parseSignature(signature) &&
         (signature.hasArrow ||
          scanner.fail("expected the types of operands and results")) &&
         applySignature(op, signature);
}

} // namespace ingot::stablehlo
