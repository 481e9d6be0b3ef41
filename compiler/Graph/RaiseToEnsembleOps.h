//===- RaiseToEnsembleOps.h - Raises arithmetic to ensemble ops -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The patterns of ingot-raise-to-ensemble-ops, one per ensemble op, and their
// helpers. Each pattern works on one block of an entry whose variables have
// been promoted to arguments.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_RAISETOENSEMBLEOPS_H
#define INGOT_COMPILER_GRAPH_RAISETOENSEMBLEOPS_H

#include "dialects/Ingot/IR/EnsembleOps.h"
#include "dialects/Ingot/IR/ProgramOps.h"

#include "mlir/IR/Builders.h"

namespace ingot::graph {

/// A block in which arithmetic is raised to ops on ensembles of networks, such
/// as ingot.mixture, the weighted sum of the networks' outputs.
class EnsembleRaiser {
public:
  EnsembleRaiser(mlir::ingot::EntryOp entry, mlir::Block &block, bool remarks)
      : entry(entry), block(block), remarks(remarks) {}

  mlir::Block &getBlock() { return block; }

  /// If `value` is the entry's argument for the initial value of a variable,
  /// returns the symbol of this variable; otherwise "".
  llvm::StringRef variableOf(mlir::Value value) const;
  bool isVariable(mlir::Value value) const {
    return !variableOf(value).empty();
  }
  /// Whether ops of this block compute `value` from `source`. If `source` is
  /// null, whether they compute `value` from the value of any variable.
  bool dependsOn(mlir::Value value, mlir::Value source) const;

  /// Sets the insertion point of `builder` after the definitions of `operands`.
  /// Fails if an op before this point uses a value in `results`, because the
  /// raised op would not dominate that use.
  llvm::LogicalResult place(mlir::OpBuilder &builder, mlir::ValueRange operands,
                            mlir::ValueRange results) const;

  /// Emit a remark if the pass's option `remarks` is set. `found`: `op` was
  /// raised to the ensemble op `what`. `missed`: the arithmetic at `loc` was
  /// not raised for the reason `what`.
  void found(mlir::Operation *op, const llvm::Twine &what);
  void missed(mlir::Location loc, const llvm::Twine &what) const;
  /// Returns "1 member", "3 members" and the like, for remarks.
  static std::string counted(size_t count, llvm::StringRef noun);

  /// Returns the number of ops that were raised.
  unsigned getNumRaised() const { return numRaised; }

private:
  mlir::ingot::EntryOp entry;
  mlir::Block &block;
  bool remarks;
  unsigned numRaised = 0;
};

/// The terms of a chain of additions that associates to the left: ((a + b) + c)
/// + d.
struct LeftAssociativeSum {
  llvm::SmallVector<mlir::Value> values;
  /// The addition ops that compute the sum, the last one first.
  llvm::SmallVector<mlir::Operation *> additions;
};

/// Returns the chain of additions that ends with `root`: follows operands back
/// from `root` through partial sums that have no other use.
LeftAssociativeSum summandsOf(mlir::Operation *root);

/// Returns the value from which a chain of reshapes computes `value`, a tensor
/// of one element; `value` itself if it is no reshape.
mlir::Value throughReshapes(mlir::Value value);

/// Whether `axes` is a constant that lists all dimensions of `shape` except the
/// last `kept` ones. The list may lack dimensions of size 1.
bool sumsAllBut(mlir::Value axes, llvm::ArrayRef<int64_t> shape, int64_t kept);

/// Erases `op`, and recursively the producers of its operands that have no use
/// any more.
void eraseUnused(mlir::Operation *op);

void raiseMixtures(EnsembleRaiser &block);
void raisePenalties(EnsembleRaiser &block);
void raiseAverages(EnsembleRaiser &block);
void raiseSelections(EnsembleRaiser &block);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_RAISETOENSEMBLEOPS_H
