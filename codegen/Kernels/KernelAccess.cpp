//===- KernelAccess.cpp - Analyses of a kernel's accesses -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Kernels/KernelAccess.h"

#include "codegen/Kernels/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace ingot::kernels {

std::optional<int64_t> boundOf(OpFoldResult size) {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return constant;
  auto min = cast<Value>(size).getDefiningOp<affine::AffineMinOp>();
  std::optional<int64_t> bound;
  if (min)
    for (AffineExpr result : min.getMap().getResults())
      if (auto constant = dyn_cast<AffineConstantExpr>(result))
        bound =
            std::min(bound.value_or(constant.getValue()), constant.getValue());
  return bound;
}

std::optional<int64_t> knownBoundOf(Value view, int64_t dim) {
  auto type = cast<MemRefType>(view.getType());
  if (!type.isDynamicDim(dim))
    return type.getDimSize(dim);
  auto slice = view.getDefiningOp<memref::SubViewOp>();
  if (!slice)
    return std::nullopt;
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  int64_t seen = -1;
  for (auto [from, size] : llvm::enumerate(slice.getMixedSizes()))
    if (!dropped.test(from) && ++seen == dim)
      return boundOf(size);
  return std::nullopt;
}

int64_t boundOf(Value view, int64_t dim) {
  return knownBoundOf(view, dim).value_or(assumedSize);
}

SmallVector<int64_t> boundedRanges(linalg::LinalgOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<int64_t> known = ranges;
  for (OpOperand &operand : op->getOpOperands())
    for (auto [position, result] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(result);
          dim && ShapedType::isDynamic(known[dim.getPosition()]))
        ranges[dim.getPosition()] = boundOf(operand.get(), position);
  return ranges;
}

bool isContiguousInside(Value buffer) {
  auto [strides, offset] =
      cast<MemRefType>(buffer.getType()).getStridesAndOffset();
  return !strides.empty() && strides.back() == 1;
}

scf::ForOp gridLoopOf(func::FuncOp kernel) {
  for (auto loop : kernel.getBody().front().getOps<scf::ForOp>())
    if (loop->hasAttr(gridLoopAttrName))
      return loop;
  return {};
}

bool areSameView(Value a, Value b) {
  if (a == b)
    return true;
  auto first = a.getDefiningOp<memref::SubViewOp>();
  auto second = b.getDefiningOp<memref::SubViewOp>();
  return first && second && first.getType() == second.getType() &&
         areSameView(first.getSource(), second.getSource()) &&
         first.getMixedOffsets() == second.getMixedOffsets() &&
         first.getMixedSizes() == second.getMixedSizes() &&
         first.getMixedStrides() == second.getMixedStrides();
}

Value rootOf(Value view) {
  while (auto op = view.getDefiningOp<ViewLikeOpInterface>())
    view = op.getViewSource();
  return view;
}

/// Returns the only dimension of `group` whose size in `shape` is not 1.
/// Returns the first dimension if all sizes are 1, and std::nullopt if more
/// than one size is not 1.
static std::optional<int64_t> longDimension(ArrayRef<int64_t> group,
                                            ArrayRef<int64_t> shape) {
  std::optional<int64_t> found;
  for (int64_t dim : group) {
    if (shape[dim] == 1)
      continue;
    if (found)
      return std::nullopt;
    found = dim;
  }
  return found ? found : std::optional<int64_t>(group.front());
}

/// Maps dimension `dim` of one side of an expand_shape or collapse_shape to the
/// corresponding dimension of the other side. `parts` is the shape of the
/// expanded side, and `groups[i]` lists the dimensions of the expanded side
/// that correspond to dimension i of the collapsed side. `fromParts` says
/// whether `dim` is a dimension of the expanded side. Returns std::nullopt if
/// no dimension corresponds to `dim`.
static std::optional<int64_t>
throughGroups(ArrayRef<ReassociationIndices> groups, ArrayRef<int64_t> parts,
              int64_t dim, bool fromParts) {
  if (!fromParts)
    return longDimension(groups[dim], parts);
  for (auto [index, group] : llvm::enumerate(groups))
    if (llvm::is_contained(group, dim))
      return longDimension(group, parts) == dim ? std::optional<int64_t>(index)
                                                : std::nullopt;
  return std::nullopt;
}

/// Returns the dimension of a slice's source to which dimension `dim` of the
/// slice corresponds, or std::nullopt if the slice has only a part of the
/// source along that dimension.
static std::optional<int64_t> throughSlice(memref::SubViewOp slice,
                                           int64_t dim) {
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  MemRefType source = slice.getSourceType();
  int64_t seen = -1;
  for (int64_t from = 0; from < source.getRank(); ++from) {
    if (dropped.test(from) || ++seen != dim)
      continue;
    bool isWhole = getConstantIntValue(slice.getMixedOffsets()[from]) == 0 &&
                   getConstantIntValue(slice.getMixedStrides()[from]) == 1 &&
                   !source.isDynamicDim(from) &&
                   getConstantIntValue(slice.getMixedSizes()[from]) ==
                       source.getDimSize(from);
    return isWhole ? std::optional<int64_t>(from) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<int64_t> rootDimension(Value view, int64_t dim) {
  while (Operation *op = view.getDefiningOp()) {
    std::optional<int64_t> next;
    if (auto expand = dyn_cast<memref::ExpandShapeOp>(op)) {
      next = throughGroups(expand.getReassociationIndices(),
                           expand.getResultType().getShape(), dim,
                           /*fromParts=*/true);
      view = expand.getSrc();
    } else if (auto collapse = dyn_cast<memref::CollapseShapeOp>(op)) {
      next = throughGroups(collapse.getReassociationIndices(),
                           collapse.getSrcType().getShape(), dim,
                           /*fromParts=*/false);
      view = collapse.getSrc();
      if (!next && isa<BlockArgument>(view) &&
          collapse.getSrcType().hasStaticShape()) {
        ReassociationIndices group = collapse.getReassociationIndices()[dim];
        int64_t rank = collapse.getSrcType().getRank();
        return rank + rank * group.front() + group.back();
      }
    } else if (auto slice = dyn_cast<memref::SubViewOp>(op)) {
      next = throughSlice(slice, dim);
      view = slice.getSource();
    } else if (auto cast = dyn_cast<memref::CastOp>(op)) {
      next = dim;
      view = cast.getSource();
    } else if (isa<ViewLikeOpInterface>(op)) {
      return std::nullopt;
    } else {
      break;
    }
    if (!next)
      return std::nullopt;
    dim = *next;
  }
  return dim;
}

/// Returns the approximate cost of `op`, in units of one multiplication.
static int64_t weightOf(Operation &op) {
  if (isa<arith::ConstantOp, arith::IndexCastOp, linalg::IndexOp,
          linalg::YieldOp>(op))
    return 0;
  if (isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp, arith::DivUIOp,
          arith::RemSIOp, arith::RemUIOp, math::SqrtOp>(op))
    return operationsPerDivision;
  if (isa<math::AbsFOp, math::FloorOp, math::CeilOp, math::FmaOp,
          math::CopySignOp>(op))
    return 1;
  if (isa<host::RandomBitsOp, host::ThreefryOp>(op))
    return operationsPerRandomNumber;
  return isa<math::MathDialect>(op.getDialect()) ? 16 : 1;
}

int64_t operationsPerElement(linalg::LinalgOp op) {
  int64_t operations = 0;
  op.getBlock()->walk(
      [&](Operation *member) { operations += weightOf(*member); });
  return operations;
}

int64_t elementBytes(Type type) {
  Type element = getElementTypeOrSelf(type);
  // An index takes 8 bytes: the shape operands of reshapes are stored as
  // buffers of indices.
  return element.isIndex()
             ? 8
             : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

} // namespace ingot::kernels
