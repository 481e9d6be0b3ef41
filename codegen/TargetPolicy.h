//===- TargetPolicy.h - A target's limits and choices -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Plain data that a backend provides (Backend.h) for the passes on graphs: no
// pass outside of a backend contains a constant of a particular processor.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_TARGETPOLICY_H
#define INGOT_CODEGEN_TARGETPOLICY_H

#include "codegen/Rewrites.h"

#include <algorithm>
#include <cstdint>

namespace ingot {

/// A target's policy on how ops are grouped into kernels, and on which forms of
/// GEMMs and convolutions its kernels are generated from. The defaults are for
/// tests that run a pass alone.
struct TargetPolicy {
  /// The rewrites (optional passes) that may run.
  Rewrites rewrites = Rewrites::all();
  /// Ops on tensors of at most this many elements may share a kernel that runs
  /// them one after the other; ops on larger tensors keep loops of their own.
  int64_t maxSharedKernelElements = 16 * 1024;
  /// Whether tensors of dynamic sizes count as small in this respect. The
  /// temporaries between ops of a kernel then are scratch memory of dynamic
  /// size.
  bool sharesKernelsOfUnknownSizes = true;
  /// The maximum number of ops in a kernel that runs them one after the other.
  unsigned maxOpsPerKernel = 48;
  /// Whether a step is compiled once more for the static size of full batches,
  /// if only the last batch of an epoch may be smaller.
  bool specializesBatches = false;
  /// TensorLists in loops with a constant trip count become one stacked tensor,
  /// each row of which is padded to a multiple of this many bytes; with 0, they
  /// stay lists. Rows of a tensor suit targets whose kernels are launched by a
  /// processor that computes the row's address in each iteration.
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
  /// Whether convolutions are lowered to im2col and a GEMM.
  bool lowersConvolutions = true;
  /// The maximum number of elements of a patch (K) for which a GEMM computes
  /// its im2col itself (tiled im2col or implicit GEMM), so that it is never in
  /// memory as a whole. With 0, im2col always is an op of its own.
  int64_t maxPatchDepth = 0;
  /// Whether GEMMs do so for images with dynamic height and width, too.
  bool fusesDynamicIm2col = false;
  /// Depthwise convolutions copy an image together with its padding, so that
  /// taps need no bounds check, if it has at most `maxPaddedElements` elements,
  /// or if its window has more than `maxBoundsCheckedTaps` taps. 0 disables the
  /// respective condition.
  int64_t maxPaddedElements = 0, maxBoundsCheckedTaps = 0;
  /// The largest K for which a GEMM packs panels of a transposed second operand
  /// itself. For a larger K, a separate op transposes the operand before the
  /// GEMM; with 0, it always does.
  int64_t maxTransposedSecondDepth = 0;
  /// Whether a transposed operand that is invariant in a loop is transposed
  /// before the loop, because kernels would pack it in each iteration.
  bool hoistsTransposes = false;
  /// The maximum number of elements of a transposed first operand that GEMMs
  /// read in place; a separate op transposes larger ones before.
  int64_t maxTransposedFirstElements = 16 * 1024;
  /// The limits of K-blocking. Both operands of a block of K stay in a core's
  /// own caches, so GEMMs with K-blocking read a transposed first operand in
  /// place, however large it is.
  struct KBlockingLimits {
    /// K is blocked if it is at least `minDepth` (0: never) and at least
    /// `timesSides` times both M and N, and if the smaller of M and N is at
    /// most `maxShorterSide`.
    int64_t minDepth = 0, timesSides = 0, maxShorterSide = 0;

    bool include(int64_t rows, int64_t columns, int64_t depth) const {
      return minDepth != 0 && depth >= minDepth &&
             depth >= timesSides * std::max(rows, columns) &&
             std::min(rows, columns) <= maxShorterSide;
    }
  };
  KBlockingLimits kBlocking;
  /// The minimum number of elements that a part of a kernel must read to be
  /// split off into a kernel of its own.
  int64_t minPartElements = 64 * 1024;
  /// With at least this many channels, a kernel of dependent loops over images
  /// is not split: the channels are enough iterations for its grid.
  int64_t minGridChannels = 256;
  /// How large reductions are split into blocks (SplitReductions.cpp). This
  /// fixes the order of sums, hence the bits of results, and depends on sizes
  /// only.
  struct Reductions {
    /// Reductions of at most this many elements are not split.
    int64_t minReduced = 1024;
    /// The approximate number of elements of a block, the minimum number of
    /// rows of a block, and the minimum number of blocks.
    int64_t blockElements = 16 * 1024;
    int64_t minBlockRows = 64;
    int64_t minBlocks = 4;
    /// Reductions with a parallel dimension of at least this size are not
    /// split: that dimension is a grid already.
    int64_t minGridRows = 16;
  };
  Reductions reductions;
  /// The limits of rematerialization, which lets a kernel compute a cheap
  /// function of a stored tensor again instead of reading another kernel's
  /// result.
  struct Rematerialization {
    /// Tensors below `minElements` still are in a core's own caches when they
    /// are read; those above `largeElements` come from memory beyond the
    /// last-level cache.
    int64_t minElements = 16 * 1024, largeElements = 128 * 1024;
    /// How many multiplications per element may be computed again: as many as
    /// storing and reloading the element costs through a shared cache, and
    /// through memory.
    int64_t budgetInCache = 4, budgetBeyondCache = 40;
  };
  Rematerialization rematerialization;
};

} // namespace ingot

#endif // INGOT_CODEGEN_TARGETPOLICY_H
