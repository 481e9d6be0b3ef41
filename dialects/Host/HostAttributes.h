//===- HostAttributes.h - Attributes of entries and functions ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Attributes that ingot-lower-entries-to-functions adds to functions.
// codegen/ABI writes the artifact's descriptor from them.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_HOST_HOSTATTRIBUTES_H
#define INGOT_DIALECTS_HOST_HOSTATTRIBUTES_H

#include "dialects/Host/EntryRole.h"
#include "dialects/Host/HostDialect.h"

#include "mlir/IR/BuiltinAttributes.h"

#include "dialects/Host/HostEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Host/HostAttributes.h.inc"

namespace mlir::host {

/// On the function of an entry: its EntryAttr, which describes the entry for
/// the artifact's descriptor.
inline constexpr llvm::StringLiteral entryAttrName = "host.entry";
/// On a function that datasets map over their elements: its FunctionAttr, which
/// describes the function for the artifact's descriptor.
inline constexpr llvm::StringLiteral functionAttrName = "host.function";
/// On an entry that is specialized for full batches, and on the function to
/// which this entry is lowered (symbol): the entry that also accepts short
/// batches.
inline constexpr llvm::StringLiteral fullBatchOfAttrName = "host.full_batch_of";
/// On the branch that an entry and its specialization for full batches are
/// merged into (unit attribute): the else region handles a short batch.
inline constexpr llvm::StringLiteral fullBatchAttrName = "host.full_batch";

} // namespace mlir::host

#endif // INGOT_DIALECTS_HOST_HOSTATTRIBUTES_H
