//===- ElideResultCopies.cpp - Elide copies to dynamically sized results --===//
// SPDX-License-Identifier: Apache-2.0
//
// Removes copies of a temporary of dynamic size to a result of the kernel.
// One-Shot Bufferize computes a result in its destination only if the types of
// both prove that their sizes are equal. Types with dynamic sizes cannot prove
// this. But a copy at the end of the kernel does, as the source and the target
// of a copy have the same shape.
//
//===----------------------------------------------------------------------===//

#include "codegen/Kernels/Passes.h"

#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "llvm/ADT/STLExtras.h"

namespace ingot::kernels {
#define GEN_PASS_DEF_ELIDERESULTCOPIESPASS
#include "codegen/Kernels/Passes.h.inc"
} // namespace ingot::kernels

using namespace mlir;

/// Whether only other copies follow the copy in its block. Then its source is
/// complete, and only copies read the source later.
static bool isAtEnd(memref::CopyOp copy) {
  for (Operation *op = copy->getNextNode(); op; op = op->getNextNode())
    if (!isa<memref::CopyOp, memref::DeallocOp, func::ReturnOp>(op))
      return false;
  return true;
}

/// Whether the copy is the only op that accesses the memory of `result`, an
/// argument of the kernel.
static bool isOnlyWritten(Value result, memref::CopyOp copy) {
  return isa<BlockArgument>(result) &&
         llvm::all_of(result.getUsers(), [&](Operation *user) {
           return user == copy || isa<memref::DimOp>(user);
         });
}

/// Returns the copy's target, or a new view of it, as a buffer with the type of
/// `allocation`, the copied buffer. Returns null if the two shapes allow no
/// view.
static Value resultAs(memref::AllocOp allocation, memref::CopyOp copy) {
  Value result = copy.getTarget();
  MemRefType type = allocation.getType();
  if (copy.getSource() == allocation.getResult())
    return result.getType() == type ? result : Value();
  auto reshape = copy.getSource().getDefiningOp<memref::ReshapeOp>();
  if (!reshape || reshape.getSource() != allocation.getResult() ||
      reshape.getType() != result.getType())
    return Value();
  auto groups = getReassociationIndicesForReshape(
      cast<MemRefType>(result.getType()), type);
  if (!groups || type.getRank() >= cast<MemRefType>(result.getType()).getRank())
    return Value();
  OpBuilder builder(allocation);
  return memref::CollapseShapeOp::create(builder, allocation.getLoc(), type,
                                         result, *groups);
}

/// Returns the allocation that the copy reads, directly or through a reshape,
/// if it has a dynamic size and is in the copy's block. Otherwise returns null.
static memref::AllocOp allocationOf(memref::CopyOp copy) {
  Value source = copy.getSource();
  if (auto reshape = source.getDefiningOp<memref::ReshapeOp>())
    source = reshape.getSource();
  auto allocation = source.getDefiningOp<memref::AllocOp>();
  bool isDynamic = allocation && !allocation.getType().hasStaticShape();
  return isDynamic && allocation->getBlock() == copy->getBlock()
             ? allocation
             : memref::AllocOp();
}

/// Finds the other allocations that use the same dynamic sizes as `allocation`,
/// and makes them read these sizes from `result`, the kernel's argument that
/// replaces `allocation`. A launch knows the sizes of arguments, but not those
/// of temporaries.
static void tellSizes(memref::AllocOp allocation, Value result) {
  OpBuilder builder(allocation);
  for (unsigned dim = 0; dim < allocation.getType().getRank(); ++dim) {
    if (!allocation.getType().isDynamicDim(dim))
      continue;
    Value size =
        allocation
            .getDynamicSizes()[allocation.getType().getDynamicDimIndex(dim)];
    SmallVector<OpOperand *> others;
    for (OpOperand &use : size.getUses())
      if (isa<memref::AllocOp>(use.getOwner()) &&
          use.getOwner() != allocation.getOperation())
        others.push_back(&use);
    for (OpOperand *use : others) {
      builder.setInsertionPoint(use->getOwner());
      use->set(
          memref::DimOp::create(builder, allocation.getLoc(), result, dim));
    }
  }
}

/// Replaces temporaries by the results to which they are copied, and erases the
/// copies. Returns the number of erased copies.
static unsigned computeInResults(func::FuncOp kernel) {
  unsigned numElided = 0;
  SmallVector<memref::CopyOp> copies(
      kernel.getBody().front().getOps<memref::CopyOp>());
  for (memref::CopyOp copy : copies) {
    memref::AllocOp allocation = allocationOf(copy);
    if (!allocation || !isAtEnd(copy) || !isOnlyWritten(copy.getTarget(), copy))
      continue;
    Value result = resultAs(allocation, copy);
    if (!result)
      continue;
    Operation *source = copy.getSource().getDefiningOp();
    if (isa<BlockArgument>(result))
      tellSizes(allocation, result);
    copy.erase();
    if (source != allocation.getOperation() && source->use_empty())
      source->erase();
    allocation.replaceAllUsesWith(result);
    allocation.erase();
    ++numElided;
  }
  return numElided;
}

namespace {
struct ElideResultCopies
    : ::ingot::kernels::impl::ElideResultCopiesPassBase<ElideResultCopies> {
  void runOnOperation() override {
    unsigned elided = 0;
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (kernel->hasAttr(host::kernelAttrName) && !kernel.isExternal())
        elided += computeInResults(kernel);
    if (elided == 0)
      markAllAnalysesPreserved();
    numElided += elided;
  }
};
} // namespace
