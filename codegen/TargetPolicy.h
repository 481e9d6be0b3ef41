//===- TargetPolicy.h - What a target decides before kernels exist -*- C++
//
//-*-===//
//
// Plain data that a backend answers with (Backend.h) and passes on graphs are
// given: no pass outside a backend holds a constant of some processor.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_TARGETPOLICY_H
#define INGOT_CODEGEN_TARGETPOLICY_H

#include "codegen/Rewrites.h"

#include <algorithm>
#include <cstdint>

namespace ingot {

/// How ops are grouped into kernels, and which forms of products and
/// convolutions a target's kernels are generated from. The defaults are those
/// of tests that run a pass alone.
struct TargetPolicy {
  /// Which passes may rewrite a program that is complete without them.
  Rewrites rewrites = Rewrites::all();
  /// Tensors of up to this many elements may share a kernel that runs its ops
  /// one after the other; larger ones keep loops of their own.
  int64_t maxSharedKernelElements = 16 * 1024;
  /// Whether tensors whose sizes are not known before run time count as small:
  /// what lies between ops of a kernel is its own memory, as large as they are.
  bool sharesKernelsOfUnknownSizes = true;
  /// Ops in such a kernel at the most.
  unsigned maxOpsPerKernel = 48;
  /// Whether a step whose batches are all of one size but the last one has code
  /// of its own for that size.
  bool specializesBatches = false;
  /// Whether what a known number of iterations keep in lists becomes rows of
  /// tensors, of so many bytes each, or a multiple; 0: lists stay. An address
  /// is computed for each iteration by the processor that launches kernels.
  int64_t bytesOfListRows = 0;
  /// Whether a product computes elementwise ops on its result tile by tile.
  bool fusesIntoProducts = true;
  /// Whether updates of some rows share a kernel with what is computed of all
  /// rows before and after: such as the steps of optimizers whose averages
  /// decay everywhere.
  bool fusesRowUpdates = false;
  /// Whether a normalization of rows, as a batch normalization of the
  /// transposed matrix, has both transposes in its kernel, whose blocks keep
  /// their rows in fast memory.
  bool transposesRows = false;
  /// Factors of 16 bits are converted in front of products, which are computed
  /// on 32 bits then.
  bool widensProducts = false;
  /// Convolutions become products of patches, made in memory.
  bool expandsConvolutions = true;
  /// Of convolutions, products compute the patches that they read themselves
  /// where these have at most so many elements: no patch is ever in memory but
  /// the few at hand. 0: patches are made before.
  int64_t maxPatchDepth = 0;
  /// The same of images whose height and width are not known before run time.
  bool readsPatchesOfUnknownSizes = false;
  /// Of convolutions with a filter for each channel, an image of at most so
  /// many elements is copied with its padding, so that no sum asks what of its
  /// window lies outside (0: none), and any image where a window has more than
  /// so many taps, all of which would ask (0: none).
  int64_t maxPaddedElements = 0, manyTaps = 0;
  /// Of a transposed second operand panels are packed as a product reads them
  /// where the sum is at most so long; beyond, it is copied before. 0: always.
  int64_t maxTransposedSecondDepth = 0;
  /// To pack them takes time, which is lost where a loop's iterations all read
  /// the same operand.
  bool packsSecondEachTime = false;
  /// A transposed first operand is copied above this many elements; below it
  /// is read in place.
  int64_t maxTransposedFirstElements = 16 * 1024;
  /// Sums so long that products take them block by block, and both operands of
  /// a block stay in a core's own caches: one that is transposed is read in
  /// place, too, however large.
  struct LongSums {
    /// At least so many steps (0: no sum is long), and so many times as many as
    /// the result has rows, or columns; the fewer of which are at most so many.
    int64_t minDepth = 0, timesSides = 0, maxShorterSide = 0;

    bool include(int64_t rows, int64_t columns, int64_t depth) const {
      return minDepth != 0 && depth >= minDepth &&
             depth >= timesSides * std::max(rows, columns) &&
             std::min(rows, columns) <= maxShorterSide;
    }
  };
  LongSums longSums;
  /// A part of a kernel that looks at fewer elements is not worth a kernel of
  /// its own.
  int64_t minPartElements = 64 * 1024;
  /// So many channels are grid enough for loops over images that wait for each
  /// other.
  int64_t enoughChannels = 256;
  /// How sums over many elements are cut into blocks. Their bits depend on it,
  /// and it on nothing but sizes.
  struct Reductions {
    /// So many numbers may be added one after the other.
    int64_t minReduced = 1024;
    /// A block has about so many elements, and at least so many rows.
    int64_t blockElements = 16 * 1024;
    int64_t minBlockRows = 64;
    int64_t minBlocks = 4;
    /// A dimension that stays is a grid of its own from this size on.
    int64_t enoughRows = 16;
  };
  Reductions reductions;
  /// What kernels compute again of a tensor in memory rather than read what
  /// another one made of it.
  struct Recomputation {
    /// Smaller tensors are in a core's own cache when they are read; large ones
    /// come from where the last cache ends.
    int64_t minElements = 16 * 1024, largeElements = 128 * 1024;
    /// What takes no longer than to write a number and to read it again, in
    /// multiplications: from that cache, and of a large tensor.
    int64_t shortFunction = 4, longFunction = 40;
  };
  Recomputation recomputation;
};

} // namespace ingot

#endif // INGOT_CODEGEN_TARGETPOLICY_H
