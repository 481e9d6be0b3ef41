//===- Accumulators.h - Accumulators of gradients ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The state of TensorFlow's accumulators of gradients in a program. The state
// of each is the number of gradients that were applied since the last
// TakeGradient, their sum, and the current step, because gradients of earlier
// steps are dropped.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_INPUT_ACCUMULATORS_H
#define INGOT_COMPILER_IMPORT_INPUT_ACCUMULATORS_H

#include "compiler/Import/ControlFlow/BlockImport.h"
#include "mlir/IR/BuiltinTypes.h"

namespace ingot::importer {

/// Returns the state variable of that name, and creates it on first use. Its
/// initial value is zero. It is marked like the state of a random op
/// (`randomStateAttrName`), so that checkpoints contain it and a resumed run
/// continues with its value.
mlir::ingot::VariableOp findOrCreateStateVariable(Program &program,
                                                  llvm::StringRef name,
                                                  mlir::RankedTensorType type);

/// Creates ops on the state of the accumulator (TensorFlow's
/// ConditionalAccumulator or SparseConditionalAccumulator) that a node has as
/// its first input.
class AccumulatorBuilder {
public:
  explicit AccumulatorBuilder(NodeImport &node) : node(node) {}

  /// Finds the accumulator that the node's first input is a handle of. On
  /// failure, records a problem and returns false.
  bool find(bool isSparse);

  mlir::Value read(llvm::StringRef part);
  void write(llvm::StringRef part, mlir::Value value);

  /// Returns a tensor of `type` whose elements are all `number`.
  mlir::Value filled(mlir::RankedTensorType type, int64_t number);
  mlir::Value integer(int64_t number) { return filled(scalar(), number); }
  mlir::RankedTensorType scalar() {
    return mlir::RankedTensorType::get({}, node.body.builder.getI64Type());
  }
  mlir::Value cast(mlir::Value value, mlir::Type element);

  /// Returns a bool scalar that is true if a gradient computed in step
  /// `localStep` may be added, that is, if this step is not before the
  /// accumulator's step.
  mlir::Value isFresh(mlir::Value localStep);
  /// Increments the number of gradients in the sum if `fresh`, a bool scalar,
  /// is true.
  void count(mlir::Value fresh);
  /// Returns whether at least `numRequired` gradients have been applied.
  mlir::Value hasEnough(mlir::Value numRequired);
  /// Adds a check that at least `numRequired` gradients have been applied.
  void require(mlir::Value numRequired);
  /// Starts the next round after the gradients have been taken: resets their
  /// number, and increments the step.
  void startNext();

  /// The type of the sum. In a sparse accumulator, the sum consists of rows;
  /// the size of the first dimension, their number, is dynamic.
  mlir::RankedTensorType type;
  /// For a sparse accumulator: the first dimension of the declared shape, or -1
  /// if it is unknown.
  int64_t numRows = -1;
  bool takesMean = true;
  int accumulator = -1; // its node
  std::string name;

private:
  mlir::RankedTensorType typeOf(const ResourceHandle &handle, bool isSparse,
                                std::string &error);
  mlir::ingot::VariableOp stateOf(llvm::StringRef part);

  NodeImport &node;
};

/// Returns the type of the rows of gradients that the graph applies to a sparse
/// accumulator; null if there are none, or if they cannot be compiled. The size
/// of its first dimension is dynamic.
mlir::RankedTensorType typeOfRows(Program &program, int accumulator);

/// Creates the test whether `take`, a node that takes gradients, could take
/// them now: whether at least `numRequired` gradients have been applied to its
/// accumulator. Returns a bool scalar, or null after a problem.
mlir::Value createCanTake(NodeImport &take, mlir::Value numRequired);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_INPUT_ACCUMULATORS_H
