//===- HostAttributes.h - Attributes of entries and functions ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The descriptions that ingot-lower-entries gives to functions, and that the
// artifact's tables are made from.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_HOST_HOSTATTRIBUTES_H
#define INGOT_DIALECTS_HOST_HOSTATTRIBUTES_H

#include "dialects/Host/HostDialect.h"

#include "mlir/IR/BuiltinAttributes.h"

#include "dialects/Host/HostEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Host/HostAttributes.h.inc"

namespace mlir::host {

/// On the function of an entry: its EntryAttr.
inline constexpr llvm::StringLiteral entryAttrName = "host.entry";
/// On a function that datasets map over their elements: its FunctionAttr.
inline constexpr llvm::StringLiteral functionAttrName = "host.function";
/// On an entry and then its function (symbol): the entry that it specializes
/// for full batches.
inline constexpr llvm::StringLiteral fullBatchOfAttrName = "host.full_batch_of";
/// A unit, on the branch that both have become: else the batch is short.
inline constexpr llvm::StringLiteral fullBatchAttrName = "host.full_batch";

} // namespace mlir::host

#endif // INGOT_DIALECTS_HOST_HOSTATTRIBUTES_H
