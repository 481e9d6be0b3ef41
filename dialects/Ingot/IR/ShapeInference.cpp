//===- ShapeInference.cpp - Helpers of shape functions --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/ShapeInference.h"

#include "dialects/Ingot/IR/DType.h"
#include "dialects/Ingot/IR/IngotDialect.h"
#include "dialects/Ingot/IR/PartialConstants.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ingot;

Shape mlir::ingot::getTensorShape(Type type) {
  if (auto ranked = dyn_cast<RankedTensorType>(type))
    return SmallVector<int64_t>(ranked.getShape());
  return std::nullopt;
}

TensorType mlir::ingot::getTensorType(const Shape &shape, Type elementType) {
  if (shape)
    return RankedTensorType::get(*shape, elementType);
  return UnrankedTensorType::get(elementType);
}

std::string mlir::ingot::dimToString(int64_t dim) {
  return ShapedType::isDynamic(dim) ? "?" : std::to_string(dim);
}

std::string mlir::ingot::toString(const Shape &shape) {
  if (!shape)
    return "[unknown rank]";
  return "[" + llvm::join(llvm::map_range(*shape, dimToString), ", ") + "]";
}

std::optional<SmallVector<int64_t>> mlir::ingot::getConstantInts(Value value) {
  DenseIntElementsAttr attr;
  if (!matchPattern(value, m_Constant(&attr)) ||
      attr.getNumElements() > kMaxRank)
    return std::nullopt;
  bool isUnsigned = attr.getElementType().isUnsignedInteger() ||
                    attr.getElementType().isInteger(1);
  SmallVector<int64_t> ints;
  for (const APInt &element : attr.getValues<APInt>())
    ints.push_back(isUnsigned ? static_cast<int64_t>(element.getZExtValue())
                              : element.getSExtValue());
  return ints;
}

std::optional<int64_t> mlir::ingot::getConstantInt(Value value) {
  std::optional<SmallVector<int64_t>> ints = getConstantInts(value);
  if (!ints || ints->size() != 1)
    return std::nullopt;
  return ints->front();
}

std::optional<int64_t> mlir::ingot::getNumElements(const Shape &shape) {
  if (!shape || ShapedType::isDynamicShape(*shape))
    return std::nullopt;
  // If one dimension is 0, the tensor has no elements, even if other dimensions
  // are unknown.
  if (llvm::is_contained(*shape, 0))
    return 0;
  int64_t count = 1;
  for (int64_t dim : *shape)
    if (llvm::MulOverflow(count, dim, count))
      return std::nullopt;
  return count;
}

bool mlir::ingot::mayHaveRank(Type type, int64_t rank) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  return !ranked || ranked.getRank() == rank;
}

int64_t mlir::ingot::getDim(Type type, int64_t index) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  return ranked ? ranked.getDimSize(index) : ShapedType::kDynamic;
}

bool mlir::ingot::areCompatibleDims(int64_t a, int64_t b) {
  return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) || a == b;
}

bool mlir::ingot::areCompatibleShapes(const Shape &a, const Shape &b) {
  if (!a || !b)
    return true;
  return a->size() == b->size() && llvm::all_of_zip(*a, *b, areCompatibleDims);
}

bool mlir::ingot::areCompatibleTypes(Type a, Type b) {
  auto tensorA = dyn_cast<TensorType>(a);
  auto tensorB = dyn_cast<TensorType>(b);
  if (!tensorA || !tensorB) {
    auto datasetA = dyn_cast<DatasetType>(a);
    auto datasetB = dyn_cast<DatasetType>(b);
    return a == b || (datasetA && datasetB &&
                      areCompatibleTypeLists(datasetA.getComponents(),
                                             datasetB.getComponents()));
  }
  // Compares the types in which elements are stored: while
  // ingot-lower-to-storage-types runs, some ops have these types already, and
  // others still have the original ones.
  return storedElementType(tensorA.getElementType()) ==
             storedElementType(tensorB.getElementType()) &&
         areCompatibleShapes(getTensorShape(a), getTensorShape(b));
}

bool mlir::ingot::areCompatibleTypeLists(TypeRange a, TypeRange b) {
  return a.size() == b.size() && llvm::all_of_zip(a, b, areCompatibleTypes);
}

Shape mlir::ingot::refineShape(const Shape &a, const Shape &b) {
  if (!a || !b)
    return a ? a : b;
  SmallVector<int64_t> dims;
  for (auto [dimA, dimB] : llvm::zip_equal(*a, *b))
    dims.push_back(ShapedType::isDynamic(dimA) ? dimB : dimA);
  return dims;
}

// Returns the size to which two dimensions are broadcast, or std::nullopt if
// they are not compatible.
static std::optional<int64_t> broadcastDims(int64_t a, int64_t b) {
  if (a == 1 || a == b)
    return b;
  if (b == 1)
    return a;
  // Here, `b` is not 1. If `a` is unknown, it is 1 or equal to `b` at run time;
  // the result is `b` in both cases.
  if (ShapedType::isDynamic(a))
    return b;
  if (ShapedType::isDynamic(b))
    return a;
  return std::nullopt;
}

FailureOr<Shape> mlir::ingot::broadcastShapes(std::optional<Location> loc,
                                              const Shape &a, const Shape &b) {
  if (!a || !b)
    return Shape();
  size_t rank = std::max(a->size(), b->size());
  SmallVector<int64_t> dims(rank);
  for (size_t i = 0; i < rank; ++i) {
    // Dimensions are matched from the last one backwards; missing ones are 1.
    int64_t dimA = i < a->size() ? (*a)[a->size() - 1 - i] : 1;
    int64_t dimB = i < b->size() ? (*b)[b->size() - 1 - i] : 1;
    std::optional<int64_t> dim = broadcastDims(dimA, dimB);
    if (!dim)
      return emitOptionalError(
          loc, "shapes ", toString(a), " and ", toString(b),
          " cannot be broadcast against each other: ", dimA, " and ", dimB,
          " differ");
    dims[rank - 1 - i] = *dim;
  }
  return Shape(std::move(dims));
}

FailureOr<int64_t> mlir::ingot::normalizeAxis(std::optional<Location> loc,
                                              int64_t axis, int64_t rank,
                                              StringRef what) {
  if (axis < -rank || axis >= rank)
    return emitOptionalError(loc, what, " ", axis,
                             " lies outside a tensor of rank ", rank,
                             rank > 0 ? ": expected " + std::to_string(-rank) +
                                            " to " + std::to_string(rank - 1)
                                      : std::string(", which has no axes"));
  return axis < 0 ? axis + rank : axis;
}

LogicalResult mlir::ingot::verifyScalar(std::optional<Location> loc,
                                        Value value, StringRef what) {
  if (mayHaveRank(value.getType(), 0))
    return success();
  return emitOptionalError(loc, what, " must be a scalar, but has shape ",
                           toString(getTensorShape(value.getType())));
}

LogicalResult mlir::ingot::verifyDimsOperand(std::optional<Location> loc,
                                             Value dims, StringRef what) {
  Type type = dims.getType();
  if (!mayHaveRank(type, 1))
    return emitOptionalError(loc, what, " must be a vector, but has shape ",
                             toString(getTensorShape(type)));
  if (getDim(type, 0) > kMaxRank)
    return emitOptionalError(loc, what, " has ", getDim(type, 0),
                             " elements, but tensors have at most ", kMaxRank,
                             " dimensions");
  return success();
}

FailureOr<Shape> mlir::ingot::shapeFromOperand(std::optional<Location> loc,
                                               Value dims, StringRef what) {
  if (failed(verifyDimsOperand(loc, dims, what)))
    return failure();
  std::optional<SmallVector<int64_t>> ints = getPartialInts(dims);
  if (!ints) {
    int64_t rank = getDim(dims.getType(), 0);
    if (ShapedType::isDynamic(rank))
      return Shape();
    return Shape(SmallVector<int64_t>(rank, ShapedType::kDynamic));
  }
  for (int64_t dim : *ints)
    if (dim < 0 && !ShapedType::isDynamic(dim))
      return emitOptionalError(loc, what, " has the negative dimension ", dim);
  if (!ShapedType::isDynamicShape(*ints) && !getNumElements(*ints))
    return emitOptionalError(loc, "a tensor of shape ", toString(*ints),
                             " has too many elements: 2^63 or more");
  return Shape(std::move(*ints));
}

LogicalResult mlir::ingot::verifyConstraints(Operation *op) {
  SmallVector<Type> types;
  if (failed(cast<InferTypeOpInterface>(op).inferReturnTypes(
          op->getContext(), op->getLoc(), op->getOperands(),
          op->getRawDictionaryAttrs(), op->getPropertiesStorage(),
          op->getRegions(), types)))
    return failure();
  if (!areCompatibleTypeLists(op->getResultTypes(), types))
    return op->emitOpError("results are (")
           << op->getResultTypes() << "), but the operands imply ("
           << TypeRange(types) << ")";
  return success();
}
