//===- LowerKernelSignatures.cpp - Kernels with the ABI's signature -------===//
// SPDX-License-Identifier: Apache-2.0
//
// Gives each kernel the signature of `ingot_kernel`: (argument table, begin,
// end). The grid loop computes only its iterations [begin, end), so that
// threads can divide the grid among them.
//
//===----------------------------------------------------------------------===//

#include "codegen/CPU/Passes.h"
#include "codegen/KernelGrid.h"
#include "codegen/Kernels/KernelAccess.h"
#include "codegen/Kernels/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace ingot::cpu {
#define GEN_PASS_DEF_LOWERKERNELSIGNATURESPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

using namespace mlir;
using ::ingot::codegen::Grid;

/// Returns whether `op`, an op outside of the grid loop, may be repeated. Each
/// call of a kernel computes only a range of the grid, but runs all ops outside
/// of the grid loop. This is legal for ops that write only memory that the
/// kernel itself allocates.
static bool writesOnlyOwnMemory(Operation *op) {
  if (isMemoryEffectFree(op) || isa<memref::LoadOp, vector::LoadOp>(op) ||
      op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return true;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return false;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  return llvm::all_of(instances, [](MemoryEffects::EffectInstance &effect) {
    return !isa<MemoryEffects::Write>(effect.getEffect()) ||
           (effect.getValue() &&
            isa_and_nonnull<memref::AllocaOp, memref::AllocOp>(
                ::ingot::kernels::rootOf(effect.getValue()).getDefiningOp()));
  });
}

/// Returns the kernel's grid loop, whose iterations may run on several threads.
/// Returns null if the kernel has no grid loop, or if an op outside of it
/// writes memory that the kernel does not allocate.
static scf::ForOp gridLoop(func::FuncOp kernel) {
  scf::ForOp grid = ::ingot::kernels::gridLoopOf(kernel);
  if (!grid || grid.getNumResults() != 0)
    return {};
  WalkResult others =
      kernel.getBody().front().walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (op == grid.getOperation())
          return WalkResult::skip();
        return writesOnlyOwnMemory(op) || op->hasTrait<OpTrait::IsTerminator>()
                   ? WalkResult::advance()
                   : WalkResult::interrupt();
      });
  return others.wasInterrupted() ? scf::ForOp() : grid;
}

/// Restricts the loop to its iterations [begin, end). Iterations are numbered
/// from 0, independently of the loop's lower bound and step.
static void restrict(scf::ForOp loop, Value begin, Value end) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  auto bound = [&](Value iteration) -> Value {
    Value number = arith::IndexCastOp::create(
        builder, loc, builder.getIndexType(), iteration);
    Value distance =
        arith::MulIOp::create(builder, loc, number, loop.getStep());
    return arith::AddIOp::create(builder, loc, loop.getLowerBound(), distance);
  };
  Value from = bound(begin);
  Value to =
      arith::MinSIOp::create(builder, loc, bound(end), loop.getUpperBound());
  loop.setLowerBound(from);
  loop.setUpperBound(to);
}

/// Merges all iterations that a call of the kernel computes into one. This is
/// for kernels with the attribute `host.grid_range`, in which each iteration
/// scans all indices of a row-sparse update: a call then scans them only once,
/// instead of once for each block of rows. The number of rows of an iteration,
/// an `affine.min` of the step and the remaining rows, becomes the number of
/// all rows in the range. Does nothing if the loop has no such `affine.min`.
static void widen(scf::ForOp loop) {
  IntegerAttr step;
  SmallVector<affine::AffineMinOp> sizes;
  if (!matchPattern(loop.getStep(), m_Constant(&step)))
    return;
  for (Operation *user : loop.getInductionVar().getUsers())
    if (auto min = dyn_cast<affine::AffineMinOp>(user);
        min && llvm::is_contained(
                   min.getMap().getResults(),
                   getAffineConstantExpr(step.getInt(), min.getContext())))
      sizes.push_back(min);
  if (sizes.empty())
    return;
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Value all = arith::SubIOp::create(builder, loc, loop.getUpperBound(),
                                    loop.getLowerBound());
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  for (affine::AffineMinOp size : sizes) {
    size.replaceAllUsesWith(all);
    size.erase();
  }
  loop.setStep(arith::MaxSIOp::create(builder, loc, all, one));
}

/// Replaces the kernel's buffers by slots of the argument table: one for a
/// buffer's address, and one for each of its dynamic sizes, in order.
static void lowerKernel(func::FuncOp kernel) {
  MLIRContext *context = kernel.getContext();
  Block &body = kernel.getBody().front();
  Location loc = kernel.getLoc();
  unsigned numBuffers = body.getNumArguments();
  Value table = body.addArgument(LLVM::LLVMPointerType::get(context), loc);
  Type i64 = IntegerType::get(context, 64);
  Value begin = body.addArgument(i64, loc);
  Value end = body.addArgument(i64, loc);
  scf::ForOp loop = gridLoop(kernel);
  if (std::optional<Grid> grid =
          loop ? ::ingot::codegen::gridOf(loop) : std::nullopt) {
    ::ingot::codegen::setGrid(kernel, *grid);
    restrict(loop, begin, end);
  } else {
    // A kernel without a grid has one iteration, which uses each argument as a
    // whole. So arguments have no stride between iterations.
    kernel->removeAttr(host::stridesAttrName);
  }
  for (auto loop : body.getOps<scf::ForOp>())
    if (loop->hasAttr(::ingot::kernels::gridRangeAttrName))
      widen(loop);
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  int32_t slot = 0;
  for (unsigned index = 0; index < numBuffers; ++index) {
    BlockArgument argument = body.getArgument(index);
    auto type = cast<MemRefType>(argument.getType());
    argument.replaceAllUsesWith(host::BindOp::create(
        builder, loc, type, table, builder.getI32IntegerAttr(slot)));
    slot += 1 + static_cast<int32_t>(type.getNumDynamicDims());
  }
  body.eraseArguments(0, numBuffers);
  kernel.setType(builder.getFunctionType(body.getArgumentTypes(), {}));
}

namespace {
struct LowerKernelSignatures
    : ::ingot::cpu::impl::LowerKernelSignaturesPassBase<LowerKernelSignatures> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (kernel->hasAttr(host::kernelAttrName) && !kernel.isExternal()) {
        lowerKernel(kernel);
        ++numLowered;
      }
  }
};
} // namespace
