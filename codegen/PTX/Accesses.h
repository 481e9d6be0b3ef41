//===- Accesses.h - Accesses that need a barrier ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The buffers that ops read and write, to find where threads of a block need a
// barrier.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_ACCESSES_H
#define INGOT_CODEGEN_PTX_ACCESSES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace ingot::ptx {

/// The buffers that ops read and write. A buffer is identified by its root: an
/// argument, an allocation, or its view of shared or scratch memory.
struct Accesses {
  llvm::DenseSet<mlir::Value> reads, writes;

  /// Adds the accesses of `op` and of the ops in its regions. Memory private to
  /// a thread does not count.
  void add(mlir::Operation *op);
  void add(const Accesses &other);

  /// Whether the accesses `later` depend on these (RAW, WAR or WAW).
  bool conflictsWith(const Accesses &later) const;

  bool empty() const { return reads.empty() && writes.empty(); }
  void clear();
};

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_ACCESSES_H
