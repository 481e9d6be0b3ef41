//===- KernelPartitionDimension.cpp - The dimension of blocks -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Kernels/KernelPartitionDimension.h"

#include "codegen/Kernels/KernelAccess.h"

using namespace mlir;

namespace ingot::kernels {

ComputeOpWithLoopRanges::ComputeOpWithLoopRanges(linalg::LinalgOp op)
    : op(op), maps(op.getIndexingMapsArray()),
      ranges(op.getStaticLoopRanges()) {
  for (utils::IteratorType type : op.getIteratorTypesArray())
    isParallel.push_back(type == utils::IteratorType::parallel);
}

ComputeOpWithLoopRanges::ComputeOpWithLoopRanges(memref::CopyOp op) : op(op) {
  auto type = cast<MemRefType>(op.getSource().getType());
  maps.assign(
      2, AffineMap::getMultiDimIdentityMap(type.getRank(), op.getContext()));
  ranges = llvm::to_vector(type.getShape());
  isParallel.assign(type.getRank(), true);
}

ComputeOpWithLoopRanges::ComputeOpWithLoopRanges(scf::ForOp loops,
                                                 RowSparseUpdate updates)
    : op(loops), rows(std::move(updates)) {
  Builder b(loops.getContext());
  for (Value table : rows->tables) {
    auto type = cast<MemRefType>(table.getType());
    SmallVector<AffineExpr> results(type.getRank(), b.getAffineConstantExpr(0));
    results[0] = b.getAffineDimExpr(0);
    maps.push_back(AffineMap::get(1, 0, results, b.getContext()));
    ranges.assign(1, type.getDimSize(0));
  }
  isParallel.assign(1, true);
}

bool ComputeOpWithLoopRanges::writes(unsigned operand) const {
  if (rows)
    return true;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return linalgOp.isDpsInit(&op->getOpOperand(operand));
  return operand == 1;
}

bool ComputeOpWithLoopRanges::isBuffer(unsigned operand) const {
  return isa<MemRefType>(this->operand(operand).getType());
}

int64_t ComputeOpWithLoopRanges::iterations() const {
  int64_t product = times;
  for (int64_t range : ranges)
    product *= estimated(range);
  return product;
}

/// Returns the dimension of an operand whose index is just the induction
/// variable of loop `dim`. `map` is the operand's indexing map. Returns
/// std::nullopt if there is no such dimension, or if the loop indexes several
/// dimensions.
static std::optional<int64_t> positionOf(AffineMap map, int64_t dim) {
  std::optional<int64_t> found;
  for (auto [index, result] : llvm::enumerate(map.getResults())) {
    if (!result.isFunctionOfDim(dim))
      continue;
    if (found || !isa<AffineDimExpr>(result))
      return std::nullopt;
    found = index;
  }
  return found;
}

/// Returns the dimension of the loaded buffer that loop `dim` indexes directly,
/// or std::nullopt.
static std::optional<int64_t> positionOf(memref::LoadOp load, int64_t dim) {
  for (auto [index, value] : llvm::enumerate(load.getIndices()))
    if (auto op = value.getDefiningOp<linalg::IndexOp>();
        op && static_cast<int64_t>(op.getDim()) == dim)
      return index;
  return std::nullopt;
}

/// Whether an operand of the op has an index that combines loop `dim` with
/// other loops, such as output row + filter row in a convolution. Then a block
/// would read elements that neighbouring blocks write.
static bool readsBeyondBlocks(const ComputeOpWithLoopRanges &member,
                              int64_t dim) {
  return llvm::any_of(member.maps, [&](AffineMap map) {
    return llvm::any_of(map.getResults(), [&](AffineExpr result) {
      return !isa<AffineDimExpr>(result) && result.isFunctionOfDim(dim);
    });
  });
}

bool KernelPartitionDimension::cut(unsigned member, int64_t dim) {
  const ComputeOpWithLoopRanges &cutMember = members[member];
  if (cutMember.isPrelude)
    return true;
  if (loops[member] >= 0)
    return loops[member] == dim;
  if (!cutMember.isParallel[dim] || readsBeyondBlocks(cutMember, dim) ||
      (extent && *extent != cutMember.ranges[dim]))
    return false;
  extent = cutMember.ranges[dim];
  loops[member] = dim;
  return cutBuffersOf(cutMember, dim);
}

/// Divides each buffer that the kernel writes and that loop `dim` of `member`
/// indexes into the same blocks as the loop, along the dimension that the loop
/// indexes. Returns false if one of these buffers cannot be divided.
bool KernelPartitionDimension::cutBuffersOf(
    const ComputeOpWithLoopRanges &member, int64_t dim) {
  auto cutView = [&](Value view, std::optional<int64_t> position) {
    Value root = rootOf(view);
    if (!written.contains(root))
      return true;
    std::optional<int64_t> rootDim =
        position ? rootDimension(view, *position) : std::nullopt;
    return rootDim && cutBuffer(root, *rootDim);
  };
  for (unsigned operand = 0; operand < member.maps.size(); ++operand)
    if (member.isBuffer(operand) &&
        !cutView(member.operand(operand),
                 positionOf(member.maps[operand], dim)))
      return false;
  bool isCut = true;
  // If the op's body loads from a buffer that the kernel writes, the buffer is
  // divided along the loaded dimension, too. The size of this dimension must be
  // the loop's extent. If the extent is dynamic, this cannot be proven: in a
  // slice or a concatenation, for example, the size and the extent differ.
  if (auto op = dyn_cast<linalg::LinalgOp>(member.op))
    op.getBlock()->walk([&](memref::LoadOp load) {
      isCut = isCut &&
              (!written.contains(rootOf(load.getMemRef())) ||
               !ShapedType::isDynamic(member.ranges[dim])) &&
              cutView(load.getMemRef(), positionOf(load, dim));
    });
  return isCut;
}

/// Divides the written buffer `root` into blocks along dimension `dim`, and
/// then all ops that access the buffer. Returns false if one of these ops
/// cannot be divided, or if the buffer is already divided along another
/// dimension.
bool KernelPartitionDimension::cutBuffer(Value root, int64_t dim) {
  auto [it, isNew] = buffers.try_emplace(root, dim);
  if (!isNew)
    return it->second == dim;
  for (unsigned index = 0; index < members.size(); ++index) {
    const ComputeOpWithLoopRanges &member = members[index];
    for (unsigned operand = 0; operand < member.maps.size(); ++operand) {
      Value view = member.operand(operand);
      if (!member.isBuffer(operand) || rootOf(view) != root)
        continue;
      std::optional<int64_t> loop;
      for (auto [position, result] :
           llvm::enumerate(member.maps[operand].getResults()))
        if (rootDimension(view, position) == dim)
          if (auto expression = dyn_cast<AffineDimExpr>(result))
            loop = expression.getPosition();
      if (!loop || !cut(index, *loop))
        return false;
    }
    if (auto op = dyn_cast<linalg::LinalgOp>(member.op))
      if (!cutLoads(op, index, root, dim))
        return false;
  }
  return true;
}

bool KernelPartitionDimension::cutLoads(linalg::LinalgOp op, unsigned member,
                                        Value root, int64_t dim) {
  bool isCut = true;
  op.getBlock()->walk([&](memref::LoadOp load) {
    if (rootOf(load.getMemRef()) != root)
      return;
    std::optional<int64_t> loop;
    for (auto [position, value] : llvm::enumerate(load.getIndices()))
      if (rootDimension(load.getMemRef(), position) == dim)
        if (auto index = value.getDefiningOp<linalg::IndexOp>())
          loop = index.getDim();
    isCut = isCut && loop &&
            !ShapedType::isDynamic(members[member].ranges[*loop]) &&
            cut(member, *loop);
  });
  return isCut;
}

/// Whether the ops that are not divided into blocks have little work compared
/// with the largest op, so that the first block may run them. They and the
/// divided ops have no written buffer in common, because cutBuffer() divides
/// all ops that access a buffer that it divides.
bool KernelPartitionDimension::leavesLittle() const {
  constexpr int64_t minShare = 16;
  int64_t left = 0, most = 0;
  for (unsigned index = 0; index < members.size(); ++index) {
    const ComputeOpWithLoopRanges &member = members[index];
    most = std::max(most, member.iterations());
    if (!isLeft(index))
      continue;
    left += member.iterations();
    if (member.rows || !isa<func::FuncOp>(member.op->getParentOp()))
      return false;
  }
  return left <= most / minShare;
}

bool KernelPartitionDimension::cutRest(bool leavesSmall) {
  for (unsigned index = 0; index < members.size(); ++index) {
    const ComputeOpWithLoopRanges &member = members[index];
    if (member.isPrelude || loops[index] >= 0)
      continue;
    // A dynamic extent cannot be proven to be equal to the extent of another
    // loop, so none of the ops without a divided loop can be divided into the
    // same blocks.
    if (ShapedType::isDynamic(*extent))
      return false;
    bool isCut = false;
    for (int64_t dim = 0; dim < std::ssize(member.ranges) && !isCut; ++dim) {
      KernelPartitionDimension attempt(*this);
      if (!attempt.cut(index, dim))
        continue;
      loops = attempt.loops;
      buffers = attempt.buffers;
      isCut = true;
    }
    if (!isCut && !leavesSmall)
      return false;
  }
  return leavesLittle();
}

} // namespace ingot::kernels
