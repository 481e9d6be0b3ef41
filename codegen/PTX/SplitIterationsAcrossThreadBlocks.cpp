//===- SplitIterationsAcrossThreadBlocks.cpp - Large iterations -----------===//
// SPDX-License-Identifier: Apache-2.0
//
// A kernel's grid is a dimension that all of its ops share, such as the images
// of a batch. This dimension may be too small to occupy a GPU. If most of the
// work is in ops that no other op of the kernel depends on, several blocks run
// each iteration and divide the elements of these ops among them. Any other op
// is run by all of these blocks if it writes only temporaries of a block, and
// by the first block of the iteration otherwise.
//
//===----------------------------------------------------------------------===//

#include "codegen/Backend.h"
#include "codegen/Kernels/KernelAccess.h"
#include "codegen/PTX/BufferAccesses.h"
#include "codegen/PTX/CoalescedTile.h"
#include "codegen/PTX/Passes.h"
#include "codegen/PTX/ThreadDistributedOpLowering.h"

#include "llvm/Support/Debug.h"
#include "llvm/Support/MathExtras.h"

namespace ingot::ptx {
#define GEN_PASS_DEF_SPLITITERATIONSACROSSTHREADBLOCKSPASS
#include "codegen/PTX/Passes.h.inc"
} // namespace ingot::ptx

#define DEBUG_TYPE "ingot-ptx-split-iterations-across-thread-blocks"

using namespace mlir;
using namespace ::ingot::ptx;

/// The maximum number of blocks of a kernel whose iterations are divided: about
/// as many blocks of 256 threads as a large GPU runs at once. Kernels that are
/// joined into one kernel for a whole step cannot have more blocks, either.
static constexpr int64_t maxBlocks = 1024;
/// If the elements of an op are divided among blocks, each block computes at
/// least this number of elements.
static constexpr int64_t minElements = 256;
/// If the result of a reduction is divided among blocks, each block computes at
/// least this number of its elements. This is the number of 32-bit elements in
/// a sector, the unit in which a GPU accesses its memory.
static constexpr int64_t minSums = 8;
/// Iterations are divided only if an undivided block would compute at least
/// `largeBlock` elements, or the whole kernel at least `largeKernel` elements.
/// A smaller kernel takes about as long as its launch. It also helps to keep
/// the number of blocks small: if all kernels of a step are joined into one
/// kernel that needs few blocks, its blocks can form a single cluster, whose
/// barrier is faster than that of a grid.
static constexpr int64_t largeBlock = 4 * 1024, largeKernel = 64 * 1024;
/// An op is divided only if its work is more than 1 / minShare of the work of
/// the kernel's largest op.
static constexpr int64_t minShare = 16;

namespace {

/// An op of a kernel's body that accesses memory, and which of the blocks that
/// share an iteration run it: all of them (Repeated), the first one only
/// (First), or each block for its share of the elements (Divided).
struct ThreadBlockAssignment {
  Operation *op;
  BufferAccesses accesses;
  int64_t work = 0; // iterations of its loops
  enum class Kind { Repeated, First, Divided } kind = Kind::Repeated;
};

class GridIterationSplitter {
public:
  explicit GridIterationSplitter(func::FuncOp kernel)
      : kernel(kernel), body(kernel.getBody().front()) {}

  /// Divides each iteration of the kernel's grid among several blocks, if that
  /// is legal and saves time. Returns whether it did.
  bool run() {
    if (kernel->hasAttr(::ingot::codegen::threadsAttrName) || !collect() ||
        !classify() || !isIndependent())
      return false;
    int64_t blocks = chooseBlocks();
    if (blocks < 2)
      return false;
    LLVM_DEBUG(llvm::dbgs() << kernel.getName() << ": " << blocks
                            << " blocks for an iteration\n");
    divide(blocks);
    return true;
  }

private:
  /// Collects the ops that access memory. Returns false if there is an op that
  /// cannot be divided or repeated, such as one whose code already divides its
  /// work among threads.
  bool collect() {
    for (Operation &op : body.without_terminator()) {
      if (op.hasAttr(byThreadsAttrName) || op.hasAttr(dynamicMemoryAttrName))
        return false;
      ThreadBlockAssignment unit = {&op, {}, 0};
      unit.accesses.add(&op);
      if (unit.accesses.empty())
        continue;
      if (isa<linalg::LinalgOp, memref::CopyOp>(op))
        unit.work = iterationsOf(&op);
      else if (!isa<scf::IfOp, memref::LoadOp, memref::StoreOp>(op))
        return false;
      units.push_back(std::move(unit));
    }
    return true;
  }

  static int64_t iterationsOf(Operation *op) {
    SmallVector<int64_t> ranges;
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      ranges = ::ingot::kernels::boundedRanges(linalgOp);
    else
      for (Value view = cast<memref::CopyOp>(op).getSource();
           int64_t dim : llvm::seq(cast<MemRefType>(view.getType()).getRank()))
        ranges.push_back(::ingot::kernels::boundOf(view, dim));
    int64_t product = 1;
    for (int64_t range : ranges)
      product *= std::max<int64_t>(1, range);
    return product;
  }

  /// Whether each block has its own copy of the buffer.
  static bool isPrivate(Value root) {
    auto allocation = root.getDefiningOp<memref::AllocOp>();
    return (allocation && !allocation->hasAttr(allBlocksAttrName)) ||
           root.getDefiningOp<memref::AllocaOp>();
  }

  /// Decides for each op which of the blocks of a grid iteration run it. An op
  /// that writes only memory private to blocks is repeated by each block. Any
  /// other op is divided among all blocks if it has much work, and is run by
  /// the first block otherwise. Returns false if no op is divided.
  bool classify() {
    int64_t most = 0;
    for (ThreadBlockAssignment &unit : units)
      most = std::max(most, unit.work);
    bool isAnyDivided = false;
    for (ThreadBlockAssignment &unit : units) {
      if (llvm::all_of(unit.accesses.writes, isPrivate))
        continue;
      bool isLarge = unit.work > most / minShare;
      unit.kind = isLarge ? ThreadBlockAssignment::Kind::Divided
                          : ThreadBlockAssignment::Kind::First;
      isAnyDivided |= isLarge;
      // A block computes all elements of a buffer that is private to it, but
      // only a share of the elements of any other buffer. So an op that writes
      // both kinds of buffers can neither be repeated nor divided.
      if (isLarge && llvm::any_of(unit.accesses.writes, isPrivate))
        return false;
    }
    return isAnyDivided;
  }

  /// Returns whether each element of the buffers that `a` writes and `b`
  /// accesses is accessed by the same thread in both ops, so that no block has
  /// to wait between them. This holds if both ops are elementwise and their
  /// elements are divided among blocks in the same way.
  static bool haveSameThreads(const ThreadBlockAssignment &a,
                              const ThreadBlockAssignment &b) {
    auto first = dyn_cast<linalg::GenericOp>(a.op);
    auto second = dyn_cast<linalg::GenericOp>(b.op);
    if (!first || !second || a.kind != b.kind ||
        first.getNumReductionLoops() + second.getNumReductionLoops() != 0 ||
        first.getStaticLoopRanges() != second.getStaticLoopRanges() ||
        llvm::is_contained(first.getStaticLoopRanges(), ShapedType::kDynamic) ||
        CoalescedTile::of(first) || CoalescedTile::of(second))
      return false;
    SmallVector<std::pair<Value, AffineMap>> views;
    return llvm::all_of(a.accesses.writes, [&](Value root) {
      views.clear();
      return addViews(first, root, views) && addViews(second, root, views) &&
             llvm::all_of(views, [&](auto &view) {
               return view.second == views.front().second &&
                      view.second.isPermutation() &&
                      ::ingot::kernels::areSameView(view.first,
                                                    views.front().first);
             });
    });
  }

  /// Adds to `views` the operands of `op` that are views of the buffer `root`,
  /// with their indexing maps. Returns false if the body of `op` also loads
  /// from `root`, at indices of its own.
  static bool addViews(linalg::GenericOp op, Value root,
                       SmallVectorImpl<std::pair<Value, AffineMap>> &views) {
    for (OpOperand &operand : op->getOpOperands())
      if (isa<MemRefType>(operand.get().getType()) &&
          ::ingot::kernels::rootOf(operand.get()) == root)
        views.push_back({operand.get(), op.getMatchingIndexingMap(&operand)});
    return !op.getBlock()
                ->walk([&](memref::LoadOp load) {
                  return ::ingot::kernels::rootOf(load.getMemRef()) == root
                             ? WalkResult::interrupt()
                             : WalkResult::advance();
                })
                .wasInterrupted();
  }

  /// Whether no block has to wait for another one: no op accesses an element
  /// that an op in another block writes. Ops of kind First need not be checked
  /// against each other, as the first block of an iteration runs all of them in
  /// order.
  bool isIndependent() const {
    for (const ThreadBlockAssignment &writer : units)
      for (const ThreadBlockAssignment &other : units) {
        if (&writer == &other ||
            writer.kind == ThreadBlockAssignment::Kind::Repeated ||
            (writer.kind == ThreadBlockAssignment::Kind::First &&
             other.kind == ThreadBlockAssignment::Kind::First))
          continue;
        BufferAccesses writes;
        writes.writes = writer.accesses.writes;
        if (writes.conflictsWith(other.accesses) &&
            !haveSameThreads(writer, other))
          return false;
      }
    return true;
  }

  /// Returns the number of blocks among which each iteration is divided.
  /// Returns 1 if an iteration has little work, or if the grid has enough
  /// iterations already.
  int64_t chooseBlocks() const {
    ::ingot::codegen::Grid grid = gridOf();
    int64_t iterations = grid.base;
    for (const ::ingot::codegen::Grid::DynamicSizeTerm &term : grid.terms)
      iterations += term.coefficient * ::ingot::kernels::assumedSize;
    // A Grid has the form ceil(sum / step). If the sum is dynamic and the step
    // is not 1, the product of a grid and a number of blocks does not have this
    // form.
    if (grid.step != 1 && !grid.terms.empty())
      return 1;
    iterations = llvm::divideCeil(std::max<int64_t>(1, iterations), grid.step);
    int64_t repeated = 0, divided = 0, useful = 1, parts = 1, tiles = 0;
    for (const ThreadBlockAssignment &unit : units) {
      (unit.kind == ThreadBlockAssignment::Kind::Divided ? divided
                                                         : repeated) +=
          unit.kind == ThreadBlockAssignment::Kind::First ? 0 : unit.work;
      if (unit.kind != ThreadBlockAssignment::Kind::Divided)
        continue;
      useful = std::max(useful, usefulThreads(unit.op));
      parts = std::max(parts, maxParts(unit.op));
      tiles = std::max(tiles, tilesOf(unit.op));
    }
    // Where ops have tiles, a block waits for each of them.
    if (useful < largeBlock && useful * iterations < largeKernel && tiles < 2)
      return 1;
    // Each block repeats the ops of kind Repeated. This should not be more work
    // than the block's share of the divided ops, which limits the number of
    // blocks.
    return std::min({maxBlocks / iterations, parts,
                     divided / std::max<int64_t>(1, repeated)});
  }

  static int64_t usefulThreads(Operation *op) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    return generic ? ThreadDistributedOpLowering::usefulThreads(generic)
                   : iterationsOf(op);
  }

  /// Returns the maximum number of blocks among which the elements of `op` can
  /// be divided.
  static int64_t maxParts(Operation *op) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    int64_t parts = usefulThreads(op) / minElements;
    if (!generic)
      return parts;
    if (generic.getNumReductionLoops() == 0) {
      int64_t tiles = tilesOf(generic);
      return tiles == 0 ? parts : std::min(parts, tiles);
    }
    int64_t elements = 1;
    for (auto [range, type] :
         llvm::zip(::ingot::kernels::boundedRanges(generic),
                   generic.getIteratorTypesArray()))
      if (type == utils::IteratorType::parallel)
        elements *= std::max<int64_t>(1, range);
    return std::min(parts, elements / minSums);
  }

  /// Returns the number of tiles of an elementwise op, or 0 if it has none
  /// (CoalescedTile.h).
  static int64_t tilesOf(Operation *op) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic || generic.getNumReductionLoops() != 0)
      return 0;
    std::optional<CoalescedTile> tile = CoalescedTile::of(generic);
    if (!tile)
      return 0;
    int64_t tiles = 1;
    SmallVector<int64_t> ranges = ::ingot::kernels::boundedRanges(generic);
    for (unsigned loop : tile->order)
      tiles *= llvm::divideCeil(ranges[loop], tile->sizes[loop]);
    return tiles;
  }

  ::ingot::codegen::Grid gridOf() const {
    return kernel->hasAttr(host::gridAttrName)
               ? ::ingot::codegen::factsOf(kernel).grid
               : ::ingot::codegen::Grid();
  }

  void divide(int64_t blocks) {
    ::ingot::codegen::Grid grid = gridOf();
    if (grid.terms.empty())
      grid.base = llvm::divideCeil(grid.base, grid.step);
    grid.base *= blocks;
    grid.step = 1;
    for (::ingot::codegen::Grid::DynamicSizeTerm &term : grid.terms)
      term.coefficient *= blocks;
    ::ingot::codegen::setGrid(kernel, grid);
    for (StringRef fact : {host::flopsAttrName, host::bytesAttrName})
      if (auto number = kernel->getAttrOfType<IntegerAttr>(fact))
        kernel->setAttr(
            fact, IntegerAttr::get(number.getType(),
                                   llvm::divideCeil(number.getInt(), blocks)));
    // Successive blocks may now belong to the same iteration. So an argument no
    // longer has a constant stride from block to block.
    kernel->removeAttr(host::stridesAttrName);

    SmallVector<gpu::BlockIdOp> ids(body.getOps<gpu::BlockIdOp>());
    ImplicitLocOpBuilder b =
        ImplicitLocOpBuilder::atBlockBegin(kernel.getLoc(), &body);
    Value count = arith::ConstantIndexOp::create(b, blocks);
    Value block = gpu::BlockIdOp::create(b, gpu::Dimension::x);
    Value iteration = arith::DivUIOp::create(b, block, count);
    Value part = arith::RemUIOp::create(b, block, count);
    Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, part,
                                          arith::ConstantIndexOp::create(b, 0));
    for (gpu::BlockIdOp id : ids) {
      id.replaceAllUsesWith(iteration);
      id.erase();
    }
    for (ThreadBlockAssignment &unit : units) {
      if (unit.kind == ThreadBlockAssignment::Kind::Divided)
        unit.op->setAttr(blocksAttrName, b.getI64IntegerAttr(blocks));
      if (unit.kind != ThreadBlockAssignment::Kind::First)
        continue;
      b.setInsertionPoint(unit.op);
      auto branch = scf::IfOp::create(b, isFirst, /*withElseRegion=*/false);
      unit.op->moveBefore(branch.thenBlock()->getTerminator());
    }
  }

  func::FuncOp kernel;
  Block &body;
  SmallVector<ThreadBlockAssignment> units;
};

struct SplitIterationsAcrossThreadBlocks
    : ::ingot::ptx::impl::SplitIterationsAcrossThreadBlocksPassBase<
          SplitIterationsAcrossThreadBlocks> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (isDeviceKernel(kernel) && GridIterationSplitter(kernel).run())
        ++numDivided;
  }
};

} // namespace
