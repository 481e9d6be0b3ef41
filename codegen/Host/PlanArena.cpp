//===- PlanArena.cpp - Plan an arena for an entry's buffers ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Host/ArenaLayout.h"
#include "codegen/Host/Passes.h"

#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/Debug.h"

namespace ingot::hostgen {
#define GEN_PASS_DEF_PLANARENAPASS
#include "codegen/Host/Passes.h.inc"
} // namespace ingot::hostgen

#define DEBUG_TYPE "ingot-host-plan-arena"

using namespace mlir;
using namespace ::ingot::hostgen;

namespace {

/// Replaces the buffers of `function` by slices of `arena`.
void replaceBySlices(ArrayRef<ArenaBuffer> buffers, Value arena) {
  for (const ArenaBuffer &buffer : buffers) {
    memref::AllocOp allocation = buffer.allocation;
    OpBuilder builder(allocation);
    allocation.replaceAllUsesWith(
        host::SliceOp::create(builder, allocation.getLoc(),
                              allocation.getType(), arena,
                              builder.getI64IntegerAttr(buffer.offset))
            .getBuffer());
    allocation.erase();
  }
}

/// Makes the runtime allocate the buffers of dynamic size, and free them after
/// their last use. A buffer that the function returns, or that a region yields,
/// is only freed after the entry has run. Returns the number of these buffers.
size_t allocateDynamicBuffers(func::FuncOp function) {
  BufferViewFlowAnalysis views(function);
  SmallVector<memref::AllocOp> allocations;
  function.walk([&](memref::AllocOp allocation) {
    if (!allocation.getType().hasStaticShape())
      allocations.push_back(allocation);
  });
  for (memref::AllocOp allocation : allocations) {
    Block *block = allocation->getBlock();
    Operation *last = allocation;
    bool escapes = false;
    for (Value alias : views.resolve(allocation))
      for (Operation *user : alias.getUsers()) {
        Operation *at = block->findAncestorOpInBlock(*user);
        escapes |= !at || isa<host::FetchOp>(user) ||
                   at->hasTrait<OpTrait::IsTerminator>();
        if (at && last->isBeforeInBlock(at))
          last = at;
      }
    OpBuilder builder(allocation);
    Value buffer = host::AllocateOp::create(builder, allocation.getLoc(),
                                            allocation.getType(),
                                            allocation.getDynamicSizes());
    if (!escapes) {
      builder.setInsertionPointAfter(last);
      host::ReleaseOp::create(builder, allocation.getLoc(), buffer);
    }
    allocation.replaceAllUsesWith(buffer);
    allocation.erase();
  }
  return allocations.size();
}

struct PlanArena : ::ingot::hostgen::impl::PlanArenaPassBase<PlanArena> {
  using PlanArenaPassBase::PlanArenaPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function->hasAttr(host::kernelAttrName) || function.isExternal())
        continue;
      Block &body = function.getBody().front();
      numDynamic += allocateDynamicBuffers(function);
      std::vector<ArenaBuffer> buffers = arenaBuffersOf(function);
      int64_t size = layOutArena(buffers, bytesApartIn(function));
      LLVM_DEBUG(llvm::dbgs()
                 << "arena of " << function.getName() << ": " << buffers.size()
                 << " buffers of " << bytesOf(buffers) << " bytes in " << size
                 << " bytes, of which at most " << liveBytesOf(buffers)
                 << " are live at a time\n");
      numBuffers += buffers.size();
      bufferBytes += bytesOf(buffers);
      liveBytes += liveBytesOf(buffers);
      arenaBytes += size;
      Builder builder(&getContext());
      function->setAttr(host::arenaAttrName, builder.getI64IntegerAttr(size));
      auto pointer = LLVM::LLVMPointerType::get(&getContext());
      (void)function.insertArgument(body.getNumArguments(), pointer,
                                    DictionaryAttr(), function.getLoc());
      replaceBySlices(buffers, body.getArguments().back());
    }
  }

private:
  /// Returns the total size up to which the buffers of `function` share no
  /// memory: an arena with a limit has to stay below it.
  int64_t bytesApartIn(func::FuncOp function) const {
    auto limit = function->getAttrOfType<IntegerAttr>(host::arenaLimitAttrName);
    return limit ? std::min<int64_t>(bytesApart,
                                     limit.getInt() -
                                         argumentTableBytesOf(function))
                 : bytesApart;
  }
};

} // namespace
