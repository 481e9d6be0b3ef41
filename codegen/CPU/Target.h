//===- Target.h - The CPUs that code is generated for -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Levels of the x86-64 psABI, and one more for GEMMs of bfloat16: the
// instructions that a machine must have, and the sizes that tiling and
// vectorization depend on.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_TARGET_H
#define INGOT_CODEGEN_CPU_TARGET_H

#include "codegen/TargetPolicy.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace ingot::cpu {

/// One level of CPU. `name` is the value of `--cpu`; `cpu` and `features` are
/// LLVM's names, which differ where the level is not one of the psABI's.
struct Target {
  llvm::StringLiteral name;
  unsigned vectorBits;   // of a register
  unsigned numRegisters; // of that width
  bool hasFMA;
  /// Whether an instruction multiplies pairs of bfloat16 (vdpbf16ps).
  bool multipliesPairs = false;
  llvm::StringLiteral cpu = name;
  llvm::StringLiteral features = "";
};

/// All levels, the least demanding first.
llvm::ArrayRef<Target> allTargets();

/// The level of that name, or of the machine this runs on for "native"; null
/// for any other.
const Target *findTarget(llvm::StringRef name);

/// The highest level that the machine this runs on supports.
const Target &nativeTarget();

/// The cache sizes that all levels are tuned for, and the costs of a thread.
struct Core {
  /// Bytes and operations of a grid's block: a few microseconds of work on data
  /// in a core's own caches.
  static constexpr int64_t blockBytes = 32 * 1024;
  static constexpr int64_t blockOperations = 32 * 1024;
  /// The most bytes of a block's temporaries, on the stack of each thread.
  static constexpr int64_t maxOwnBytes = 64 * 1024;
  /// Bytes of table rows that go through several passes: half of a core's L2.
  static constexpr int64_t partBytes = 512 * 1024;
  /// The most bytes on the stack of a kernel's other buffers, and of an operand
  /// that each thread packs for its blocks.
  static constexpr int64_t maxStackBytes = 16 * 1024;
  static constexpr int64_t maxOperandBytes = 128 * 1024;
  /// Less work in all is never worth a second thread, on any machine.
  static constexpr int64_t minGridOperations = 64 * 1024;
  static constexpr int64_t minGridBytes = 64 * 1024;
  /// The most elements of a GEMM's operand that stays in L1 and L2 while all
  /// tiles read it.
  static constexpr int64_t maxInPlaceElements = 16 * 1024;
  /// The most elements of an operand that fits the last-level cache beside
  /// others.
  static constexpr int64_t maxCachedElements = 1024 * 1024;
  /// The most elements of a transposed second operand that is packed whole.
  static constexpr int64_t maxWholeElements = 8 * 1024;
  /// The most rows (K) of a panel of a transposed second operand, which lives
  /// on the stack of each thread that packs it.
  static constexpr int64_t maxPackedDepth = 4096;
  /// Where K is the rows of both operands, it is blocked from this size on:
  /// without blocks the first operand would have to be transposed, which takes
  /// a good part of the GEMM's time.
  static constexpr TargetPolicy::KBlockingLimits kBlocking = {
      .minDepth = 1024, .timesSides = 3, .maxShorterSide = 512};
  /// The most elements of a block of im2col, which stays in a core's own caches
  /// while all of N is computed, and of a patch, so that a block has at least a
  /// few register tiles of rows.
  static constexpr int64_t patchElements = 64 * 1024;
  static constexpr int64_t maxPatchDepth = 2304;
  /// The most elements of a padded image that is a temporary of a block.
  static constexpr int64_t maxPaddedElements = maxOwnBytes / 4;
  /// With more taps, bounds checks take longer than padding an image of any
  /// size.
  static constexpr int64_t maxBoundsCheckedTaps = 25;
  /// The most elements of a tensor in a kernel that runs its ops one after the
  /// other: it stays in L1 and L2 between them.
  static constexpr int64_t maxSharedKernelElements = 16 * 1024;
};

/// The triple of all levels.
inline constexpr llvm::StringLiteral triple = "x86_64-unknown-linux-gnu";

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_TARGET_H
