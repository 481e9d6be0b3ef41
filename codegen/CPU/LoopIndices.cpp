//===- LoopIndices.cpp - Indices of loops in the bodies of ops ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/CPU/LoopIndices.h"

using namespace mlir;

namespace ingot::cpu {

bool isLoopIndex(Value value, int64_t loop) {
  auto index = value.getDefiningOp<linalg::IndexOp>();
  return index && index.getDim() == static_cast<uint64_t>(loop);
}

void eraseUnused(RewriterBase &rewriter, Block &block) {
  SmallVector<Operation *> ops;
  for (Operation &op : block)
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      rewriter.eraseOp(op);
}

/// Returns the groups of dimensions of `type` of which the last has the last
/// `numLast` dimensions, and each other one a single dimension.
static SmallVector<ReassociationIndices> lastDimensions(MemRefType type,
                                                        size_t numLast) {
  SmallVector<ReassociationIndices> groups;
  int64_t first = type.getRank() - static_cast<int64_t>(numLast);
  for (int64_t dim = 0; dim < first; ++dim)
    groups.push_back({dim});
  groups.push_back(llvm::to_vector(llvm::seq<int64_t>(first, type.getRank())));
  return groups;
}

/// Whether the last indices of `load` are those of `loops`, and elements along
/// these loops, whose trip counts are `ranges`, follow each other in memory.
static bool isAlong(memref::LoadOp load, ArrayRef<int64_t> loops,
                    ArrayRef<int64_t> ranges) {
  MemRefType type = load.getMemRefType();
  if (static_cast<size_t>(type.getRank()) < loops.size())
    return false;
  for (auto [loop, index, size] :
       llvm::zip_equal(loops, load.getIndices().take_back(loops.size()),
                       type.getShape().take_back(loops.size()))) {
    bool isRow = loop == loops.front() ||
                 (!ShapedType::isDynamic(size) && size == ranges[loop]);
    if (!isRow || !isLoopIndex(index, loop))
      return false;
  }
  return memref::CollapseShapeOp::isGuaranteedCollapsible(
      type, lastDimensions(type, loops.size()));
}

std::optional<SmallVector<memref::LoadOp>> loadsAlong(linalg::LinalgOp op,
                                                      ArrayRef<int64_t> loops) {
  SmallVector<memref::LoadOp> loads;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (auto load : op.getBlock()->getOps<memref::LoadOp>())
    if (load.getMemRef().getParentBlock() != op.getBlock() &&
        isAlong(load, loops, ranges))
      loads.push_back(load);
  auto isOther = [&](OpOperand &use) {
    auto load = dyn_cast<memref::LoadOp>(use.getOwner());
    return !load || !llvm::is_contained(loads, load) ||
           use.getOperandNumber() <= load.getIndices().size() - loops.size();
  };
  for (auto index : op.getBlock()->getOps<linalg::IndexOp>())
    if (llvm::is_contained(loops, static_cast<int64_t>(index.getDim())) &&
        llvm::any_of(index->getUses(), isOther))
      return std::nullopt;
  return loads;
}

void readAlongCollapsedLoop(RewriterBase &rewriter, memref::LoadOp load,
                            size_t numLoops) {
  auto op = load->getParentOfType<linalg::LinalgOp>();
  rewriter.setInsertionPoint(op);
  Value collapsed = memref::CollapseShapeOp::create(
      rewriter, load.getLoc(), load.getMemRef(),
      lastDimensions(load.getMemRefType(), numLoops));
  rewriter.setInsertionPoint(load);
  SmallVector<Value> indices(load.getIndices().drop_back(numLoops));
  indices.push_back(
      linalg::IndexOp::create(rewriter, load.getLoc(), op.getNumLoops() - 1));
  rewriter.replaceOpWithNewOp<memref::LoadOp>(load, collapsed, indices);
}

} // namespace ingot::cpu
