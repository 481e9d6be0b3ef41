//===- AddTrainingStep.h - Adds a step to an inference graph ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_GRAPH_ADDTRAININGSTEP_H
#define INGOT_COMPILER_GRAPH_ADDTRAININGSTEP_H

#include "mlir/IR/BuiltinOps.h"

namespace ingot::graph {

/// Returns true if an entry of `module` fetches a tensor named `name` or `name`
/// + ":0": the loss that ingot-add-training-step would minimize.
bool fetchesLoss(mlir::ModuleOp module, llvm::StringRef name);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_ADDTRAININGSTEP_H
