//===- ParseExampleFunction.h - Only parses Examples ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Calls functions that only parse Examples. These need no compiled code: the
// parser writes directly to the results.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_PARSEEXAMPLEFUNCTION_H
#define INGOT_RUNTIME_INPUT_PARSEEXAMPLEFUNCTION_H

#include "runtime/Input/Dataset.h"
#include "runtime/Input/ParseExample.h"

namespace ingot::input {

/// Returns true if every result of `function` is a parsed feature.
bool onlyParses(const ingot_function &function);

/// Calls a function that only parses Examples (onlyParses()). Not thread-safe.
class ParseExampleFunction {
public:
  ParseExampleFunction(IteratorContext &environment, uint32_t function);

  Status prepare() { return parser.prepare(); }
  /// Parses `element`, a serialized Example or a vector of them, and replaces
  /// it by the function's results, as CapturedFunction::run does.
  Status run(Element &element);
  /// Parses `element`, a serialized Example, and writes the function's results
  /// to `rows`, as CapturedFunction::write does.
  Status write(const Element &element, std::span<void *const> rows,
               Element &owners);

private:
  TensorMemoryPool &pool;
  const ingot_function &function;
  /// For each result of the function, the index of its feature in `parser`.
  std::vector<uint32_t> featureOf;
  ExampleParser parser;
  bool hasStrings = false;
  Element results;
  std::vector<int64_t> shape;
};

/// Checks whether an Example can be parsed. If a batch downstream runs the
/// parsing function of a map (MapDatasetFusedIntoBatch::isChecked), the map
/// calls an ExampleProtoChecker instead, so that it fails at the same element
/// as it would by calling the function.
class ExampleProtoChecker {
public:
  ExampleProtoChecker(IteratorContext &environment, uint32_t function);

  Status prepare() { return parser.prepare(); }
  /// Fails if the function would fail on `element`, a serialized Example. If
  /// more than half of the Example's bytes are features that the function does
  /// not read, drops these, so that later datasets buffer less. Otherwise
  /// leaves `element` unchanged.
  Status run(Element &element);

private:
  TensorMemoryPool &pool;
  const ingot_function &function;
  ExampleParser parser;
};

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_PARSEEXAMPLEFUNCTION_H
