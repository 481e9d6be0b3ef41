//===- RaiseEnsembles.h - Raises arithmetic to ensemble ops -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The patterns of ingot-raise-ensembles, one per ensemble op, and their
// helpers. All work on one block of an entry whose variables are arguments.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_RAISEENSEMBLES_H
#define INGOT_COMPILER_GRAPH_RAISEENSEMBLES_H

#include "dialects/Ingot/EnsembleOps.h"
#include "dialects/Ingot/ProgramOps.h"

#include "mlir/IR/Builders.h"

namespace ingot::graph {

/// A block to raise ensembles in.
class EnsembleBlock {
public:
  EnsembleBlock(mlir::ingot::EntryOp entry, mlir::Block &block, bool remarks)
      : entry(entry), block(block), remarks(remarks) {}

  mlir::Block &getBlock() { return block; }

  /// The symbol of the variable whose initial value in the entry this is; empty
  /// for other values.
  llvm::StringRef variableOf(mlir::Value value) const;
  bool isVariable(mlir::Value value) const {
    return !variableOf(value).empty();
  }
  /// Whether the value is computed from `source` in this block; with a null
  /// source, from any variable.
  bool dependsOn(mlir::Value value, mlir::Value source) const;

  /// Sets the insertion point after the definitions of `operands`. Fails if a
  /// use of `results` comes before that, so that the raised op would not
  /// dominate it.
  llvm::LogicalResult place(mlir::OpBuilder &builder, mlir::ValueRange operands,
                            mlir::ValueRange results) const;

  /// The remarks of the pass.
  void found(mlir::Operation *op, const llvm::Twine &what) const;
  void missed(mlir::Location loc, const llvm::Twine &what) const;
  /// "1 member", "3 members", for remarks.
  static std::string counted(size_t count, llvm::StringRef noun);

private:
  mlir::ingot::EntryOp entry;
  mlir::Block &block;
  bool remarks;
};

/// Left-associated sums.
struct Summands {
  llvm::SmallVector<mlir::Value> values;
  /// The additions, the last one first.
  llvm::SmallVector<mlir::Operation *> additions;
};

/// The terms of `root`, an addition, whose partial sums have no other uses.
Summands summandsOf(mlir::Operation *root);

/// The value before reshapes that keep the one element of a scalar.
mlir::Value throughReshapes(mlir::Value value);

/// Whether the constant axes are all dimensions of `shape` larger than 1,
/// except the last `kept` dimensions, of which none may be an axis.
bool sumsAllBut(mlir::Value axes, llvm::ArrayRef<int64_t> shape, int64_t kept);

/// Erases the op and those of its operands that become dead.
void eraseUnused(mlir::Operation *op);

void raiseMixtures(EnsembleBlock &block);
void raisePenalties(EnsembleBlock &block);
void raiseAverages(EnsembleBlock &block);
void raiseSelections(EnsembleBlock &block);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_RAISEENSEMBLES_H
