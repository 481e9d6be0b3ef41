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

/// Sets attribute `ingot.constant_init` of each variable that the sessions'
/// saver does not save and that the entry of role init assigns once,
/// unconditionally, and from constants only. So the value does not depend on a
/// random op, a feed, an iterator or a variable. Checkpoints can leave such a
/// variable out while it still has its initial value, because every run
/// initializes it with the same value.
void markConstantInit(mlir::ModuleOp module);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_CONSTANTINIT_H
