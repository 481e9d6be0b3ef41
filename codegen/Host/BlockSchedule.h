//===- BlockSchedule.h - A block's ops as a schedule ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_HOST_BLOCKSCHEDULE_H
#define INGOT_CODEGEN_HOST_BLOCKSCHEDULE_H

#include "codegen/Host/ArenaLayout.h"
#include "codegen/Host/RematerializationPlan.h"

#include "mlir/IR/SymbolTable.h"

namespace ingot::hostgen {

/// The ops of a block that may access memory, as a schedule for
/// `rematerialize`. Its buffers are the allocations of static size in the block
/// itself. Launches of kernels with a known cost may be repeated; all other ops
/// stay where they are.
class BlockSchedule {
public:
  /// `symbols` has the declarations of the kernels.
  BlockSchedule(mlir::Block &block, const mlir::SymbolTable &symbols);

  const Schedule &get() const { return schedule; }
  /// Returns the bytes that are live while `op` runs, an op of the block, and
  /// those of them that are allocated in its regions.
  int64_t liveBytesAt(mlir::Operation *op) const {
    return ingot::hostgen::liveBytesAt(schedule, indices.at(op));
  }
  int64_t temporaryBytesOf(mlir::Operation *op) const {
    auto found = indices.find(op);
    return found == indices.end() ? 0
                                  : schedule.ops[found->second].temporaryBytes;
  }

  /// Adds the repetitions in `planned` to the block. It has to be a result of
  /// `rematerialize`. Returns their number.
  unsigned apply(const Schedule &planned);

private:
  void addBuffers(mlir::func::FuncOp function);
  void addUses(unsigned buffer, mlir::ValueRange aliases);
  void addTemporaries(mlir::func::FuncOp function);
  void addWrites();
  void addCosts(const mlir::SymbolTable &symbols);
  unsigned lastPlaceOf(unsigned index, mlir::Operation *launch) const;
  /// Returns the buffer that the block allocates with this index.
  mlir::Value bufferOf(unsigned index) const;
  /// Maps the allocations that `op` read at first to those of `buffers` that it
  /// reads as planned, where they differ.
  mlir::IRMapping copiesReadBy(const ScheduledOp &op,
                               llvm::ArrayRef<mlir::Value> buffers) const;

  mlir::Block &block;
  Schedule schedule;
  std::vector<mlir::Operation *> ops;
  std::vector<mlir::memref::AllocOp> allocations;
  llvm::DenseMap<mlir::Operation *, unsigned> indices;
  /// For each buffer, also those that are allocated elsewhere, the indices of
  /// the ops that may write it, in ascending order.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<unsigned, 2>> writes;
  /// The indices of the ops that may request an iterator's next element.
  llvm::SmallVector<unsigned> requests;
};

} // namespace ingot::hostgen

#endif // INGOT_CODEGEN_HOST_BLOCKSCHEDULE_H
