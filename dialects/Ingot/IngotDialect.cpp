//===- IngotDialect.cpp - Registration of types, attributes and ops -------===//

#include "dialects/Ingot/IngotDialect.h"
#include "dialects/Ingot/Families.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ingot;

#include "dialects/Ingot/IngotDialect.cpp.inc"
#include "dialects/Ingot/IngotEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Ingot/IngotTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Ingot/IngotAttributes.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotOps.cpp.inc"

void IngotDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Ingot/IngotTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Ingot/IngotAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Ingot/IngotOps.cpp.inc"
      >();
  addActivationOps(*this);
  addArrayOps(*this);
  addBroadcastOps(*this);
  addCheckpointOps(*this);
  addControlOps(*this);
  addConvolutionOps(*this);
  addDatasetOps(*this);
  addIndexingOps(*this);
  addListOps(*this);
  addMatrixOps(*this);
  addNormalizationOps(*this);
  addOptimizerOps(*this);
  addPointwiseOps(*this);
  addPoolingOps(*this);
  addProductOps(*this);
  addRandomOps(*this);
  addRearrangeOps(*this);
  addReductionOps(*this);
  addReportOps(*this);
  addScatterOps(*this);
  addSetOps(*this);
  addSparseOps(*this);
  addStringOps(*this);
  addTableOps(*this);
  addTensorArrayOps(*this);
}

Operation *IngotDialect::materializeConstant(OpBuilder &builder,
                                             Attribute value, Type type,
                                             Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getShapedType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, elements);
}
