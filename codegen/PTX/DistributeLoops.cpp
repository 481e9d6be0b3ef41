//===- DistributeLoops.cpp - Distribute a block's loops over threads ------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Backend.h"
#include "codegen/Kernels/KernelAccess.h"
#include "codegen/PTX/Accesses.h"
#include "codegen/PTX/DistributedOp.h"
#include "codegen/PTX/Memory.h"
#include "codegen/PTX/Passes.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "llvm/Support/MathExtras.h"

namespace ingot::ptx {
#define GEN_PASS_DEF_DISTRIBUTELOOPSPASS
#include "codegen/PTX/Passes.h.inc"
} // namespace ingot::ptx

using namespace mlir;
using namespace ::ingot::ptx;

/// A block of more threads leaves each too few registers; one of fewer than a
/// warp does not exist.
static constexpr int64_t maxThreads = 512;
/// Several blocks of a grid share a processor.
static constexpr int64_t maxThreadsOfGrid = 256;

namespace {

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
    ThreadBlock common = {threads, thread, partials, barrier};
    team = &common;
    distribute(kernel.getBody().front());
    return success();
  }

private:
  /// Generalizes all named linalg ops.
  LogicalResult generalize() {
    IRRewriter rewriter(kernel.getContext());
    SmallVector<memref::CopyOp> copies;
    kernel.walk([&](memref::CopyOp copy) { copies.push_back(copy); });
    for (memref::CopyOp copy : copies) {
      rewriter.setInsertionPoint(copy);
      linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), copy.getSource(),
                               copy.getTarget());
      rewriter.eraseOp(copy);
    }
    SmallVector<linalg::LinalgOp> named;
    kernel.walk([&](linalg::LinalgOp op) {
      if (!isa<linalg::GenericOp>(op.getOperation()))
        named.push_back(op);
    });
    for (linalg::LinalgOp op : named) {
      rewriter.setInsertionPoint(op);
      if (failed(linalg::generalizeNamedOp(rewriter, op)))
        return op->emitError("cannot be lowered to loops");
    }
    return success();
  }

  int64_t chooseThreads() {
    if (auto chosen = kernel->getAttrOfType<IntegerAttr>(
            ::ingot::codegen::threadsAttrName))
      return chosen.getInt();
    int64_t useful = warpSize;
    kernel.walk([&](linalg::GenericOp op) {
      useful = std::max(useful, DistributedOp::usefulThreads(op));
    });
    bool isGrid = kernel->hasAttr(host::gridAttrName);
    // Dynamic sizes take additional registers.
    bool hasSizes = kernel->hasAttr(::ingot::codegen::dynamicScratchAttrName);
    return std::min(static_cast<int64_t>(llvm::PowerOf2Ceil(useful)),
                    isGrid || hasSizes ? maxThreadsOfGrid : maxThreads);
  }

  /// Shared memory for the partial sums of warps, of elements of `type`.
  Value partialsOf(Type type) {
    OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
    Location loc = kernel.getLoc();
    Attribute space = builder.getI64IntegerAttr(sharedSpace);
    auto bytes = MemRefType::get({partialsBytes}, builder.getI8Type(),
                                 AffineMap(), space);
    std::string name = (kernel.getName() + "_partials").str();
    if (!SymbolTable::lookupNearestSymbolFrom(kernel,
                                              builder.getStringAttr(name))) {
      OpBuilder outside(kernel);
      memref::GlobalOp::create(outside, loc, name,
                               builder.getStringAttr("private"), bytes,
                               builder.getUnitAttr(), /*constant=*/false,
                               builder.getI64IntegerAttr(16));
      auto shared =
          kernel->getAttrOfType<IntegerAttr>(::ingot::codegen::sharedAttrName);
      kernel->setAttr(::ingot::codegen::sharedAttrName,
                      builder.getI64IntegerAttr(
                          partialsBytes + (shared ? shared.getInt() : 0)));
    }
    Value all = memref::GetGlobalOp::create(builder, loc, bytes, name);
    int64_t length = partialsBytes / ::ingot::kernels::elementBytes(type);
    auto here = MemRefType::get({length}, type, AffineMap(), space);
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value view =
        memref::ViewOp::create(builder, loc, here, all, zero, ValueRange());
    return memref::MemorySpaceCastOp::create(
        builder, loc, MemRefType::get({length}, type), view);
  }

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

  /// Inserts a barrier before `op` if it conflicts with pending accesses of
  /// other threads.
  void waitFor(Operation *op) {
    Accesses own;
    own.add(op);
    if (pending.conflictsWith(own))
      addBarrier(OpBuilder(op));
    pending.add(own);
  }

  void addBarrier(OpBuilder builder) {
    gpu::BarrierOp::create(builder, kernel.getLoc());
    pending.clear();
  }

  void distribute(linalg::GenericOp op) {
    waitFor(op);
    DistributedOp(op, *team).emit();
    op.erase();
  }

  /// Stores to shared memory are done by the first thread, those to private
  /// memory by each.
  void distribute(memref::StoreOp store) {
    Accesses own;
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

  /// All threads run the same iterations. An iteration may conflict with the
  /// accesses of the one before, and so may the ops after the loop.
  void distribute(scf::ForOp loop) {
    Accesses own;
    own.add(loop);
    if (own.empty())
      return;
    if (pending.conflictsWith(own))
      addBarrier(OpBuilder(loop));
    Accesses before = pending;
    pending.clear();
    distribute(*loop.getBody());
    if (own.writes.empty()) {
      pending.add(before);
      pending.add(own);
      return;
    }
    if (!pending.empty())
      addBarrier(OpBuilder(loop.getBody()->getTerminator()));
    pending = before;
  }

  void distribute(scf::IfOp branch) {
    Accesses before = pending, after;
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
  /// Accesses since the last barrier, which other threads may not have
  /// finished.
  Accesses pending;
};

struct DistributeLoops
    : ::ingot::ptx::impl::DistributeLoopsPassBase<DistributeLoops> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> kernels(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp kernel : kernels)
      if (isDeviceKernel(kernel) && failed(LoopDistributor(kernel).run()))
        return signalPassFailure();
  }
};

} // namespace
