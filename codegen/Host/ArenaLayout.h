//===- ArenaLayout.h - Lifetimes and places of buffers ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_HOST_ARENALAYOUT_H
#define INGOT_CODEGEN_HOST_ARENALAYOUT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <vector>

namespace ingot::hostgen {

/// The size of a slot of a launch's argument table: an address or a size.
inline constexpr int64_t argumentSlotBytes = 8;

/// A buffer of static size, its lifetime, and its place in the arena.
struct ArenaBuffer {
  mlir::memref::AllocOp allocation;
  /// The numbers, in program order, of the first and of the last op that may
  /// access the buffer.
  unsigned first, last;
  int64_t size, offset = 0;
  /// Whether host code accesses the buffer, in an entry point whose kernels may
  /// run on a device.
  bool isTouchedByHost = false;
};

/// Returns the buffers of static size of a function, with their lifetimes. A
/// use of a view of a buffer counts as a use of the buffer. A buffer that is
/// allocated outside of a loop and used in it lives until the loop ends.
std::vector<ArenaBuffer> arenaBuffersOf(mlir::func::FuncOp function);

/// Returns the sum of the buffers' sizes in bytes: the size that the arena
/// would have if no buffers shared memory.
int64_t bytesOf(llvm::ArrayRef<ArenaBuffer> buffers);

/// Returns the least size that an arena with these buffers can have: the
/// greatest number of bytes that are live at the same time.
int64_t liveBytesOf(llvm::ArrayRef<ArenaBuffer> buffers);

/// Gives each buffer its offset in the arena, and sorts the buffers by
/// decreasing size. If all of them together take at most `bytesApart` bytes,
/// none shares addresses with another. Returns the arena's size in bytes.
int64_t layOutArena(std::vector<ArenaBuffer> &buffers, int64_t bytesApart);

/// Returns the bytes of the argument tables of a function's launches, which lie
/// in the arena after the buffers.
int64_t argumentTableBytesOf(mlir::func::FuncOp function);

} // namespace ingot::hostgen

#endif // INGOT_CODEGEN_HOST_ARENALAYOUT_H
