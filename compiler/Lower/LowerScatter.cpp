//===- LowerScatter.cpp - Updates of rows, in place -----------------------===//
//
// Loops over the indices that carry the tables: slices of them are read and
// written where they lie.
//
//===----------------------------------------------------------------------===//

#include "dialects/Ingot/ScatterOps.h"

#include "compiler/Lower/Patterns.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

using Builder = ImplicitLocOpBuilder;

class RowLoops {
public:
  RowLoops(UpdateRowsOp op, OpBuilder &builder)
      : op(op), b(op.getLoc(), builder),
        depth(*getIndexDepth(op.getIndices().getType(), op.getNd())),
        sizes(sizesOf(b, op.getLoc(), op.getIndices())) {
    if (op.getNd())
      sizes.pop_back();
    zero = arith::ConstantIndexOp::create(b, 0);
    one = arith::ConstantIndexOp::create(b, 1);
  }

  SmallVector<Value> run() { return loop(SmallVector<Value>(op.getTables())); }

private:
  /// Loops over the remaining dimensions of the indices.
  SmallVector<Value> loop(SmallVector<Value> tables) {
    if (position.size() == sizes.size())
      return updateRow(tables);
    Value end = sizeValue(b, op.getLoc(), sizes[position.size()]);
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

  /// The row that the index at hand chooses; nothing is read or written where
  /// it lies outside.
  SmallVector<Value> updateRow(ArrayRef<Value> tables) {
    SmallVector<OpFoldResult> chosen;
    Value isInside;
    for (int64_t i = 0; i < depth; ++i) {
      SmallVector<Value> at = position;
      if (op.getNd())
        at.push_back(arith::ConstantIndexOp::create(b, i));
      Value index = arith::IndexCastOp::create(
          b, b.getIndexType(),
          tensor::ExtractOp::create(b, op.getIndices(), at));
      chosen.push_back(index);
      // Unsigned: a negative index is outside as well.
      Value below = arith::CmpIOp::create(
          b, arith::CmpIPredicate::ult, index,
          sizeValue(b, op.getLoc(),
                    tensor::getMixedSize(b, op.getLoc(), tables.front(), i)));
      isInside =
          isInside ? Value(arith::AndIOp::create(b, isInside, below)) : below;
    }
    if (!isInside) // Without coordinates the table is the row.
      return computeRow(tables, chosen);
    auto branch = scf::IfOp::create(b, TypeRange(tables), isInside,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(branch.thenBlock());
    scf::YieldOp::create(b, computeRow(tables, chosen));
    b.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(b, tables);
    return branch.getResults();
  }

  struct Slice {
    SmallVector<OpFoldResult> offsets, sizes, strides;
  };

  /// What remains of `tensor` when `first` choose from its first dimensions.
  Slice sliceOf(Value tensor, ArrayRef<OpFoldResult> first) {
    Slice slice;
    Sizes all = sizesOf(b, op.getLoc(), tensor);
    for (auto [dimension, size] : llvm::enumerate(all)) {
      bool isChosen = dimension < first.size();
      slice.offsets.push_back(isChosen ? first[dimension]
                                       : OpFoldResult(b.getIndexAttr(0)));
      slice.sizes.push_back(isChosen ? OpFoldResult(b.getIndexAttr(1)) : size);
      slice.strides.push_back(b.getIndexAttr(1));
    }
    return slice;
  }

  Value extract(Value tensor, ArrayRef<OpFoldResult> first, Type as) {
    auto type = cast<RankedTensorType>(tensor.getType());
    auto row = RankedTensorType::get(type.getShape().drop_front(first.size()),
                                     type.getElementType());
    Slice slice = sliceOf(tensor, first);
    Value value = tensor::ExtractSliceOp::create(b, row, tensor, slice.offsets,
                                                 slice.sizes, slice.strides);
    return as == row ? value : Value(tensor::CastOp::create(b, as, value));
  }

  SmallVector<Value> computeRow(ArrayRef<Value> tables,
                                ArrayRef<OpFoldResult> chosen) {
    Block &body = op.getBody().front();
    IRMapping mapping;
    auto argument = body.args_begin();
    for (Value table : tables) {
      mapping.map(*argument, extract(table, chosen, argument->getType()));
      ++argument;
    }
    SmallVector<OpFoldResult> here(position.begin(), position.end());
    for (Value rows : op.getRows()) {
      mapping.map(*argument, extract(rows, here, argument->getType()));
      ++argument;
    }
    for (Value value : op.getShared()) {
      Value mapped = value;
      if (value.getType() != argument->getType())
        mapped = tensor::CastOp::create(b, argument->getType(), value);
      mapping.map(*argument, mapped);
      ++argument;
    }
    for (Operation &member : body.without_terminator())
      b.clone(member, mapping);
    SmallVector<Value> updated;
    for (auto [table, yielded] :
         llvm::zip(tables, body.getTerminator()->getOperands())) {
      Value row = mapping.lookupOrDefault(yielded);
      // A row that comes from elsewhere is copied by an op that has loops.
      if (isa<BlockArgument>(yielded) && yielded.getParentBlock() == &body) {
        Value old = extract(table, chosen, yielded.getType());
        row = linalg::CopyOp::create(b, row, old).getResult(0);
      }
      Slice slice = sliceOf(table, chosen);
      updated.push_back(tensor::InsertSliceOp::create(
          b, row, table, slice.offsets, slice.sizes, slice.strides));
    }
    return updated;
  }

  UpdateRowsOp op;
  Builder b;
  int64_t depth;
  Sizes sizes; // of the loops
  SmallVector<Value> position;
  Value zero, one;
};

struct LowerUpdateRows : OpRewritePattern<UpdateRowsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(UpdateRowsOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, RowLoops(op, rewriter).run());
    return success();
  }
};

} // namespace

void ::ingot::lower::populateScatterPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerUpdateRows>(patterns.getContext());
}
