//===- ReportGradients.cpp - Gradients of checks and prints ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/Gradients/Gradients.h"
#include "dialects/Ingot/IR/BroadcastOps.h"
#include "dialects/Ingot/IR/ReportOps.h"

namespace mlir::ingot {

/// Applies check_numerics to the gradient, too, like TensorFlow.
static void differentiate(CheckNumericsOp op, Gradients &g) {
  std::string message =
      ("Not a number (NaN) or infinity (Inf) values detected in gradient. " +
       op.getMessage())
          .str();
  g.add(op.getInput(),
        g.make<CheckNumericsOp>({g.of(op)}, {g.text("message", message),
                                             g.flag("signs", op.getSigns())}));
}
static void differentiate(PrintDataOp op, Gradients &g) {
  g.add(op.getInput(), g.of(op));
}
static void differentiate(BroadcastAgainstOp op, Gradients &g) {
  g.addBroadcast(op.getInput(), g.of(op));
}

void attachReportGradients(MLIRContext &context) {
  attachGradientsOf<CheckNumericsOp, PrintDataOp, BroadcastAgainstOp>(context);
}

} // namespace mlir::ingot
