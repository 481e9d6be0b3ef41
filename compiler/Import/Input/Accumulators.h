//===- Accumulators.h - Accumulators of gradients ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_IMPORT_INPUT_ACCUMULATORS_H
#define INGOT_COMPILER_IMPORT_INPUT_ACCUMULATORS_H

#include "compiler/Import/ControlFlow/BlockImport.h"

namespace ingot::importer {

/// Returns the state variable of that name, and creates it on first use. Its
/// initial value is zero. It is marked like the state of a random op
/// (`randomStateAttrName`), so that checkpoints contain it and a resumed run
/// continues with its value.
mlir::ingot::VariableOp findOrCreateStateVariable(Program &program,
                                                  llvm::StringRef name,
                                                  mlir::RankedTensorType type);

/// Creates the test whether `take`, a node that takes gradients, could take
/// them now: whether at least `numRequired` gradients have been applied to its
/// accumulator. Returns a bool scalar, or null after a problem.
mlir::Value createCanTake(NodeImport &take, mlir::Value numRequired);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_INPUT_ACCUMULATORS_H
