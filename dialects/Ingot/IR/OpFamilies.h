//===- OpFamilies.h - The families of ops -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Declares a function for each family of ops, which adds the family's ops to
// the dialect. Each family has a .td, a header and a .cpp of its own, so that a
// new op rebuilds only the files that include its family.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_IR_OPFAMILIES_H
#define INGOT_DIALECTS_INGOT_IR_OPFAMILIES_H

namespace mlir::ingot {

class IngotDialect;

void addActivationOps(IngotDialect &dialect);
void addArrayOps(IngotDialect &dialect);
void addBroadcastOps(IngotDialect &dialect);
void addCastOps(IngotDialect &dialect);
void addCheckpointOps(IngotDialect &dialect);
void addComplexOps(IngotDialect &dialect);
void addConstantOps(IngotDialect &dialect);
void addControlOps(IngotDialect &dialect);
void addConvolutionOps(IngotDialect &dialect);
void addDatasetOps(IngotDialect &dialect);
void addEnsembleOps(IngotDialect &dialect);
void addFourierOps(IngotDialect &dialect);
void addGradientOps(IngotDialect &dialect);
void addImageFileOps(IngotDialect &dialect);
void addIndexingOps(IngotDialect &dialect);
void addInputOps(IngotDialect &dialect);
void addIteratorOps(IngotDialect &dialect);
void addListOps(IngotDialect &dialect);
void addMathOps(IngotDialect &dialect);
void addMathReductionOps(IngotDialect &dialect);
void addMatrixOps(IngotDialect &dialect);
void addNNOps(IngotDialect &dialect);
void addNormalizationOps(IngotDialect &dialect);
void addOptimizerOps(IngotDialect &dialect);
void addParallelOps(IngotDialect &dialect);
void addPointwiseOps(IngotDialect &dialect);
void addPoolingOps(IngotDialect &dialect);
void addProductOps(IngotDialect &dialect);
void addProgramOps(IngotDialect &dialect);
void addQueueOps(IngotDialect &dialect);
void addRaggedOps(IngotDialect &dialect);
void addRandomOps(IngotDialect &dialect);
void addRearrangeOps(IngotDialect &dialect);
void addReductionOps(IngotDialect &dialect);
void addReportOps(IngotDialect &dialect);
void addScatterOps(IngotDialect &dialect);
void addSetOps(IngotDialect &dialect);
void addSparseOps(IngotDialect &dialect);
void addSpecialOps(IngotDialect &dialect);
void addSpectralOps(IngotDialect &dialect);
void addStateOps(IngotDialect &dialect);
void addStringOps(IngotDialect &dialect);
void addTableOps(IngotDialect &dialect);
void addTensorOps(IngotDialect &dialect);
void addTensorArrayOps(IngotDialect &dialect);
void addVariableOps(IngotDialect &dialect);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_OPFAMILIES_H
