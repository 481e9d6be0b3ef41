//===- IngotDialect.cpp - Registration of types, attributes and ops -------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/IngotDialect.h"
#include "dialects/Ingot/Gradients/Gradients.h"
#include "dialects/Ingot/IR/OpFamilies.h"
#include "dialects/Ingot/IR/RequireValuesOps.h"
#include "dialects/Ingot/Requirements/ShapeRequirementBuilder.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ingot;

#include "dialects/Ingot/IngotDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Ingot/IngotTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Ingot/IngotAttributes.cpp.inc"

void IngotDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Ingot/IngotTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Ingot/IngotAttributes.cpp.inc"
      >();
  addActivationOps(*this);
  addArrayOps(*this);
  addBroadcastOps(*this);
  addCastOps(*this);
  addCheckpointOps(*this);
  addComplexOps(*this);
  addConstantOps(*this);
  addControlOps(*this);
  addConvolutionOps(*this);
  addDatasetOps(*this);
  addEnsembleOps(*this);
  addFourierOps(*this);
  addGradientOps(*this);
  addImageFileOps(*this);
  addIndexingOps(*this);
  addInputOps(*this);
  addIteratorOps(*this);
  addListOps(*this);
  addMathOps(*this);
  addMathReductionOps(*this);
  addMatrixOps(*this);
  addNNOps(*this);
  addNormalizationOps(*this);
  addOptimizerOps(*this);
  addParallelOps(*this);
  addPointwiseOps(*this);
  addPoolingOps(*this);
  addProductOps(*this);
  addProgramOps(*this);
  addQueueOps(*this);
  addRaggedOps(*this);
  addRandomOps(*this);
  addRearrangeOps(*this);
  addReductionOps(*this);
  addReportOps(*this);
  addRequireValuesOps(*this);
  addRequireOps(*this);
  addScatterOps(*this);
  addSetOps(*this);
  addSparseOps(*this);
  addSpecialOps(*this);
  addSpectralOps(*this);
  addStateOps(*this);
  addStringOps(*this);
  addTableOps(*this);
  addTensorOps(*this);
  addTensorArrayOps(*this);
  addVariableOps(*this);
  attachGradients(*getContext());
  attachRequirements(*getContext());
}
