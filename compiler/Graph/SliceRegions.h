//===- SliceRegions.h - Builds the regions of slices ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_GRAPH_SLICEREGIONS_H
#define INGOT_COMPILER_GRAPH_SLICEREGIONS_H

#include "compiler/Graph/BatchSplit.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace ingot::graph {

/// Moves what slices compute into an ingot.slice_region per phase.
class SliceRegions {
public:
  SliceRegions(mlir::Block &body, const BatchSplit &split)
      : body(body), split(split), phases(body, split),
        slices(split.getBatch().slices) {}

  /// Fails, with errors at the nodes, where what passes between slices and the
  /// rest has several sizes that are known only when the step runs.
  mlir::LogicalResult build();

  unsigned count() const { return phases.count(); }

  /// The values that slices exchange, each with its node and its bytes; of a
  /// batch of open size, those of a row.
  struct SliceTraffic {
    using Values = llvm::SmallVector<std::pair<mlir::Location, int64_t>>;
    Values combined, gathered;
    /// Those of `gathered` on which ops without a rule compute, and not only
    /// updates of the rows of tables.
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
  int64_t multipleOf(mlir::Value value, int64_t cut, bool isAllocated);
  mlir::Value partOf(Region &region, mlir::OpOperand &use, int64_t cut);
  void yieldResults(Region &region, mlir::Operation *op);
  mlir::Type partType(mlir::Type type, int64_t cut) const;

  mlir::Block &body;
  const BatchSplit &split;
  SlicePhases phases;
  int64_t slices;
  SliceTraffic traffic;
  bool hasFailed = false;
  /// For values that slices compute, the value of the whole batch, and the one
  /// with the parts of this process's slices that a later phase reads.
  mlir::IRMapping wholes, kept;
};

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_SLICEREGIONS_H
