//===- SetOps.cpp - Shapes of ops whose sizes the data decides ------------===//

#include "dialects/Ingot/SetOps.h"

#include "dialects/Ingot/Families.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotSetOps.cpp.inc"

void mlir::ingot::addSetOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotSetOps.cpp.inc"
      >();
}

LogicalResult WhereOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  Shape input = getTensorShape(adaptor.getInput().getType());
  if (!input) // (where_c1)
    return emitOptionalError(loc, "the rank of its input is not known");
  types.push_back(RankedTensorType::get(
      {ShapedType::kDynamic, static_cast<int64_t>(input->size())},
      IntegerType::get(context, 64)));
  return success();
}
