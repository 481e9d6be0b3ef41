//===- PointwiseOps.cpp - Pointwise functions -----------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/PointwiseOps.h"
#include "compiler/Import/Graph/ConvertTypes.h"
#include "compiler/Import/Ops/OneToOneOpSpec.h"
#include "dialects/Ingot/IR/ActivationOps.h"
#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/MathOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

// Imports Div, which truncates the quotient of integers toward zero, and
// divides floats like RealDiv.
static void importDiv(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  SmallVector<Value> operands = node.tensors(0, 2);
  if (node.hasFailed())
    return;
  bool onFloats =
      isa<FloatType, ComplexType>(getElementTypeOrSelf(operands[0]));
  if (Operation *op = onFloats ? node.create<RealDivOp>(operands)
                               : node.create<TruncateDivOp>(operands))
    node.setOutput(0, op->getResult(0));
}

/// Clears the mantissa bits of `value` that the smaller float type `to` does
/// not have, so that a conversion to `to` truncates instead of rounding.
/// Returns null on failure.
static Value clearLostBits(NodeImport &node, Value value, FloatType to) {
  auto from = cast<FloatType>(getElementTypeOrSelf(value));
  unsigned width = from.getWidth();
  unsigned lost = from.getFPMantissaWidth() - to.getFPMantissaWidth();
  auto bitsType = IntegerType::get(node.context(), width);
  auto castTo = [&](Value input, Type type) -> Value {
    Operation *op = node.create<BitcastOp>(
        {input}, {node.named("dst", TypeAttr::get(type))});
    return op ? op->getResult(0) : Value();
  };
  Value bits = castTo(value, bitsType);
  if (!bits)
    return {};
  Value mask = createConstant(
      node.body.builder, node.loc,
      DenseElementsAttr::get(RankedTensorType::get({}, bitsType),
                             APInt::getHighBitsSet(width, width - lost)));
  Operation *kept = node.create<BitwiseAndOp>({bits, mask});
  return kept ? castTo(kept->getResult(0), from) : Value();
}

// Imports Cast. With attribute `Truncate`, a conversion to a smaller float type
// truncates the mantissa. Like TensorFlow, ignores the attribute for
// conversions of float64 to bfloat16.
static void importCast(NodeImport &node) {
  if (!node.attributes.getBool("Truncate", false))
    return importCompute(node);
  if (!node.expectInputs(1))
    return;
  Value value = node.tensor(0);
  Type to = convertElementType(
      node.attributes.getType("DstT", proto::DT_INVALID), node.context());
  if (!value || !to)
    return importCompute(node);
  auto fromFloat = dyn_cast<FloatType>(getElementTypeOrSelf(value));
  auto toFloat = dyn_cast<FloatType>(to);
  if (fromFloat && toFloat &&
      fromFloat.getFPMantissaWidth() > toFloat.getFPMantissaWidth() &&
      !(fromFloat.isF64() && toFloat.isBF16()))
    value = clearLostBits(node, value, toFloat);
  if (!value)
    return;
  if (Operation *op =
          node.create<CastOp>({value}, {node.named("dst", TypeAttr::get(to))}))
    node.setOutput(0, op->getResult(0));
}

static void importClipByValue(NodeImport &node) {
  if (!node.expectInputs(3))
    return;
  SmallVector<Value> operands = node.tensors(0, 3);
  if (node.hasFailed())
    return;
  Operation *below = node.create<MinimumOp>({operands[0], operands[2]});
  if (!below)
    return;
  if (Operation *op =
          node.create<MaximumOp>({below->getResult(0), operands[1]}))
    node.setOutput(0, op->getResult(0));
}

void addPointwiseOps(OpTable &table) {
  table["Cast"].import = importCast;
  table["Div"] = {Effect::Pure, importDiv};
  table["ClipByValue"] = {Effect::Pure, importClipByValue};
}

} // namespace ingot::importer
