//===- TargetPolicy.h - A target's limits and choices as data ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Plain data that a backend provides (Backend.h) for the passes on graphs: no
// pass outside of a backend has a constant of some processor.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_TARGETPOLICY_H
#define INGOT_CODEGEN_TARGETPOLICY_H

#include "codegen/Rewrites.h"

#include <algorithm>
#include <cstdint>

namespace ingot {

/// How ops are grouped into kernels, and which forms of GEMMs and convolutions
/// a target's kernels are generated from. The defaults are for tests that run a
/// pass alone.
struct TargetPolicy {
  /// The optional passes that may run.
  Rewrites rewrites = Rewrites::all();
  /// Tensors of up to this many elements may share a kernel that runs its ops
  /// one after the other; larger ones keep loops of their own.
  int64_t maxSharedKernelElements = 16 * 1024;
  /// Whether tensors of dynamic sizes count as small: temporaries between ops
  /// of a kernel are scratch memory as large as they are.
  bool sharesKernelsOfUnknownSizes = true;
  /// The most ops in such a kernel.
  unsigned maxOpsPerKernel = 48;
  /// Whether a step is specialized for the size of full batches, where only the
  /// last one is smaller.
  bool specializesBatches = false;
  /// TensorLists in loops with a constant trip count become stacked tensors,
  /// whose rows are padded to a multiple of this many bytes; 0: lists stay. The
  /// processor that launches kernels computes an address for each iteration.
  int64_t bytesOfListRows = 0;
  /// Epilogue fusion: whether a GEMM computes elementwise ops on its result
  /// tile by tile.
  bool fusesEpilogues = true;
  /// Whether row-sparse updates share a kernel with ops on all rows before and
  /// after them, as in optimizers whose moments decay everywhere.
  bool fusesIntoRowUpdates = false;
  /// Whether a normalization of rows, such as a batch normalization of the
  /// transposed matrix, has both transposes fused into its kernel, whose blocks
  /// keep their rows in fast memory.
  bool fusesTransposes = false;
  /// Whether 16-bit operands are converted before GEMMs, which are computed in
  /// f32 then.
  bool widensGEMMs = false;
  /// Whether convolutions become im2col and GEMM.
  bool lowersConvolutions = true;
  /// The most elements of a patch with which a GEMM fuses its im2col (tiled
  /// im2col or implicit GEMM), so that it is never in memory as a whole. 0:
  /// im2col is an op of its own.
  int64_t maxPatchDepth = 0;
  /// The same for images with dynamic height and width.
  bool fusesDynamicIm2col = false;
  /// Depthwise convolutions copy images of at most `maxPaddedElements` elements
  /// with their padding, so that taps need no bounds check (0: none), and any
  /// image where a window has more than `maxBoundsCheckedTaps` taps (0: none).
  int64_t maxPaddedElements = 0, maxBoundsCheckedTaps = 0;
  /// The largest K with which a GEMM packs panels of a transposed second
  /// operand itself; for a larger K the operand is transposed before. 0: it
  /// always is.
  int64_t maxTransposedSecondDepth = 0;
  /// Whether a loop-invariant transposed operand is transposed before the loop,
  /// as kernels would pack it anew in each iteration.
  bool hoistsTransposes = false;
  /// The most elements of a transposed first operand that is read in place;
  /// larger ones are transposed before.
  int64_t maxTransposedFirstElements = 16 * 1024;
  /// Where K is blocked: both operands of a block of K stay in a core's own
  /// caches, so a transposed first operand is read in place, however large.
  struct KBlockingLimits {
    /// K is at least `minDepth` (0: never blocked) and `timesSides` times both
    /// M and N, the smaller of which is at most `maxShorterSide`.
    int64_t minDepth = 0, timesSides = 0, maxShorterSide = 0;

    bool include(int64_t rows, int64_t columns, int64_t depth) const {
      return minDepth != 0 && depth >= minDepth &&
             depth >= timesSides * std::max(rows, columns) &&
             std::min(rows, columns) <= maxShorterSide;
    }
  };
  KBlockingLimits kBlocking;
  /// A part of a kernel that reads fewer elements is not split off into a
  /// kernel of its own.
  int64_t minPartElements = 64 * 1024;
  /// With this many channels a kernel of dependent loops over images needs no
  /// split: the channels are grid enough.
  int64_t minGridChannels = 256;
  /// How large reductions are split into blocks (split-K). Their bits depend on
  /// it, and it depends on sizes only.
  struct Reductions {
    /// Reductions of at most this many numbers are not split.
    int64_t minReduced = 1024;
    /// Approximate elements of a block, its least rows, and the least blocks.
    int64_t blockElements = 16 * 1024;
    int64_t minBlockRows = 64;
    int64_t minBlocks = 4;
    /// A parallel dimension of at least this size is a grid already.
    int64_t minGridRows = 16;
  };
  Reductions reductions;
  /// Rematerialization: which functions of a stored tensor a kernel computes
  /// again instead of reading another kernel's result.
  struct Rematerialization {
    /// Smaller tensors are in a core's own caches when they are read; large
    /// ones come from memory beyond the last-level cache.
    int64_t minElements = 16 * 1024, largeElements = 128 * 1024;
    /// The budget per element, in multiplications: the cost of storing and
    /// reloading it through a shared cache, and through memory.
    int64_t budgetInCache = 4, budgetBeyondCache = 40;
  };
  Rematerialization rematerialization;
};

} // namespace ingot

#endif // INGOT_CODEGEN_TARGETPOLICY_H
