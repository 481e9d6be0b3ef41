//===- ConstantInit.h - Variables with constant initial values --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Finds the variables to which the init entry assigns the same value in every
// run. A checkpoint need not contain such a variable as long as it has this
// value.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_CONSTANTINIT_H
#define INGOT_COMPILER_IMPORT_CONSTANTINIT_H

#include "mlir/IR/BuiltinOps.h"

namespace ingot::importer {

/// Sets attribute `ingot.constant_init` of variables that the sessions' saver
/// leaves out. The entry of role init must assign such a variable once,
/// unconditionally, and from constants only: no random op, feed, iterator or
/// variable has a part in the value.
void markConstantInit(mlir::ModuleOp module);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_CONSTANTINIT_H
