//===- BatchSliceRegionBuilder.h - Builds the regions of slices -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_GRAPH_BATCHSLICEREGIONBUILDER_H
#define INGOT_COMPILER_GRAPH_BATCHSLICEREGIONBUILDER_H

#include "compiler/Graph/BatchSplitPlan.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace ingot::graph {

/// Returns the ops that each process should compute for the whole batch:
///
/// - ops with an operand or result that cannot be passed into or out of a
///   slice_region: a gathered tensor of strings, or a tensor with several
///   dynamic sizes;
/// - ops, except matmuls and convolutions, that every process can compute at
///   little cost from values that it has for the whole batch anyway, whereas
///   the results of slices would have to be gathered.
llvm::SmallVector<mlir::Operation *>
findBetterUndivided(mlir::Block &body, const BatchSplitPlan &split);

/// Creates a slice_region. Moves the ops of `body`, whose arguments become the
/// region's, into it. The other arguments are the operands, result types and
/// attributes of the op.
mlir::Operation *createSliceRegion(mlir::OpBuilder &builder, mlir::Location loc,
                                   mlir::ValueRange inputs,
                                   mlir::TypeRange results, int64_t slices,
                                   llvm::ArrayRef<int64_t> cuts,
                                   llvm::ArrayRef<llvm::StringRef> exchanges,
                                   llvm::ArrayRef<int64_t> joins,
                                   mlir::Block &body);

/// Moves the ops that are computed slice by slice into one ingot.slice_region
/// per phase.
class BatchSliceRegionBuilder {
public:
  BatchSliceRegionBuilder(mlir::Block &body, const BatchSplitPlan &split)
      : body(body), split(split), phases(body, split),
        slices(split.getBatch().slices) {}

  /// Creates the slice_regions. Requires that findBetterUndivided() returns no
  /// ops for `split`.
  void build();

  unsigned count() const { return phases.count(); }

  /// The values that slices exchange: those that are combined over all slices,
  /// for example summed, and those whose parts are gathered. Each value is
  /// given by the location of its node and its size in bytes, or the size of
  /// one row if the batch size is dynamic.
  struct ValuesExchangedBetweenSlices {
    using Values = llvm::SmallVector<std::pair<mlir::Location, int64_t>>;
    Values combined, gathered;
    /// The values in `gathered` that are read by ops which cannot be computed
    /// slice by slice, so that every process runs these ops for the whole
    /// batch. Updates of rows of a variable do not count as such ops.
    Values replicated;
    static int64_t bytesOf(const Values &values);
  };
  const ValuesExchangedBetweenSlices &getExchangedValues() const {
    return exchanged;
  }

private:
  struct Region;
  void buildPhase(unsigned phase, llvm::ArrayRef<mlir::Operation *> ops);
  void cloneOp(Region &region, mlir::Operation *op);
  mlir::Value argumentFor(Region &region, mlir::Value value, mlir::Value source,
                          int64_t cut);
  mlir::Value localShape(Region &region, mlir::Operation *op,
                         mlir::ValueRange operands, mlir::Type result);
  mlir::Value partOf(Region &region, mlir::OpOperand &use, int64_t cut);
  void yieldResults(Region &region, mlir::Operation *op);
  mlir::Type partType(mlir::Type type, int64_t cut) const;

  mlir::Block &body;
  const BatchSplitPlan &split;
  CollectivePhaseAssignment phases;
  int64_t slices;
  ValuesExchangedBetweenSlices exchanged;
  /// `wholes` maps a value that slices compute and exchange to its value for
  /// the whole batch. `kept` maps a value that slices compute in one phase and
  /// read in a later one to the tensor that stores it in between. This tensor
  /// has the shape for the whole batch, but each process writes only the parts
  /// of its own slices.
  mlir::IRMapping wholes, kept;
};

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_BATCHSLICEREGIONBUILDER_H
