//===- Folding.cpp - Evaluation of ops on constants -----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/Folding.h"

#include "dialects/Ingot/IR/DType.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace mlir::ingot;

bool mlir::ingot::isUnsigned(Type elementType) {
  return elementType.isUnsignedInteger() || elementType.isInteger(1);
}

RankedTensorType mlir::ingot::getFoldableType(Type type) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked || !getNumElements(getTensorShape(type)))
    return nullptr;
  return ranked;
}

DenseElementsAttr mlir::ingot::makeConstant(RankedTensorType type,
                                            ArrayRef<APFloat> values) {
  return DenseElementsAttr::get(type, values);
}

DenseElementsAttr mlir::ingot::makeConstant(RankedTensorType type,
                                            ArrayRef<APInt> values) {
  return DenseElementsAttr::get(type, values);
}

DenseElementsAttr mlir::ingot::makeConstant(RankedTensorType type,
                                            ArrayRef<StringRef> values) {
  return DenseStringElementsAttr::get(type, values);
}

DenseElementsAttr mlir::ingot::makeConstant(RankedTensorType type,
                                            ArrayRef<bool> values) {
  return DenseElementsAttr::get(type, values);
}

DenseElementsAttr mlir::ingot::makeZeros(RankedTensorType type) {
  Type element = type.getElementType();
  if (auto floats = dyn_cast<FloatType>(element))
    return makeConstant(type, APFloat::getZero(floats.getFloatSemantics()));
  if (element.isInteger())
    return makeConstant(type, APInt(element.getIntOrFloatBitWidth(), 0));
  if (auto complex = dyn_cast<ComplexType>(element)) {
    APFloat zero = APFloat::getZero(
        cast<FloatType>(complex.getElementType()).getFloatSemantics());
    return DenseElementsAttr::get(type, std::complex<APFloat>(zero, zero));
  }
  return nullptr;
}

Attribute mlir::ingot::reshapeConstant(Attribute value, RankedTensorType type) {
  auto known = dyn_cast_or_null<ElementsAttr>(value);
  if (!known || known.getNumElements() != type.getNumElements())
    return nullptr;
  if (auto strings = dyn_cast<DenseStringElementsAttr>(value))
    return DenseStringElementsAttr::get(type, strings.getRawStringData());
  if (auto elements = dyn_cast<DenseElementsAttr>(value))
    return elements.reshape(type);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  return nullptr;
}

SmallVector<int64_t>
mlir::ingot::getBroadcastIndices(ArrayRef<int64_t> operand,
                                 ArrayRef<int64_t> result) {
  // `strides` lists, for each dimension of the result, the distance between
  // neighbouring elements in the operand. The distance is 0 if the operand is
  // broadcast along that dimension.
  SmallVector<int64_t> strides(result.size(), 0);
  int64_t stride = 1;
  for (size_t i = 0; i < operand.size(); ++i) {
    int64_t dim = operand[operand.size() - 1 - i];
    if (dim != 1)
      strides[result.size() - 1 - i] = stride;
    stride *= dim;
  }
  return mapPositions(result, [&](ArrayRef<int64_t> position) {
    int64_t index = 0;
    for (auto [at, stride] : llvm::zip_equal(position, strides))
      index += at * stride;
    return index;
  });
}

SmallVector<int64_t> mlir::ingot::mapPositions(
    ArrayRef<int64_t> shape,
    llvm::function_ref<int64_t(ArrayRef<int64_t>)> index) {
  SmallVector<int64_t> indices, position(shape.size(), 0);
  int64_t count = *getNumElements(SmallVector<int64_t>(shape));
  for (int64_t i = 0; i < count; ++i) {
    indices.push_back(index(position));
    for (size_t d = shape.size(); d-- > 0;) {
      if (++position[d] < shape[d])
        break;
      position[d] = 0;
    }
  }
  return indices;
}

template <typename T>
static Attribute
gatherElements(DenseElementsAttr value, RankedTensorType type,
               llvm::function_ref<SmallVector<int64_t>()> indices) {
  auto elements = value.getValues<T>();
  SmallVector<T> result;
  if (value.isSplat() && type.getNumElements() > 0) {
    result.push_back(*elements.begin());
  } else {
    if (type.getNumElements() > kMaxFoldedElements)
      return nullptr;
    if (type.getNumElements() > 0)
      for (int64_t index : indices())
        result.push_back(elements[index]);
  }
  return makeConstant(type, result);
}

Attribute
mlir::ingot::gather(DenseElementsAttr value, RankedTensorType type,
                    llvm::function_ref<SmallVector<int64_t>()> indices) {
  if (isa<DenseStringElementsAttr>(value))
    return gatherElements<StringRef>(value, type, indices);
  if (isa<FloatType>(value.getElementType()))
    return gatherElements<APFloat>(value, type, indices);
  if (isa<ComplexType>(value.getElementType())) {
    Type stored = storedElementType(value.getElementType());
    auto gathered = dyn_cast_or_null<DenseElementsAttr>(gatherElements<APInt>(
        value.bitcast(stored), type.clone(stored), indices));
    return gathered ? gathered.bitcast(type.getElementType()) : nullptr;
  }
  return gatherElements<APInt>(value, type, indices);
}

template <typename T>
static Attribute map(DenseElementsAttr input, RankedTensorType type,
                     llvm::function_ref<T(const T &)> fn) {
  if (!fn)
    return nullptr;
  auto elements = input.getValues<T>();
  SmallVector<T> result;
  if (type.getNumElements() > 0) {
    if (input.isSplat())
      result.push_back(fn(*elements.begin()));
    else if (type.getNumElements() > kMaxFoldedElements)
      return nullptr;
    else
      for (const T &element : elements)
        result.push_back(fn(element));
  }
  return makeConstant(type, result);
}

Attribute mlir::ingot::foldUnary(Attribute input, Type type, UnaryFloat onFloat,
                                 UnaryInt onInt) {
  auto elements = dyn_cast_or_null<DenseElementsAttr>(input);
  RankedTensorType resultType = getFoldableType(type);
  if (!elements || !resultType)
    return nullptr;
  if (isa<FloatType>(elements.getElementType()))
    return map<APFloat>(elements, resultType, onFloat);
  if (elements.getElementType().isInteger())
    return map<APInt>(elements, resultType, onInt);
  return nullptr;
}

template <typename T, typename R>
static Attribute zip(DenseElementsAttr lhs, DenseElementsAttr rhs,
                     RankedTensorType type,
                     llvm::function_ref<R(const T &, const T &)> fn) {
  if (!fn)
    return nullptr;
  auto a = lhs.getValues<T>(), b = rhs.getValues<T>();
  SmallVector<R> result;
  if (type.getNumElements() == 0)
    return makeConstant(type, result);
  if (lhs.isSplat() && rhs.isSplat()) {
    result.push_back(fn(*a.begin(), *b.begin()));
    return makeConstant(type, result);
  }
  if (type.getNumElements() > kMaxFoldedElements)
    return nullptr;
  SmallVector<int64_t> indicesA =
      getBroadcastIndices(lhs.getType().getShape(), type.getShape());
  SmallVector<int64_t> indicesB =
      getBroadcastIndices(rhs.getType().getShape(), type.getShape());
  for (auto [indexA, indexB] : llvm::zip_equal(indicesA, indicesB))
    result.push_back(fn(a[indexA], b[indexB]));
  return makeConstant(type, result);
}

Attribute mlir::ingot::foldBinary(Attribute lhs, Attribute rhs, Type type,
                                  BinaryFloat onFloat, BinaryInt onInt) {
  auto a = dyn_cast_or_null<DenseElementsAttr>(lhs);
  auto b = dyn_cast_or_null<DenseElementsAttr>(rhs);
  RankedTensorType resultType = getFoldableType(type);
  if (!a || !b || !resultType)
    return nullptr;
  if (isa<FloatType>(a.getElementType()))
    return zip<APFloat, APFloat>(a, b, resultType, onFloat);
  if (a.getElementType().isInteger())
    return zip<APInt, APInt>(a, b, resultType, onInt);
  return nullptr;
}

Attribute mlir::ingot::foldCompare(Attribute lhs, Attribute rhs, Type type,
                                   CompareFloat onFloat, CompareInt onInt,
                                   CompareString onString) {
  auto a = dyn_cast_or_null<DenseElementsAttr>(lhs);
  auto b = dyn_cast_or_null<DenseElementsAttr>(rhs);
  RankedTensorType resultType = getFoldableType(type);
  if (!a || !b || !resultType)
    return nullptr;
  if (isa<DenseStringElementsAttr>(a))
    return zip<StringRef, bool>(a, b, resultType, onString);
  if (isa<FloatType>(a.getElementType()))
    return zip<APFloat, bool>(a, b, resultType, onFloat);
  if (!a.getElementType().isInteger())
    return nullptr;
  return zip<APInt, bool>(a, b, resultType, onInt);
}

bool mlir::ingot::isSplatOf(Attribute value, double number) {
  auto elements = dyn_cast_or_null<DenseElementsAttr>(value);
  if (!elements || elements.empty() || !elements.isSplat())
    return false;
  Type type = elements.getElementType();
  if (isa<FloatType>(type))
    return elements.getSplatValue<APFloat>().isExactlyValue(number);
  if (type.isInteger())
    return elements.getSplatValue<APInt>() ==
           APInt(type.getIntOrFloatBitWidth(), static_cast<int64_t>(number),
                 /*isSigned=*/true, /*implicitTrunc=*/true);
  return false;
}

bool mlir::ingot::broadcastsInto(Type other, Type operand, Type result) {
  if (operand != result)
    return false;
  if (cast<TensorType>(operand).hasRank() &&
      cast<TensorType>(operand).hasStaticShape())
    return true;
  // A dynamic dimension of the operand may be 1 at run time. Broadcasting would
  // then enlarge it to the size of the matching dimension of `other`, unless
  // this size is 1. So require that all dimensions of `other` are 1.
  Shape otherShape = getTensorShape(other), shape = getTensorShape(operand);
  size_t rank = shape ? shape->size() : 0;
  return otherShape && otherShape->size() <= rank &&
         llvm::all_of(*otherShape, [](int64_t dim) { return dim == 1; });
}
