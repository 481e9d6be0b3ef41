//===- DatasetOp.h - Interface of dataset ops -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Each dataset op states in its own file its operands and the maker of its
// iterator. A program's tables point there (ingot_dataset.code), so that an
// artifact links the code of the datasets that it uses, and no other.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_DATASETOP_H
#define INGOT_RUNTIME_INPUT_DATASETOP_H

#include "runtime/Input/Dataset.h"

#include <span>

namespace ingot::input {

/// One named operand of a dataset op.
struct OperandRule {
  const char *name;
  int32_t dtype;
  /// The highest rank allowed; scalars are 0.
  uint32_t maxRank = 0;
  /// Whether another value gives other elements, or another order. Operands
  /// that only change how fast elements come are no part of a pipeline's
  /// identity.
  bool identity = true;
  /// Bounds of a constant integer.
  int64_t least = INT64_MIN;
};

enum class FunctionKind {
  None,
  /// ingot_dataset.function, over an element and the variadic operands.
  Compiled,
  /// ingot_dataset.body, over the same arguments.
  Body,
};

/// Traits of a dataset that other datasets and checks ask for.
enum DatasetTraits : uint32_t {
  /// Hands on elements of its one input as they are.
  HandsOn = 1,
  /// The same, and keeps some back while others go on.
  KeepsBack = 2 | HandsOn,
  /// Takes as many elements from its inputs as it needs for its own, once each.
  ReadsOnce = 4,
  /// A map: a batch above it may run its function (DeferredMap).
  Maps = 8,
  /// Draws new seeds for each pass.
  Shuffles = 16,
  /// Has several of its bodies open at a time.
  TakesTurns = 32,
};

using MakeIterator =
    Expected<std::unique_ptr<DatasetIterator>>(const DatasetContext &context);

/// DatasetOp.numInputs of an op that takes one or more.
inline constexpr uint32_t anyInputs = UINT32_MAX;

struct DatasetOp {
  MakeIterator *make;
  uint32_t numInputs = 1;
  /// Whether operands of any number and type come before `operands`.
  bool variadic = false;
  std::span<const OperandRule> operands = {};
  FunctionKind function = FunctionKind::None;
  /// Attributes that change elements or their order.
  std::span<const char *const> attributes = {};
  uint32_t traits = 0; // DatasetTraits

  bool has(DatasetTraits wanted) const { return (traits & wanted) == wanted; }
};

/// Null where the program has no code for the dataset.
inline const DatasetOp *datasetOp(const ingot_dataset &dataset) {
  return static_cast<const DatasetOp *>(dataset.code);
}

} // namespace ingot::input

/// Defines what the tables of a program with ingot.<mnemonic> point to.
#define INGOT_DATASET(mnemonic)                                                \
  extern "C" const ::ingot::input::DatasetOp ingot_dataset_##mnemonic;         \
  constinit const ::ingot::input::DatasetOp ingot_dataset_##mnemonic

#endif // INGOT_RUNTIME_INPUT_DATASETOP_H
