//===- Target.h - The CPUs that code is generated for -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The CPU targets, called levels: those of the x86-64 psABI, one more for
// GEMMs of bfloat16, and one for CPUs of 256-bit units. A level says which
// instructions a machine must have, and the sizes that tiling and vectorization
// depend on: registers, and the caches that its machines usually have.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_TARGET_H
#define INGOT_CODEGEN_CPU_TARGET_H

#include "codegen/CPU/CacheHierarchy.h"
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
  /// The caches that plans are made for unless others are known.
  CacheHierarchy caches = {};
  /// Whether the target has VDPBF16PS, which multiplies pairs of bfloat16.
  bool multipliesPairs = false;
  /// Whether its units compute a vector as two halves, one after the other.
  bool halvesVectors = false;
  llvm::StringLiteral cpu = name;
  llvm::StringLiteral features = "";
};

/// Returns all CPU targets, the least demanding first.
llvm::ArrayRef<Target> allTargets();

/// Returns the CPU target with the name `name`, or the most demanding one that
/// the machine that runs this code supports if the name is "native". Returns
/// null if there is no such target.
const Target *findTarget(llvm::StringRef name);

/// Returns the target of the highest level, such as x86-64-v4, that the CPU of
/// the current process has.
const Target &nativeTarget();

/// Limits that all CPU targets share whatever their caches are
/// (CacheHierarchy.h), as the graph's stages depend on them or as they follow
/// from the cost of starting a second thread.
struct CPUTargetLimits {
  /// The numbers of bytes and of operations that one block of a grid should
  /// have: a few microseconds of work on data in a core's own caches (L1 and
  /// L2).
  static constexpr int64_t blockBytes = 32 * 1024;
  static constexpr int64_t blockOperations = 32 * 1024;
  /// The float32 elements of a cache line.
  static constexpr int64_t elementsOfLine = 16;
  /// The maximum size, in bytes, of the temporaries that a block of a grid has
  /// on the stack of the thread that runs the block.
  static constexpr int64_t maxOwnBytes = 64 * 1024;
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
  /// The operations that a core computes as multiply-adds in the time of a
  /// division or a square root. On Zen 3: 49 billion float32 multiply-adds a
  /// second, 7.1 billion divisions and 5.0 billion square roots.
  static constexpr int64_t flopsOfDivision = 14;
  static constexpr int64_t flopsOfSquareRoot = 20;
  /// The same of a random number: each of ten rounds of Philox is four
  /// instructions for as many numbers as a vector has lanes.
  static constexpr int64_t flopsOfRandomNumber = 80;
  /// The maximum number of elements of a transposed A that GEMMs read in place.
  static constexpr int64_t maxTransposedFirstElements = 16 * 1024;
  /// The number of columns up to which swapping a GEMM's operands is faster:
  /// register tiles of as many rows are wide.
  static constexpr int64_t maxThinColumns = 32;
  /// The maximum number of rows (K) of a panel of a transposed second operand.
  /// The panel is on the stack of each thread that packs it.
  static constexpr int64_t maxPackedDepth = 4096;
  /// The limits of K-blocking in GEMMs A^T * B (TargetPolicy.h describes the
  /// fields). K is the row dimension of both operands, so a block of K is
  /// contiguous in both and stays in L1 and L2, and A can be read in place, by
  /// columns. Without blocks A would first be transposed, which takes a large
  /// part of the GEMM's time.
  static constexpr TargetPolicy::KBlockingLimits kBlocking = {
      .minDepth = 1024,
      .timesSides = 3,
      .maxShorterSide = 512,
      .maxUses = 84,
      .maxCopiedElements = 4 * 1024 * 1024};
  /// The maximum number of elements of a patch. Patches are so short that a
  /// block of im2col has enough of them for a few register tiles.
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
