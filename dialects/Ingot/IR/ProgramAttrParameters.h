//===- ProgramAttrParameters.h - What a module says of itself ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Reads and changes the attribute `ingot.program` of a module.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_IR_PROGRAMATTRPARAMETERS_H
#define INGOT_DIALECTS_INGOT_IR_PROGRAMATTRPARAMETERS_H

#include "dialects/Ingot/IR/IngotDialect.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::ingot {

inline constexpr llvm::StringLiteral programAttrName("ingot.program");

/// The parameters of a ProgramAttr. Those that are null, or 0 for the number of
/// slices, are left out of the IR.
struct ProgramAttrParameters {
  StringAttr loss;
  FlatSymbolRefAttr globalStep, prediction;
  unsigned slices = 0;
  StringAttr source, tensorflowVersion;
};

/// Returns the facts of `program`; all are null or 0 if it has no attribute.
ProgramAttrParameters getProgramFacts(ModuleOp program);

/// Replaces the facts of `program`. Removes the attribute if no fact is set.
void setProgramFacts(ModuleOp program, const ProgramAttrParameters &facts);

/// Verifies `attribute` of the module `op`: `ingot.program` must be a
/// ProgramAttr. Rejects the attributes of earlier versions that held a single
/// fact, such as `ingot.loss`, as they would be ignored.
LogicalResult verifyProgramAttribute(Operation *op, NamedAttribute attribute);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_PROGRAMATTRPARAMETERS_H
