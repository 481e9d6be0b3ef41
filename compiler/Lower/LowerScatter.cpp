//===- LowerScatter.cpp - Row-sparse updates in place ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/ScatterOps.h"

#include "compiler/Lower/RowUpdateLoops.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

using Builder = ImplicitLocOpBuilder;

Value castTo(Builder &b, Value value, Type type) {
  return value.getType() == type
             ? value
             : Value(tensor::CastOp::create(b, type, value));
}

struct LowerUpdateRows : OpRewritePattern<UpdateRowsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(UpdateRowsOp op,
                                PatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    auto row = [&](Builder &inner, ValueRange rows, ValueRange position) {
      return computeRow(inner, op, rows, position);
    };
    rewriter.replaceOp(
        op, updateRows(b, SmallVector<Value>(op.getTables()), op.getIndices(),
                       *getIndexDepth(op.getIndices().getType(), op.getNd()),
                       op.getNd(), row));
    return success();
  }

  /// Clones the body of the row-sparse update with `rows`, the current rows of
  /// the tables, as its arguments. Returns the new rows.
  static SmallVector<Value> computeRow(Builder &b, UpdateRowsOp op,
                                       ValueRange rows, ValueRange position) {
    Block &body = op.getBody().front();
    IRMapping mapping;
    auto argument = body.args_begin();
    auto map = [&](Value value) {
      mapping.map(*argument, castTo(b, value, argument->getType()));
      ++argument;
    };
    llvm::for_each(rows, map);
    SmallVector<OpFoldResult> here(position.begin(), position.end());
    for (Value values : op.getRows())
      map(extractRow(b, values, here));
    llvm::for_each(op.getShared(), map);
    for (Operation &member : body.without_terminator())
      b.clone(member, mapping);
    SmallVector<Value> updated;
    for (auto [old, yielded] :
         llvm::zip(rows, body.getTerminator()->getOperands())) {
      Value row = castTo(b, mapping.lookupOrDefault(yielded), old.getType());
      // If the body yields its argument, the row does not change. Copy it with
      // a linalg op nevertheless, so that loops write all rows in the same way
      // after linalg ops are lowered.
      if (isa<BlockArgument>(yielded))
        row = linalg::CopyOp::create(b, row, old).getResult(0);
      updated.push_back(row);
    }
    return updated;
  }
};

} // namespace

void ::ingot::lower::populateScatterPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerUpdateRows>(patterns.getContext());
}
