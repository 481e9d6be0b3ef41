//===- CheckpointOps.cpp - Tensors to and from checkpoints ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/CheckpointOps.h"

#include "dialects/Ingot/IR/OpFamilies.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotCheckpointOps.cpp.inc"

void mlir::ingot::addCheckpointOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotCheckpointOps.cpp.inc"
      >();
}

template <typename OpT> static LogicalResult verifyNames(OpT op) {
  size_t tensors = op.getTensors().size();
  if (op.getNames().size() != tensors)
    return op.emitOpError("has ")
           << op.getNames().size() << " names for " << tensors
           << " tensors, but each tensor needs one";
  if (op.getSlices().size() != tensors)
    return op.emitOpError("has ")
           << op.getSlices().size() << " slices for " << tensors
           << " tensors, but each tensor needs one";
  return success();
}

// A name (save_tensors_c1) and a slice (save_tensors_c2) must be given for each
// tensor that is saved.
LogicalResult SaveTensorsOp::verify() { return verifyNames(*this); }

// A name (restore_tensors_c1) and a slice (restore_tensors_c2) must be given
// for each result.
LogicalResult RestoreTensorsOp::verify() { return verifyNames(*this); }
