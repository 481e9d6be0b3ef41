//===- ShardedUpdates.h - Updates that processes divide ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_GRAPH_SHARDEDUPDATES_H
#define INGOT_COMPILER_GRAPH_SHARDEDUPDATES_H

#include "dialects/Ingot/IR/ProgramOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <optional>
#include <string>

namespace ingot::graph {

/// The variables whose elements processes divide among them, and the number of
/// parts of each.
using ShardedVariables = llvm::DenseMap<mlir::StringAttr, unsigned>;

/// Moves the ops that update divided variables into slice_regions, whose slices
/// are the parts of these variables.
///
/// The updates are the elementwise ops that depend on a divided variable, and
/// the elementwise ops of which only these read the results, such as a weight
/// decay. A slice_region has a loop for all variables with equally many parts.
class ShardedUpdates {
public:
  ShardedUpdates(mlir::ingot::EntryOp step, const ShardedVariables &variables);

  /// Returns the number of equal parts into which the elements of a variable of
  /// type `type` are divided: `slices` if it is possible, and else the least
  /// number above it. Parts are so long that each begins at an aligned address.
  /// Returns std::nullopt if there is no such number up to 16 `slices`.
  static std::optional<unsigned> partsOf(mlir::RankedTensorType type,
                                         unsigned slices);

  /// Returns why `step` cannot divide `variable`; "" if it can.
  static std::string obstacleOf(mlir::ingot::EntryOp step,
                                mlir::FlatSymbolRefAttr variable);

  void build();

  /// The number of gradients whose sum over the batch is divided among
  /// processes, too.
  unsigned scattered() const { return numScattered; }

private:
  struct Region;
  void absorbProducers(llvm::SetVector<mlir::Operation *> &ops);
  void buildRegion(unsigned parts,
                   const llvm::SetVector<mlir::Operation *> &ops);
  void cloneOp(Region &region, mlir::Operation *op);
  mlir::Value partOf(Region &region, mlir::Value value);
  unsigned inputFor(Region &region, mlir::Value value);
  void yieldUpdates(Region &region, mlir::Operation *op);
  void scatterSums(mlir::Operation *region, unsigned parts);

  mlir::ingot::EntryOp step;
  const ShardedVariables &variables;
  mlir::Block &body;
  unsigned numScattered = 0;
};

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_SHARDEDUPDATES_H
