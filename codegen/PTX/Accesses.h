//===- Accesses.h - Accesses that need a barrier ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_PTX_ACCESSES_H
#define INGOT_CODEGEN_PTX_ACCESSES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace ingot::ptx {

/// Buffers that are read and written, each known by its root: an argument, an
/// allocation, or its place in shared or scratch memory.
struct Accesses {
  llvm::DenseSet<mlir::Value> reads, writes;

  /// Adds those of `op` and of its regions. Memory private to a thread does not
  /// count.
  void add(mlir::Operation *op);
  void add(const Accesses &other);

  /// Whether `later` depends on these (RAW, WAR or WAW).
  bool conflictsWith(const Accesses &later) const;

  bool empty() const { return reads.empty() && writes.empty(); }
  void clear();
};

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_ACCESSES_H
