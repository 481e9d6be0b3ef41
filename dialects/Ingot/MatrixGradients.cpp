//===- MatrixGradients.cpp - Gradients of diagonals and bands -------------===//

#include "dialects/Ingot/Gradients.h"
#include "dialects/Ingot/MatrixOps.h"

namespace mlir::ingot {

template <typename OpTy>
static Term diagonalOf(Value matrix, OpTy op, Gradients &g) {
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

void attachMatrixGradients(MLIRContext &context) {
  attachGradientsOf<MatrixDiagOp, MatrixDiagPartOp, MatrixSetDiagOp,
                    MatrixBandPartOp>(context);
}

} // namespace mlir::ingot
