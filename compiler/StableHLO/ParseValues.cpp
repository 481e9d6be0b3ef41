//===- ParseValues.cpp - Operands, results and their types ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/StableHLO/Parser.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace ingot::stablehlo {

unsigned Parser::addValue(const TensorType &type) {
  function->types.push_back(type);
  return static_cast<unsigned>(function->types.size() - 1);
}

bool Parser::define(StringRef name, unsigned first, unsigned count) {
  return scopes.back().try_emplace(name, first, count).second ||
         scanner.fail("there are two values '%" + name + "'");
}

bool Parser::defineResults(Op &op, const Results &results) {
  size_t next = 0;
  for (const auto &[name, count] : results.names) {
    if (op.results.size() - next < count)
      return scanner.failAtLine(
          op.line, "'" + op.name + "' has " + Twine(op.results.size()) +
                       " results, not as many as are named");
    if (!define(name, op.results[next], count))
      return false;
    next += count;
  }
  return results.names.empty() || next == op.results.size() ||
         scanner.failAtLine(op.line, "'" + op.name + "' has " +
                                         Twine(op.results.size()) +
                                         " results, more than are named");
}

// `%name` or `%name#2`.
bool Parser::parseOperand(Op &op) {
  auto name = scanner.symbol('%');
  if (!name)
    return scanner.fail("expected a value");
  int64_t index = 0;
  bool isIndexed = scanner.rest().starts_with("#") && scanner.consume("#");
  if (isIndexed) {
    auto given = scanner.integer();
    if (!given)
      return scanner.fail("expected the number of a result");
    index = *given;
  }
  for (auto &scope : reverse(scopes))
    if (auto found = scope.find(*name); found != scope.end()) {
      auto [first, count] = found->second;
      if (index < 0 || index >= count || (!isIndexed && count != 1))
        return scanner.fail("'%" + *name + "' has " + Twine(count) +
                            " results");
      op.operands.push_back(first + static_cast<unsigned>(index));
      return true;
    }
  return scanner.fail("there is no value '%" + *name + "' here");
}

bool Parser::parseOperands(Op &op) {
  if (!scanner.peek("%"))
    return true;
  do
    if (!parseOperand(op))
      return false;
  while (scanner.consume(","));
  return true;
}

bool Parser::parseOperandsIn(Op &op, StringRef open, StringRef close) {
  return scanner.expect(open) && parseOperands(op) && scanner.expect(close);
}

bool Parser::parseSignature(Signature &signature) {
  if (!scanner.expect(":"))
    return false;
  if (scanner.peek("(")) {
    if (!parseTypeOrList(signature.inputs))
      return false;
  } else {
    do
      if (!parseType(signature.inputs.emplace_back()))
        return false;
    while (scanner.consume(","));
  }
  signature.hasArrow = scanner.consume("->");
  return !signature.hasArrow || parseTypeOrList(signature.outputs);
}

// Compares the operands' types with those that the op states, and adds its
// results.
bool Parser::applySignature(Op &op, const Signature &signature) {
  if (signature.inputs.size() != op.operands.size())
    return scanner.failAtLine(op.line, "'" + op.name + "' has " +
                                           Twine(op.operands.size()) +
                                           " operands and the types of " +
                                           Twine(signature.inputs.size()));
  for (auto [operand, type] : zip(op.operands, signature.inputs)) {
    const TensorType &known = function->types[operand];
    bool isKnown = known.isValid() || !known.text.empty();
    if (isKnown && !(known == type))
      return scanner.failAtLine(op.line,
                                "'" + op.name + "' states type " + type.text +
                                    " for an operand of type " + known.text);
  }
  for (const TensorType &type : signature.outputs)
    op.results.push_back(addValue(type));
  return true;
}

} // namespace ingot::stablehlo
