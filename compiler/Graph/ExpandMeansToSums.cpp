//===- ExpandMeansToSums.cpp - Means as sums over the batch ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/ExpandMeansToSums.h"

#include "compiler/Graph/BatchSplitRules.h"

#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/ConstantOps.h"
#include "dialects/Ingot/IR/InferredOps.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/NormalizationOps.h"
#include "dialects/Ingot/IR/ShapeInference.h"
#include "dialects/Ingot/IR/TensorOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "ingot-split-batch-into-slices"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

namespace {

/// Builds arithmetic before an op, with the op's location.
class ArithmeticOpBuilder {
public:
  explicit ArithmeticOpBuilder(Operation *op)
      : builder(op), loc(op->getLoc()) {}

  Value apply(StringRef name, ValueRange operands,
              ArrayRef<NamedAttribute> attributes = {}) {
    return createInferred(builder, loc, name, operands, attributes)
        ->getResult(0);
  }
  Value add(Value a, Value b) { return apply("ingot.add", {a, b}); }
  Value sub(Value a, Value b) { return apply("ingot.sub", {a, b}); }
  Value mul(Value a, Value b) { return apply("ingot.mul", {a, b}); }
  Value div(Value a, Value b) { return apply("ingot.real_div", {a, b}); }

  Value scalar(Type element, double value) {
    auto type = RankedTensorType::get({}, element);
    return createConstant(
        builder, loc,
        DenseElementsAttr::get(type, builder.getFloatAttr(element, value)));
  }
  Value sum(Value value, ArrayRef<int32_t> axes) {
    return apply(
        "ingot.sum",
        {value, createConstant(builder, loc, builder.getI32TensorAttr(axes))});
  }
  /// Returns the number of elements of `value` along `axes`, counted over the
  /// whole batch, not over one slice.
  Value count(Value value, ArrayRef<int32_t> axes, Type element) {
    auto type = ::mlir::cast<RankedTensorType>(value.getType());
    double product = 1;
    bool isOpen = false;
    for (int32_t axis : axes) {
      isOpen |= type.isDynamicDim(axis);
      product *= static_cast<double>(type.getDimSize(axis));
    }
    if (!isOpen)
      return scalar(element, product);
    Value list = createConstant(builder, loc, builder.getI32TensorAttr(axes));
    auto sizeType = TypeAttr::get(builder.getI64Type());
    Value shape = apply("ingot.shape", value,
                        builder.getNamedAttr("output_type", sizeType));
    Value zero = createConstant(
        builder, loc,
        DenseElementsAttr::get(RankedTensorType::get({}, builder.getI32Type()),
                               APInt(32, 0)));
    Value sizes = apply("ingot.gather", {shape, list, zero});
    return cast(apply("ingot.prod",
                      {sizes, createConstant(builder, loc,
                                             builder.getI32TensorAttr({0}))}),
                element);
  }
  Value cast(Value value, Type element) {
    return getElementTypeOrSelf(value) == element
               ? value
               : apply("ingot.cast", value,
                       builder.getNamedAttr("dst", TypeAttr::get(element)));
  }
  /// Returns 1 / sqrt(variance + epsilon).
  Value inverseDeviation(Value variance, double epsilon) {
    Type element = getElementTypeOrSelf(variance);
    Value root = apply("ingot.sqrt", add(variance, scalar(element, epsilon)));
    return div(scalar(element, 1), root);
  }

  OpBuilder builder;
  Location loc;
};

/// Builds sums and means over all dimensions except the last one, the channels.
class PerChannelReductionBuilder {
public:
  PerChannelReductionBuilder(ArithmeticOpBuilder &math, Value x, Type element)
      : math(math), element(element) {
    for (int64_t dim = 0; dim + 1 < rankOf(x); ++dim)
      axes.push_back(static_cast<int32_t>(dim));
    number = math.count(x, axes, element);
  }

  Value sum(Value value) { return math.sum(value, axes); }
  Value mean(Value value) { return math.div(value, number); }
  /// Returns n / (n - 1), by which a variance is multiplied to make it
  /// unbiased.
  Value unbiased() {
    Value one = math.scalar(element, 1);
    return math.div(number,
                    math.apply("ingot.maximum", {math.sub(number, one), one}));
  }

private:
  ArithmeticOpBuilder &math;
  Type element;
  SmallVector<int32_t> axes;
  Value number;
};

} // namespace

/// Replaces a mean over the batch by a sum, which can be computed slice by
/// slice, and a division by the number of elements in the whole batch.
static bool expandMean(MeanOp op, int64_t cut) {
  auto input = cast<RankedTensorType>(op.getInput().getType());
  std::optional<SmallVector<int64_t>> axes = getConstantInts(op.getAxes());
  if (!axes || !isa<FloatType>(input.getElementType()))
    return false;
  SmallVector<int32_t> dims;
  for (int64_t axis : *axes)
    dims.push_back(
        static_cast<int32_t>(axis < 0 ? axis + input.getRank() : axis));
  if (!llvm::is_contained(dims, cut))
    return false;
  ArithmeticOpBuilder math(op);
  Value count = math.count(op.getInput(), dims, input.getElementType());
  Value sum =
      math.apply("ingot.sum", {op.getInput(), op.getAxes()},
                 math.builder.getNamedAttr("keep_dims", op.getKeepDimsAttr()));
  op.replaceAllUsesWith(math.div(sum, count));
  op.erase();
  return true;
}

/// Returns the moving average `old` updated with the current value `now`.
static Value average(ArithmeticOpBuilder &math, FusedBatchNormOp op, Value old,
                     Value now) {
  double factor = op.getExponentialAvgFactor().convertToDouble();
  if (factor == 1)
    return now;
  Type element = getElementTypeOrSelf(now);
  Value share = math.scalar(element, factor);
  Value rest = math.sub(math.scalar(element, 1), share);
  return math.add(math.mul(rest, old), math.mul(share, now));
}

static bool expand(FusedBatchNormOp op) {
  ArithmeticOpBuilder math(op);
  Type element = getElementTypeOrSelf(op.getScale());
  Value x = math.cast(op.getX(), element);
  Value mean = op.getMean(), variance = op.getVariance();
  Value runningMean = mean, runningVariance = variance;
  PerChannelReductionBuilder channels(math, x, element);
  if (op.getIsTraining()) {
    mean = channels.mean(channels.sum(x));
    Value distance = math.sub(x, mean);
    variance = channels.mean(channels.sum(math.mul(distance, distance)));
    runningMean = average(math, op, op.getMean(), mean);
    runningVariance = average(math, op, op.getVariance(),
                              math.mul(variance, channels.unbiased()));
  }
  Value factor = math.mul(
      math.inverseDeviation(variance, op.getEpsilon().convertToDouble()),
      op.getScale());
  Value y = math.add(math.mul(math.sub(x, mean), factor), op.getOffset());
  y = math.cast(y, getElementTypeOrSelf(op.getX()));
  op->replaceAllUsesWith(
      ValueRange{y, runningMean, runningVariance, mean, variance});
  op.erase();
  return true;
}

static bool expand(FusedBatchNormGradOp op) {
  ArithmeticOpBuilder math(op);
  Type element = getElementTypeOrSelf(op.getScale());
  Value gradient = math.cast(op.getGradient(), element);
  Value distance = math.sub(math.cast(op.getX(), element), op.getMean());
  PerChannelReductionBuilder channels(math, gradient, element);
  Value offsetGradient = channels.sum(gradient);
  Value products = channels.sum(math.mul(gradient, distance));
  Value inverse = math.inverseDeviation(op.getVariance(),
                                        op.getEpsilon().convertToDouble());
  Value scaleGradient = math.mul(products, inverse);
  Value factor = math.mul(op.getScale(), inverse);
  Value rest = gradient;
  if (op.getIsTraining()) {
    Value slope = math.mul(channels.mean(products), math.mul(inverse, inverse));
    rest = math.sub(math.sub(gradient, channels.mean(offsetGradient)),
                    math.mul(distance, slope));
  }
  Value result =
      math.cast(math.mul(rest, factor), getElementTypeOrSelf(op.getX()));
  op->replaceAllUsesWith(ValueRange{result, scaleGradient, offsetGradient});
  op.erase();
  return true;
}

/// Sets the list of dimensions that a squeeze removes. Without this list, the
/// squeeze would also remove the batch dimension in a slice of one row.
static void nameDimensions(SqueezeOp op) {
  auto input = cast<RankedTensorType>(op.getInput().getType());
  auto output = dyn_cast<RankedTensorType>(op.getType());
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < input.getRank(); ++dim)
    if (input.getDimSize(dim) == 1)
      dims.push_back(dim);
  auto count = static_cast<int64_t>(dims.size());
  if (output && input.getRank() - output.getRank() == count)
    op.setDims(dims);
}

bool expandMeansToSums(Operation *op, function_ref<int64_t(Value)> cutOf) {
  auto isCut = [&](Value value) { return cutOf(value) != whole; };
  if (auto squeeze = dyn_cast<SqueezeOp>(op);
      squeeze && squeeze.getDims().empty() && isCut(squeeze.getInput()))
    nameDimensions(squeeze);
  if (auto mean = dyn_cast<MeanOp>(op))
    return isCut(mean.getInput()) && expandMean(mean, cutOf(mean.getInput()));
  if (auto norm = dyn_cast<FusedBatchNormOp>(op))
    return isCut(norm.getX()) && expand(norm);
  if (auto norm = dyn_cast<FusedBatchNormGradOp>(op))
    return (isCut(norm.getX()) || isCut(norm.getGradient())) && expand(norm);
  return false;
}

} // namespace ingot::graph
