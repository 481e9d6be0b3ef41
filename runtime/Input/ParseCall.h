//===- ParseCall.h - Runs a dataset function that parses --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A function that only parses needs no compiled code: the parser writes to the
// results directly.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_PARSECALL_H
#define INGOT_RUNTIME_INPUT_PARSECALL_H

#include "runtime/Input/Dataset.h"
#include "runtime/Input/ParseExample.h"

namespace ingot::input {

/// Whether every result of `function` is a parsed feature.
bool onlyParses(const ingot_function &function);

/// Runs a function that only parses Examples (onlyParses()), for one thread at
/// a time.
class ParseCall {
public:
  ParseCall(Environment &environment, uint32_t function);

  Status prepare() { return parser.prepare(); }
  /// Like FunctionCall::run: `element` is a string, or a vector of them.
  Status run(Element &element);
  /// Like FunctionCall::write: `element` is a string.
  Status write(const Element &element, std::span<void *const> rows,
               Element &owners);

private:
  BlockPool &pool;
  const ingot_function &function;
  /// For each result its place among the parser's features.
  std::vector<uint32_t> featureOf;
  ExampleParser parser;
  bool hasStrings = false;
  Element results;
  std::vector<int64_t> shape;
};

/// Replaces a map whose parsing a dataset above it does: checks whether an
/// Example can be parsed, so that failures come at the same element.
class ExampleCheck {
public:
  ExampleCheck(Environment &environment, uint32_t function);

  Status prepare() { return parser.prepare(); }
  /// Fails as the function would. `element`, a string, stays; it loses features
  /// that the function does not read where these are most of it.
  Status run(Element &element);

private:
  BlockPool &pool;
  const ingot_function &function;
  ExampleParser parser;
};

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_PARSECALL_H
