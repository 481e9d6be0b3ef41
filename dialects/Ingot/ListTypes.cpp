//===- ListTypes.cpp - What is known of the elements of lists -------------===//

#include "dialects/Ingot/ControlOps.h"
#include "dialects/Ingot/ListOps.h"

using namespace mlir;
using namespace mlir::ingot;

// Lists of lists, and so on: of what lies deeper nothing is known, so that a
// list that a loop puts into itself has a type.
static constexpr unsigned maxDepth = 4;

static unsigned depthOf(Type items) {
  unsigned depth = 0;
  for (; items; items = getItems(items))
    ++depth;
  return depth;
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
  if (isa<NoneType>(a))
    return b;
  return isa<NoneType>(b) ? a : joinTypes(a, b);
}

Type mlir::ingot::refineItems(Type a, Type b) {
  if (!a || !b)
    return a ? a : b;
  if (isa<NoneType>(a) || isa<NoneType>(b))
    return isa<NoneType>(a) ? a : b;
  if (!areCompatibleTypes(a, b))
    return a;
  Shape shape = refineShape(getTensorShape(a), getTensorShape(b));
  Type element = getElementTypeOrSelf(a);
  if (isa<VariantType>(element))
    return getVariantType(a.getContext(), shape,
                          refineItems(getItems(a), getItems(b)));
  return getTensorType(shape, element);
}

Shape mlir::ingot::getItemShape(Type list, Type elementType) {
  auto items = dyn_cast_or_null<TensorType>(getItems(list));
  return items && items.getElementType() == elementType ? getTensorShape(items)
                                                        : Shape();
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
