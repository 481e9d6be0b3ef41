//===- BatchSizes.cpp - Sizes as multiples of the batch size --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/BatchSizes.h"

#include "compiler/Graph/SymbolicShapes.h"

#include "dialects/Ingot/IR/InferredOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

bool isCutSizes(Operation *op, const BatchSplitPlan &split) {
  return isa<ShapeOp, tensor::DimOp>(op) && split.isOfSlices(op->getOperand(0));
}

static Value infer(OpBuilder &builder, Location loc, StringRef name,
                   ValueRange operands,
                   ArrayRef<NamedAttribute> attributes = {}) {
  return createInferred(builder, loc, name, operands, attributes)->getResult(0);
}

static Value vectorOf(OpBuilder &builder, Location loc, Type element,
                      ArrayRef<int64_t> values) {
  auto type =
      RankedTensorType::get({static_cast<int64_t>(values.size())}, element);
  return createConstant(
      builder, loc,
      DenseElementsAttr::get(
          type, llvm::map_to_vector(values, [&](int64_t value) {
            return APInt(element.getIntOrFloatBitWidth(), value,
                         /*isSigned=*/true);
          })));
}

/// Returns the size of dimension `dim` of `value` as a vector of one element.
static Value sizeVector(OpBuilder &builder, Location loc, Type element,
                        Value value, int64_t dim) {
  Value shape =
      infer(builder, loc, "ingot.shape", value,
            builder.getNamedAttr("output_type", TypeAttr::get(element)));
  Type i32 = builder.getI32Type();
  Value axis = createConstant(
      builder, loc,
      DenseElementsAttr::get(RankedTensorType::get({}, i32), APInt(32, 0)));
  return infer(builder, loc, "ingot.gather",
               {shape, vectorOf(builder, loc, i32, dim), axis});
}

namespace {
/// A size that is `factor` times the size of dimension `dim` of `root`, where
/// `root` is a feed or input component of the step
/// (`BatchSplitParameters::roots`). If `root` is null, the size is the constant
/// `factor`.
struct MultipleOfInputDim {
  Value root;
  int64_t dim = 0, factor = 0;
};
} // namespace

/// SymbolicShapes numbers all sizes: a static size is its own number, and equal
/// numbers mean equal sizes. Returns the size with the number `number` as a
/// constant or as a multiple of a dimension of one of the roots. Returns
/// std::nullopt if the size is not known to be one of these.
static std::optional<MultipleOfInputDim>
findSize(int64_t number, const BatchSplitParameters &batch) {
  constexpr int64_t leastPrime = SymbolicShapes::leastPrime;
  if (number < leastPrime)
    return MultipleOfInputDim{Value(), 0, number};
  if (number % batch.size == 0 && number / batch.size < leastPrime)
    return MultipleOfInputDim{batch.roots.front(), 0, number / batch.size};
  for (Value root : batch.roots)
    for (auto [dim, other] : llvm::enumerate((*batch.shapes)[root]))
      if (other == number)
        return MultipleOfInputDim{root, static_cast<int64_t>(dim), 1};
  return std::nullopt;
}

static bool replaceShape(ShapeOp op, const BatchSplitParameters &batch) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Type element = getElementTypeOrSelf(op.getType());
  SmallVector<MultipleOfInputDim> sizes;
  for (int64_t number : (*batch.shapes)[op.getInput()]) {
    std::optional<MultipleOfInputDim> size = findSize(number, batch);
    if (!size)
      return false;
    sizes.push_back(*size);
  }
  if (sizes.empty())
    return false;
  SmallVector<Value> pieces = {createConstant(
      builder, loc,
      DenseElementsAttr::get(RankedTensorType::get({}, builder.getI32Type()),
                             APInt(32, 0)))};
  for (MultipleOfInputDim size : sizes) {
    Value piece = vectorOf(builder, loc, element, size.factor);
    if (size.root) {
      Value of = sizeVector(builder, loc, element, size.root, size.dim);
      piece =
          size.factor == 1 ? of : infer(builder, loc, "ingot.mul", {of, piece});
    }
    pieces.push_back(piece);
  }
  op.replaceAllUsesWith(infer(builder, loc, "ingot.concat", pieces));
  op.erase();
  return true;
}

static bool replaceDim(tensor::DimOp op, const BatchSplitParameters &batch) {
  std::optional<int64_t> dim = op.getConstantIndex();
  ArrayRef<int64_t> numbers = (*batch.shapes)[op.getSource()];
  if (!dim || numbers.empty())
    return false;
  std::optional<MultipleOfInputDim> size = findSize(numbers[*dim], batch);
  if (!size)
    return false;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value result = arith::ConstantIndexOp::create(builder, loc, size->factor);
  if (size->root) {
    Value of = tensor::DimOp::create(builder, loc, size->root, size->dim);
    result = size->factor == 1
                 ? of
                 : Value(arith::MulIOp::create(builder, loc, of, result));
  }
  op.replaceAllUsesWith(result);
  op.erase();
  return true;
}

bool replaceSizes(Operation *op, const BatchSplitParameters &batch) {
  if (auto shape = dyn_cast<ShapeOp>(op))
    return replaceShape(shape, batch);
  auto dim = dyn_cast<tensor::DimOp>(op);
  return dim && replaceDim(dim, batch);
}

/// Returns `shape` with element `dim` replaced by `size`, a vector of one
/// element.
static Value withSize(OpBuilder &builder, Location loc, Value shape,
                      int64_t dim, Value size) {
  int64_t rank = cast<RankedTensorType>(shape.getType()).getDimSize(0);
  SmallVector<bool> mask(rank, false);
  mask[dim] = true;
  Value replaced = createConstant(
      builder, loc,
      DenseElementsAttr::get(RankedTensorType::get({rank}, builder.getI1Type()),
                             mask));
  return infer(builder, loc, "ingot.select", {replaced, size, shape});
}

Value withOpenSize(OpBuilder &builder, Location loc, Value shape, int64_t dim) {
  return withSize(builder, loc, shape, dim,
                  vectorOf(builder, loc, getElementTypeOrSelf(shape), -1));
}

Value withSizeOf(OpBuilder &builder, Location loc, Value shape, int64_t dim,
                 Value part, int64_t dimOfPart) {
  return withSize(
      builder, loc, shape, dim,
      sizeVector(builder, loc, getElementTypeOrSelf(shape), part, dimOfPart));
}

/// Reshapes `value` to `type`, of which at most one size may be dynamic.
static Value reshaped(OpBuilder &builder, Location loc, Value value,
                      RankedTensorType type) {
  SmallVector<int64_t> sizes(type.getShape());
  for (int64_t &size : sizes)
    if (ShapedType::isDynamic(size))
      size = -1;
  Value shape = vectorOf(builder, loc, builder.getI64Type(), sizes);
  return ReshapeOp::create(builder, loc, TypeRange(type), {value, shape});
}

Value spread(OpBuilder &builder, Location loc, Value value, int64_t dim,
             int64_t k) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  if (!ShapedType::isDynamic(shape[dim]))
    shape[dim] /= k;
  shape.insert(shape.begin() + dim + 1, k);
  return reshaped(builder, loc, value, type.clone(shape));
}

Value joined(OpBuilder &builder, Location loc, Value value, int64_t dim) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  if (!ShapedType::isDynamic(shape[dim]))
    shape[dim] *= shape[dim + 1];
  shape.erase(shape.begin() + dim + 1);
  return reshaped(builder, loc, value, type.clone(shape));
}

} // namespace ingot::graph
