//===- DatasetOp.h - Interface of dataset ops -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Each dataset op defines a DatasetOp in its own file: its operands and the
// function that makes its iterator. A program's tables point to the DatasetOps
// of the program's datasets (ingot_dataset.code), so that an artifact links
// only the code of the datasets that it uses.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_DATASETOP_H
#define INGOT_RUNTIME_INPUT_DATASETOP_H

#include "runtime/Input/Dataset.h"

#include <span>

namespace ingot::input {

/// The rule for a named operand of a dataset op.
struct DatasetOperandConstraint {
  const char *name;
  int32_t dtype;
  /// The highest rank that the operand may have.
  uint32_t maxRank = 0;
  /// Whether the operand's value affects the elements or their order. A saved
  /// state can be restored only into a pipeline with the same values of these
  /// operands; operands that only affect speed may differ.
  bool identity = true;
  /// The least value that the operand may have, if it is a constant integer.
  int64_t least = INT64_MIN;
};

enum class DatasetFunctionKind {
  None,
  /// The dataset calls ingot_dataset.function on an element and the variadic
  /// operands.
  Compiled,
  /// The dataset iterates over ingot_dataset.body, whose arguments are an
  /// element and the variadic operands.
  Body,
};

/// Traits of a dataset that other datasets and CheckPipeline.cpp query.
enum DatasetTraits : uint32_t {
  /// Passes elements of its only input through unchanged.
  PassesThrough = 1,
  /// Passes elements of its only input through unchanged, but buffers some of
  /// them while it reads later ones, as a shuffle or a prefetch does.
  BuffersInput = 2 | PassesThrough,
  /// Reads from its inputs only the elements that it needs, and each only once,
  /// even if its state is restored.
  ReadsElementsOnce = 4,
  /// Is a map, whose function a batch downstream may run
  /// (MapDatasetFusedIntoBatch).
  Maps = 8,
  /// Is a shuffle, which may draw new seeds for each pass.
  Shuffles = 16,
  /// Calls its function on several elements and has the iterators of the
  /// returned datasets (bodies) open at once. Reads from them in turn.
  InterleavesInputs = 32,
  /// May call its function on several elements at once.
  CallsInParallel = 128,
  /// Its iterators can read and write positions in TensorFlow's form
  /// (DatasetIterator::exchange()).
  Exchanges = 64,
};

using MakeIterator =
    Expected<std::unique_ptr<DatasetIterator>>(const DatasetContext &context);

/// The value of DatasetOp.numInputs for an op with one or more inputs.
inline constexpr uint32_t anyInputs = UINT32_MAX;
/// The value of DatasetOp.numInputs for an op with any number of inputs,
/// including none.
inline constexpr uint32_t anyInputsOrNone = UINT32_MAX - 1;

struct DatasetOp {
  MakeIterator *make;
  uint32_t numInputs = 1;
  /// Whether any number of operands of any types, such as a function's captured
  /// values, precede `operands`.
  bool variadic = false;
  std::span<const DatasetOperandConstraint> operands = {};
  DatasetFunctionKind function = DatasetFunctionKind::None;
  /// The names of the attributes that affect the elements or their order.
  std::span<const char *const> attributes = {};
  uint32_t traits = 0; // any of DatasetTraits

  bool has(DatasetTraits wanted) const { return (traits & wanted) == wanted; }
};

/// Returns the dataset's DatasetOp, or null if the program has no code for it.
inline const DatasetOp *datasetOp(const ingot_dataset &dataset) {
  return static_cast<const DatasetOp *>(dataset.code);
}

} // namespace ingot::input

/// Defines the DatasetOp of op ingot.<mnemonic>. The tables of programs that
/// use this op point to it.
#define INGOT_DATASET(mnemonic)                                                \
  extern "C" const ::ingot::input::DatasetOp ingot_dataset_##mnemonic;         \
  constinit const ::ingot::input::DatasetOp ingot_dataset_##mnemonic

#endif // INGOT_RUNTIME_INPUT_DATASETOP_H
