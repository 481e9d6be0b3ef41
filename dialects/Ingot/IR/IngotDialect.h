//===- IngotDialect.h - The graph dialect -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The dialect of graphs, with its types and attributes: the base of the headers
// of all families of ops (<Family>Ops.h).
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_IR_INGOTDIALECT_H
#define INGOT_DIALECTS_INGOT_IR_INGOTDIALECT_H

#include "dialects/Host/EntryRole.h"
#include "dialects/Ingot/IR/ShapeInference.h"
#include "dialects/Ingot/IR/Traits.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Ingot/IngotDialect.h.inc"

namespace mlir::ingot {
using host::Role;
using host::stringifyRole;
} // namespace mlir::ingot

#define GET_TYPEDEF_CLASSES
#include "dialects/Ingot/IngotTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Ingot/IngotAttributes.h.inc"

namespace mlir::ingot {

/// Creates an ingot.constant and returns its result.
Value createConstant(OpBuilder &builder, Location loc, ElementsAttr value);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_INGOTDIALECT_H
