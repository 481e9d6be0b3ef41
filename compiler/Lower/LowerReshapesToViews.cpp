//===- LowerReshapesToViews.cpp - Reshapes, rows of lists as views --------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/Patterns.h"

#include "dialects/Ingot/IR/ListOps.h"
#include "dialects/Ingot/IR/Reshapes.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <numeric>

namespace ingot::lower {
#define GEN_PASS_DEF_LOWERRESHAPESTOVIEWSPASS
#include "compiler/Lower/Passes.h.inc"
} // namespace ingot::lower

using namespace mlir;
using namespace mlir::ingot;

/// Reshapes `value` to type `to`. Both types have exactly one dynamic
/// dimension. The dynamic size of the result is computed from that of `value`.
static Value reshapedToUnknown(OpBuilder &builder, Location loc, Value value,
                               RankedTensorType to) {
  ImplicitLocOpBuilder b(loc, builder);
  auto from = cast<RankedTensorType>(value.getType());
  auto known = [](RankedTensorType type) {
    int64_t elements = 1;
    for (int64_t size : type.getShape())
      elements *= ShapedType::isDynamic(size) ? 1 : size;
    return elements;
  };
  auto unknown = [](RankedTensorType type) -> int64_t {
    return llvm::find_if(type.getShape(), ShapedType::isDynamic) -
           type.getShape().begin();
  };
  Value size = tensor::DimOp::create(b, value, unknown(from));
  if (known(from) != known(to)) {
    int64_t common = std::gcd(known(from), known(to));
    auto number = [&](int64_t elements) {
      return arith::ConstantIndexOp::create(b, elements / common);
    };
    size = arith::DivUIOp::create(
        b, arith::MulIOp::create(b, size, number(known(from))),
        number(known(to)));
  }
  auto all = [](int64_t rank) {
    return SmallVector<ReassociationIndices>{
        llvm::to_vector<2>(llvm::seq<int64_t>(0, rank))};
  };
  if (from.getRank() > 1)
    value = tensor::CollapseShapeOp::create(
        b, RankedTensorType::get({ShapedType::kDynamic}, from.getElementType()),
        value, all(from.getRank()));
  if (to.getRank() == 1)
    return value;
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(b.getContext(), to.getShape());
  sizes[unknown(to)] = size;
  return tensor::ExpandShapeOp::create(b, to, value, all(to.getRank()), sizes);
}

/// Returns the number in the scalar tensor `index`, the index of a row of a
/// stacked tensor with `numRows` rows. If `fromEnd`, `index` counts from the
/// last row. If it is a loop counter, emits the read of it at the start of the
/// loop's body: a read between two kernel launches would split the sequence of
/// launches that the runtime executes in one call.
static Value placeOf(OpBuilder &builder, Location loc, Value index,
                     bool fromEnd, int64_t numRows) {
  OpBuilder::InsertionGuard guard(builder);
  if (auto argument = dyn_cast<BlockArgument>(index))
    builder.setInsertionPointToStart(argument.getOwner());
  ImplicitLocOpBuilder b(loc, builder);
  Value place = arith::IndexCastOp::create(
      b, b.getIndexType(), tensor::ExtractOp::create(b, index, ValueRange()));
  if (!fromEnd)
    return place;
  return arith::SubIOp::create(
      b, arith::ConstantIndexOp::create(b, numRows - 1), place);
}

/// The offsets, sizes and strides of an extract_slice or insert_slice op for
/// one row of a stacked tensor.
struct StackedTensorRowSlice {
  SmallVector<OpFoldResult> offsets, sizes, strides;

  StackedTensorRowSlice(OpBuilder &builder, RankedTensorType rows, Value place)
      : offsets(rows.getRank(), builder.getIndexAttr(0)),
        sizes(getAsIndexOpFoldResult(builder.getContext(), rows.getShape())),
        strides(rows.getRank(), builder.getIndexAttr(1)) {
    offsets[0] = place;
    sizes[0] = builder.getIndexAttr(1);
  }
};

static void lowerRows(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Value lowered;
  if (isa<RowsEmptyOp>(op)) {
    lowered = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                      type.getElementType());
  } else if (auto get = dyn_cast<RowsGetOp>(op)) {
    auto rows = cast<RankedTensorType>(get.getRows().getType());
    StackedTensorRowSlice slice(builder, rows,
                                placeOf(builder, loc, get.getIndex(),
                                        get.getFromEnd(), rows.getDimSize(0)));
    lowered = tensor::ExtractSliceOp::create(builder, loc, type, get.getRows(),
                                             slice.offsets, slice.sizes,
                                             slice.strides);
  } else {
    auto set = cast<RowsSetOp>(op);
    StackedTensorRowSlice slice(builder, type,
                                placeOf(builder, loc, set.getIndex(),
                                        set.getFromEnd(), type.getDimSize(0)));
    lowered = tensor::InsertSliceOp::create(builder, loc, set.getRow(),
                                            set.getRows(), slice.offsets,
                                            slice.sizes, slice.strides);
  }
  op->getResult(0).replaceAllUsesWith(lowered);
  op->erase();
}

namespace {
struct LowerReshapesToViews
    : ::ingot::lower::impl::LowerReshapesToViewsPassBase<LowerReshapesToViews> {
  void runOnOperation() override {
    SmallVector<Operation *> reshapes, rows;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto function = dyn_cast<func::FuncOp>(op);
          function && function->hasAttr(host::kernelAttrName))
        return WalkResult::skip();
      if (isReshape(op))
        reshapes.push_back(op);
      if (isa<RowsEmptyOp, RowsGetOp, RowsSetOp>(op))
        rows.push_back(op);
      return WalkResult::advance();
    });
    numReshapes += reshapes.size();
    numRows += rows.size();
    llvm::for_each(rows, lowerRows);
    for (Operation *op : reshapes) {
      OpBuilder builder(op);
      auto type = cast<RankedTensorType>(op->getResult(0).getType());
      Value view =
          type.hasStaticShape()
              ? ::ingot::lower::reshaped(builder, op->getLoc(),
                                         op->getOperand(0), type.getShape())
              : reshapedToUnknown(builder, op->getLoc(), op->getOperand(0),
                                  type);
      op->getResult(0).replaceAllUsesWith(view);
      op->erase();
    }
  }
};
} // namespace
