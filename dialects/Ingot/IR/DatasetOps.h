//===- DatasetOps.h - Datasets of files and several inputs ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_DATASETOPS_H
#define INGOT_DIALECTS_INGOT_IR_DATASETOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotDatasetOps.h.inc"

namespace mlir::ingot {

/// Returns TensorFlow's name of a dataset op, or "" for any other op.
StringRef getDatasetName(Operation *op);

/// Reports an error if `compression` is a constant that names a file
/// compression the runtime cannot read.
LogicalResult verifyCompression(Operation *op, Value compression);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_DATASETOPS_H
