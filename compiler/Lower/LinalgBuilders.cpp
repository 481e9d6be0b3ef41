//===- LinalgBuilders.cpp - Helpers that build linalg ops -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/Patterns.h"

#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace ingot::lower {

Value emptyTensor(OpBuilder &builder, Location loc, RankedTensorType type) {
  return tensor::EmptyOp::create(builder, loc, type.getShape(),
                                 type.getElementType());
}

Sizes sizesOf(OpBuilder &builder, Location loc, Value tensor) {
  return tensor::getMixedSizes(builder, loc, tensor);
}

Sizes broadcastSizes(OpBuilder &builder, Location loc, RankedTensorType type,
                     ValueRange operands) {
  Sizes sizes;
  for (auto [index, size] : llvm::enumerate(type.getShape())) {
    if (!ShapedType::isDynamic(size)) {
      sizes.push_back(builder.getIndexAttr(size));
      continue;
    }
    for (Value operand : operands) {
      auto from = cast<RankedTensorType>(operand.getType());
      int64_t position =
          static_cast<int64_t>(index) - (type.getRank() - from.getRank());
      if (position < 0 || from.getDimSize(position) == 1)
        continue;
      sizes.push_back(tensor::getMixedSize(builder, loc, operand, position));
      break;
    }
    assert(sizes.size() == index + 1 && "no operand has this dimension");
  }
  return sizes;
}

Value sizeValue(OpBuilder &builder, Location loc, OpFoldResult size) {
  return getValueOrCreateConstantIndexOp(builder, loc, size);
}

Sizes sizesFromTensor(OpBuilder &builder, Location loc, RankedTensorType type,
                      Value dims) {
  Sizes sizes;
  for (auto [index, size] : llvm::enumerate(type.getShape())) {
    if (!ShapedType::isDynamic(size)) {
      sizes.push_back(builder.getIndexAttr(size));
      continue;
    }
    Value position = arith::ConstantIndexOp::create(builder, loc, index);
    Value element = tensor::ExtractOp::create(builder, loc, dims, position);
    sizes.push_back(arith::IndexCastOp::create(builder, loc,
                                               builder.getIndexType(), element)
                        .getResult());
  }
  return sizes;
}

Value emptyTensor(OpBuilder &builder, Location loc,
                  ArrayRef<OpFoldResult> sizes, Type element) {
  return tensor::EmptyOp::create(builder, loc, sizes, element);
}

Value filledTensor(OpBuilder &builder, Location loc,
                   ArrayRef<OpFoldResult> sizes, Type element, double value) {
  ImplicitLocOpBuilder inner(loc, builder);
  return linalg::FillOp::create(builder, loc, scalar(inner, element, value),
                                emptyTensor(builder, loc, sizes, element))
      .getResult(0);
}

Value reshaped(OpBuilder &builder, Location loc, Value value,
               RankedTensorType type, ArrayRef<OpFoldResult> sizes) {
  auto from = cast<RankedTensorType>(value.getType());
  if (from == type && from.hasStaticShape())
    return value;
  if (from.hasStaticShape() && type.hasStaticShape())
    return reshaped(builder, loc, value, type.getShape());
  SmallVector<Value> dims = llvm::map_to_vector(
      sizes, [&](OpFoldResult size) { return sizeValue(builder, loc, size); });
  auto shapeType = RankedTensorType::get({static_cast<int64_t>(dims.size())},
                                         builder.getIndexType());
  Value shape = tensor::FromElementsOp::create(builder, loc, shapeType, dims);
  return tensor::ReshapeOp::create(builder, loc, type, value, shape);
}

/// Returns the user's element type of operand or result `index` of `op`, as
/// recorded by ingot-lower-to-storage-types. Returns `stored`, the storage
/// type, if nothing was recorded.
static Type elementTypeOf(Operation *op, unsigned index, Type stored) {
  if (auto types = op->getAttrOfType<ArrayAttr>(elementTypesAttrName))
    return cast<TypeAttr>(types[index]).getValue();
  return getElementTypeOrSelf(stored);
}

Type operandElementType(Operation *op, unsigned index) {
  return elementTypeOf(op, index, op->getOperand(index).getType());
}

Type resultElementType(Operation *op, unsigned index) {
  return elementTypeOf(op, op->getNumOperands() + index,
                       op->getResult(index).getType());
}

Value scalar(ImplicitLocOpBuilder &builder, Type type, double value) {
  if (isa<FloatType>(type))
    return arith::ConstantOp::create(builder,
                                     builder.getFloatAttr(type, value));
  return arith::ConstantOp::create(
      builder, builder.getIntegerAttr(type, static_cast<int64_t>(value)));
}

Value filledTensor(OpBuilder &builder, Location loc, RankedTensorType type,
                   double value) {
  ImplicitLocOpBuilder inner(loc, builder);
  Value element = scalar(inner, type.getElementType(), value);
  return linalg::FillOp::create(builder, loc, element,
                                emptyTensor(builder, loc, type))
      .getResult(0);
}

linalg::GenericOp generic(OpBuilder &builder, Location loc, ValueRange inputs,
                          ValueRange destinations, ArrayRef<AffineMap> maps,
                          ArrayRef<bool> reduced, BodyBuilder body) {
  SmallVector<utils::IteratorType> iterators =
      llvm::map_to_vector(reduced, [](bool isReduced) {
        return isReduced ? utils::IteratorType::reduction
                         : utils::IteratorType::parallel;
      });
  return linalg::GenericOp::create(
      builder, loc, TypeRange(destinations), inputs, destinations, maps,
      iterators, [&](OpBuilder &nested, Location nestedLoc, ValueRange args) {
        ImplicitLocOpBuilder inner(nestedLoc, nested);
        linalg::YieldOp::create(nested, nestedLoc, body(inner, args));
      });
}

/// Returns `value` without those dimensions of size 1 that are not in `kept`,
/// the shape of the result.
static Value withoutUnitDims(OpBuilder &builder, Location loc, Value value,
                             ArrayRef<int64_t> kept) {
  auto type = cast<RankedTensorType>(value.getType());
  Sizes sizes = sizesOf(builder, loc, value);
  SmallVector<OpFoldResult> zeros(sizes.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> ones(sizes.size(), builder.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(
      builder, loc, RankedTensorType::get(kept, type.getElementType()), value,
      zeros, sizes, ones);
}

/// Drops the dimensions along which `value` broadcasts to `shape`: those of
/// size 1 where `shape` has another size. Returns the result, and the indexing
/// map from loops over `shape` to the dimensions of the result. If `value` has
/// a dynamic shape, drops all of its dimensions of size 1 or none of them. For
/// a memref with dynamic strides, MLIR could not infer from the types of the
/// memref and its subview which of several dimensions of size 1 were dropped.
static std::pair<Value, AffineMap> alignForBroadcast(OpBuilder &builder,
                                                     Location loc, Value value,
                                                     ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t missing = static_cast<int64_t>(shape.size()) - type.getRank();
  auto broadcasts = [&](auto dim) {
    auto [index, size] = dim;
    return size == 1 && shape[missing + static_cast<int64_t>(index)] != 1;
  };
  bool dropsAll = !type.hasStaticShape() &&
                  llvm::any_of(llvm::enumerate(type.getShape()), broadcasts);
  SmallVector<AffineExpr> results;
  SmallVector<int64_t> kept;
  for (auto [index, size] : llvm::enumerate(type.getShape())) {
    int64_t position = missing + static_cast<int64_t>(index);
    if (size == 1 && (dropsAll || shape[position] != 1))
      continue;
    kept.push_back(size);
    results.push_back(builder.getAffineDimExpr(position));
  }
  if (type.hasStaticShape())
    value = reshaped(builder, loc, value, kept);
  else if (static_cast<int64_t>(kept.size()) != type.getRank())
    value = withoutUnitDims(builder, loc, value, kept);
  return {value,
          AffineMap::get(shape.size(), 0, results, builder.getContext())};
}

linalg::GenericOp elementwise(OpBuilder &builder, Location loc,
                              ArrayRef<int64_t> shape, ValueRange inputs,
                              ValueRange destinations, BodyBuilder body) {
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  // An input that is a splat constant needs no tensor in memory: it becomes a
  // scalar constant in the body of the linalg op.
  SmallVector<Attribute> constants(inputs.size());
  for (auto [index, input] : llvm::enumerate(inputs)) {
    DenseElementsAttr elements;
    if (matchPattern(input, m_Constant(&elements)) && elements.isSplat()) {
      constants[index] = elements.getSplatValue<Attribute>();
      continue;
    }
    auto [value, map] = alignForBroadcast(builder, loc, input, shape);
    operands.push_back(value);
    maps.push_back(map);
  }
  maps.append(destinations.size(),
              builder.getMultiDimIdentityMap(shape.size()));
  return generic(builder, loc, operands, destinations, maps,
                 SmallVector<bool>(shape.size(), false),
                 [&](ImplicitLocOpBuilder &inner, ValueRange args) {
                   SmallVector<Value> all;
                   unsigned next = 0;
                   for (Attribute constant : constants)
                     all.push_back(constant
                                       ? Value(arith::ConstantOp::create(
                                             inner, cast<TypedAttr>(constant)))
                                       : args[next++]);
                   llvm::append_range(all, args.drop_front(next));
                   return body(inner, all);
                 });
}

Value reshaped(OpBuilder &builder, Location loc, Value value,
               ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  auto to = RankedTensorType::get(shape, type.getElementType());
  if (type.getRank() > to.getRank())
    if (auto groups =
            getReassociationIndicesForCollapse(type.getShape(), shape))
      return tensor::CollapseShapeOp::create(builder, loc, to, value, *groups);
  if (type.getRank() < to.getRank())
    if (auto groups =
            getReassociationIndicesForCollapse(shape, type.getShape()))
      return tensor::ExpandShapeOp::create(builder, loc, to, value, *groups);
  // A reshape that is neither a collapse nor an expansion collapses `value` to
  // one dimension, and then expands this dimension to the new shape.
  auto flat =
      RankedTensorType::get({type.getNumElements()}, type.getElementType());
  auto all = [](int64_t rank) {
    SmallVector<ReassociationIndices> groups(1);
    for (int64_t i = 0; i < rank; ++i)
      groups[0].push_back(i);
    return rank == 0 ? SmallVector<ReassociationIndices>() : groups;
  };
  Value vector = value;
  if (type.getRank() == 0)
    vector = tensor::ExpandShapeOp::create(builder, loc, flat, value,
                                           ArrayRef<ReassociationIndices>());
  else if (type.getRank() > 1)
    vector = tensor::CollapseShapeOp::create(builder, loc, flat, value,
                                             all(type.getRank()));
  if (to.getRank() == 1)
    return vector;
  if (to.getRank() == 0)
    return tensor::CollapseShapeOp::create(builder, loc, to, vector,
                                           ArrayRef<ReassociationIndices>());
  return tensor::ExpandShapeOp::create(builder, loc, to, vector,
                                       all(to.getRank()));
}

bool constantIntegers(Value value, SmallVectorImpl<int64_t> &integers) {
  DenseIntElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)))
    return false;
  for (const APInt &element : elements)
    integers.push_back(element.getSExtValue());
  return true;
}

} // namespace ingot::lower
