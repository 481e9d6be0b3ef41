//===- BufferAccesses.h - Accesses that need a barrier ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Finds the buffers that ops read and write. Threads of a block need a barrier
// between two ops if these access a buffer that one of them writes.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_BUFFERACCESSES_H
#define INGOT_CODEGEN_PTX_BUFFERACCESSES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace ingot::ptx {

/// The buffers that some ops read and write. Each buffer is represented by its
/// root: a kernel argument, an allocation, or the view that AssignMemorySpaces
/// made of shared or scratch memory in place of an allocation.
struct BufferAccesses {
  llvm::DenseSet<mlir::Value> reads, writes;

  /// Adds the accesses of `op` and of the ops in its regions. Memory private to
  /// a thread does not count.
  void add(mlir::Operation *op);
  void add(const BufferAccesses &other);

  /// Whether an op with the accesses `later` must wait for the earlier ops
  /// whose accesses are recorded here: it writes a buffer that they read or
  /// write (WAR, WAW), or reads a buffer that they write (RAW).
  bool conflictsWith(const BufferAccesses &later) const;

  bool empty() const { return reads.empty() && writes.empty(); }
  void clear();
};

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_BUFFERACCESSES_H
