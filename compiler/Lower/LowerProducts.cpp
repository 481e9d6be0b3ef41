//===- LowerProducts.cpp - GEMM, batched GEMM, einsum ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/WindowAccess.h"
#include "dialects/Host/BFloat16Factors.h"
#include "dialects/Host/SumBlock.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/ProductOps.h"

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

using Builder = ImplicitLocOpBuilder;

/// A contraction (einsum) of operands whose dimensions are named by letters.
class EinsumContraction {
public:
  EinsumContraction(OpBuilder &builder, Location loc, ValueRange inputs,
                    ArrayRef<StringRef> terms, RankedTensorType type)
      : builder(builder), loc(loc), inputs(inputs), output(terms.back()),
        type(type) {
    for (auto [term, input] : llvm::zip(terms, this->inputs)) {
      this->terms.push_back(term.str());
      takeDiagonals(this->terms.back(), input);
    }
  }

  /// Builds the linalg op of the contraction. `order` lists the letters of the
  /// loops from the outermost to the innermost; if it is empty, chooseOrder()
  /// chooses the order.
  Value build(StringRef order = "") {
    std::string letters = order.empty() ? chooseOrder() : order.str();
    Type element = type.getElementType(), sumType = getSumType(element);
    SmallVector<AffineMap> maps;
    for (auto [term, input] : llvm::zip(terms, inputs))
      maps.push_back(mapOf(term, letters, input));
    maps.push_back(mapOf(output, letters, Value()));
    SmallVector<bool> reduced;
    for (char letter : letters)
      reduced.push_back(!StringRef(output).contains(letter));
    // Without a sum, the op does not read its initial value, so an
    // uninitialized tensor suffices. Loop fusion can then fuse the op into
    // loops that compute an element several times, which would be wrong for an
    // accumulation.
    bool isSum = llvm::is_contained(reduced, true);
    Value start = isSum ? filledTensor(builder, loc, outputSizes(), sumType, 0)
                        : emptyTensor(builder, loc, outputSizes(), sumType);
    Value sum = generic(builder, loc, inputs, start, maps, reduced,
                        [&](Builder &b, ValueRange x) -> SmallVector<Value> {
                          Value product = convertTo(b, x[0], sumType);
                          for (Value factor : x.drop_front().drop_back())
                            product = productOf(b, product,
                                                convertTo(b, factor, sumType));
                          if (!isSum)
                            return {product};
                          return {sumOf(b, x.back(), product)};
                        })
                    .getResult(0);
    return convertTensor(builder, loc, sum, element);
  }

private:
  /// Whether dimension `dim` of `input`, named `letter`, is broadcast: it has
  /// size 1, and another operand has a dimension of this name with a size other
  /// than 1.
  bool isBroadcast(char letter, Value input, int64_t dim) const {
    if (cast<RankedTensorType>(input.getType()).getDimSize(dim) != 1)
      return false;
    for (auto [term, other] : llvm::zip(terms, inputs)) {
      size_t position = StringRef(term).find(letter);
      if (position != StringRef::npos &&
          cast<RankedTensorType>(other.getType()).getDimSize(position) != 1)
        return true;
    }
    return false;
  }

  AffineMap mapOf(StringRef term, StringRef letters, Value input) const {
    SmallVector<AffineExpr> results;
    for (auto [dim, letter] : llvm::enumerate(term))
      results.push_back(input && isBroadcast(letter, input, dim)
                            ? builder.getAffineConstantExpr(0)
                            : builder.getAffineDimExpr(letters.find(letter)));
    return AffineMap::get(letters.size(), 0, results, builder.getContext());
  }

  Sizes outputSizes() const {
    Sizes sizes;
    for (auto [index, letter] : llvm::enumerate(output)) {
      if (!type.isDynamicDim(index)) {
        sizes.push_back(builder.getIndexAttr(type.getDimSize(index)));
        continue;
      }
      for (auto [term, input] : llvm::zip(terms, inputs)) {
        size_t position = StringRef(term).find(letter);
        if (position == StringRef::npos || isBroadcast(letter, input, position))
          continue;
        sizes.push_back(tensor::getMixedSize(builder, loc, input, position));
        break;
      }
    }
    return sizes;
  }

  /// Returns the letters of all loops, outermost first. If possible, the last
  /// letter names the last dimension of each operand that contains the letter,
  /// so that the innermost loop reads contiguous memory.
  std::string chooseOrder() const {
    std::string letters = output.str();
    for (const std::string &term : terms)
      for (char letter : term)
        if (!StringRef(letters).contains(letter))
          letters.push_back(letter);
    auto isInner = [&](char letter) {
      return llvm::all_of(terms, [&](StringRef term) {
        return !term.contains(letter) || term.back() == letter;
      });
    };
    auto moveLast = [&](char letter) {
      letters.erase(letters.find(letter), 1);
      letters.push_back(letter);
    };
    if (!output.empty() && isInner(output.back())) {
      moveLast(output.back());
      return letters;
    }
    for (char letter : StringRef(letters).drop_front(output.size()).str())
      if (isInner(letter)) {
        moveLast(letter);
        return letters;
      }
    if (!output.empty())
      moveLast(output.back());
    return letters;
  }

  /// Replaces an operand that has repeated letters by its diagonal.
  void takeDiagonals(std::string &term, Value &input) {
    std::string letters;
    for (char letter : term)
      if (!StringRef(letters).contains(letter))
        letters.push_back(letter);
    if (letters == term)
      return;
    auto from = cast<RankedTensorType>(input.getType());
    Sizes sizes;
    for (char letter : letters)
      sizes.push_back(
          tensor::getMixedSize(builder, loc, input, term.find(letter)));
    int64_t rank = letters.size();
    input = generic(builder, loc, {},
                    emptyTensor(builder, loc, sizes, from.getElementType()),
                    builder.getMultiDimIdentityMap(rank),
                    SmallVector<bool>(rank, false),
                    [&](Builder &b, ValueRange) -> SmallVector<Value> {
                      SmallVector<Value> indices;
                      for (char letter : term)
                        indices.push_back(linalg::IndexOp::create(
                            b, static_cast<int64_t>(letters.find(letter))));
                      return {tensor::ExtractOp::create(b, input, indices)};
                    })
                .getResult(0);
    term = letters;
  }

  OpBuilder &builder;
  Location loc;
  SmallVector<Value> inputs;
  SmallVector<std::string> terms;
  StringRef output;
  RankedTensorType type;
};

/// Adds to the linalg op that computes `product` what attributes of `op` state:
/// that the elements of its operands are exactly representable as bfloat16, or
/// that K is summed in blocks. Returns `product`.
Value withFacts(Operation *op, Value product) {
  auto generic = product.getDefiningOp<linalg::GenericOp>();
  if (generic && op->hasAttr(bfloat16FactorsAttrName))
    generic->setAttr(host::bfloat16FactorsAttrName,
                     UnitAttr::get(op->getContext()));
  auto matmul = dyn_cast<MatMulOp>(op);
  if (IntegerAttr size = matmul ? matmul.getSumBlockAttr() : IntegerAttr())
    generic->setAttr(host::sumBlockAttrName, size);
  return product;
}

struct LowerMatMul : OpRewritePattern<MatMulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatMulOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    EinsumContraction contraction(rewriter, op.getLoc(), {op.getA(), op.getB()},
                                  {op.getTransposeA() ? "km" : "mk",
                                   op.getTransposeB() ? "nk" : "kn", "mn"},
                                  type);
    // Code generation tiles GEMMs of f32 and f64, and expects their loops in
    // the order (m, n, k).
    bool isTiled =
        type.getElementType().isF32() || type.getElementType().isF64();
    rewriter.replaceOp(op,
                       withFacts(op, contraction.build(isTiled ? "mnk" : "")));
    return success();
  }
};

struct LowerBatchMatMul : OpRewritePattern<BatchMatMulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BatchMatMulOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    // Names the batch dimensions by capital letters from the dimension next to
    // the matrix outwards, so that batch dimensions of both operands are
    // aligned at their ends.
    auto term = [&](Value value, StringRef matrix) {
      std::string letters;
      int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
      for (int64_t dim = rank - 3; dim >= 0; --dim)
        letters.push_back('A' + dim);
      return letters + matrix.str();
    };
    std::string x = term(op.getX(), op.getAdjX() ? "km" : "mk");
    std::string y = term(op.getY(), op.getAdjY() ? "nk" : "kn");
    std::string output = term(op.getOutput(), "mn");
    EinsumContraction contraction(rewriter, op.getLoc(), {op.getX(), op.getY()},
                                  {x, y, output}, type);
    rewriter.replaceOp(op, withFacts(op, contraction.build()));
    return success();
  }
};

struct LowerEinsum : OpRewritePattern<EinsumOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EinsumOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<StringRef> terms = getEquationTerms(op.getEquation());
    EinsumContraction contraction(rewriter, op.getLoc(), op.getInputs(), terms,
                                  cast<RankedTensorType>(op.getType()));
    rewriter.replaceOp(op, contraction.build());
    return success();
  }
};

} // namespace

void ::ingot::lower::populateProductPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerMatMul, LowerBatchMatMul, LowerEinsum>(
      patterns.getContext());
}
