//===- TableOps.cpp - Shapes of ops on lookup tables ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/TableOps.h"

#include "dialects/Ingot/OpFamilies.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotTableOps.cpp.inc"

void mlir::ingot::addTableOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotTableOps.cpp.inc"
      >();
}

LogicalResult TableFindOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto value = cast<TensorType>(adaptor.getDefaultValue().getType());
  // The default value must be a scalar (table_find_c1).
  if (!mayHaveRank(value, 0))
    return emitOptionalError(loc, "its default value has shape ",
                             toString(getTensorShape(value)),
                             "; tables of tensors are not supported");
  types.push_back(getTensorType(getTensorShape(adaptor.getKeys().getType()),
                                value.getElementType()));
  return success();
}

LogicalResult TableInsertOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location> loc,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  Shape keys = getTensorShape(adaptor.getKeys().getType());
  Shape values = getTensorShape(adaptor.getValues().getType());
  // Keys and values must have one shape (table_insert_c1).
  if (!areCompatibleShapes(keys, values))
    return emitOptionalError(loc, "keys of shape ", toString(keys),
                             " and values of shape ", toString(values),
                             " do not fit each other");
  StringRef mode = adaptor.getMode();
  if (mode != "insert" && mode != "assign" && mode != "initialize")
    // The attribute `mode` must be "insert", "assign" or "initialize"
    // (table_insert_c2).
    return emitOptionalError(
        loc, "mode must be insert, assign or initialize, but is ", mode);
  return success();
}

LogicalResult TableInsertFileOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  if (!mayHaveRank(adaptor.getFilename().getType(), 0))
    // The file's name must be a scalar (table_insert_file_c1).
    return emitOptionalError(loc, "its file's name must be a scalar");
  for (auto [index, type] :
       {std::pair<int64_t, Type>(adaptor.getKeyIndex(), adaptor.getKeyType()),
        std::pair<int64_t, Type>(adaptor.getValueIndex(),
                                 adaptor.getValueType())})
    if (index < -2 || (index == -1 && !type.isSignlessInteger(64)))
      // An index must be a column of a line, -2 for the whole line, or -1 for
      // the line's number, which has type i64 (table_insert_file_c2).
      return emitOptionalError(loc, "values of type ", type,
                               " cannot be read from index ", index,
                               " of a line");
  return success();
}

LogicalResult TableSizeOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  types.push_back(RankedTensorType::get({}, IntegerType::get(context, 64)));
  return success();
}

LogicalResult TableExportOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location> loc,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  types.push_back(
      RankedTensorType::get({ShapedType::kDynamic}, adaptor.getKeyType()));
  types.push_back(
      RankedTensorType::get({ShapedType::kDynamic}, adaptor.getValueType()));
  return success();
}
