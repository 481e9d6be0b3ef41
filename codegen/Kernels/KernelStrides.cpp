//===- KernelStrides.cpp - Rows that each grid iteration accesses ---------===//
// SPDX-License-Identifier: Apache-2.0
//
// Determines whether each iteration of a grid reads and writes only rows of its
// own. If so, a block of the next kernel may start as soon as the rows that it
// reads are complete, and need not wait for the whole grid of this kernel.
//
//===----------------------------------------------------------------------===//

#include "codegen/Kernels/KernelAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace ingot::kernels {

/// Whether `op` is in a branch that is taken only by the grid's last iteration,
/// which begins at row `row`. Such a branch computes the remainder of rows.
static bool isInLastIteration(Operation *op, scf::ForOp grid, int64_t row) {
  for (Operation *parent = op; parent && parent != grid.getOperation();
       parent = parent->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(parent->getParentOp());
    if (!branch || parent->getParentRegion() != &branch.getElseRegion())
      continue;
    auto compare = branch.getCondition().getDefiningOp<arith::CmpIOp>();
    if (compare && compare.getPredicate() == arith::CmpIPredicate::ult &&
        compare.getLhs() == grid.getInductionVar() &&
        getConstantIntValue(compare.getRhs()) == row)
      return true;
  }
  return false;
}

/// Whether `index` is the first row of the grid iteration in which `op` runs.
static bool isFirstRow(OpFoldResult index, Operation *op, scf::ForOp grid) {
  if (index == OpFoldResult(grid.getInductionVar()))
    return true;
  std::optional<int64_t> row = getConstantIntValue(index);
  return row && isInLastIteration(op, grid, *row);
}

/// Whether the slice has all rows of its source, possibly with fewer columns.
static bool hasAllRows(memref::SubViewOp slice) {
  MemRefType type = slice.getSourceType();
  return slice.getType().getRank() == type.getRank() &&
         getConstantIntValue(slice.getMixedOffsets().front()) == 0 &&
         getConstantIntValue(slice.getMixedSizes().front()) ==
             type.getDimSize(0) &&
         getConstantIntValue(slice.getMixedStrides().front()) == 1;
}

/// Whether `user` accesses only those rows of `buffer` that belong to its own
/// grid iteration, which has `step` rows.
static bool staysInBlock(Operation *user, Value buffer, scf::ForOp grid,
                         int64_t step) {
  if (auto slice = dyn_cast<memref::SubViewOp>(user);
      slice && hasAllRows(slice))
    return llvm::all_of(slice->getUsers(), [&](Operation *next) {
      return staysInBlock(next, slice, grid, step);
    });
  if (!grid->isProperAncestor(user))
    return false;
  if (auto slice = dyn_cast<memref::SubViewOp>(user)) {
    std::optional<int64_t> rows = boundOf(slice.getMixedSizes().front());
    return rows && *rows <= step &&
           getConstantIntValue(slice.getMixedStrides().front()) == 1 &&
           isFirstRow(slice.getMixedOffsets().front(), user, grid);
  }
  if (auto load = dyn_cast<memref::LoadOp>(user))
    return isFirstRow(load.getIndices().front(), user, grid);
  if (auto store = dyn_cast<memref::StoreOp>(user))
    return store.getMemRef() == buffer && store.getValue() != buffer &&
           isFirstRow(store.getIndices().front(), user, grid);
  return false;
}

// If all users of the argument access only rows of their own block, the stride
// is the number of rows of a block times the size of a row in bytes.
int64_t strideOf(BlockArgument argument, scf::ForOp grid) {
  auto type = dyn_cast<MemRefType>(argument.getType());
  std::optional<int64_t> step = getConstantIntValue(grid.getStep());
  if (!type || !type.hasStaticShape() || type.getRank() == 0 ||
      !type.getLayout().isIdentity() || !step ||
      getConstantIntValue(grid.getLowerBound()) != 0)
    return 0;
  if (!llvm::all_of(argument.getUsers(), [&](Operation *user) {
        return staysInBlock(user, argument, grid, *step);
      }))
    return 0;
  int64_t bytes = elementBytes(type) * *step;
  for (int64_t size : type.getShape().drop_front())
    bytes *= size;
  return bytes;
}

} // namespace ingot::kernels
