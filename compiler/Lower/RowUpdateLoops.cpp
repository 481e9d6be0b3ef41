//===- RowUpdateLoops.cpp - Loops over row indices ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/RowUpdateLoops.h"

using namespace mlir;

namespace ingot::lower {

using Builder = ImplicitLocOpBuilder;

namespace {
struct TensorRowSlice {
  TensorRowSlice(Builder &b, Value tensor, ArrayRef<OpFoldResult> first) {
    Sizes all = sizesOf(b, b.getLoc(), tensor);
    for (auto [dimension, size] : llvm::enumerate(all)) {
      bool isChosen = dimension < first.size();
      offsets.push_back(isChosen ? first[dimension]
                                 : OpFoldResult(b.getIndexAttr(0)));
      sizes.push_back(isChosen ? OpFoldResult(b.getIndexAttr(1)) : size);
      strides.push_back(b.getIndexAttr(1));
    }
  }
  SmallVector<OpFoldResult> offsets, sizes, strides;
};

class RowUpdateLoops {
public:
  RowUpdateLoops(Builder &b, Value indices, int64_t depth, bool nd,
                 RowFunction row, ConditionFunction condition)
      : b(b), indices(indices), depth(depth), nd(nd), row(row),
        condition(condition), sizes(sizesOf(b, b.getLoc(), indices)) {
    if (nd)
      sizes.pop_back();
    zero = arith::ConstantIndexOp::create(b, 0);
    one = arith::ConstantIndexOp::create(b, 1);
  }

  /// Builds a loop over each dimension of `indices` for which `position` does
  /// not hold an index yet. Builds the update of a row in the innermost loop.
  /// Returns the updated tables.
  SmallVector<Value> loop(ArrayRef<Value> tables) {
    if (position.size() == sizes.size())
      return updateRow(tables);
    Value end = sizeValue(b, b.getLoc(), sizes[position.size()]);
    auto loop = scf::ForOp::create(b, zero, end, one, tables);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    position.push_back(loop.getInductionVar());
    SmallVector<Value> updated =
        this->loop(llvm::to_vector_of<Value>(loop.getRegionIterArgs()));
    scf::YieldOp::create(b, updated);
    position.pop_back();
    return loop.getResults();
  }

private:
  /// Updates the rows that the index at `position` selects. If the index is out
  /// of bounds, no row is read or written.
  SmallVector<Value> updateRow(ArrayRef<Value> tables) {
    SmallVector<OpFoldResult> chosen;
    Value isChosen = condition ? condition(b, position) : Value();
    for (int64_t i = 0; i < depth; ++i) {
      SmallVector<Value> at = position;
      if (nd)
        at.push_back(arith::ConstantIndexOp::create(b, i));
      Value index = extractIndex(b, indices, at);
      chosen.push_back(index);
      Value inside = isWithin(b, index, tables.front(), i);
      isChosen =
          isChosen ? Value(arith::AndIOp::create(b, isChosen, inside)) : inside;
    }
    if (!isChosen) // With a depth of 0, the row is the whole table.
      return computeRow(tables, chosen);
    auto branch = scf::IfOp::create(b, TypeRange(ValueRange(tables)), isChosen,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(branch.thenBlock());
    scf::YieldOp::create(b, computeRow(tables, chosen));
    b.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(b, ValueRange(tables));
    return branch.getResults();
  }

  SmallVector<Value> computeRow(ArrayRef<Value> tables,
                                ArrayRef<OpFoldResult> chosen) {
    SmallVector<Value> rows;
    for (Value table : tables)
      rows.push_back(extractRow(b, table, chosen));
    SmallVector<Value> updated;
    for (auto [table, newRow] : llvm::zip(tables, row(b, rows, position))) {
      TensorRowSlice slice(b, table, chosen);
      updated.push_back(tensor::InsertSliceOp::create(
          b, newRow, table, slice.offsets, slice.sizes, slice.strides));
    }
    return updated;
  }

  Builder &b;
  Value indices;
  int64_t depth;
  bool nd;
  RowFunction row;
  ConditionFunction condition;
  Sizes sizes; // trip counts of the loops
  SmallVector<Value> position;
  Value zero, one;
};
} // namespace

Value extractRow(Builder &b, Value tensor, ArrayRef<OpFoldResult> first) {
  auto type = cast<RankedTensorType>(tensor.getType());
  auto row = RankedTensorType::get(type.getShape().drop_front(first.size()),
                                   type.getElementType());
  TensorRowSlice slice(b, tensor, first);
  return tensor::ExtractSliceOp::create(b, row, tensor, slice.offsets,
                                        slice.sizes, slice.strides);
}

Value extractIndex(Builder &b, Value tensor, ValueRange position) {
  return arith::IndexCastOp::create(
      b, b.getIndexType(), tensor::ExtractOp::create(b, tensor, position));
}

Value isWithin(Builder &b, Value index, Value tensor, int64_t dimension) {
  // Unsigned comparison: a negative index is out of bounds, too.
  return arith::CmpIOp::create(
      b, arith::CmpIPredicate::ult, index,
      sizeValue(b, b.getLoc(),
                tensor::getMixedSize(b, b.getLoc(), tensor, dimension)));
}

SmallVector<Value> updateRows(Builder &b, ArrayRef<Value> tables, Value indices,
                              int64_t depth, bool nd, RowFunction row,
                              ConditionFunction condition) {
  return RowUpdateLoops(b, indices, depth, nd, row, condition).loop(tables);
}

} // namespace ingot::lower
