//===- AssignMemorySpaces.cpp - Temporaries in shared or scratch memory ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Replaces each allocation of a kernel by a view of shared memory or of scratch
// memory, or by memory private to each thread.
//
//===----------------------------------------------------------------------===//

#include "codegen/Backend.h"
#include "codegen/Kernels/KernelAccess.h"
#include "codegen/PTX/DeviceConstants.h"
#include "codegen/PTX/Passes.h"
#include "codegen/PTX/ScratchLayout.h"
#include "runtime/ABI/Tensor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Debug.h"

namespace ingot::ptx {
#define GEN_PASS_DEF_ASSIGNMEMORYSPACESPASS
#include "codegen/PTX/Passes.h.inc"
} // namespace ingot::ptx

#define DEBUG_TYPE "ingot-ptx-assign-memory-spaces"

using namespace mlir;
using namespace ::ingot::ptx;

/// The maximum size, in bytes, of a buffer of which each thread may have a
/// private copy. The shape operand of a reshape is an example of such a buffer.
static constexpr int64_t maxPrivateBytes = 128;

/// Returns the size in bytes of a buffer of static size, rounded up to a
/// multiple of scratchAlignment.
static int64_t bytesOf(MemRefType type) {
  return llvm::alignTo(type.getNumElements() * ::ingot::kernels::elementBytes(
                                                   type.getElementType()),
                       scratchAlignment);
}

/// Whether each thread may have a private copy of the buffer: it is small, all
/// threads store the same scalars to it, and its elements are loaded one by
/// one.
static bool isPrivate(memref::AllocOp allocation) {
  return allocation.getType().hasStaticShape() &&
         bytesOf(allocation.getType()) <= maxPrivateBytes &&
         llvm::all_of(allocation->getUsers(), [&](Operation *user) {
           if (auto reshape = dyn_cast<memref::ReshapeOp>(user))
             return reshape.getSource() != allocation.getResult();
           return isa<memref::StoreOp, memref::LoadOp>(user);
         });
}

/// Returns the alignment that a buffer needs on a device. An alignment of at
/// most INGOT_ALIGNMENT is there for CPUs only, so it is replaced by
/// scratchAlignment. A larger alignment is kept.
static int64_t alignmentOf(memref::AllocOp allocation) {
  int64_t wanted = allocation.getAlignment().value_or(1);
  return wanted > INGOT_ALIGNMENT ? wanted : scratchAlignment;
}

namespace {

/// Replaces the allocations of one kernel by thread-private memory, by parts of
/// shared memory, or by parts of scratch memory.
class MemorySpaceAssigner {
public:
  explicit MemorySpaceAssigner(func::FuncOp kernel)
      : kernel(kernel), body(kernel.getBody().front()) {}

  /// The pass statistics of one kernel: the numbers of allocations that became
  /// local memory of threads, shared memory and scratch memory.
  struct AllocationCountsByMemorySpace {
    unsigned ofThreads = 0, shared = 0, scratch = 0;
  };

  AllocationCountsByMemorySpace run() {
    kernel.walk([](memref::DeallocOp op) { op.erase(); });
    SmallVector<memref::AllocOp> own, common, large;
    memref::AllocOp dynamic;
    kernel.walk([&](memref::AllocOp op) {
      if (op->hasAttr(dynamicMemoryAttrName))
        dynamic = op;
      else if (op->hasAttr(allBlocksAttrName))
        common.push_back(op);
      else if (!op.getType().hasStaticShape())
        large.push_back(op);
      else if (isPrivate(op))
        makePrivate(op);
      else
        own.push_back(op);
    });
    if (dynamic)
      placeInDynamic(dynamic);
    SmallVector<memref::AllocOp> rest = placeInShared(own);
    counts.shared = own.size() - rest.size() + (dynamic ? 1 : 0);
    llvm::append_range(large, rest);
    counts.scratch = large.size() + common.size();
    LLVM_DEBUG(llvm::dbgs() << kernel.getName() << ": " << counts.ofThreads
                            << " buffers private to threads, " << counts.shared
                            << " in shared memory, " << counts.scratch
                            << " in scratch memory\n");
    if (!large.empty() || !common.empty()) {
      ScratchLayout scratch(kernel, common, large);
      if (StringRef reason = scratch.measure(); !reason.empty()) {
        leaveToHost(kernel, reason);
        return counts;
      }
      scratch.place();
    }
    kernel.setType(
        FunctionType::get(kernel.getContext(), body.getArgumentTypes(), {}));
    return counts;
  }

private:
  void makePrivate(memref::AllocOp allocation) {
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    Value buffer = memref::AllocaOp::create(builder, allocation.getLoc(),
                                            allocation.getType());
    replace(allocation, buffer);
    ++counts.ofThreads;
  }

  static void replace(memref::AllocOp allocation, Value buffer) {
    allocation.replaceAllUsesWith(buffer);
    allocation.erase();
  }

  /// Returns the most bytes of shared memory through which threads may combine
  /// partial results of the kernel's ops.
  int64_t bytesOfReductions() {
    WalkResult found = kernel.getBody().walk([](linalg::LinalgOp op) {
      return op.getNumReductionLoops() != 0 ? WalkResult::interrupt()
                                            : WalkResult::advance();
    });
    int64_t sums = found.wasInterrupted() ? maxThreads * maxPartialBytes : 0;
    return partialsBytes + sums;
  }

  /// Places buffers in shared memory, the smallest first, so that as many as
  /// possible fit. Returns the buffers that do not fit.
  SmallVector<memref::AllocOp>
  placeInShared(SmallVectorImpl<memref::AllocOp> &allocations) {
    llvm::stable_sort(allocations, [](memref::AllocOp a, memref::AllocOp b) {
      return bytesOf(a.getType()) < bytesOf(b.getType());
    });
    SmallVector<memref::AllocOp> large, small;
    SmallVector<int64_t> offsets;
    int64_t total = 0;
    int64_t limit = maxSharedBytes - bytesOfReductions();
    int64_t widest = scratchAlignment;
    for (memref::AllocOp allocation : allocations) {
      int64_t start = llvm::alignTo(total, alignmentOf(allocation));
      int64_t end = start + bytesOf(allocation.getType());
      if (end > limit) {
        large.push_back(allocation);
        continue;
      }
      total = end;
      offsets.push_back(start);
      widest = std::max(widest, alignmentOf(allocation));
      small.push_back(allocation);
    }
    if (small.empty())
      return large;
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    Location loc = kernel.getLoc();
    Attribute space = builder.getI64IntegerAttr(sharedSpace);
    auto type =
        MemRefType::get({total}, builder.getI8Type(), AffineMap(), space);
    Value shared = memref::GetGlobalOp::create(builder, loc, type,
                                               declareShared(type, widest));
    for (auto [allocation, offset] : llvm::zip(small, offsets)) {
      builder.setInsertionPoint(allocation);
      MemRefType generic = allocation.getType();
      auto here = MemRefType::get(generic.getShape(), generic.getElementType(),
                                  AffineMap(), space);
      Value view = memref::ViewOp::create(
          builder, loc, here, shared,
          arith::ConstantIndexOp::create(builder, loc, offset), ValueRange());
      replace(allocation,
              memref::MemorySpaceCastOp::create(builder, loc, generic, view));
    }
    kernel->setAttr(::ingot::codegen::sharedAttrName,
                    builder.getI64IntegerAttr(total));
    return large;
  }

  /// Declares a global for the kernel's shared memory, and returns its name. If
  /// `isDynamic`, the global has no size, as the launch provides the memory.
  std::string declareShared(MemRefType type, int64_t alignment,
                            bool isDynamic = false) {
    std::string name =
        (kernel.getName() + (isDynamic ? "_dynamic" : "_shared")).str();
    OpBuilder builder(kernel);
    // A global without a definition must not be private: LLVM does not allow
    // private declarations.
    StringAttr visibility;
    Attribute value;
    if (!isDynamic) {
      visibility = builder.getStringAttr("private");
      value = builder.getUnitAttr();
    }
    memref::GlobalOp::create(builder, kernel.getLoc(), name, visibility, type,
                             value, /*constant=*/false,
                             builder.getI64IntegerAttr(alignment));
    return name;
  }

  /// Replaces the allocation marked `host.dynamic_memory` by dynamic shared
  /// memory, which the launch provides.
  void placeInDynamic(memref::AllocOp allocation) {
    OpBuilder builder(allocation);
    Location loc = allocation.getLoc();
    MemRefType generic = allocation.getType();
    Attribute space = builder.getI64IntegerAttr(sharedSpace);
    auto type = MemRefType::get({0}, builder.getI8Type(), AffineMap(), space);
    Value shared = memref::GetGlobalOp::create(
        builder, loc, type,
        declareShared(type, alignmentOf(allocation), /*isDynamic=*/true));
    Value view = memref::ViewOp::create(
        builder, loc,
        MemRefType::get(generic.getShape(), generic.getElementType(),
                        AffineMap(), space),
        shared, arith::ConstantIndexOp::create(builder, loc, 0), ValueRange());
    kernel->setAttr(::ingot::codegen::dynamicSharedAttrName,
                    builder.getI64IntegerAttr(bytesOf(generic)));
    replace(allocation,
            memref::MemorySpaceCastOp::create(builder, loc, generic, view));
  }

  func::FuncOp kernel;
  Block &body;
  AllocationCountsByMemorySpace counts;
};

struct AssignMemorySpaces
    : ::ingot::ptx::impl::AssignMemorySpacesPassBase<AssignMemorySpaces> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> kernels(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp kernel : kernels) {
      if (!isDeviceKernel(kernel))
        continue;
      MemorySpaceAssigner::AllocationCountsByMemorySpace counts =
          MemorySpaceAssigner(kernel).run();
      numPrivate += counts.ofThreads;
      numShared += counts.shared;
      numScratch += counts.scratch;
    }
  }
};

} // namespace
