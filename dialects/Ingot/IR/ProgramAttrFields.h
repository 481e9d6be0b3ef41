//===- ProgramAttrFields.h - What a module says of itself -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Reads and changes the attribute `ingot.program` of a module.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_IR_PROGRAMATTRFIELDS_H
#define INGOT_DIALECTS_INGOT_IR_PROGRAMATTRFIELDS_H

#include "dialects/Ingot/IR/IngotDialect.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::ingot {

inline constexpr llvm::StringLiteral programAttrName("ingot.program");

/// The parameters of a ProgramAttr. A parameter that is not set is null (0 for
/// `slices` and `leastShardedBytes`), and does not occur in the textual
/// IR.
struct ProgramAttrFields {
  StringAttr loss;
  FlatSymbolRefAttr globalStep, prediction;
  unsigned slices = 0;
  uint64_t leastShardedBytes = 0;
  StringAttr source, tensorflowVersion;
};

/// Returns the parameters of the ProgramAttr of module `program`. None of them
/// is set if the module has no such attribute.
ProgramAttrFields getProgramFacts(ModuleOp program);

/// Replaces the ProgramAttr of module `program` by one with the parameters
/// `facts`. Removes the attribute if none of them is set.
void setProgramFacts(ModuleOp program, const ProgramAttrFields &facts);

/// Verifies `attribute` of the module `op`: `ingot.program` must be a
/// ProgramAttr. Rejects the attributes of earlier versions, each of which held
/// a single parameter (such as `ingot.loss`), because they would be ignored.
LogicalResult verifyProgramAttribute(Operation *op, NamedAttribute attribute);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_PROGRAMATTRFIELDS_H
