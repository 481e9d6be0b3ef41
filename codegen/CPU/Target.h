//===- Target.h - The CPUs that code is generated for -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The CPU targets, called levels: those of the x86-64 psABI, and one more for
// GEMMs of bfloat16. A level says which instructions a machine must have, and
// the sizes that tiling and vectorization depend on.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_TARGET_H
#define INGOT_CODEGEN_CPU_TARGET_H

#include "codegen/TargetPolicy.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace ingot::cpu {

/// A CPU target, also called a level. `name` is the value of the flag `--cpu`.
/// `cpu` and `features` are the names that LLVM uses; `cpu` is the same as
/// `name` for the levels of the psABI.
struct Target {
  llvm::StringLiteral name;
  unsigned vectorBits;   // bits of a vector register
  unsigned numRegisters; // number of vector registers
  bool hasFMA;
  /// Whether the target has VDPBF16PS, which multiplies pairs of bfloat16.
  bool multipliesPairs = false;
  llvm::StringLiteral cpu = name;
  llvm::StringLiteral features = "";
};

/// Returns all CPU targets, the least demanding first.
llvm::ArrayRef<Target> allTargets();

/// Returns the CPU target with the name `name`, or the most demanding one that
/// the machine that runs this code supports if the name is "native". Returns
/// null if there is no such target.
const Target *findTarget(llvm::StringRef name);

/// Returns the target of the highest instruction set level, such as x86-64-v4,
/// that the CPU of the current process supports.
const Target &nativeTarget();

/// Limits that all CPU targets share, derived from typical cache sizes of a
/// core and from the cost of starting a second thread.
struct CPUTargetLimits {
  /// The numbers of bytes and of operations that one block of a grid should
  /// have: a few microseconds of work on data in a core's own caches (L1 and
  /// L2).
  static constexpr int64_t blockBytes = 32 * 1024;
  static constexpr int64_t blockOperations = 32 * 1024;
  /// The maximum size, in bytes, of the temporaries that a block of a grid has
  /// on the stack of the thread that runs the block.
  static constexpr int64_t maxOwnBytes = 64 * 1024;
  /// The approximate size, in bytes, of the rows that a kernel processes at a
  /// time if it has both a row-sparse update and ops on all rows. This is half
  /// of a core's L2 cache, so that the rows stay there from one op to the next.
  static constexpr int64_t partBytes = 512 * 1024;
  /// The maximum size, in bytes, of a buffer on the stack. `maxOperandBytes` is
  /// the limit for an operand that each thread packs for its own blocks,
  /// `maxStackBytes` the limit for any other buffer that is allocated outside
  /// of a kernel's blocks. Larger buffers are in scratch memory.
  static constexpr int64_t maxStackBytes = 16 * 1024;
  static constexpr int64_t maxOperandBytes = 128 * 1024;
  /// A kernel with fewer than `minGridOperations` operations and fewer than
  /// `minGridBytes` bytes is too small for a second thread to save time on any
  /// machine, so it gets no grid.
  static constexpr int64_t minGridOperations = 64 * 1024;
  static constexpr int64_t minGridBytes = 64 * 1024;
  /// The maximum number of elements of a GEMM's operand that stays in L1 and L2
  /// while all register tiles read it, so that it need not be packed.
  static constexpr int64_t maxInPlaceElements = 16 * 1024;
  /// The number of columns up to which swapping a GEMM's operands is faster:
  /// register tiles of as many rows are wide.
  static constexpr int64_t maxThinColumns = 32;
  /// The maximum number of elements of an operand that fits into the last-level
  /// cache beside the other operands.
  static constexpr int64_t maxCachedElements = 1024 * 1024;
  /// The maximum number of elements of a transposed second operand ([N, K])
  /// that is packed as a whole, instead of panel by panel.
  static constexpr int64_t maxWholeElements = 8 * 1024;
  /// The maximum number of rows (K) of a panel of a transposed second operand.
  /// The panel is on the stack of each thread that packs it.
  static constexpr int64_t maxPackedDepth = 4096;
  /// The limits of K-blocking in GEMMs A^T * B (TargetPolicy.h describes the
  /// fields). K is the row dimension of both operands, so a block of K is
  /// contiguous in both and stays in L1 and L2, and A can be read in place, by
  /// columns. Without blocks A would first be transposed, which takes a large
  /// part of the GEMM's time.
  static constexpr TargetPolicy::KBlockingLimits kBlocking = {
      .minDepth = 1024, .timesSides = 3, .maxShorterSide = 512};
  /// The maximum number of elements of a block of im2col (`patchElements`), and
  /// of one patch (`maxPatchDepth`). A block stays in a core's own caches while
  /// all columns of the result are computed. Patches are so short that a block
  /// has enough of them for a few register tiles.
  static constexpr int64_t patchElements = 64 * 1024;
  static constexpr int64_t maxPatchDepth = 2304;
  /// The maximum number of elements (f32) of an image that a depthwise
  /// convolution copies together with its padding. Each block of the grid has
  /// such a copy on the stack.
  static constexpr int64_t maxPaddedElements = maxOwnBytes / 4;
  /// The maximum number of taps of a window whose loads are checked against the
  /// image's bounds one by one. With more taps, the checks take longer than
  /// copying the image with its padding, however large the image is.
  static constexpr int64_t maxBoundsCheckedTaps = 25;
  /// The maximum number of elements of a tensor in a kernel that runs several
  /// ops one after the other: the tensor stays in L1 and L2 from one op to the
  /// next.
  static constexpr int64_t maxSharedKernelElements = 16 * 1024;
};

/// The LLVM target triple of all CPU targets.
inline constexpr llvm::StringLiteral triple = "x86_64-unknown-linux-gnu";

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_TARGET_H
