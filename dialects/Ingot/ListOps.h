//===- ListOps.h - Lists of tensors -----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_LISTOPS_H
#define INGOT_DIALECTS_INGOT_LISTOPS_H

#include "dialects/Ingot/IngotDialect.h"
#include "dialects/Ingot/Traits.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotListOps.h.inc"

namespace mlir::ingot {

/// Whether it is a tensor of variants: a list, or another object of the
/// runtime.
bool isList(Value value);

/// The known type of the tensors in a list, or in another object of the
/// runtime: a type that all of them have, `none` for an empty list, a tuple
/// with a type for each of several element types. Null where nothing is known,
/// and for types other than tensors of variants.
Type getItems(Type list);

/// A variant tensor of `shape` with items of type `items`.
TensorType getVariantType(MLIRContext *context, const Shape &shape, Type items);

/// A scalar of them.
TensorType getListType(MLIRContext *context, Type items);

/// The join: the known type of items of either type.
Type joinItems(Type a, Type b);

/// The meet: the known type of items of both types.
Type refineItems(Type a, Type b);

/// The type of a list's items that are of this element type; null where the
/// list says nothing of such.
TensorType getItemType(Type list, Type elementType);

/// Its shape.
Shape getItemShape(Type list, Type elementType);

/// The type of a tensor with this type's rows.
Type getRowType(Type tensor);

/// A tensor of `count` items, or kDynamic.
Shape withRows(const Shape &item, int64_t count);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_LISTOPS_H
