//===- BatchSplitPlan.h - Decides which ops run slice by slice --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Decides for each op of a step whether it is computed slice by slice, by the
// rules of BatchSplitRules.h, and in which phase. Each phase ends with
// exchanges between the slices, whose results ops of later phases need.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_BATCHSPLITPLAN_H
#define INGOT_COMPILER_GRAPH_BATCHSPLITPLAN_H

#include "compiler/Graph/BatchSplitRules.h"

#include "dialects/Ingot/IR/ProgramOps.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace ingot::graph {

/// The batch of a step, and the number of slices. `roots` are the feeds and
/// input components whose first dimension is the batch. If the size of the
/// batch is dynamic, `shapes` tells which other sizes are multiples of it.
struct BatchSplitParameters {
  llvm::SmallVector<mlir::Value> roots;
  int64_t slices = 0;
  /// The size of the batch or, if it is dynamic, its number in SymbolicShapes,
  /// where equal numbers mean equal sizes.
  int64_t size = 0;
  const SymbolicShapes *shapes = nullptr;

  bool isOpen() const { return shapes != nullptr; }
  /// Whether all slices have the same static size. If so, a dimension can be
  /// split into slices if its size is a multiple of `slices`. Otherwise, its
  /// size must be m times the batch size for an integer m, and each slice gets
  /// m elements for each of its rows.
  bool hasEqualSlices() const { return !isOpen() && size % slices == 0; }
  /// Returns the number of elements along dimension `dim` of `value` that
  /// belong to one row of the batch, or simply 1 if all slices have the same
  /// size. Returns std::nullopt if the dimension cannot be split into slices.
  std::optional<int64_t> multipleOf(mlir::Value value, int64_t dim) const;
};

/// Decides which ops of a step are computed slice by slice; every process
/// computes all other ops for the whole batch. Ops are visited in program
/// order, so that the producers of an op's operands are decided before the op.
class BatchSplitPlan {
public:
  using Ops = llvm::DenseSet<mlir::Operation *>;

  /// Splits the roots of the batch (`BatchSplitParameters::roots`) into slices,
  /// and decides for each op of `body` whether it is computed slice by slice;
  /// ops in `undivided` are not. Replaces means over the batch by sums
  /// (ExpandMeansToSums.h), and ops that return sizes of split values by
  /// arithmetic on the batch size (BatchSizes.h).
  BatchSplitPlan(mlir::Block &body, const BatchSplitParameters &batch,
                 const BatchSplitRules &rules, const Ops &undivided);

  /// Whether the constructor has replaced ops while the batch size is dynamic.
  /// `BatchSplitParameters::shapes` then lacks the sizes of the new ops'
  /// results, so the caller must compute `shapes` and the plan again.
  bool isOutdated() const { return batch.isOpen() && numReplaced > 0; }
  const BatchSplitParameters &getBatch() const { return batch; }

  /// Returns how `op` is split over slices of the batch. Returns null if every
  /// process computes `op` for the whole batch.
  const OpBatchSplit *find(mlir::Operation *op) const;
  /// Returns the dimension along which `value` is split into the parts of the
  /// slices, or `whole` if each slice has the whole value.
  int64_t cutOf(mlir::Value value) const;
  /// Whether `value` is computed slice by slice, that is, for a part of the
  /// batch at a time.
  bool isOfSlices(mlir::Value value) const {
    return value.getDefiningOp() && find(value.getDefiningOp());
  }
  /// Whether `use`, an operand of an op that is computed slice by slice, reads
  /// only the part of its value that the same slice has computed.
  bool readsPart(mlir::OpOperand &use) const;
  /// Whether slices of the batch compute parts of `value`, but an op reads the
  /// whole value, so that its parts must be gathered.
  bool isGathered(mlir::Value value) const;
  /// Whether the results of at least one op are combined over all slices of the
  /// batch. For example, the sums that slices compute are added up.
  bool combines() const;
  /// Returns the ops that read rows of the batch but are not computed in slices
  /// of the batch, in program order.
  llvm::ArrayRef<mlir::Operation *> undividedReaders() const {
    return readers.getArrayRef();
  }

private:
  void visit(mlir::Operation *op);
  std::optional<OpBatchSplit> apply(mlir::Operation *op) const;
  bool fits(mlir::Operation *op, const OpBatchSplit &made) const;
  void cutResults(mlir::Operation *op);

  BatchSplitParameters batch;
  const BatchSplitRules &rules;
  const Ops &undivided;
  unsigned numReplaced = 0;
  llvm::DenseMap<mlir::Value, int64_t> cuts;
  /// Results of ops that depend on the step's input, but are not computed in
  /// slices of the batch.
  llvm::DenseSet<mlir::Value> ofInput;
  llvm::SetVector<mlir::Operation *> readers;
  llvm::MapVector<mlir::Operation *, OpBatchSplit> splits;
};

/// Assigns each op of a step that is computed slice by slice to a phase. All
/// slices compute a phase, then exchange values, and then begin the next phase.
/// Any other op has a level instead: ops of level p run before phase p, and ops
/// of the last level run after all phases.
class CollectivePhaseAssignment {
public:
  CollectivePhaseAssignment(mlir::Block &body, const BatchSplitPlan &split);

  unsigned count() const { return numPhases; }
  /// Returns the phase of an op that is computed slice by slice, or the level
  /// of any other op.
  unsigned operator[](mlir::Operation *op) const { return places.lookup(op); }

private:
  unsigned earliest(mlir::Operation *op) const;
  unsigned latest(mlir::Operation *op) const;

  mlir::Block &body;
  const BatchSplitPlan &split;
  unsigned numPhases = 0;
  llvm::DenseMap<mlir::Operation *, unsigned> places;
};

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_BATCHSPLITPLAN_H
