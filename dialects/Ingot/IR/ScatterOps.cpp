//===- ScatterOps.cpp - Shapes of updates of rows -------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/ScatterOps.h"

#include "dialects/Ingot/IR/OpFamilies.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotScatterOps.cpp.inc"

void mlir::ingot::addScatterOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotScatterOps.cpp.inc"
      >();
}

std::optional<int64_t> mlir::ingot::getIndexDepth(Type indices, bool nd) {
  if (!nd)
    return 1;
  Shape shape = getTensorShape(indices);
  if (!shape || shape->empty() || ShapedType::isDynamic(shape->back()))
    return std::nullopt;
  return shape->back();
}

/// Reports an error unless `found`, the types of the body's arguments or of the
/// values that it yields, are `expected`. `what` is a verb for the message,
/// such as "takes".
static LogicalResult checkTypes(std::optional<Location> loc, TypeRange found,
                                ArrayRef<Type> expected, StringRef what) {
  if (areCompatibleTypeLists(found, expected))
    return success();
  return emitOptionalError(loc, "the body ", what, " (", found, "), expected (",
                           TypeRange(expected), ")");
}

LogicalResult UpdateRowsOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  Type indices = adaptor.getIndices().getType();
  std::optional<int64_t> depth = getIndexDepth(indices, adaptor.getNd());
  // If `nd` is set, the size of the indices' last dimension must be known
  // (update_rows_c3).
  if (!depth)
    return emitOptionalError(
        loc,
        "the last dimension of the indices (the number of coordinates per "
        "index) must be static, but the indices have shape ",
        toString(getTensorShape(indices)));
  // There must be at least one table. All tables must have compatible shapes,
  // with at least the dimensions that an index selects from (update_rows_c1).
  if (adaptor.getTables().empty())
    return emitOptionalError(loc,
                             "ingot.update_rows requires at least one table");

  Shape table;
  for (Value state : adaptor.getTables()) {
    Shape shape = getTensorShape(state.getType());
    if (shape && static_cast<int64_t>(shape->size()) < *depth)
      return emitOptionalError(loc, "an index has ", *depth,
                               " coordinates, but the variable has shape ",
                               toString(shape));
    // All tables must have compatible shapes (update_rows_c1).
    if (!areCompatibleShapes(table, shape))
      return emitOptionalError(loc, "shapes differ: ", toString(table),
                               " of the variable and ", toString(shape),
                               " of a slot variable");
    table = refineShape(table, shape);
  }
  Shape row;
  if (table)
    row = SmallVector<int64_t>(table->begin() + *depth, table->end());

  Shape batch = getTensorShape(indices);
  if (batch && adaptor.getNd())
    batch->pop_back();
  SmallVector<Type> arguments, yielded;
  for (Value state : adaptor.getTables())
    yielded.push_back(getTensorType(row, getElementTypeOrSelf(state)));
  arguments = yielded;
  Shape updates;
  if (row && batch) {
    updates = *batch;
    updates->append(*row);
  }
  for (Value value : adaptor.getRows()) {
    Shape shape = getTensorShape(value.getType());
    // The shape of each of `rows` must be the shape of the indices (without its
    // last dimension if `nd` is set) followed by the shape of a table's row
    // (update_rows_c2).
    if (!areCompatibleShapes(updates, shape))
      return emitOptionalError(
          loc, "the updates must have shape ", toString(updates),
          ", one row of shape ", toString(row),
          " for each index, but have shape ", toString(shape));
    arguments.push_back(getTensorType(row, getElementTypeOrSelf(value)));
  }
  llvm::append_range(arguments, TypeRange(adaptor.getShared()));

  if (!adaptor.getBody().empty()) {
    Block &body = adaptor.getBody().front();
    // The body must take a row of each table, a row of each of `rows`, and the
    // operands `shared`, and must yield a row for each table (update_rows_c4).
    if (failed(checkTypes(loc, body.getArgumentTypes(), arguments, "takes")) ||
        (!body.empty() && failed(checkTypes(loc, body.back().getOperandTypes(),
                                            yielded, "yields"))))
      return failure();
  }
  for (Value state : adaptor.getTables())
    types.push_back(getTensorType(table, getElementTypeOrSelf(state)));
  return success();
}
