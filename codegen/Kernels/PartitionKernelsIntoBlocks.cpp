//===- PartitionKernelsIntoBlocks.cpp - Partition a kernel into a grid ----===//
// SPDX-License-Identifier: Apache-2.0
//
// Moves the ops of a kernel that share a parallel dimension into the body of
// one loop over blocks of this dimension. Block sizes depend on tensor sizes
// only, never on the number of threads, so that the bits of a result do not
// depend on the machine.
//
//===----------------------------------------------------------------------===//

#include "codegen/Kernels/KernelAccess.h"
#include "codegen/Kernels/KernelComputeOpCollector.h"
#include "codegen/Kernels/KernelPartitionDimension.h"
#include "codegen/Kernels/Passes.h"
#include "runtime/ABI/Mutants.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "ingot-partition-kernels-into-blocks"

namespace ingot::kernels {
#define GEN_PASS_DEF_PARTITIONKERNELSINTOBLOCKSPASS
#include "codegen/Kernels/Passes.h.inc"
} // namespace ingot::kernels

using namespace mlir;
using namespace ::ingot::kernels;

namespace {

/// A kernel is divided into the blocks of a grid only if there are at least
/// this many of them.
constexpr int64_t minBlocks = 4;
/// A kernel with as many operations is divided into two blocks, too, and along
/// a contiguous dimension into shorter ones.
constexpr int64_t manyOperations = 1 << 20;

class KernelPartitioner {
public:
  KernelPartitioner(func::FuncOp kernel,
                    const PartitionKernelsIntoBlocksPassOptions &options)
      : kernel(kernel), options(options), body(kernel.getBody().front()),
        members(parts.members), written(parts.written),
        innerMultiple(options.innerMultiple) {}

  /// Partitions the kernel into blocks if possible. Returns whether it has a
  /// grid now.
  bool run() {
    if (!parts.collect(body) || parts.members.empty()) {
      LLVM_DEBUG(llvm::dbgs() << "no grid for " << kernel.getName()
                              << ": an op cannot be part of one\n");
      return false;
    }
    std::optional<KernelPartitionDimension> partition = choose();
    if (!partition) {
      LLVM_DEBUG(llvm::dbgs() << "no grid for " << kernel.getName()
                              << ": no shared dimension with enough blocks\n");
      return false;
    }
    LLVM_DEBUG(llvm::dbgs()
               << "grid for " << kernel.getName() << ": blocks of "
               << blockOf(*partition) << " of " << *partition->extent << '\n');
    build(*partition);
    return true;
  }

private:
  /// Returns the op with the most iterations of those that are not in the
  /// prelude.
  unsigned largestMember() const {
    unsigned largest = 0;
    for (unsigned index = 0; index < members.size(); ++index)
      if (!members[index].isPrelude &&
          (members[largest].isPrelude ||
           members[index].iterations() > members[largest].iterations()))
        largest = index;
    return largest;
  }

  /// Chooses the dimension along which the kernel is divided into blocks. If
  /// there would be too few, and a core has much to do, blocks may be as short
  /// as a cache line.
  std::optional<KernelPartitionDimension> choose() {
    unsigned largest = largestMember();
    if (auto partition = choose(largest, minBlocks))
      return partition;
    const ComputeOpWithLoopRanges &member = members[largest];
    auto op = dyn_cast<linalg::LinalgOp>(member.op);
    if (!op || member.iterations() * operationsPerElement(op) < manyOperations)
      return std::nullopt;
    for (; innerMultiple >= options.leastMultiple; innerMultiple /= 2) {
      auto partition = choose(largest, /*leastBlocks=*/2);
      if (partition && mayBeShort(op, partition->loops[largest]))
        return partition;
    }
    return std::nullopt;
  }

  /// Whether loop `dim` of the op may be divided into short blocks. The tiles
  /// of a matrix product are wider than that, and tiles of several blocks share
  /// an operand.
  static bool mayBeShort(linalg::LinalgOp op, int64_t dim) {
    return !isContraction(op) ||
           llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap map) {
             return map.isFunctionOfDim(dim);
           });
  }

  /// Chooses among the loops of the op `largest`: the outermost loop that gives
  /// enough blocks, or, if no loop does, the one that gives the most blocks, at
  /// least `leastBlocks`.
  std::optional<KernelPartitionDimension> choose(unsigned largest,
                                                 int64_t leastBlocks) const {
    std::optional<KernelPartitionDimension> best;
    int64_t most = leastBlocks - 1;
    for (int64_t dim = 0; dim < std::ssize(members[largest].ranges); ++dim) {
      KernelPartitionDimension partition(members, written);
      if (!partition.cut(largest, dim) ||
          !partition.cutRest(options.leavesSmall))
        continue;
      int64_t blocks =
          llvm::divideCeil(estimated(*partition.extent), blockOf(partition));
      if (ShapedType::isDynamic(*partition.extent))
        blocks = std::max(blocks, minBlocks);
      if (blocks <= most)
        continue;
      best.emplace(partition);
      most = blocks;
      if (blocks >= 4 * minBlocks)
        break;
    }
    return best;
  }

  /// Returns the length of a block along the divided dimension, such that the
  /// block has about `blockBytes` bytes or `blockOperations` operations,
  /// whichever limit it reaches first. The length is a multiple of
  /// `innerMultiple` if most bytes are contiguous along this dimension. It is
  /// rounded down to a divisor of the dimension's extent, unless all such
  /// divisors are at most half of the length.
  int64_t blockOf(const KernelPartitionDimension &partition) const {
    if (updatesRows(partition))
      return rangeOf(partition);
    int64_t operations = 0, bytes = 0, alongBytes = 0;
    for (auto [index, member] : llvm::enumerate(members)) {
      int64_t loop = partition.loops[index];
      if (loop < 0)
        continue;
      int64_t iterations = member.iterations() /
                           std::max<int64_t>(1, estimated(member.ranges[loop]));
      auto op = dyn_cast<linalg::LinalgOp>(member.op);
      operations += iterations * (op ? operationsPerElement(op) : 0);
      for (unsigned operand = 0; operand < member.maps.size(); ++operand) {
        if (!member.isBuffer(operand))
          continue;
        int64_t elements = 1;
        AffineMap map = member.maps[operand];
        for (AffineExpr result : map.getResults())
          if (auto dim = dyn_cast<AffineDimExpr>(result);
              dim && dim.getPosition() != loop)
            elements *= estimated(member.ranges[dim.getPosition()]);
        if (!map.isFunctionOfDim(loop))
          continue;
        elements *= elementBytes(member.operand(operand).getType());
        bytes += elements * member.times;
        if (map.getResults().back().isFunctionOfDim(loop))
          alongBytes += elements * member.times;
      }
    }
    int64_t multiple = multipleOf(bytes, alongBytes, *partition.extent);
    int64_t block = std::max<int64_t>(
        1,
        std::min(options.blockBytes / std::max<int64_t>(1, bytes),
                 options.blockOperations / std::max<int64_t>(1, operations)));
    block = llvm::alignTo(block, multiple);
    int64_t extent = *partition.extent;
    if (ShapedType::isDynamic(extent))
      return block;
    for (int64_t near = block; 2 * near > block; near -= multiple)
      if (extent % near == 0)
        return near;
    return block;
  }

  /// Returns the number of which the length of a block is a multiple, for a
  /// dimension of size `extent`. Of a block's `bytes` bytes, `alongBytes` are
  /// contiguous along the dimension.
  int64_t multipleOf(int64_t bytes, int64_t alongBytes, int64_t extent) const {
    // Small operands, such as a bias, take less than this share of the bytes.
    constexpr int64_t largeShare = 8;
    // How a block reduces depends on the number of its results, so a kernel
    // with a reduction keeps its blocks.
    bool isElementwise =
        llvm::all_of(members, [](const ComputeOpWithLoopRanges &member) {
          return !llvm::is_contained(member.isParallel, false);
        });
    // A short dimension does not become the grid of a kernel with one op, whose
    // elements a target can divide in other ways.
    bool isTransposed = isElementwise && alongBytes < bytes &&
                        largeShare * alongBytes >= bytes &&
                        (members.size() == 1 || ShapedType::isDynamic(extent) ||
                         extent >= 2 * options.transposedMultiple);
    int64_t inner = 2 * alongBytes >= bytes ? innerMultiple : 1;
    return isTransposed ? std::max(inner, options.transposedMultiple) : inner;
  }

  /// Returns the number of rows in a range of a row-sparse update. Each range
  /// scans all indices, so there are few ranges. If the table has a dynamic
  /// number of rows, as when the sums of rows with equal indices are computed,
  /// it is assumed to have about as many rows as there are indices.
  int64_t rangeOf(const KernelPartitionDimension &partition) const {
    if (!ShapedType::isDynamic(*partition.extent))
      return llvm::divideCeil(*partition.extent, options.maxRanges);
    int64_t rows = options.rangeRows;
    for (const ComputeOpWithLoopRanges &member : members)
      if (auto updates = dyn_cast<scf::ForOp>(member.op))
        if (std::optional<int64_t> indices =
                getConstantIntValue(updates.getUpperBound()))
          rows = std::max<int64_t>(
              rows, llvm::divideCeil(*indices, options.maxRanges));
    return rows;
  }

  /// Whether the blocks are ranges of rows of a row-sparse update.
  bool updatesRows(const KernelPartitionDimension &partition) const {
    for (auto [index, member] : llvm::enumerate(members))
      if (member.rows && partition.loops[index] >= 0)
        return true;
    return false;
  }

  /// Builds the loop over blocks and moves the kernel's ops that compute into
  /// it, except for the small ones that are to run before the loop (the
  /// prelude).
  void build(const KernelPartitionDimension &partition) {
    ImplicitLocOpBuilder b(kernel.getLoc(), body.getTerminator());
    int64_t length = blockOf(partition), extent = *partition.extent;
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value step = arith::ConstantIndexOp::create(b, length);
    Value end = extentValue(b, partition);
    if (INGOT_MUTANT("short_batch_off_by_one") && ShapedType::isDynamic(extent))
      end = arith::SubIOp::create(b, end, arith::ConstantIndexOp::create(b, 1));
    auto loop = scf::ForOp::create(b, zero, end, step);
    loop->setAttr(gridLoopAttrName, b.getUnitAttr());
    bool isRange = updatesRows(partition);
    if (isRange)
      loop->setAttr(gridRangeAttrName, b.getUnitAttr());
    b.setInsertionPointToStart(loop.getBody());
    begin = loop.getInductionVar();
    block = length;
    size = b.getIndexAttr(length);
    if (isRange || ShapedType::isDynamic(extent) || extent % length != 0) {
      AffineExpr distance = b.getAffineSymbolExpr(1) - b.getAffineDimExpr(0);
      auto map = AffineMap::get(1, 2, {b.getAffineSymbolExpr(0), distance},
                                b.getContext());
      size = affine::makeComposedFoldedAffineMin(
          b, b.getLoc(), map,
          ArrayRef<OpFoldResult>{begin, b.getIndexAttr(length),
                                 ShapedType::isDynamic(extent)
                                     ? OpFoldResult(end)
                                     : OpFoldResult(b.getIndexAttr(extent))});
    }
    scf::ForOp inner = isRange ? cutRange(b, partition) : scf::ForOp();
    Block *into = inner ? inner.getBody() : loop.getBody();
    for (auto [index, member] : llvm::enumerate(members)) {
      int64_t dim = partition.loops[index];
      if (partition.isLeft(index))
        member.op->moveBefore(firstBlock(b, loop));
      if (dim < 0)
        continue;
      if (Operation *top = body.findAncestorOpInBlock(*member.op);
          top != loop.getOperation())
        top->moveBefore(into->getTerminator());
      if (member.rows) {
        restrictRows(*member.rows, begin, cast<Value>(size));
        continue;
      }
      b.setInsertionPoint(member.op);
      for (unsigned operand = 0; operand < member.maps.size(); ++operand)
        if (member.isBuffer(operand))
          member.op->setOperand(operand,
                                sliceOf(b, partition, member, operand, dim));
      if (auto op = dyn_cast<linalg::LinalgOp>(member.op))
        offsetIndices(op, dim);
    }
  }

  /// Returns the size of one row in bytes, summed over all buffers of the ops
  /// that compute every row. Row-sparse updates do not count, because they
  /// compute only the rows that the indices select. Returns 0 if the kernel has
  /// no other ops.
  int64_t rowAlignment(const KernelPartitionDimension &partition) const {
    int64_t bytes = 0;
    for (auto [index, member] : llvm::enumerate(members)) {
      int64_t loop = partition.loops[index];
      if (loop < 0 || member.rows)
        continue;
      int64_t elements = member.iterations() /
                         std::max<int64_t>(1, estimated(member.ranges[loop]));
      for (unsigned operand = 0; operand < member.maps.size(); ++operand)
        if (member.isBuffer(operand) &&
            member.maps[operand].isFunctionOfDim(loop))
          bytes += elements * elementBytes(member.operand(operand).getType());
    }
    return bytes;
  }

  /// If the kernel has both a row-sparse update and ops that compute all rows,
  /// splits an iteration's range of rows into parts that stay in a core's
  /// caches from one op to the next. As the update scans all indices for each
  /// part, the number of rows of a part grows with the number of indices.
  scf::ForOp cutRange(ImplicitLocOpBuilder &b,
                      const KernelPartitionDimension &partition) {
    constexpr int64_t looksOfRow = 4;
    int64_t bytes = rowAlignment(partition);
    if (options.partBytes == 0 || bytes == 0)
      return scf::ForOp();
    int64_t rows = std::max<int64_t>(1, options.partBytes / bytes);
    if (!ShapedType::isDynamic(*partition.extent) && rows >= *partition.extent)
      return scf::ForOp();
    Value step = arith::ConstantIndexOp::create(b, rows);
    for (const ComputeOpWithLoopRanges &member : members)
      if (auto updates = dyn_cast<scf::ForOp>(member.op)) {
        Value looks = arith::ConstantIndexOp::create(b, looksOfRow);
        step = arith::MaxUIOp::create(
            b, step, arith::DivUIOp::create(b, updates.getUpperBound(), looks));
      }
    Value end = arith::AddIOp::create(b, begin, cast<Value>(size));
    auto loop = scf::ForOp::create(b, begin, end, step);
    b.setInsertionPointToStart(loop.getBody());
    begin = loop.getInductionVar();
    size = arith::MinSIOp::create(b, step, arith::SubIOp::create(b, end, begin))
               .getResult();
    return loop;
  }

  /// Returns the terminator of the scf.if in `loop` whose branch only the first
  /// block runs; ops are inserted before this terminator. The first call of
  /// this function creates the scf.if.
  Operation *firstBlock(ImplicitLocOpBuilder &b, scf::ForOp loop) {
    if (!first) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(loop.getBody()->getTerminator());
      Value isFirst =
          arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                loop.getInductionVar(), loop.getLowerBound());
      first = scf::IfOp::create(b, isFirst, /*withElseRegion=*/false);
    }
    return first.thenBlock()->getTerminator();
  }

  /// Adds the block's first index to each linalg.index of loop `dim`, as that
  /// loop now counts from the beginning of the block.
  void offsetIndices(linalg::LinalgOp op, int64_t dim) {
    op.getBlock()->walk([&](linalg::IndexOp index) {
      if (static_cast<int64_t>(index.getDim()) != dim)
        return;
      OpBuilder b(index->getContext());
      b.setInsertionPointAfter(index);
      auto whole = arith::AddIOp::create(b, index.getLoc(), index, begin);
      index.getResult().replaceAllUsesExcept(whole, whole);
    });
  }

  /// Returns the extent of the shared dimension as an SSA value.
  Value extentValue(ImplicitLocOpBuilder &b,
                    const KernelPartitionDimension &partition) {
    if (!ShapedType::isDynamic(*partition.extent))
      return arith::ConstantIndexOp::create(b, *partition.extent);
    // The size is read from an argument if possible, because the launch knows
    // the sizes of arguments. A memref.dim of a temporary would prevent the
    // temporary from shrinking to the size of a block.
    std::pair<Value, int64_t> other;
    for (auto [index, member] : llvm::enumerate(members)) {
      int64_t loop = partition.loops[index];
      if (loop < 0)
        continue;
      for (unsigned operand = 0; operand < member.maps.size(); ++operand)
        for (auto [position, result] :
             llvm::enumerate(member.maps[operand].getResults())) {
          if (result != b.getAffineDimExpr(loop) || !member.isBuffer(operand))
            continue;
          Value view = member.operand(operand);
          std::optional<int64_t> root = rootDimension(view, position);
          if (root && isa<BlockArgument>(rootOf(view)) &&
              *root < cast<MemRefType>(rootOf(view).getType()).getRank())
            return memref::DimOp::create(b, rootOf(view), *root);
          if (!other.first)
            other = {view, position};
        }
    }
    return memref::DimOp::create(b, other.first, other.second);
  }

  /// Returns a view of the part of an operand that the block accesses.
  Value sliceOf(ImplicitLocOpBuilder &b,
                const KernelPartitionDimension &partition,
                const ComputeOpWithLoopRanges &member, unsigned operand,
                int64_t dim) {
    Value view = member.operand(operand);
    if (Value own = ownBlock(b, partition, view))
      return own;
    if (Value own = ownView(b, partition, view))
      return own;
    SmallVector<OpFoldResult> offsets, sizes, strides;
    bool isCut = false;
    for (auto [position, result] :
         llvm::enumerate(member.maps[operand].getResults())) {
      bool isHere = result == b.getAffineDimExpr(dim);
      isCut |= isHere;
      offsets.push_back(isHere ? OpFoldResult(begin)
                               : OpFoldResult(b.getIndexAttr(0)));
      sizes.push_back(
          isHere ? size : memref::getMixedSize(b, b.getLoc(), view, position));
      strides.push_back(b.getIndexAttr(1));
    }
    return isCut ? Value(memref::SubViewOp::create(b, view, offsets, sizes,
                                                   strides))
                 : view;
  }

  /// Whether all users of the buffer, directly or through reshapes, are in
  /// `members`, the kernel's ops that compute.
  bool isKnown(Value buffer) const {
    return llvm::all_of(buffer.getUsers(), [&](Operation *user) {
      return isa<memref::ExpandShapeOp, memref::CollapseShapeOp>(user)
                 ? isKnown(user->getResult(0))
                 : llvm::any_of(members,
                                [&](const ComputeOpWithLoopRanges &member) {
                                  return member.op == user;
                                });
    });
  }

  /// If `view` is a reshape of a temporary of the kernel, and a buffer that is
  /// private to the block replaces the temporary (ownBlock()), returns the same
  /// reshape of the private buffer. Otherwise, or if the size of blocks is
  /// dynamic, returns null.
  Value ownView(ImplicitLocOpBuilder &b,
                const KernelPartitionDimension &partition, Value view) {
    Operation *op = view.getDefiningOp();
    if (!isa_and_nonnull<memref::ExpandShapeOp, memref::CollapseShapeOp>(op) ||
        isa<Value>(size))
      return Value();
    Value buffer = op->getOperand(0);
    Value own = ownBlock(b, partition, buffer);
    if (!own)
      own = ownView(b, partition, buffer);
    if (!own)
      return Value();
    auto type = cast<MemRefType>(view.getType());
    SmallVector<int64_t> shape(type.getShape());
    for (auto [position, length] : llvm::enumerate(shape))
      if (rootDimension(view, position) ==
          partition.buffers.lookup(rootOf(view)))
        length = block;
    if (auto expand = dyn_cast<memref::ExpandShapeOp>(op))
      return memref::ExpandShapeOp::create(b, shape, own,
                                           expand.getReassociationIndices());
    return memref::CollapseShapeOp::create(
        b, own, cast<memref::CollapseShapeOp>(op).getReassociationIndices());
  }

  /// Returns a buffer that is private to the block and replaces the block's
  /// part of the temporary `buffer`. Returns null if the temporary cannot be
  /// replaced: because an op that is not in `members` uses it, for example, or
  /// because the block's part of it is too large.
  Value ownBlock(ImplicitLocOpBuilder &b,
                 const KernelPartitionDimension &partition, Value buffer) {
    auto allocation = buffer.getDefiningOp<memref::AllocOp>();
    auto cutAt = partition.buffers.find(buffer);
    // In a kernel with a row-sparse update, temporaries are not private to
    // blocks: a call of the kernel merges its blocks into one range of rows
    // (host.grid_range), which may be longer than a block.
    if (!allocation || cutAt == partition.buffers.end() ||
        updatesRows(partition))
      return Value();
    if (Value known = ownBlocks.lookup(buffer))
      return known;
    int64_t dim = cutAt->second;
    MemRefType type = allocation.getType();
    // A private buffer of dynamic size cannot be reshaped, so a temporary with
    // reshapes is not replaced by one.
    bool isOwn =
        isKnown(buffer) &&
        (!isa<Value>(size) ||
         llvm::none_of(
             buffer.getUsers(),
             llvm::IsaPred<memref::ExpandShapeOp, memref::CollapseShapeOp>));
    for (int64_t other = 0; other < type.getRank(); ++other)
      isOwn &= other == dim || !type.isDynamicDim(other);
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = block;
    if (!isOwn || ShapedType::getNumElements(shape) * elementBytes(type) >
                      options.maxOwnBytes)
      return Value();
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfterValue(begin);
    if (Operation *definition = size.dyn_cast<Value>()
                                    ? cast<Value>(size).getDefiningOp()
                                    : nullptr)
      b.setInsertionPointAfter(definition);
    Value own = memref::AllocOp::create(
        b, MemRefType::get(shape, type.getElementType()), ValueRange(),
        allocation.getAlignmentAttr());
    if (isa<Value>(size)) {
      SmallVector<OpFoldResult> offsets(shape.size(), b.getIndexAttr(0));
      SmallVector<OpFoldResult> strides(shape.size(), b.getIndexAttr(1));
      SmallVector<OpFoldResult> sizes;
      for (int64_t extent : shape)
        sizes.push_back(b.getIndexAttr(extent));
      sizes[dim] = size;
      own = memref::SubViewOp::create(b, own, offsets, sizes, strides);
    }
    ownBlocks[buffer] = own;
    return own;
  }

  func::FuncOp kernel;
  const PartitionKernelsIntoBlocksPassOptions &options;
  Block &body;
  KernelComputeOpCollector parts;
  SmallVectorImpl<ComputeOpWithLoopRanges> &members;
  const DenseSet<Value> &written;
  int64_t innerMultiple; // of this kernel's blocks, see `options`
  Value begin;
  scf::IfOp first;
  OpFoldResult size;
  int64_t block = 0;
  DenseMap<Value, Value> ownBlocks;
};

struct PartitionKernelsIntoBlocks
    : ::ingot::kernels::impl::PartitionKernelsIntoBlocksPassBase<
          PartitionKernelsIntoBlocks> {
  using PartitionKernelsIntoBlocksPassBase::PartitionKernelsIntoBlocksPassBase;
  void runOnOperation() override {
    PartitionKernelsIntoBlocksPassOptions options = {
        blockBytes,    blockOperations,   maxOwnBytes, partBytes,
        leavesSmall,   maxRanges,         rangeRows,   innerMultiple,
        leastMultiple, transposedMultiple};
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      // Tiling may have made a grid already.
      if (kernel->hasAttr(host::kernelAttrName) && !kernel.isExternal() &&
          !gridLoopOf(kernel))
        if (KernelPartitioner(kernel, options).run())
          ++numPartitioned;
  }
};

} // namespace
