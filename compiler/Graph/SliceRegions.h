//===- SliceRegions.h - Builds the regions of slices ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_GRAPH_SLICEREGIONS_H
#define INGOT_COMPILER_GRAPH_SLICEREGIONS_H

#include "compiler/Graph/BatchSplit.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace ingot::graph {

/// Returns ops that slices cannot compute, because a value that would pass
/// between slices and the rest is of strings, which are not gathered, or has
/// several sizes that are known only when the step runs; and ops that slices
/// had better not compute: those whose results would be gathered, though every
/// process can make them, without a product, of what it has computed.
llvm::SmallVector<mlir::Operation *>
findBetterUndivided(mlir::Block &body, const BatchSplit &split);

/// Moves what slices compute into an ingot.slice_region per phase.
class SliceRegions {
public:
  SliceRegions(mlir::Block &body, const BatchSplit &split)
      : body(body), split(split), phases(body, split),
        slices(split.getBatch().slices) {}

  /// To be called if findImpassable() finds nothing.
  void build();

  unsigned count() const { return phases.count(); }

  /// The values that slices exchange, each with the location of its node and
  /// its size in bytes. If the batch size is dynamic, the size is that of one
  /// row.
  struct SliceTraffic {
    using Values = llvm::SmallVector<std::pair<mlir::Location, int64_t>>;
    Values combined, gathered;
    /// The values in `gathered` that are read by ops without a split rule,
    /// except for updates of table rows. All processes repeat the work of these
    /// ops.
    Values replicated;
    static int64_t bytesOf(const Values &values);
  };
  const SliceTraffic &getTraffic() const { return traffic; }

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
  const BatchSplit &split;
  SlicePhases phases;
  int64_t slices;
  SliceTraffic traffic;
  /// For values that slices compute, the value of the whole batch, and the one
  /// with the parts of this process's slices that a later phase reads.
  mlir::IRMapping wholes, kept;
};

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_SLICEREGIONS_H
