//===- BatchSplit.h - What a step computes slice by slice -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Decides for each op of a step whether slices of the batch compute it, by the
// rules of SplitRules.h, and in which order: slices compute in phases, each of
// which ends with exchanges whose results later ops need.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_BATCHSPLIT_H
#define INGOT_COMPILER_GRAPH_BATCHSPLIT_H

#include "compiler/Graph/SplitRules.h"

#include "dialects/Ingot/ProgramOps.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace ingot::graph {

/// The batch of a step: the values that have it as their first dimension, and
/// into how many slices it is cut. If its size is known only when the step
/// runs, `shapes` tells which sizes are multiples of it.
struct StepBatch {
  llvm::SmallVector<mlir::Value> roots;
  int64_t slices = 0;
  /// The batch's size, or the number that stands for it.
  int64_t size = 0;
  const SymbolicShapes *shapes = nullptr;

  bool isOpen() const { return shapes != nullptr; }
  /// Whether all slices have the same size, which is known. Anything that
  /// `slices` divides can then be cut; else only multiples of the batch's size,
  /// between its rows.
  bool hasEqualSlices() const { return !isOpen() && size % slices == 0; }
  /// Returns how many elements along dimension `dim` of `value` belong to a row
  /// of the batch, or 1 if slices are equal; std::nullopt if it cannot be cut.
  std::optional<int64_t> multipleOf(mlir::Value value, int64_t dim) const;
};

/// Which ops of a step its slices compute; all others are computed once, by
/// each process. Ops are visited in program order, so the decisions for an op's
/// operands are known.
class BatchSplit {
public:
  /// Cuts the batch's roots, and decides for all ops of `body`. Means over the
  /// batch become sums, sizes of what is cut become multiples of the batch's.
  BatchSplit(mlir::Block &body, const StepBatch &batch,
             const SplitRules &rules);

  /// Whether ops were replaced of which `shapes` knows nothing: the decisions
  /// have to be made again.
  bool isOutdated() const { return batch.isOpen() && numReplaced > 0; }
  const StepBatch &getBatch() const { return batch; }

  /// Returns how slices compute `op`; null if they do not.
  const OpSplit *find(mlir::Operation *op) const;
  /// Returns the dimension along which slices have parts of `value`; `whole` if
  /// each has all of it.
  int64_t cutOf(mlir::Value value) const;
  /// Whether the slices compute `value`.
  bool isOfSlices(mlir::Value value) const {
    return value.getDefiningOp() && find(value.getDefiningOp());
  }
  /// Whether `use`, an operand of an op that slices compute, reads the part of
  /// a value that the same slice has computed.
  bool readsPart(mlir::OpOperand &use) const;
  /// Whether an op reads all of `value`, of which slices compute parts.
  bool isGathered(mlir::Value value) const;

private:
  void visit(mlir::Operation *op);
  bool fits(mlir::Operation *op, const OpSplit &made) const;

  StepBatch batch;
  const SplitRules &rules;
  unsigned numReplaced = 0;
  llvm::DenseMap<mlir::Value, int64_t> cuts;
  llvm::MapVector<mlir::Operation *, OpSplit> splits;
};

/// The phases of a step. Ops outside of slices have a level: those of level p
/// run before phase p, those of the last level after all phases.
class SlicePhases {
public:
  SlicePhases(mlir::Block &body, const BatchSplit &split);

  unsigned count() const { return numPhases; }
  /// Returns the phase of an op that slices compute, or the level of another.
  unsigned operator[](mlir::Operation *op) const { return places.lookup(op); }

private:
  unsigned earliest(mlir::Operation *op) const;
  unsigned latest(mlir::Operation *op) const;

  mlir::Block &body;
  const BatchSplit &split;
  unsigned numPhases = 0;
  llvm::DenseMap<mlir::Operation *, unsigned> places;
};

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_BATCHSPLIT_H
