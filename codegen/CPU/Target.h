//===- Target.h - The CPUs that code is generated for -----------*- C++ -*-===//
//
// Levels of the x86-64 psABI, and one more for products of bfloat16: what a
// machine must have to run the code, and the sizes that tiling and
// vectorization go by.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_TARGET_H
#define INGOT_CODEGEN_CPU_TARGET_H

#include "codegen/TargetPolicy.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace ingot::cpu {

/// One level of CPU. `name` is what `--cpu` takes; LLVM knows the processor by
/// another name and features where the level is none of the psABI's.
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

/// What all levels' caches are taken to hold, and what a thread is worth.
struct Core {
  /// Blocks of a grid: some microseconds, in a core's own caches.
  static constexpr int64_t blockBytes = 32 * 1024;
  static constexpr int64_t blockOperations = 32 * 1024;
  /// A block's temporaries, on the stack of each thread.
  static constexpr int64_t maxOwnBytes = 64 * 1024;
  /// Rows of tables that go through several passes: half of a core's second
  /// cache.
  static constexpr int64_t partBytes = 512 * 1024;
  /// Of a kernel's other buffers, what lives on the stack; and what of operands
  /// that each thread packs for its blocks.
  static constexpr int64_t maxStackBytes = 16 * 1024;
  static constexpr int64_t maxOperandBytes = 128 * 1024;
  /// Less in all is never worth a second thread, on any machine.
  static constexpr int64_t minGridOperations = 64 * 1024;
  static constexpr int64_t minGridBytes = 64 * 1024;
  /// An operand of a product that stays in the caches while it is read again
  /// and again, in elements.
  static constexpr int64_t maxInPlaceElements = 16 * 1024;
  /// One that the last cache holds, with what else is in use.
  static constexpr int64_t maxCachedElements = 1024 * 1024;
  /// A transposed second operand that is packed as a whole.
  static constexpr int64_t maxWholeElements = 8 * 1024;
  /// Panels of a transposed second operand live on the stack of each thread
  /// that packs them: up to so many rows of some vectors each.
  static constexpr int64_t maxPackedDepth = 4096;
  /// Where the rows of both operands are the steps of a sum, it is taken in
  /// blocks from so many steps on: then a copy of the first operand, which
  /// products that read a panel of the second for all steps would need, is a
  /// good part of the product's time.
  static constexpr TargetPolicy::LongSums longSums = {
      .minDepth = 1024, .timesSides = 3, .maxShorterSide = 512};
  /// Patches that a product reads are made for some rows at a time, which stay
  /// in a core's own caches while all columns pass: so many elements at the
  /// most, and patches that are so short that these are a few tiles.
  static constexpr int64_t patchElements = 64 * 1024;
  static constexpr int64_t maxPatchDepth = 2304;
  /// Images with their padding, one of which is a block's temporary.
  static constexpr int64_t maxPaddedElements = maxOwnBytes / 4;
  /// To ask for so many takes longer than to copy an image of any size.
  static constexpr int64_t manyTaps = 25;
  /// Tensors whose kernel runs one op after the other stay there, too.
  static constexpr int64_t maxSharedKernelElements = 16 * 1024;
};

/// The machine that all levels are of.
inline constexpr llvm::StringLiteral triple = "x86_64-unknown-linux-gnu";

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_TARGET_H
