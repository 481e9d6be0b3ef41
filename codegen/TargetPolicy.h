//===- TargetPolicy.h - A target's limits and choices -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Plain data that a backend (Backend.h) provides for the passes on graphs. So
// no pass outside of a backend contains a constant of a particular processor.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_TARGETPOLICY_H
#define INGOT_CODEGEN_TARGETPOLICY_H

#include "codegen/OptionalPassSet.h"

#include <algorithm>
#include <cstdint>

namespace ingot {

/// A target's policy: how ops are grouped into kernels, and in which form GEMMs
/// and convolutions are given to the target's kernel generators. The defaults
/// are for tests that run a pass alone.
struct TargetPolicy {
  /// The rewrites (optional passes) that may run.
  OptionalPassSet rewrites = OptionalPassSet::all();
  /// Ops on tensors with at most this number of elements may share a kernel
  /// that runs them one after the other. Ops on larger tensors are not put into
  /// such a kernel.
  int64_t maxSharedKernelElements = 16 * 1024;
  /// If not 0, a kernel that computes one row after the other, such as a
  /// normalization of each row, may have tensors of any size if their rows have
  /// at most this number of elements.
  int64_t maxFusedRowElements = 0;
  /// Whether ops on tensors of dynamic sizes may share a kernel that runs them
  /// one after the other. The temporaries between them are then scratch memory
  /// of dynamic size.
  bool sharesKernelsOfUnknownSizes = true;
  /// The maximum number of ops in a kernel that runs them one after the other.
  unsigned maxOpsPerKernel = 48;
  /// Whether a step in which only the last batch of an epoch may be smaller is
  /// compiled a second time, for full batches, whose size is static.
  bool specializesBatches = false;
  /// Whether GEMMs can sum blocks of K separately and add the sums in a tree
  /// (`sum_block` of ingot.matmul). If so, a step that is split over slices of
  /// its batch is compiled a second time, for runs of one rank.
  bool sumsGEMMsInBlocks = false;
  /// If not 0, TensorLists in loops with a constant trip count become one
  /// stacked tensor, whose rows are padded to a multiple of this number of
  /// bytes. If 0, they stay lists.
  int64_t bytesOfListRows = 0;
  /// Whether a GEMM computes elementwise ops on its result tile by tile
  /// (epilogue fusion).
  bool fusesEpilogues = true;
  /// Whether a row-sparse update shares a kernel with the dense ops before and
  /// after it. An optimizer has such ops if its moments decay in all rows, not
  /// only in the updated ones.
  bool fusesIntoRowUpdates = false;
  /// Whether a layer normalization that is computed as the batch normalization
  /// of a transposed matrix is fused with the transposes before and after it.
  /// Each block of such a kernel keeps its rows in fast memory, such as a
  /// cache.
  bool fusesTransposes = false;
  /// Whether 16-bit operands of GEMMs are converted to f32 by ops of their own,
  /// so that GEMMs compute in f32.
  bool widensGEMMs = false;
  /// Whether convolutions are lowered to im2col and a GEMM.
  bool lowersConvolutions = true;
  /// The maximum number of elements of a patch (K) for which a GEMM computes
  /// its im2col itself (tiled im2col or implicit GEMM). With 0, im2col is
  /// always an op of its own, whose whole result is stored in memory.
  int64_t maxPatchDepth = 0;
  /// Whether GEMMs compute their im2col themselves even if the height and width
  /// of images are dynamic.
  bool fusesDynamicIm2col = false;
  /// A depthwise convolution copies its image together with the padding, so
  /// that taps need no bounds checks, if the image has at most
  /// `maxPaddedElements` elements, or if the window has more than
  /// `maxBoundsCheckedTaps` taps. If `maxPaddedElements` is 0, the image is
  /// never copied; if `maxBoundsCheckedTaps` is 0, the number of taps does not
  /// matter. A filter's gradient copies images of any size.
  int64_t maxPaddedElements = 0, maxBoundsCheckedTaps = 0;
  /// The largest K for which a GEMM's kernel packs panels of a transposed
  /// second operand itself. For a larger K, a separate op transposes the
  /// operand before the GEMM. With 0, a separate op always transposes it.
  int64_t maxTransposedSecondDepth = 0;
  /// Whether a transposed operand that is invariant in a loop is transposed by
  /// an op before the loop. If not, GEMM kernels transpose it in each
  /// iteration.
  bool hoistsTransposes = false;
  /// A GEMM with a transposed first operand and at most this number of columns
  /// is computed as the transpose of a GEMM with as few rows, whose kernel
  /// reads the first operand in place, vector by vector.
  int64_t maxThinColumns = 0;
  /// The maximum number of elements of a transposed first operand that GEMMs
  /// read in place. A larger operand is transposed before the GEMM, by an op of
  /// its own.
  int64_t maxTransposedFirstElements = 16 * 1024;
  /// The limits of K-blocking, which cuts K into blocks. Both operands of a
  /// block stay in a core's own caches, so GEMMs with K-blocking read a
  /// transposed first operand in place, however large it is.
  struct KBlockingLimits {
    /// K is blocked if it is at least `minDepth` and at least `timesSides`
    /// times both M and N, and if the smaller of M and N is at most
    /// `maxShorterSide`. If `minDepth` is 0, K is never blocked.
    int64_t minDepth = 0, timesSides = 0, maxShorterSide = 0;
    /// Otherwise one operand is copied transposed and panels of the other one
    /// are packed, after which register tiles read memory in order. That takes
    /// less time if an element that is copied is used more than `maxUses`
    /// times, in the mean, and both operands together have at most
    /// `maxCopiedElements` elements, so that the copies stay in the last cache.
    int64_t maxUses = 0, maxCopiedElements = 0;

    bool include(int64_t rows, int64_t columns, int64_t depth) const {
      bool isWorthCopies = rows * columns > maxUses * (rows + columns) &&
                           depth * (rows + columns) <= maxCopiedElements;
      return minDepth != 0 && depth >= minDepth &&
             depth >= timesSides * std::max(rows, columns) &&
             std::min(rows, columns) <= maxShorterSide && !isWorthCopies;
    }
  };
  KBlockingLimits kBlocking;
  /// If a kernel is split, only large parts become kernels of their own: loop
  /// nests with at least this number of iterations, or reductions of at least
  /// this number of elements.
  int64_t minPartElements = 64 * 1024;
  /// A loop over images that needs the result of a reduction over all images
  /// shares a kernel with the reduction only if there are at least this number
  /// of channels. The channels are the only independent iterations of such a
  /// kernel, and fewer would leave cores idle.
  int64_t minGridChannels = 256;
  /// How large reductions are split into blocks (SplitReductions.cpp). The
  /// split determines the order of sums, and hence the bits of results, so it
  /// depends on sizes only.
  struct ReductionSplitLimits {
    /// Reductions of at most this many elements are not split.
    int64_t minReduced = 1024;
    /// The approximate number of elements of a block, the minimum number of
    /// rows of a block, and the minimum number of blocks into which a reduction
    /// is split.
    int64_t blockElements = 16 * 1024;
    int64_t minBlockRows = 64;
    int64_t minBlocks = 4;
    /// A reduction is not split if one of its parallel dimensions has at least
    /// this size, as that dimension is a grid already.
    int64_t minGridRows = 16;
  };
  ReductionSplitLimits reductions;
  /// How GEMMs with few tiles are split along K (SplitReductions.cpp).
  struct SplitKLimits {
    /// `minDepth` is the smallest K for which a GEMM is split: for a smaller K,
    /// adding the partial products takes about the time that the split saves.
    /// With 0, GEMMs are never split. `minPartDepth` is the smallest number of
    /// K steps in one of the parts that K is split into.
    int64_t minDepth = 0, minPartDepth = 0;
    /// The rows and columns of a tile of the target's GEMM kernels, and the
    /// number of tiles that the target computes at the same time. A GEMM is
    /// split into parts that together have at most `tiles` tiles.
    int64_t tileRows = 64, tileColumns = 64, tiles = 128;
  };
  SplitKLimits gemmSplits;
  /// Which GEMMs have their f32 operands rounded to 16 bits in advance, by
  /// separate kernels (MaterializeRoundedGEMMOperands.cpp). For a target whose
  /// GEMMs round their operands anyway, this does not change results.
  struct GEMMOperandRoundingPolicy {
    /// The smallest number of multiplications of a GEMM whose operands are
    /// rounded in advance. For a smaller GEMM, the launches that round the
    /// operands would take more time than they save. With 0, no operands are
    /// rounded in advance.
    int64_t minMultiplications = 0;
    /// The smallest M, N and K for which rounding the operands in advance saves
    /// time. With a small N (or M), few tiles would round the same element of A
    /// (or B) again, so rounding it only once saves little. With a small K,
    /// most of the GEMM's time goes to writing the result.
    int64_t minSide = 0;
    /// Whether operands are rounded to f16. If not, they are rounded to bf16.
    bool isF16 = false;
  };
  GEMMOperandRoundingPolicy roundedGEMMOperands;
  /// The limits of rematerialization, which lets a kernel compute a cheap
  /// function of a stored tensor again instead of reading another kernel's
  /// result.
  struct RematerializationLimits {
    /// A result with at most `minElements` elements is not computed again, as
    /// it is still in a core's own caches when it is read. A tensor with at
    /// least `largeElements` elements comes from memory, beyond the last-level
    /// cache.
    int64_t minElements = 16 * 1024, largeElements = 128 * 1024;
    /// The maximum cost, in multiplications per element, of a function that is
    /// computed again instead of loading its stored result: `budgetBeyondCache`
    /// if the result has at least `largeElements` elements, `budgetInCache` if
    /// it has fewer, and so stays in a shared cache.
    int64_t budgetInCache = 4, budgetBeyondCache = 40;
  };
  RematerializationLimits rematerialization;
};

} // namespace ingot

#endif // INGOT_CODEGEN_TARGETPOLICY_H
