//===- HostAttributes.h - Attributes of entries and functions ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Attributes that ingot-lower-entries-to-functions adds to functions. From
// them, codegen/ABI generates the tables by which the runtime finds the entries
// and functions of the compiled program.
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

/// On the function of an entry: its EntryAttr, which describes the entry to the
/// runtime.
inline constexpr llvm::StringLiteral entryAttrName = "host.entry";
/// On a function that datasets map over their elements: its FunctionAttr, which
/// describes the function to the runtime.
inline constexpr llvm::StringLiteral functionAttrName = "host.function";
/// A symbol attribute of an entry that is specialized for batches of full size,
/// and of the function to which this entry is lowered. It names the entry that
/// accepts shorter batches as well.
inline constexpr llvm::StringLiteral fullBatchOfAttrName = "host.full_batch_of";
/// A unit attribute of the scf.if that results from merging an entry with its
/// specialization for batches of full size. The then region handles a full
/// batch, the else region a shorter one.
inline constexpr llvm::StringLiteral fullBatchAttrName = "host.full_batch";

/// A symbol attribute of an entry that is specialized for runs of one rank, and
/// of the function to which this entry is lowered. It names the entry that any
/// rank can run. The integer attribute `numSlicesAttrName` is the number of
/// slices of the entry's batch.
inline constexpr llvm::StringLiteral oneRankOfAttrName = "host.one_rank_of";
inline constexpr llvm::StringLiteral numSlicesAttrName = "host.slices";
/// A unit attribute of the scf.if that results from merging an entry with its
/// specialization for runs of one rank. The then region runs if the rank has
/// all slices of the batch.
inline constexpr llvm::StringLiteral oneRankAttrName = "host.one_rank";

/// Whether the op is in a branch of an scf.if that has the unit attribute
/// `name`: in its then region, or in its else region if `isElse`.
bool isInBranchOf(Operation *op, llvm::StringRef name, bool isElse);

} // namespace mlir::host

#endif // INGOT_DIALECTS_HOST_HOSTATTRIBUTES_H
