//===- DistributeLoopsToThreads.cpp - Distribute a block's loops ----------===//
// SPDX-License-Identifier: Apache-2.0
//
// All threads of a block run all ops of a kernel in order. The elements of each
// op are distributed over the threads (ThreadDistributedOpLowering). A barrier
// is inserted before each op that conflicts with one of the accesses since the
// last barrier (`pending`).
//
//===----------------------------------------------------------------------===//

#include "codegen/Backend.h"
#include "codegen/Kernels/KernelAccess.h"
#include "codegen/PTX/BufferAccesses.h"
#include "codegen/PTX/DeviceConstants.h"
#include "codegen/PTX/LoopWithConditionalBody.h"
#include "codegen/PTX/Passes.h"
#include "codegen/PTX/ThreadDistributedOpLowering.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "llvm/Support/Debug.h"
#include "llvm/Support/MathExtras.h"

namespace ingot::ptx {
#define GEN_PASS_DEF_DISTRIBUTELOOPSTOTHREADSPASS
#include "codegen/PTX/Passes.h.inc"
} // namespace ingot::ptx

#define DEBUG_TYPE "ingot-ptx-distribute-loops-to-threads"

using namespace mlir;
using namespace ::ingot::ptx;

/// The minimum number of threads of a block whose kernel has a loop that skips
/// most iterations (LoopWithConditionalBody.h): all threads together search for
/// the iterations to run.
static constexpr int64_t searchingThreads = 256;
/// The maximum number of threads of a block if the kernel has a grid: a
/// multiprocessor then runs several blocks at the same time.
static constexpr int64_t maxThreadsOfGrid = 256;

namespace {

/// Distributes the ops of one kernel over the threads of a block.
class LoopDistributor {
public:
  explicit LoopDistributor(func::FuncOp kernel) : kernel(kernel) {}

  LogicalResult run() {
    if (failed(generalize()))
      return failure();
    OpBuilder builder(kernel.getBody());
    int64_t threads = chooseThreads();
    kernel->setAttr(::ingot::codegen::threadsAttrName,
                    builder.getI64IntegerAttr(threads));
    Value thread =
        gpu::ThreadIdOp::create(builder, kernel.getLoc(), gpu::Dimension::x);
    auto partials = [&](Type type) { return partialsOf(type); };
    auto barrier = [](ImplicitLocOpBuilder &b) { gpu::BarrierOp::create(b); };
    auto part = [&](int64_t blocks) { return partOf(blocks); };
    auto partialsOfThreads = [&](Type type) {
      return sharedBuffer("_sums", threads * maxPartialBytes, type);
    };
    auto partOfTile = [&](Type type, int64_t offset, int64_t length) {
      OpBuilder builder(kernel.getContext());
      builder.setInsertionPointAfterValue(tileMemory);
      return viewOf(builder, tileMemory, type, offset, length);
    };
    ThreadBlock common = {threads,
                          thread,
                          part,
                          partials,
                          partialsOfThreads,
                          roomForTiles(threads),
                          partOfTile,
                          barrier};
    team = &common;
    // The tiles of all ops share the same bytes.
    int64_t tileBytes = 0;
    kernel.walk([&](linalg::GenericOp op) {
      tileBytes = std::max(tileBytes,
                           ThreadDistributedOpLowering(op, common).tileBytes());
    });
    common.tileBytes = tileBytes;
    if (tileBytes != 0)
      tileMemory = sharedBytes("_tile", tileBytes);
    distribute(kernel.getBody().front());
    LLVM_DEBUG(llvm::dbgs()
               << kernel.getName() << ": " << counts.ops << " ops on "
               << threads << " threads, " << counts.barriers << " barriers\n");
    return success();
  }

  /// The pass statistics of one kernel: the numbers of ops that were
  /// distributed, of barriers that were inserted, and of loops whose matching
  /// iterations all threads search for together (LoopWithConditionalBody).
  struct LoopDistributionCounts {
    unsigned ops = 0, barriers = 0, searches = 0;
  };
  const LoopDistributionCounts &getCounts() const { return counts; }

private:
  /// Replaces all copies and named linalg ops by linalg.generic.
  LogicalResult generalize() {
    IRRewriter rewriter(kernel.getContext());
    SmallVector<memref::CopyOp> copies;
    kernel.walk([&](memref::CopyOp copy) { copies.push_back(copy); });
    for (memref::CopyOp copy : copies) {
      rewriter.setInsertionPoint(copy);
      linalg::GenericOp generic = linalg::makeMemRefCopyOp(
          rewriter, copy.getLoc(), copy.getSource(), copy.getTarget());
      if (Attribute blocks = copy->getAttr(blocksAttrName))
        generic->setAttr(blocksAttrName, blocks);
      rewriter.eraseOp(copy);
    }
    SmallVector<linalg::LinalgOp> named;
    kernel.walk([&](linalg::LinalgOp op) {
      if (!isa<linalg::GenericOp>(op.getOperation()))
        named.push_back(op);
    });
    for (linalg::LinalgOp op : named) {
      rewriter.setInsertionPoint(op);
      Attribute blocks = op->getAttr(blocksAttrName);
      FailureOr<linalg::GenericOp> generic =
          linalg::generalizeNamedOp(rewriter, op);
      if (failed(generic))
        return op->emitError("cannot lower this op to loops: this is a bug in "
                             "Ingot, not in the graph");
      if (blocks)
        (*generic)->setAttr(blocksAttrName, blocks);
    }
    return success();
  }

  /// Returns the number of threads of a block: the number that an earlier pass
  /// chose, else as many as the op with the most work can use.
  int64_t chooseThreads() {
    if (auto chosen = kernel->getAttrOfType<IntegerAttr>(
            ::ingot::codegen::threadsAttrName))
      return chosen.getInt();
    int64_t useful = warpSize;
    kernel.walk([&](linalg::GenericOp op) {
      useful = std::max(useful, ThreadDistributedOpLowering::usefulThreads(op));
    });
    kernel.walk([&](scf::ForOp loop) {
      if (LoopWithConditionalBody::of(loop))
        useful = std::max(useful, searchingThreads);
    });
    bool isGrid = kernel->hasAttr(host::gridAttrName);
    // If the size of a kernel's scratch memory is dynamic, each thread needs
    // additional registers for the offsets of temporaries. A block then has
    // fewer threads, so that each has enough registers.
    bool hasSizes = kernel->hasAttr(::ingot::codegen::dynamicScratchAttrName);
    return std::min(static_cast<int64_t>(llvm::PowerOf2Ceil(useful)),
                    isGrid || hasSizes ? maxThreadsOfGrid : maxThreads);
  }

  /// Returns the shared memory for the partial results of warps, as a buffer
  /// with elements of `type`. The buffers of all types share the same bytes.
  Value partialsOf(Type type) {
    return sharedBuffer("_partials", partialsBytes, type);
  }

  /// Returns how many bytes of shared memory temporaries and partial results
  /// leave for tiles.
  int64_t roomForTiles(int64_t threads) const {
    auto shared =
        kernel->getAttrOfType<IntegerAttr>(::ingot::codegen::sharedAttrName);
    return maxSharedBytes - partialsBytes - threads * maxPartialBytes -
           (shared ? shared.getInt() : 0);
  }

  /// Returns `bytes` bytes of shared memory as a buffer with elements of
  /// `type`. Buffers with the same `suffix` share their bytes.
  Value sharedBuffer(StringRef suffix, int64_t bytes, Type type) {
    Value all = sharedBytes(suffix, bytes);
    OpBuilder builder(kernel.getContext());
    builder.setInsertionPointAfterValue(all);
    return viewOf(builder, all, type, 0,
                  bytes / ::ingot::kernels::elementBytes(type));
  }

  /// Returns `length` elements of the shared memory `bytes`, from byte `offset`
  /// on.
  static Value viewOf(OpBuilder &builder, Value bytes, Type type,
                      int64_t offset, int64_t length) {
    Location loc = bytes.getLoc();
    auto here = MemRefType::get({length}, type, AffineMap(),
                                builder.getI64IntegerAttr(sharedSpace));
    Value first = arith::ConstantIndexOp::create(builder, loc, offset);
    Value view =
        memref::ViewOp::create(builder, loc, here, bytes, first, ValueRange());
    return memref::MemorySpaceCastOp::create(
        builder, loc, MemRefType::get({length}, type), view);
  }

  /// Returns a global of `bytes` bytes in shared memory, the same one for each
  /// `suffix`.
  Value sharedBytes(StringRef suffix, int64_t bytes) {
    OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
    Location loc = kernel.getLoc();
    Attribute space = builder.getI64IntegerAttr(sharedSpace);
    auto whole =
        MemRefType::get({bytes}, builder.getI8Type(), AffineMap(), space);
    std::string name = (kernel.getName() + suffix).str();
    if (!SymbolTable::lookupNearestSymbolFrom(kernel,
                                              builder.getStringAttr(name))) {
      OpBuilder outside(kernel);
      memref::GlobalOp::create(outside, loc, name,
                               builder.getStringAttr("private"), whole,
                               builder.getUnitAttr(), /*constant=*/false,
                               builder.getI64IntegerAttr(16));
      auto shared =
          kernel->getAttrOfType<IntegerAttr>(::ingot::codegen::sharedAttrName);
      kernel->setAttr(
          ::ingot::codegen::sharedAttrName,
          builder.getI64IntegerAttr(bytes + (shared ? shared.getInt() : 0)));
    }
    return memref::GetGlobalOp::create(builder, loc, whole, name);
  }

  /// Emits the index of the current block among the `blocks` blocks that share
  /// the work of one iteration of the grid.
  Value partOf(int64_t blocks) {
    OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
    Location loc = kernel.getLoc();
    Value block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
    return arith::RemUIOp::create(
        builder, loc, block,
        arith::ConstantIndexOp::create(builder, loc, blocks));
  }

  /// Distributes the ops of `block`, a block of the IR, in order: each
  /// linalg.generic and store, also inside of loops and branches. All other ops
  /// are left unchanged, so every thread runs them.
  void distribute(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (op.hasAttr(byThreadsAttrName))
        waitFor(&op);
      else if (auto generic = dyn_cast<linalg::GenericOp>(op))
        distribute(generic);
      else if (auto store = dyn_cast<memref::StoreOp>(op))
        distribute(store);
      else if (auto loop = dyn_cast<scf::ForOp>(op))
        distribute(loop);
      else if (auto branch = dyn_cast<scf::IfOp>(op))
        distribute(branch);
      else
        waitFor(&op);
    }
  }

  /// Inserts a barrier before `op` if the op must wait for accesses of other
  /// threads that may not be complete (`pending`).
  void waitFor(Operation *op) {
    BufferAccesses own;
    own.add(op);
    waitFor(op, own);
  }
  void waitFor(Operation *op, const BufferAccesses &own) {
    if (pending.conflictsWith(own))
      addBarrier(OpBuilder(op));
    pending.add(own);
  }

  void addBarrier(OpBuilder builder) {
    gpu::BarrierOp::create(builder, kernel.getLoc());
    ++counts.barriers;
    pending.clear();
  }

  void distribute(linalg::GenericOp op) {
    ThreadDistributedOpLowering lowering(op, *team);
    BufferAccesses own;
    own.add(op);
    if (lowering.tileBytes() != 0)
      own.writes.insert(tileMemory);
    waitFor(op, own);
    lowering.emit();
    op.erase();
    ++counts.ops;
  }

  /// Makes a store to shared or global memory run in the first thread only. A
  /// store to memory private to a thread runs in every thread.
  void distribute(memref::StoreOp store) {
    BufferAccesses own;
    own.add(store);
    if (own.empty())
      return;
    waitFor(store);
    OpBuilder builder(store);
    Location loc = store.getLoc();
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value isFirst = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, team->thread, zero);
    auto branch =
        scf::IfOp::create(builder, loc, isFirst, /*withElseRegion=*/false);
    store->moveBefore(branch.thenBlock()->getTerminator());
  }

  /// Distributes the ops in a loop's body; all threads run all iterations. If
  /// the loop writes memory, a barrier at the end of the body separates the
  /// iteration from the next one and from the ops after the loop, which may
  /// access the same memory.
  void distribute(scf::ForOp loop) {
    BufferAccesses own;
    own.add(loop);
    if (own.empty())
      return;
    if (pending.conflictsWith(own))
      addBarrier(OpBuilder(loop));
    BufferAccesses before = pending;
    pending.clear();
    auto distributeIteration = [&](Block &iteration) {
      distribute(iteration);
      if (!own.writes.empty() && !pending.empty())
        addBarrier(OpBuilder(iteration.getTerminator()));
    };
    std::optional<LoopWithConditionalBody> search =
        LoopWithConditionalBody::of(loop);
    if (search && !own.writes.empty()) {
      Value masks = sharedBuffer("_masks", matchMasks * sizeof(uint32_t),
                                 OpBuilder(loop).getI32Type());
      search->emit(*team, masks, distributeIteration);
      ++counts.searches;
    } else {
      distributeIteration(*loop.getBody());
    }
    if (own.writes.empty()) {
      pending.add(before);
      pending.add(own);
      return;
    }
    pending = before;
  }

  /// Distributes the ops of both branches of an scf.if. Afterwards, `pending`
  /// has the accesses of both branches, as either may have run.
  void distribute(scf::IfOp branch) {
    BufferAccesses before = pending, after;
    for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()}) {
      pending = before;
      if (!region->empty())
        distribute(region->front());
      after.add(pending);
    }
    pending = after;
  }

  func::FuncOp kernel;
  const ThreadBlock *team = nullptr;
  /// Shared memory for the tiles of ops.
  Value tileMemory;
  /// The accesses since the last barrier, which other threads may not have
  /// completed.
  BufferAccesses pending;
  LoopDistributionCounts counts;
};

struct DistributeLoopsToThreads
    : ::ingot::ptx::impl::DistributeLoopsToThreadsPassBase<
          DistributeLoopsToThreads> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> kernels(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp kernel : kernels) {
      if (!isDeviceKernel(kernel))
        continue;
      LoopDistributor distributor(kernel);
      if (failed(distributor.run()))
        return signalPassFailure();
      numDistributed += distributor.getCounts().ops;
      numBarriers += distributor.getCounts().barriers;
      numSearched += distributor.getCounts().searches;
    }
  }
};

} // namespace
