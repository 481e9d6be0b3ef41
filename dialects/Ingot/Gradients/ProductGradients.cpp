//===- ProductGradients.cpp - Gradients of products of matrices -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/Gradients/Gradients.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/ProductOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

#include "llvm/ADT/StringExtras.h"

namespace mlir::ingot {

static void differentiate(BatchMatMulOp op, Gradients &g) {
  Value x = op.getX(), y = op.getY(), dy = g.of(op);
  bool turnsX = op.getAdjX(), turnsY = op.getAdjY();
  auto product = [&](Value left, Value right, bool turnsLeft, bool turnsRight) {
    return g.make<BatchMatMulOp>({left, right}, {g.flag("adj_x", turnsLeft),
                                                 g.flag("adj_y", turnsRight)});
  };
  if (g.wants(x))
    g.addBroadcast(x, turnsX ? product(y, dy, turnsY, true)
                             : product(dy, y, false, !turnsY));
  if (g.wants(y))
    g.addBroadcast(y, turnsY ? product(dy, x, true, turnsX)
                             : product(x, dy, !turnsX, false));
}

namespace {

/// The subscripts of an einsum's operands and of its result.
struct EinsumEquation {
  SmallVector<StringRef> operands;
  StringRef result;

  explicit EinsumEquation(StringRef text) {
    auto [left, right] = text.split("->");
    left.split(operands, ',');
    result = right;
  }
};

} // namespace

/// Multiplies `values` with a mask for the subscripts `letters` of `operand`.
/// If a letter occurs twice, the einsum reads only the diagonal of the letter's
/// two dimensions, so the mask is 1 on this diagonal and 0 elsewhere.
static GradientExpression diagonalMask(GradientExpression values,
                                       StringRef letters, Value operand,
                                       Gradients &g) {
  auto rank = static_cast<int32_t>(letters.size());
  auto numbers = [&](int32_t dim) {
    GradientExpression size =
        g.reshape(g.dims(operand, dim, dim + 1), g.indices({}));
    SmallVector<int32_t> shape(rank, 1);
    shape[dim] = -1;
    return g.reshape(g.make<RangeOp>({g.index(0), size, g.index(1)}),
                     g.indices(shape));
  };
  for (int32_t dim = 0; dim < rank; ++dim) {
    auto first = static_cast<int32_t>(letters.find(letters[dim]));
    if (first == dim)
      continue;
    GradientExpression isSame = g.make<EqualOp>({numbers(first), numbers(dim)});
    values = values * g.cast(isSame, values.getElementType());
  }
  return values;
}

/// Adds the gradient of operand `number` of an einsum. The gradient is an
/// einsum of the result's gradient and the other operand. The result of this
/// einsum has the subscripts of operand `number` (`letters`). If one of these
/// letters occurs neither in the subscripts of the original result nor in those
/// of the other operand, the gradient is the same at all indices of the
/// letter's dimension, so it is repeated along this dimension.
static void addEinsum(EinsumOp op, const EinsumEquation &equation,
                      size_t number, Gradients &g) {
  Value operand = op.getInputs()[number];
  StringRef letters = equation.operands[number];
  SmallVector<Value> inputs = {g.of(op)};
  std::string sources = equation.result.str();
  for (auto [i, other] : llvm::enumerate(op.getInputs()))
    if (i != number) {
      inputs.push_back(g.conj(other));
      sources += "," + equation.operands[i].str();
    }
  std::string found;
  SmallVector<int32_t> missing;
  for (auto [dim, letter] : llvm::enumerate(letters)) {
    bool isRepeated = letters.find(letter) != dim;
    if (isRepeated || !StringRef(sources).contains(letter))
      missing.push_back(static_cast<int32_t>(dim));
    else
      found += letter;
  }
  GradientExpression values =
      g.make<EinsumOp>(inputs, g.text("equation", sources + "->" + found));
  for (int32_t dim : missing)
    values = g.expand(values, dim);
  values = diagonalMask(values, letters, operand, g);
  // Repeat `values` along the dimensions `missing`, up to the operand's shape.
  // A digit among the letters stands for a dimension of an ellipsis, along
  // which the einsum may have broadcast the operand: sum `values` there.
  bool isBroadcast =
      llvm::any_of(letters, [](char each) { return llvm::isDigit(each); });
  if (missing.empty())
    return g.addBroadcast(operand, values);
  if (!isBroadcast)
    return g.add(operand, g.broadcastLike(values, operand));
  g.addBroadcast(operand, values * g.ones(operand));
}

static void differentiate(EinsumOp op, Gradients &g) {
  EinsumEquation equation(op.getEquation());
  for (auto [i, input] : llvm::enumerate(op.getInputs()))
    if (g.wants(input))
      addEinsum(op, equation, i, g);
}

void attachProductGradients(MLIRContext &context) {
  attachGradientsOf<BatchMatMulOp, EinsumOp>(context);
}

} // namespace mlir::ingot
