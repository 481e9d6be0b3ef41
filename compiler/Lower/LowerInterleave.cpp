//===- LowerInterleave.cpp - Interleaves the phases of strided images -----===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/IndexMath.h"
#include "dialects/Ingot/IR/ConvolutionOps.h"

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

using Builder = ImplicitLocOpBuilder;

/// Lowers join_phases, which interleaves several tensors, the phases, to one
/// image: with a stride of 2, each phase has every other row and column of the
/// image. The lowering is one loop over the image in memory order, which reads
/// each element from the phase that has it. A loop for each phase would pass
/// over the whole image once per phase.
struct LowerImageInterleave : OpRewritePattern<JoinPhasesOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(JoinPhasesOp op,
                                PatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    Type element = type.getElementType();
    Sizes sizes = matchingSizes(b, type, math.sizes(op.getInputs().front()));
    auto joined =
        generic(b, b.getLoc(), {}, emptyTensor(b, b.getLoc(), sizes, element),
                b.getMultiDimIdentityMap(4), SmallVector<bool>(4, false),
                [&](Builder &body, ValueRange) -> SmallVector<Value> {
                  return {elementOf(body, op)};
                });
    rewriter.replaceOp(op, joined.getResults());
    return success();
  }

  /// Returns the element of the image at the indices of the current iteration,
  /// read from the phase (the input of join_phases) that contains it.
  static Value elementOf(Builder &b, JoinPhasesOp op) {
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, value);
    };
    auto indexOf = [&](int64_t dim) -> Value {
      return linalg::IndexOp::create(b, dim);
    };
    Type elementType = getElementTypeOrSelf(op.getType());
    Value found = scalar(b, elementType, 0);
    for (auto [input, phase] :
         llvm::zip_equal(op.getInputs(), op.getPhases())) {
      auto inputType = cast<RankedTensorType>(input.getType());
      SmallVector<Value> place = {indexOf(0)};
      Value isHere;
      for (unsigned dim : {1, 2}) {
        int64_t stride = op.getStrides()[dim - 1],
                size = inputType.getDimSize(dim);
        int64_t first =
            dim == 1 ? phase / op.getStrides()[1] : phase % op.getStrides()[1];
        Value index = indexOf(dim);
        Value rest = arith::RemUIOp::create(b, index, number(stride));
        Value fits = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rest,
                                           number(first));
        isHere = isHere ? Value(arith::AndIOp::create(b, isHere, fits)) : fits;
        Value at = arith::DivUIOp::create(b, index, number(stride));
        // Every phase is read at index `at`, and a select keeps the element of
        // the phase that contains this row or column of the image. A phase may
        // have one row or column less than another one, so clamp the index to
        // the phase's size.
        if ((op.getSize()[dim - 1] - 1) / stride >= size)
          at = arith::MinUIOp::create(b, at, number(size - 1));
        place.push_back(at);
      }
      place.push_back(indexOf(3));
      Value element = tensor::ExtractOp::create(b, input, place);
      found = arith::SelectOp::create(b, isHere, element, found);
    }
    return found;
  }
};

} // namespace

void ::ingot::lower::populatePhasePatterns(RewritePatternSet &patterns) {
  patterns.add<LowerImageInterleave>(patterns.getContext());
}
