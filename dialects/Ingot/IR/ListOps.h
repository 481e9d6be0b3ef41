//===- ListOps.h - Lists of tensors -----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_LISTOPS_H
#define INGOT_DIALECTS_INGOT_IR_LISTOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"
#include "dialects/Ingot/IR/Traits.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotListOps.h.inc"

namespace mlir::ingot {

/// Whether `value` is a tensor of variants, such as a list. It may also be
/// another object of the runtime, as all of these have the same type.
bool isList(Value value);

/// Returns what is known of the types of the tensors in a list or in another
/// object of the runtime: one type that all of them have, `none` for an empty
/// list, or a tuple with one type per element type. Null if nothing is known,
/// and for types other than tensors of variants.
Type getItems(Type list);

/// Returns the type of a variant tensor of shape `shape` whose items have type
/// `items`.
TensorType getVariantType(MLIRContext *context, const Shape &shape, Type items);

/// Returns the type of a scalar variant whose items have type `items`.
TensorType getListType(MLIRContext *context, Type items);

/// Returns the join of two items' types: what is known of items that have
/// either type.
Type joinItems(Type a, Type b);

/// Returns the meet of two items' types: what is known of items that have both
/// types.
Type refineItems(Type a, Type b);

/// Returns the type of the items with element type `elementType` in a list of
/// type `list`; null if `list` says nothing about such items.
TensorType getItemType(Type list, Type elementType);

/// Returns the shape of the items with element type `elementType` in a list of
/// type `list`; std::nullopt if the rank is unknown.
Shape getItemShape(Type list, Type elementType);

/// Returns the type of one row of a tensor, that is, without its first
/// dimension; null for a scalar.
Type getRowType(Type tensor);

/// Returns the shape of a tensor of `count` stacked items; `count` may be
/// kDynamic.
Shape withRows(const Shape &item, int64_t count);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_LISTOPS_H
