//===- PointwiseOps.cpp - Functions of elements ---------------------------===//

#include "dialects/Ingot/PointwiseOps.h"
#include "compiler/Import/ComputeSpec.h"
#include "compiler/Import/Types.h"
#include "dialects/Ingot/ActivationOps.h"
#include "dialects/Ingot/ConstantOps.h"
#include "dialects/Ingot/MathOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

using Kind = AttributeSpec::Kind;

static const std::vector<ComputeSpec> &getPointwiseSpecs() {
  static const AttributeSpec alpha{"alpha", Kind::Float, "alpha"};
  static const std::vector<ComputeSpec> specs = {
      {"OnesLike", 1, OnesLikeOp::getOperationName(), {}},
      {"Reciprocal", 1, ReciprocalOp::getOperationName(), {}},
      {"Inv", 1, ReciprocalOp::getOperationName(), {}},
      {"Rsqrt", 1, RsqrtOp::getOperationName(), {}},
      {"Expm1", 1, Expm1Op::getOperationName(), {}},
      {"Log1p", 1, Log1pOp::getOperationName(), {}},
      {"Sin", 1, SinOp::getOperationName(), {}},
      {"Cos", 1, CosOp::getOperationName(), {}},
      {"Tan", 1, TanOp::getOperationName(), {}},
      {"Asin", 1, AsinOp::getOperationName(), {}},
      {"Acos", 1, AcosOp::getOperationName(), {}},
      {"Atan", 1, AtanOp::getOperationName(), {}},
      {"Sinh", 1, SinhOp::getOperationName(), {}},
      {"Cosh", 1, CoshOp::getOperationName(), {}},
      {"Asinh", 1, AsinhOp::getOperationName(), {}},
      {"Acosh", 1, AcoshOp::getOperationName(), {}},
      {"Atanh", 1, AtanhOp::getOperationName(), {}},
      {"Erf", 1, ErfOp::getOperationName(), {}},
      {"Erfc", 1, ErfcOp::getOperationName(), {}},
      {"Floor", 1, FloorOp::getOperationName(), {}},
      {"Ceil", 1, CeilOp::getOperationName(), {}},
      {"Round", 1, RoundOp::getOperationName(), {}},
      {"Rint", 1, RoundOp::getOperationName(), {}},
      {"Invert", 1, InvertOp::getOperationName(), {}},
      {"IsNan", 1, IsNanOp::getOperationName(), {}},
      {"IsInf", 1, IsInfOp::getOperationName(), {}},
      {"IsFinite", 1, IsFiniteOp::getOperationName(), {}},
      {"Cast",
       1,
       CastOp::getOperationName(),
       {{"SrcT"}, {"DstT", Kind::ElementType, "dst"}, {"Truncate"}}},
      {"Bitcast",
       1,
       BitcastOp::getOperationName(),
       {{"type", Kind::ElementType, "dst"}}},

      {"Pow", 2, PowOp::getOperationName(), {}},
      {"TruncateDiv", 2, TruncateDivOp::getOperationName(), {}},
      {"FloorDiv", 2, FloorDivOp::getOperationName(), {}},
      {"TruncateMod", 2, TruncateModOp::getOperationName(), {}},
      {"Mod", 2, TruncateModOp::getOperationName(), {}},
      {"FloorMod", 2, FloorModOp::getOperationName(), {}},
      {"Atan2", 2, Atan2Op::getOperationName(), {}},
      {"MulNoNan", 2, MulNoNanOp::getOperationName(), {}},
      {"Xdivy", 2, XdivyOp::getOperationName(), {}},
      {"Xlogy", 2, XlogyOp::getOperationName(), {}},
      {"Xlog1py", 2, Xlog1pyOp::getOperationName(), {}},
      {"NextAfter", 2, NextAfterOp::getOperationName(), {}},
      {"BitwiseAnd", 2, BitwiseAndOp::getOperationName(), {}},
      {"BitwiseOr", 2, BitwiseOrOp::getOperationName(), {}},
      {"BitwiseXor", 2, BitwiseXorOp::getOperationName(), {}},
      {"LeftShift", 2, LeftShiftOp::getOperationName(), {}},
      {"RightShift", 2, RightShiftOp::getOperationName(), {}},
      {"ApproximateEqual",
       2,
       ApproximateEqualOp::getOperationName(),
       {{"tolerance", Kind::Float, "tolerance"}}},
      {"AccumulateNV2", -1, AddNOp::getOperationName(), {{"N"}, {"shape"}}},

      {"Sigmoid", 1, SigmoidOp::getOperationName(), {}},
      {"Relu6", 1, Relu6Op::getOperationName(), {}},
      {"LeakyRelu", 1, LeakyReluOp::getOperationName(), {alpha}},
      {"Elu", 1, EluOp::getOperationName(), {}},
      {"Selu", 1, SeluOp::getOperationName(), {}},
      {"Softplus", 1, SoftplusOp::getOperationName(), {}},
      {"Softsign", 1, SoftsignOp::getOperationName(), {}},
      {"SqrtGrad", 2, SqrtGradOp::getOperationName(), {}},
      {"RsqrtGrad", 2, RsqrtGradOp::getOperationName(), {}},
      {"ReciprocalGrad", 2, ReciprocalGradOp::getOperationName(), {}},
      {"InvGrad", 2, ReciprocalGradOp::getOperationName(), {}},
      {"TanhGrad", 2, TanhGradOp::getOperationName(), {}},
      {"SigmoidGrad", 2, SigmoidGradOp::getOperationName(), {}},
      {"Relu6Grad", 2, Relu6GradOp::getOperationName(), {}},
      {"LeakyReluGrad", 2, LeakyReluGradOp::getOperationName(), {alpha}},
      {"EluGrad", 2, EluGradOp::getOperationName(), {}},
      {"SeluGrad", 2, SeluGradOp::getOperationName(), {}},
      {"SoftplusGrad", 2, SoftplusGradOp::getOperationName(), {}},
      {"SoftsignGrad", 2, SoftsignGradOp::getOperationName(), {}},
  };
  return specs;
}

// `Div` divides integers as C does, other numbers as `RealDiv`.
static void importDiv(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  SmallVector<Value> operands = node.tensors(0, 2);
  if (node.hasFailed())
    return;
  bool onFloats = isa<FloatType>(getElementTypeOrSelf(operands[0]));
  if (Operation *op = onFloats ? node.create<RealDivOp>(operands)
                               : node.create<TruncateDivOp>(operands))
    node.setOutput(0, op->getResult(0));
}

/// `value`, floats, without the bits of their mantissas that `to` has no room
/// for: what is rounded then has nothing to round. Null where that fails.
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
  Value mask = ConstantOp::create(
      node.body.builder, node.loc,
      DenseElementsAttr::get(RankedTensorType::get({}, bitsType),
                             APInt::getHighBitsSet(width, width - lost)));
  Operation *kept = node.create<BitwiseAndOp>({bits, mask});
  return kept ? castTo(kept->getResult(0), from) : Value();
}

// `Truncate` rounds floats towards zero. TensorFlow does not heed it from
// float64 to bfloat16.
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
  addSpecs(table, getPointwiseSpecs());
  table["Cast"].import = importCast;
  table["Div"] = {Effect::Pure, importDiv};
  table["ClipByValue"] = {Effect::Pure, importClipByValue};
}

} // namespace ingot::importer
