//===- RearrangeGradients.cpp - Gradients of ops that move elements -------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/Gradients/Gradients.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/RearrangeOps.h"

namespace mlir::ingot {

/// The gradient of the input is a slice of the gradient of the padded result.
/// As in TensorFlow, the pad value receives no gradient.
static void differentiate(PadOp op, Gradients &g) {
  std::optional<int32_t> rank = g.rankOf(op.getInput());
  if (!rank)
    return;
  Type i32 = g.getBuilder().getI32Type();
  GradientExpression before =
      g.make<SliceOp>({g.cast(op.getPaddings(), i32), g.indices({0, 0}),
                       g.indices({*rank, 1})});
  g.add(op.getInput(),
        g.make<SliceOp>({g.of(op), g.reshape(before, g.indices(*rank)),
                         g.shape(op.getInput())}));
}

static void differentiate(MirrorPadOp op, Gradients &g) {
  g.add(op.getInput(), g.make<MirrorPadGradOp>({g.of(op), op.getPaddings()},
                                               op.getOperation()->getAttrs()));
}
static void differentiate(MirrorPadGradOp op, Gradients &g) {
  g.add(op.getInput(), g.make<MirrorPadOp>({g.of(op), op.getPaddings()},
                                           op.getOperation()->getAttrs()));
}
static void differentiate(ReverseOp op, Gradients &g) {
  g.add(op.getInput(), g.make<ReverseOp>({g.of(op), op.getAxes()}));
}
static void differentiate(ReverseSequenceOp op, Gradients &g) {
  g.add(op.getInput(),
        g.make<ReverseSequenceOp>({g.of(op), op.getLengths()},
                                  op.getOperation()->getAttrs()));
}
static void differentiate(RollOp op, Gradients &g) {
  g.add(op.getInput(),
        g.make<RollOp>({g.of(op), -g.term(op.getShift()), op.getAxes()}));
}
static void differentiate(SpaceToBatchOp op, Gradients &g) {
  g.add(op.getInput(),
        g.make<BatchToSpaceOp>({g.of(op), op.getBlock(), op.getPaddings()}));
}
static void differentiate(BatchToSpaceOp op, Gradients &g) {
  g.add(op.getInput(),
        g.make<SpaceToBatchOp>({g.of(op), op.getBlock(), op.getCrops()}));
}
static void differentiate(SpaceToDepthOp op, Gradients &g) {
  g.add(op.getInput(),
        g.make<DepthToSpaceOp>({g.of(op)}, op.getOperation()->getAttrs()));
}
static void differentiate(DepthToSpaceOp op, Gradients &g) {
  g.add(op.getInput(),
        g.make<SpaceToDepthOp>({g.of(op)}, op.getOperation()->getAttrs()));
}

void attachRearrangeGradients(MLIRContext &context) {
  attachGradientsOf<PadOp, MirrorPadOp, MirrorPadGradOp, ReverseOp,
                    ReverseSequenceOp, RollOp, SpaceToBatchOp, BatchToSpaceOp,
                    SpaceToDepthOp, DepthToSpaceOp>(context);
  attachNoGradients<LinSpaceOp>(context);
}

} // namespace mlir::ingot
