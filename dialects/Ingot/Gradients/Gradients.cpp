//===- Gradients.cpp - Helpers to write gradients of ops ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/Gradients/Gradients.h"

#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/ComplexOps.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/InferredOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

using namespace mlir;
using namespace mlir::ingot;

GradientExpression mlir::ingot::operator+(GradientExpression a, Value b) {
  return a.getGradients().make<AddOp>({a, b});
}
GradientExpression mlir::ingot::operator-(GradientExpression a, Value b) {
  return a.getGradients().make<SubOp>({a, b});
}
GradientExpression mlir::ingot::operator*(GradientExpression a, Value b) {
  return a.getGradients().make<MulOp>({a, b});
}
GradientExpression mlir::ingot::operator/(GradientExpression a, Value b) {
  return a.getGradients().make<RealDivOp>({a, b});
}
GradientExpression mlir::ingot::operator-(GradientExpression a) {
  return a.getGradients().make<NegOp>({a});
}
GradientExpression mlir::ingot::operator+(GradientExpression a, double b) {
  return a + a.getGradients().number(a, b);
}
GradientExpression mlir::ingot::operator-(double a, GradientExpression b) {
  return b.getGradients().number(b, a) - b;
}
GradientExpression mlir::ingot::operator*(GradientExpression a, double b) {
  return a * a.getGradients().number(a, b);
}
GradientExpression mlir::ingot::operator/(double a, GradientExpression b) {
  return b.getGradients().number(b, a) / b;
}

/// Returns the gradient of `result`: the sum of all terms that were added for
/// it, as one add_n, like TensorFlow.
GradientExpression Gradients::of(Value result) {
  auto found = sums.find(result);
  if (found == sums.end())
    return zeros(result);
  Value sum = total(SmallVector<Value>(ArrayRef<Value>(found->second)));
  sums[result] = {sum};
  return term(sum);
}

GradientExpression Gradients::total(ArrayRef<Value> parts) {
  return parts.size() == 1 ? term(parts.front()) : make<AddNOp>(parts);
}

void Gradients::add(Value operand, Value gradient) {
  if (!wants(operand))
    return;
  // A gradient has the same shape as its operand. Set the static sizes of the
  // operand's type that the shape function of the gradient's op has not
  // inferred.
  if (auto result = dyn_cast<OpResult>(gradient);
      result && areCompatibleTypes(result.getType(), operand.getType()))
    result.setType(getTensorType(
        refineShape(getTensorShape(result.getType()),
                    getTensorShape(operand.getType())),
        mlir::cast<ShapedType>(operand.getType()).getElementType()));
  sums[operand].push_back(gradient);
}

void Gradients::addBroadcast(Value operand, Value gradient) {
  if (!wants(operand))
    return;
  auto type = dyn_cast<RankedTensorType>(operand.getType());
  if (type && type.hasStaticShape() && type == gradient.getType())
    return add(operand, gradient);
  add(operand, make<SumToShapeOp>({gradient, shape(operand)}));
}

void Gradients::refuse(const Twine &reason) {
  if (refusal.empty())
    refusal = reason.str();
}

/// Returns zeros in place of the results of an op that could not be created.
/// The failure was reported as an error, so these zeros are never compiled.
static SmallVector<Value> makeNothing(OpBuilder &builder, Location loc) {
  // The formulas of gradients read at most the first few results of an op that
  // they create; none of them reads as many as 8.
  constexpr unsigned count = 8;
  Value zero = createConstant(
      builder, loc,
      DenseElementsAttr::get(RankedTensorType::get({}, builder.getF32Type()),
                             0.0f));
  return SmallVector<Value>(count, zero);
}

SmallVector<Value> Gradients::make(StringRef name, ValueRange operands,
                                   ArrayRef<NamedAttribute> attributes) {
  Operation *op = createInferred(builder, loc, name, operands, attributes);
  if (!op) {
    refuse("the shapes or types of the operands and of the incoming gradient "
           "do not match in " +
           name);
    return makeNothing(builder, loc);
  }
  SmallVector<Value> folded;
  if (succeeded(builder.tryFold(op, folded)) && !folded.empty()) {
    op->erase();
    return folded;
  }
  return SmallVector<Value>(op->getResults());
}

GradientExpression Gradients::number(Type elementType, double value) {
  auto type = RankedTensorType::get({}, elementType);
  DenseElementsAttr constant;
  if (auto floats = dyn_cast<FloatType>(elementType)) {
    APFloat rounded(value);
    bool losesInfo;
    rounded.convert(floats.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &losesInfo);
    constant = DenseElementsAttr::get(type, rounded);
  } else if (auto complex = dyn_cast<ComplexType>(elementType)) {
    GradientExpression real = number(complex.getElementType(), value);
    return make<ComplexOp>({real, number(real, 0.0)});
  } else {
    constant = DenseElementsAttr::get(
        type, APInt(elementType.getIntOrFloatBitWidth(),
                    static_cast<int64_t>(value), /*isSigned=*/true,
                    /*implicitTrunc=*/true));
  }
  return term(createConstant(builder, loc, constant));
}

GradientExpression Gradients::conj(Value tensor) {
  return isa<ComplexType>(
             mlir::cast<ShapedType>(tensor.getType()).getElementType())
             ? make<ConjOp>({tensor})
             : term(tensor);
}

GradientExpression Gradients::index(int32_t value) {
  return number(builder.getI32Type(), value);
}

GradientExpression Gradients::indices(ArrayRef<int32_t> values) {
  return term(createConstant(builder, loc, builder.getI32TensorAttr(values)));
}

GradientExpression Gradients::zeros(Value like) {
  return make<ZerosLikeOp>({like});
}

GradientExpression Gradients::ones(Value like) {
  return make<FillOp>({shape(like), number(like, 1.0)});
}

GradientExpression Gradients::shape(Value tensor) {
  return make<ShapeOp>(
      {tensor},
      builder.getNamedAttr("output_type", TypeAttr::get(builder.getI32Type())));
}

GradientExpression Gradients::reshape(Value tensor, Value shape) {
  return make<ReshapeOp>({tensor, shape});
}

GradientExpression Gradients::cast(Value tensor, Type elementType) {
  if (mlir::cast<ShapedType>(tensor.getType()).getElementType() == elementType)
    return term(tensor);
  return make<CastOp>({tensor},
                      builder.getNamedAttr("dst", TypeAttr::get(elementType)));
}

GradientExpression Gradients::select(Value condition, Value yes, Value no) {
  return make<SelectOp>({condition, yes, no});
}

GradientExpression Gradients::sum(Value tensor, ArrayRef<int32_t> axes,
                                  bool keepsDims) {
  return make<SumOp>({tensor, indices(axes)}, flag("keep_dims", keepsDims));
}

GradientExpression Gradients::expand(Value tensor, int32_t axis) {
  return make<ExpandDimsOp>({tensor, index(axis)});
}

GradientExpression Gradients::transpose(Value tensor,
                                        ArrayRef<int32_t> permutation) {
  return make<TransposeOp>({tensor, indices(permutation)});
}

GradientExpression Gradients::broadcastLike(Value tensor, Value like) {
  auto type = dyn_cast<RankedTensorType>(like.getType());
  if (type && type.hasStaticShape() && type == tensor.getType())
    return term(tensor);
  return make<BroadcastToOp>({tensor, shape(like)});
}

GradientExpression Gradients::dims(Value tensor, int32_t from, int32_t to) {
  return slice(shape(tensor), from, to);
}

GradientExpression Gradients::slice(Value vector, int32_t from, int32_t to) {
  return make<SliceOp>({vector, indices(from), indices(to - from)});
}

GradientExpression Gradients::join(ArrayRef<Value> vectors) {
  SmallVector<Value> operands = {index(0)};
  llvm::append_range(operands, vectors);
  return make<ConcatOp>(operands);
}

GradientExpression Gradients::product(Value vector) {
  return make<ProdOp>({vector, indices(0)});
}

std::optional<int32_t> Gradients::rankOf(Value tensor) {
  if (auto type = dyn_cast<RankedTensorType>(tensor.getType()))
    return type.getRank();
  refuse("the rank of an operand or result must be known at compile time "
         "(set it with tf.ensure_shape)");
  return std::nullopt;
}

std::optional<SmallVector<int32_t>> Gradients::axesOf(Value axes,
                                                      int64_t rank) {
  std::optional<SmallVector<int64_t>> known = getConstantInts(axes);
  if (!known) {
    refuse("the axes must be known at compile time");
    return std::nullopt;
  }
  SmallVector<int32_t> sorted;
  for (int64_t axis : *known)
    sorted.push_back(static_cast<int32_t>(axis < 0 ? axis + rank : axis));
  llvm::sort(sorted);
  return sorted;
}

void mlir::ingot::attachGradients(MLIRContext &context) {
  attachActivationGradients(context);
  attachArrayGradients(context);
  attachComplexGradients(context);
  attachControlGradients(context);
  attachEnsembleGradients(context);
  attachFourierGradients(context);
  attachIndexingGradients(context);
  attachMathGradients(context);
  attachMatrixGradients(context);
  attachNNGradients(context);
  attachPointwiseGradients(context);
  attachProductGradients(context);
  attachRaggedGradients(context);
  attachRandomGradients(context);
  attachRearrangeGradients(context);
  attachReductionGradients(context);
  attachReportGradients(context);
  attachScanGradients(context);
  attachSetGradients(context);
  attachSparseGradients(context);
  attachSpecialGradients(context);
  attachSpectralGradients(context);
  attachTensorGradients(context);
  attachWindowGradients(context);
}
