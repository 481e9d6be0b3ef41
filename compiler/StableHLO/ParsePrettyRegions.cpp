//===- ParsePrettyRegions.cpp - The pretty forms of loops, reductions -----===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/StableHLO/Parser.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace ingot::stablehlo {

// `(%x init: %c), (%y init: %d) applies stablehlo.add across dimensions = [1]`,
// or without `applies`, and a reducer at the end.
bool Parser::parseReduce(Op &op) {
  std::vector<unsigned> initial;
  do {
    if (!scanner.expect("(") || !parseOperand(op) ||
        !scanner.consumeWord("init") || !scanner.expect(":") ||
        !parseOperand(op) || !scanner.expect(")"))
      return scanner.fail("expected '(%value init: %value)'");
    initial.push_back(op.operands.back());
    op.operands.pop_back();
  } while (scanner.consume(","));
  unsigned count = static_cast<unsigned>(initial.size());
  llvm::append_range(op.operands, initial);
  StringRef applied;
  if (scanner.consumeWord("applies"))
    applied = scanner.word();
  Attribute dimensions;
  if (!scanner.consumeWord("across") || !scanner.consumeWord("dimensions") ||
      !scanner.expect("=") || !parseIntegers(dimensions))
    return scanner.fail("expected 'across dimensions = [..]'");
  op.attributes.add("dimensions", std::move(dimensions));
  if (!finishPretty(op))
    return false;
  if (applied.empty())
    return parseReducer(op, count);
  // One op that combines two elements.
  auto block = std::make_unique<Block>();
  TensorType element = function->types[op.operands.back()];
  for (unsigned i = 0; i < 2; ++i)
    block->arguments.push_back(addValue(element));
  Op &inner = block->ops.emplace_back();
  inner.name = applied.str();
  inner.line = op.line;
  inner.operands = block->arguments;
  inner.results = {addValue(element)};
  block->returned = inner.results;
  op.regions.push_back(std::move(block));
  return true;
}

// ` reducer(%a: A, %b: A) (%c: B, %d: B) {..}`: the two elements of each
// operand. The block's arguments are all first elements, and then all second.
bool Parser::parseReducer(Op &op, unsigned count) {
  Nesting nesting(*this);
  if (!nesting.ok() || !scanner.consumeWord("reducer"))
    return scanner.fail("expected 'reducer'");
  scopes.emplace_back();
  Block &block = *op.regions.emplace_back(std::make_unique<Block>());
  std::vector<unsigned> first, second;
  bool ok = true;
  for (unsigned i = 0; ok && i < count; ++i) {
    Block pair;
    ok = scanner.expect("(") && parseArguments(pair) &&
         (pair.arguments.size() == 2 ||
          scanner.fail("expected two elements of each operand"));
    if (ok) {
      first.push_back(pair.arguments[0]);
      second.push_back(pair.arguments[1]);
    }
  }
  block.arguments = first;
  llvm::append_range(block.arguments, second);
  int ignored = -1;
  ok = ok && parseOptionalLocation(ignored) && scanner.expect("{") &&
       parseBlock(block);
  scopes.pop_back();
  return ok;
}

// `(%iterArg = %a, %iterArg_0 = %b) : A, B cond {..} do {..}`
bool Parser::parseWhile(Op &op) {
  Nesting nesting(*this);
  std::vector<std::string> names;
  if (!nesting.ok() || !scanner.expect("("))
    return false;
  while (!scanner.consume(")")) {
    if (!names.empty() && !scanner.expect(","))
      return false;
    auto name = scanner.symbol('%');
    if (!name || !scanner.expect("=") || !parseOperand(op))
      return scanner.fail("expected '%name = %value'");
    names.push_back(*name);
  }
  Signature signature;
  if (!names.empty() && !parseSignature(signature))
    return false;
  signature.outputs = signature.inputs;
  Attribute ignored;
  if (!applySignature(op, signature) ||
      (scanner.consumeWord("attributes") &&
       (!scanner.expect("{") || !parseFields(ignored, "}"))))
    return false;
  for (StringRef keyword : {"cond", "do"}) {
    if (!scanner.consumeWord(keyword) || !scanner.expect("{"))
      return scanner.fail("expected '" + keyword + " {'");
    scopes.emplace_back();
    Block &block = *op.regions.emplace_back(std::make_unique<Block>());
    bool ok = true;
    for (auto [name, type] : zip(names, signature.inputs)) {
      block.arguments.push_back(addValue(type));
      ok = ok && define(name, block.arguments.back(), 1);
    }
    ok = ok && parseBlock(block);
    scopes.pop_back();
    if (!ok)
      return false;
  }
  return true;
}

} // namespace ingot::stablehlo
