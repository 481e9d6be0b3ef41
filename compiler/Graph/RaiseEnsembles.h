//===- RaiseEnsembles.h - What finds ensembles in arithmetic ----*- C++ -*-===//
//
// The parts of ingot-raise-ensembles, one for each op that is found, and what
// they share. All work on one block of an entry whose variables are arguments.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_RAISEENSEMBLES_H
#define INGOT_COMPILER_GRAPH_RAISEENSEMBLES_H

#include "dialects/Ingot/EnsembleOps.h"
#include "dialects/Ingot/ProgramOps.h"

#include "mlir/IR/Builders.h"

namespace ingot::graph {

/// A block in which ensembles are looked for.
class EnsembleBlock {
public:
  EnsembleBlock(mlir::ingot::EntryOp entry, mlir::Block &block, bool remarks)
      : entry(entry), block(block), remarks(remarks) {}

  mlir::Block &getBlock() { return block; }

  /// The symbol of the variable whose value at the entry's start this is; empty
  /// for any other value.
  llvm::StringRef variableOf(mlir::Value value) const;
  bool isVariable(mlir::Value value) const {
    return !variableOf(value).empty();
  }
  /// Whether the value is computed from `source` in this block; with a null
  /// source, from any variable.
  bool dependsOn(mlir::Value value, mlir::Value source) const;

  /// Sets the builder behind all that defines `operands` in this block. Fails
  /// where something uses one of `results` before that, as their op cannot
  /// stand there.
  llvm::LogicalResult place(mlir::OpBuilder &builder, mlir::ValueRange operands,
                            mlir::ValueRange results) const;

  /// The remarks of the pass.
  void found(mlir::Operation *op, const llvm::Twine &what) const;
  void missed(mlir::Location loc, const llvm::Twine &what) const;
  /// "1 member", "3 members", for what was found.
  static std::string counted(size_t count, llvm::StringRef noun);

private:
  mlir::ingot::EntryOp entry;
  mlir::Block &block;
  bool remarks;
};

/// Sums from the first summand to the last, one by one.
struct Summands {
  llvm::SmallVector<mlir::Value> values;
  /// The additions, the last one first.
  llvm::SmallVector<mlir::Operation *> additions;
};

/// What `root`, an addition, sums up; partial sums are used nowhere else.
Summands summandsOf(mlir::Operation *root);

/// The value under reshapes that leave one element what it is.
mlir::Value throughReshapes(mlir::Value value);

/// Whether the constant axes are all those of `shape` that are longer than 1,
/// but for the last `kept` dimensions, which are none of them.
bool sumsAllBut(mlir::Value axes, llvm::ArrayRef<int64_t> shape, int64_t kept);

/// Erases the op, and of what it used all that nothing uses any more.
void eraseUnused(mlir::Operation *op);

void raiseMixtures(EnsembleBlock &block);
void raisePenalties(EnsembleBlock &block);
void raiseAverages(EnsembleBlock &block);
void raiseSelections(EnsembleBlock &block);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_RAISEENSEMBLES_H
