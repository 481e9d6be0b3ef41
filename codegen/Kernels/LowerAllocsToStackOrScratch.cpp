//===- LowerAllocsToStackOrScratch.cpp - Where temporaries lie ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Kernels/KernelAccess.h"
#include "codegen/Kernels/Passes.h"

#include "runtime/ABI/Tensor.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/Debug.h"

namespace ingot::kernels {
#define GEN_PASS_DEF_LOWERALLOCSTOSTACKORSCRATCHPASS
#include "codegen/Kernels/Passes.h.inc"
} // namespace ingot::kernels

#define DEBUG_TYPE "ingot-lower-allocs-to-stack-or-scratch"

using namespace mlir;

static int64_t byteSize(MemRefType type) {
  // An index takes 64 bits: the shape operands of reshapes are stored as
  // buffers of indices.
  unsigned bits =
      type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth();
  return type.getNumElements() * llvm::divideCeil(bits, 8);
}

/// Replaces an allocation by one on the stack at the beginning of the kernel.
/// If the alloca were in a loop, each iteration would take more of the stack.
static void placeOnStack(Block &body, memref::AllocOp allocation) {
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  Value buffer = memref::AllocaOp::create(
      builder, allocation.getLoc(), allocation.getType(),
      builder.getI64IntegerAttr(INGOT_ALIGNMENT));
  allocation.replaceAllUsesWith(buffer);
  allocation.erase();
}

/// Whether no block of the grid writes the buffer: ops before the grid loop
/// fill it, and blocks only read it, directly or through views. Each thread has
/// such a buffer on its own stack, and fills it itself. If the buffer were in
/// scratch memory, which all threads of a launch share, it would have to be
/// filled before the blocks run in parallel.
static bool isMadeForBlocks(Value buffer, Operation *grid) {
  return llvm::all_of(buffer.getUsers(), [&](Operation *user) {
    if (isa<ViewLikeOpInterface>(user))
      return isMadeForBlocks(user->getResult(0), grid);
    return !grid->isProperAncestor(user) ||
           (isa<MemoryEffectOpInterface>(user) &&
            !hasEffect<MemoryEffects::Write>(user, buffer));
  });
}

/// Adds an argument, the scratch memory, to the kernel, and places the buffers
/// there one after the other. Returns the size of the scratch memory in bytes.
static int64_t placeInScratch(func::FuncOp kernel,
                              ArrayRef<memref::AllocOp> allocations) {
  int64_t total = 0;
  SmallVector<int64_t> offsets;
  for (memref::AllocOp allocation : allocations) {
    offsets.push_back(total);
    total += llvm::alignTo(byteSize(allocation.getType()), INGOT_ALIGNMENT);
  }
  Builder types(kernel.getContext());
  Value scratch = kernel.getBody().front().addArgument(
      MemRefType::get({total}, types.getI8Type()), kernel.getLoc());
  for (size_t i = 0; i < allocations.size(); ++i) {
    memref::AllocOp allocation = allocations[i];
    Location loc = allocation.getLoc();
    OpBuilder builder(allocation);
    Value view = memref::ViewOp::create(
        builder, loc, allocation.getType(), scratch,
        arith::ConstantIndexOp::create(builder, loc, offsets[i]), ValueRange());
    allocation.replaceAllUsesWith(view);
    allocation.erase();
  }
  kernel->setAttr(host::scratchAttrName, types.getI64IntegerAttr(total));
  return total;
}

/// The pass statistics of one kernel: the number of buffers on the stack and in
/// scratch memory.
struct BufferPlacementStats {
  unsigned onStack = 0, inScratch = 0;
  int64_t scratchBytes = 0;
};

/// Places each buffer of static size. A buffer is on the stack if it has at
/// most `maxBytes`, if it is allocated in a loop, or if it has at most
/// `maxOperandBytes` and is an operand that each thread packs for its own
/// blocks. All others are in scratch memory.
static BufferPlacementStats placeBuffers(func::FuncOp kernel, int64_t maxBytes,
                                         int64_t maxOperandBytes) {
  BufferPlacementStats placed;
  Block &body = kernel.getBody().front();
  scf::ForOp grid = ::ingot::kernels::gridLoopOf(kernel);
  SmallVector<memref::AllocOp> allocations, large;
  kernel.walk([&](memref::AllocOp op) { allocations.push_back(op); });
  kernel.walk([](memref::DeallocOp op) { op.erase(); });
  for (memref::AllocOp allocation : allocations) {
    if (!allocation.getType().hasStaticShape()) {
      // A buffer of a dynamic size stays on the heap, and is freed at the end
      // of its block.
      OpBuilder end(allocation->getBlock()->getTerminator());
      memref::DeallocOp::create(end, allocation.getLoc(), allocation);
    } else if (byteSize(allocation.getType()) <= maxBytes ||
               allocation->getParentOp() != kernel ||
               (grid && byteSize(allocation.getType()) <= maxOperandBytes &&
                isMadeForBlocks(allocation, grid))) {
      // Scratch memory is an argument, which threads share. So a buffer that is
      // allocated inside of a loop must be on the stack, to be private to its
      // thread.
      placeOnStack(body, allocation);
      ++placed.onStack;
    } else {
      large.push_back(allocation);
    }
  }
  placed.inScratch = large.size();
  if (!large.empty())
    placed.scratchBytes = placeInScratch(kernel, large);
  kernel.setType(
      FunctionType::get(kernel.getContext(), body.getArgumentTypes(), {}));
  LLVM_DEBUG(llvm::dbgs() << kernel.getName() << ": " << placed.onStack
                          << " buffers on the stack, " << placed.inScratch
                          << " in " << placed.scratchBytes
                          << " bytes of scratch memory\n");
  return placed;
}

namespace {
struct LowerAllocsToStackOrScratch
    : ::ingot::kernels::impl::LowerAllocsToStackOrScratchPassBase<
          LowerAllocsToStackOrScratch> {
  using LowerAllocsToStackOrScratchPassBase::
      LowerAllocsToStackOrScratchPassBase;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(host::kernelAttrName) || kernel.isExternal())
        continue;
      BufferPlacementStats placed =
          placeBuffers(kernel, maxStackBytes, maxOperandBytes);
      numOnStack += placed.onStack;
      numInScratch += placed.inScratch;
      scratchBytes += placed.scratchBytes;
    }
  }
};
} // namespace
