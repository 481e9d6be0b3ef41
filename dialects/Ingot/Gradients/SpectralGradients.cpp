//===- SpectralGradients.cpp - Gradients of eigen- and singular values ----===//
// SPDX-License-Identifier: Apache-2.0
//
// The formulas are those of Giles, "An extended collection of matrix derivative
// results for forward and reverse mode automatic differentiation" (2008). For
// thin decompositions, the part of dv that is orthogonal to v contributes as
// well, as in TensorFlow. If two eigenvalues are equal, the reciprocal of their
// difference counts as 0.
//
//===----------------------------------------------------------------------===//

#include "dialects/Ingot/Gradients/Gradients.h"
#include "dialects/Ingot/IR/ComplexOps.h"
#include "dialects/Ingot/IR/MatrixOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"
#include "dialects/Ingot/IR/ProductOps.h"
#include "dialects/Ingot/IR/SpectralOps.h"

namespace mlir::ingot {

static GradientExpression product(GradientExpression a, GradientExpression b,
                                  Gradients &g, bool turnsA = false,
                                  bool turnsB = false) {
  return g.make<BatchMatMulOp>(
      {a, b}, {g.flag("adj_x", turnsA), g.flag("adj_y", turnsB)});
}

/// Returns the tensor with the innermost matrices transposed.
static GradientExpression turned(GradientExpression matrix, int32_t rank,
                                 Gradients &g) {
  auto axes = llvm::to_vector(llvm::seq<int32_t>(0, rank));
  std::swap(axes[rank - 1], axes[rank - 2]);
  return g.transpose(matrix, axes);
}

/// Returns 1 / x, and about 0 for an x near 0.
static GradientExpression safeReciprocal(GradientExpression x, Gradients &g) {
  return x * g.make<ReciprocalOp>({x * x + 1e-20});
}

/// Multiplies column j of each matrix by element j of a vector.
static GradientExpression timesColumns(GradientExpression matrix,
                                       GradientExpression vector,
                                       Gradients &g) {
  return matrix * g.expand(vector, -2);
}

/// Multiplies row i of each matrix by element i of a vector.
static GradientExpression timesRows(GradientExpression vector,
                                    GradientExpression matrix, Gradients &g) {
  return g.expand(vector, -1) * matrix;
}

/// Returns the matrices with elements 1 / (x[j] - x[i]), and 0 on the diagonal.
static GradientExpression reciprocalDifferences(GradientExpression x,
                                                Gradients &g) {
  GradientExpression all = safeReciprocal(g.expand(x, -2) - g.expand(x, -1), g);
  return g.make<MatrixSetDiagOp>({all, g.zeros(x), g.index(0)});
}

static void differentiate(SelfAdjointEigOp op, Gradients &g) {
  std::optional<int32_t> rank = g.rankOf(op.getInput());
  if (!rank)
    return;
  GradientExpression v = g.term(op.getV());
  GradientExpression inner = v;
  if (op.getComputeV()) {
    GradientExpression turn = reciprocalDifferences(g.term(op.getE()), g) *
                              product(v, g.of(op.getV()), g, /*turnsA=*/true);
    // The gradient is v (diag(de) + turn) v^T, where `turn` is the contribution
    // of the eigenvectors' gradient. Multiplying v with diag(de) scales its
    // columns.
    inner = timesColumns(v, g.of(op.getE()), g) + product(v, turn, g);
  } else {
    SmallVector<Value> decomposed =
        g.makeAll<SelfAdjointEigOp>({op.getInput()});
    v = g.term(decomposed[1]);
    inner = timesColumns(v, g.of(op.getE()), g);
  }
  GradientExpression whole = product(inner, v, g, false, /*turnsB=*/true);
  // The op reads only the lower triangle of its symmetric input. So the
  // gradients of both triangles are added up in the lower one.
  GradientExpression both = whole + turned(whole, *rank, g);
  GradientExpression all = g.index(-1), none = g.index(0);
  g.add(op.getInput(), g.make<MatrixBandPartOp>({both, all, none}) -
                           g.make<MatrixBandPartOp>({both, none, none}) * 0.5);
}

/// Adds the gradient of the singular values alone: u diag(ds) v^T.
static void differentiateValues(SVDOp op, Gradients &g) {
  SmallVector<Value> all = g.makeAll<SVDOp>({op.getInput()});
  GradientExpression u = g.term(all[1]), v = g.term(all[2]);
  g.add(op.getInput(), product(timesColumns(u, g.of(op.getS()), g), v, g, false,
                               /*turnsB=*/true));
}

static void differentiate(SVDOp op, Gradients &g) {
  if (!op.getComputeUv())
    return differentiateValues(op, g);
  auto type = dyn_cast<RankedTensorType>(op.getInput().getType());
  int64_t rank = type ? type.getRank() : 0;
  if (!type || type.isDynamicDim(rank - 2) || type.isDynamicDim(rank - 1))
    return g.refuse("the gradient of a singular value decomposition needs "
                    "matrices of a static size, but the input has shape " +
                    toString(getTensorShape(op.getInput().getType())));
  int64_t rows = type.getDimSize(rank - 2), columns = type.getDimSize(rank - 1);
  if (op.getFullMatrices() && rows != columns)
    return g.refuse("the gradient of a singular value decomposition with "
                    "full_matrices needs square matrices, not " +
                    Twine(rows) + " by " + Twine(columns));
  // The formulas below are for matrices that are not tall. A tall matrix is
  // transposed, which exchanges u and v.
  bool isTall = rows > columns;
  GradientExpression s = g.term(op.getS());
  GradientExpression u = g.term(isTall ? op.getV() : op.getU());
  GradientExpression v = g.term(isTall ? op.getU() : op.getV());
  GradientExpression du = g.of(isTall ? op.getV() : op.getU());
  GradientExpression dv = g.of(isTall ? op.getU() : op.getV());
  auto innermost = static_cast<int32_t>(rank);
  GradientExpression turn = reciprocalDifferences(s * s, g);
  GradientExpression byU = turn * product(u, du, g, /*turnsA=*/true);
  GradientExpression byV = turn * product(v, dv, g, /*turnsA=*/true);
  GradientExpression middle =
      timesColumns(byU + turned(byU, innermost, g), s, g) +
      timesRows(s, byV + turned(byV, innermost, g), g);
  GradientExpression inner =
      timesColumns(u, g.of(op.getS()), g) + product(u, middle, g);
  GradientExpression dx = product(inner, v, g, false, /*turnsB=*/true);
  if (rows != columns) {
    // Add the contribution of the part of dv that is orthogonal to all columns
    // of v.
    GradientExpression rest =
        dv - product(v, product(v, dv, g, /*turnsA=*/true), g);
    GradientExpression scaled = timesColumns(u, safeReciprocal(s, g), g);
    dx = dx + product(scaled, rest, g, false, /*turnsB=*/true);
  }
  g.add(op.getInput(), isTall ? turned(dx, innermost, g) : dx);
}

/// Computes the input's gradient from the gradients of both results as in
/// TensorFlow, by equation 4.77 of Boeddeker et al., "On the computation of
/// complex-valued gradients with application to statistically optimum
/// beamforming" (2017).
static void differentiate(EigOp op, Gradients &g) {
  std::optional<int32_t> rank = g.rankOf(op.getInput());
  if (!rank)
    return;
  GradientExpression e = g.term(op.getE()), v = g.term(op.getV());
  GradientExpression none = g.index(0);
  if (!op.getComputeV())
    v = g.term(g.makeAll<EigOp>({op.getInput()})[1]);
  GradientExpression middle =
      g.make<MatrixSetDiagOp>({g.zeros(v), g.of(op.getE()), none});
  if (op.getComputeV()) {
    GradientExpression byV = product(v, g.of(op.getV()), g, /*turnsA=*/true);
    GradientExpression lengths = g.make<RealOp>(
        {g.make<MatrixDiagPartOp>({byV, none, g.number(byV, 0.0)})});
    // Subtract the part of the gradient that would change the eigenvectors'
    // lengths, which are fixed.
    GradientExpression along =
        timesColumns(product(v, v, g, /*turnsA=*/true),
                     g.cast(lengths, e.getElementType()), g);
    middle = middle + g.conj(reciprocalDifferences(e, g)) * (byV - along);
  }
  GradientExpression whole =
      g.make<MatrixSolveOp>({v, product(middle, v, g, false, /*turnsB=*/true)},
                            {g.flag("adjoint", true)});
  if (!isa<ComplexType>(getElementTypeOrSelf(op.getInput().getType())))
    whole = g.make<RealOp>({whole});
  g.add(op.getInput(), whole);
}

/// If R is the square root and dR its gradient, the gradient X of the input
/// solves R^T X + X R^T = dR. This is a system of linear equations in the
/// elements of X, whose matrix is a sum of Kronecker products, as in
/// TensorFlow.
static void differentiate(MatrixSquareRootOp op, Gradients &g) {
  std::optional<int32_t> rank = g.rankOf(op.getInput());
  if (!rank)
    return;
  GradientExpression root = g.term(op.getOutput()), none = g.index(0);
  GradientExpression diagonal =
      g.make<MatrixDiagPartOp>({root, none, g.number(root, 0.0)});
  GradientExpression identity =
      g.make<MatrixSetDiagOp>({g.zeros(root), g.ones(diagonal), none});
  auto kronecker = [&](GradientExpression a, GradientExpression b) {
    return g.expand(g.expand(a, -2), -1) * g.expand(g.expand(b, -2), -4);
  };
  GradientExpression n = g.dims(root, *rank - 1, *rank);
  GradientExpression batch = g.dims(root, 0, *rank - 2);
  GradientExpression all =
      kronecker(identity, turned(root, *rank, g)) + kronecker(root, identity);
  GradientExpression matrix = g.reshape(all, g.join({batch, n * n, n * n}));
  GradientExpression rhs = g.reshape(turned(g.of(op), *rank, g),
                                     g.join({batch, n * n, g.indices({1})}));
  GradientExpression solved = g.make<MatrixSolveOp>({matrix, rhs});
  g.add(op.getInput(), turned(g.reshapeLike(solved, root), *rank, g));
}

static void differentiate(LuOp, Gradients &g) {
  g.refuse("TensorFlow has no gradient of Lu");
}
static void differentiate(MatrixExponentialOp, Gradients &g) {
  g.refuse("TensorFlow has no gradient of MatrixExponential; use "
           "tf.linalg.expm, which is made of other ops");
}
static void differentiate(MatrixLogarithmOp, Gradients &g) {
  g.refuse("TensorFlow has no gradient of MatrixLogarithm");
}

void attachSpectralGradients(MLIRContext &context) {
  attachGradientsOf<SelfAdjointEigOp, SVDOp, EigOp, MatrixSquareRootOp>(
      context);
  attachRefusals<LuOp, MatrixExponentialOp, MatrixLogarithmOp>(context);
}

} // namespace mlir::ingot
