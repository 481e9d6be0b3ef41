//===- MatrixGradients.cpp - Gradients of ops on matrices -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/Gradients/Gradients.h"
#include "dialects/Ingot/IR/MatrixOps.h"
#include "dialects/Ingot/IR/ProductOps.h"

namespace mlir::ingot {

template <typename OpTy>
static GradientExpression diagonalOf(Value matrix, OpTy op, Gradients &g) {
  return g.make<MatrixDiagPartOp>({matrix, op.getK(), g.number(matrix, 0.0)},
                                  g.text("align", op.getAlign()));
}

static void differentiate(MatrixDiagOp op, Gradients &g) {
  g.add(op.getDiagonal(), diagonalOf(g.of(op), op, g));
}
static void differentiate(MatrixDiagPartOp op, Gradients &g) {
  Value x = op.getInput();
  g.add(x, g.make<MatrixSetDiagOp>({g.zeros(x), g.of(op), op.getK()},
                                   g.text("align", op.getAlign())));
}
static void differentiate(MatrixSetDiagOp op, Gradients &g) {
  g.add(op.getDiagonal(), diagonalOf(g.of(op), op, g));
  g.add(op.getInput(), g.make<MatrixSetDiagOp>(
                           {g.of(op), g.zeros(op.getDiagonal()), op.getK()},
                           g.text("align", op.getAlign())));
}
static void differentiate(MatrixBandPartOp op, Gradients &g) {
  g.add(op.getInput(),
        g.make<MatrixBandPartOp>({g.of(op), op.getLower(), op.getUpper()}));
}

static GradientExpression product(GradientExpression a, GradientExpression b,
                                  bool turnsA, bool turnsB, Gradients &g) {
  return g.make<BatchMatMulOp>(
      {a, b}, {g.flag("adj_x", turnsA), g.flag("adj_y", turnsB)});
}

/// Returns the tensor with the innermost matrices (the last two dimensions)
/// transposed.
static GradientExpression turned(GradientExpression matrix, Gradients &g) {
  std::optional<int32_t> rank = g.rankOf(matrix);
  if (!rank)
    return matrix;
  auto axes = llvm::to_vector(llvm::seq<int32_t>(0, *rank));
  std::swap(axes[*rank - 1], axes[*rank - 2]);
  return g.transpose(matrix, axes);
}

/// Returns the lower triangle of each matrix, with its diagonal halved.
static GradientExpression halfTriangle(GradientExpression matrix,
                                       Gradients &g) {
  GradientExpression all = g.index(-1), none = g.index(0);
  GradientExpression lower = g.make<MatrixBandPartOp>({matrix, all, none});
  return lower - g.make<MatrixBandPartOp>({matrix, none, none}) * 0.5;
}

// The gradient of the input is the symmetric part of S = L^-T tril(L^T G) L^-1.
// L is the Cholesky factor, G its gradient, and tril(M) the lower triangle of M
// with its diagonal halved (Murray, "Differentiation of the Cholesky
// decomposition", 2016).
static void differentiate(CholeskyOp op, Gradients &g) {
  GradientExpression factor = g.term(op.getOutput());
  GradientExpression middle =
      halfTriangle(product(factor, g.of(op), true, false, g), g);
  auto solve = [&](GradientExpression rhs) {
    return g.make<TriangularSolveOp>({factor, rhs}, {g.flag("adjoint", true)});
  };
  GradientExpression both = turned(solve(turned(solve(middle), g)), g);
  g.add(op.getInput(), (both + turned(both, g)) * 0.5);
}

static void differentiate(TriangularSolveOp op, Gradients &g) {
  bool isAdjoint = op.getAdjoint();
  GradientExpression x = g.term(op.getOutput());
  GradientExpression rhs = g.make<TriangularSolveOp>(
      {op.getMatrix(), g.of(op)},
      {g.flag("lower", op.getLower()), g.flag("adjoint", !isAdjoint)});
  g.add(op.getRhs(), rhs);
  GradientExpression matrix = -(isAdjoint ? product(x, rhs, false, true, g)
                                          : product(rhs, x, false, true, g));
  GradientExpression all = g.index(-1), none = g.index(0);
  g.add(op.getMatrix(), op.getLower()
                            ? g.make<MatrixBandPartOp>({matrix, all, none})
                            : g.make<MatrixBandPartOp>({matrix, none, all}));
}

static void differentiate(MatrixSolveOp op, Gradients &g) {
  bool isAdjoint = op.getAdjoint();
  GradientExpression x = g.term(op.getOutput());
  GradientExpression rhs = g.make<MatrixSolveOp>(
      {op.getMatrix(), g.of(op)}, {g.flag("adjoint", !isAdjoint)});
  g.add(op.getRhs(), rhs);
  g.add(op.getMatrix(), -(isAdjoint ? product(x, rhs, false, true, g)
                                    : product(rhs, x, false, true, g)));
}

static void differentiate(MatrixInverseOp op, Gradients &g) {
  bool isAdjoint = op.getAdjoint();
  GradientExpression inverse = g.term(op.getOutput());
  GradientExpression right =
      product(g.of(op), inverse, isAdjoint, !isAdjoint, g);
  g.add(op.getInput(), -product(inverse, right, !isAdjoint, false, g));
}

/// Multiplies the conjugate transpose of each matrix's inverse by a number.
/// `numbers` has one element for each of `matrices`.
static GradientExpression timesInverse(GradientExpression numbers,
                                       Value matrices, Gradients &g) {
  GradientExpression inverse =
      g.make<MatrixInverseOp>({matrices}, {g.flag("adjoint", true)});
  return g.expand(g.expand(numbers, -1), -1) * inverse;
}

static void differentiate(MatrixDeterminantOp op, Gradients &g) {
  GradientExpression numbers = g.of(op) * op.getOutput();
  g.add(op.getInput(), timesInverse(numbers, op.getInput(), g));
}
static void differentiate(LogMatrixDeterminantOp op, Gradients &g) {
  g.add(op.getInput(), timesInverse(g.of(op.getLog()), op.getInput(), g));
}

static void differentiate(QROp, Gradients &g) {
  g.refuse("gradients of QR decompositions are not supported");
}

void attachMatrixGradients(MLIRContext &context) {
  attachGradientsOf<MatrixDiagOp, MatrixDiagPartOp, MatrixSetDiagOp,
                    MatrixBandPartOp, CholeskyOp, TriangularSolveOp,
                    MatrixSolveOp, MatrixInverseOp, MatrixDeterminantOp,
                    LogMatrixDeterminantOp>(context);
  attachRefusals<QROp>(context);
}

} // namespace mlir::ingot
