//===- ListTypes.cpp - The known types of lists' items --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/ControlOps.h"
#include "dialects/Ingot/IR/ListOps.h"

using namespace mlir;
using namespace mlir::ingot;

// The maximum depth of nested lists up to which item types are tracked. Without
// a limit, a list that a loop adds to itself would have an infinite type.
static constexpr unsigned maxDepth = 4;

/// The types of a list's items are tracked only if the items have at most this
/// many different element types.
static constexpr size_t maxAlternatives = 4;

/// Returns the tensor types that `items`, the item type of a list, stands for:
/// at most one for each element type.
static SmallVector<TensorType> alternativesOf(Type items) {
  SmallVector<TensorType> types;
  if (auto tuple = dyn_cast_or_null<TupleType>(items)) {
    for (Type type : tuple.getTypes())
      if (auto tensor = dyn_cast<TensorType>(type))
        types.push_back(tensor);
  } else if (auto tensor = dyn_cast_or_null<TensorType>(items)) {
    types.push_back(tensor);
  }
  return types;
}

/// Encodes the possible tensor types of a list's items as one type: NoneType
/// for an empty list of types, the type itself for one, a tuple for several.
static Type toItems(MLIRContext *context, ArrayRef<TensorType> types) {
  if (types.empty())
    return NoneType::get(context);
  if (types.size() == 1)
    return types.front();
  return TupleType::get(context, SmallVector<Type>(types));
}

/// Returns the type in `types` with element type `elementType`, or null.
static TensorType findItems(ArrayRef<TensorType> types, Type elementType) {
  for (TensorType type : types)
    if (type.getElementType() == elementType)
      return type;
  return {};
}

/// Returns how deeply lists are nested in items of type `items`: 0 if nothing
/// is known of the items, 1 if the items are not lists.
static unsigned depthOf(Type items) {
  unsigned depth = 0;
  for (TensorType type : alternativesOf(items))
    depth = std::max(depth, 1 + depthOf(getItems(type)));
  return depth;
}

bool mlir::ingot::isList(Value value) {
  auto tensor = dyn_cast<TensorType>(value.getType());
  return tensor && isa<VariantType>(tensor.getElementType());
}

Type mlir::ingot::getItems(Type list) {
  auto tensor = dyn_cast<RankedTensorType>(list);
  if (!tensor || !isa<VariantType>(tensor.getElementType()))
    return {};
  auto items = dyn_cast_or_null<TypeAttr>(tensor.getEncoding());
  return items ? items.getValue() : Type();
}

TensorType mlir::ingot::getVariantType(MLIRContext *context, const Shape &shape,
                                       Type items) {
  Type element = VariantType::get(context);
  if (!shape)
    return UnrankedTensorType::get(element);
  if (depthOf(items) > maxDepth)
    items = Type();
  return RankedTensorType::get(
      *shape, element, items ? Attribute(TypeAttr::get(items)) : Attribute());
}

TensorType mlir::ingot::getListType(MLIRContext *context, Type items) {
  return getVariantType(context, SmallVector<int64_t>(), items);
}

Type mlir::ingot::joinItems(Type a, Type b) {
  if (!a || !b)
    return {};
  SmallVector<TensorType> types = alternativesOf(a);
  for (TensorType other : alternativesOf(b)) {
    if (!findItems(types, other.getElementType())) {
      types.push_back(other);
      continue;
    }
    for (TensorType &type : types)
      if (type.getElementType() == other.getElementType())
        type = cast<TensorType>(joinTypes(type, other));
  }
  return types.size() > maxAlternatives ? Type()
                                        : toItems(a.getContext(), types);
}

/// Returns what is known of a tensor that has both types; `a` if they
/// contradict each other.
static TensorType refined(TensorType a, TensorType b) {
  if (!areCompatibleTypes(a, b))
    return a;
  Shape shape = refineShape(getTensorShape(a), getTensorShape(b));
  Type element = a.getElementType();
  if (isa<VariantType>(element))
    return getVariantType(a.getContext(), shape,
                          refineItems(getItems(a), getItems(b)));
  return getTensorType(shape, element);
}

Type mlir::ingot::refineItems(Type a, Type b) {
  if (!a || !b)
    return a ? a : b;
  SmallVector<TensorType> types, others = alternativesOf(b);
  for (TensorType type : alternativesOf(a))
    if (TensorType other = findItems(others, type.getElementType()))
      types.push_back(refined(type, other));
  // The item types `a` and `b` contradict each other: keep the first one.
  if (types.empty() && !isa<NoneType>(a) && !isa<NoneType>(b))
    return a;
  return toItems(a.getContext(), types);
}

TensorType mlir::ingot::getItemType(Type list, Type elementType) {
  return findItems(alternativesOf(getItems(list)), elementType);
}

Shape mlir::ingot::getItemShape(Type list, Type elementType) {
  TensorType type = getItemType(list, elementType);
  return type ? getTensorShape(type) : Shape();
}

Type mlir::ingot::getRowType(Type tensor) {
  auto type = cast<TensorType>(tensor);
  Shape shape = getTensorShape(type);
  if (shape && shape->empty())
    return {};
  if (shape)
    shape->erase(shape->begin());
  Type element = type.getElementType();
  if (isa<VariantType>(element))
    return getVariantType(type.getContext(), shape, getItems(type));
  return getTensorType(shape, element);
}

Shape mlir::ingot::withRows(const Shape &item, int64_t count) {
  if (!item)
    return std::nullopt;
  SmallVector<int64_t> dims = {count};
  dims.append(item->begin(), item->end());
  return dims;
}
