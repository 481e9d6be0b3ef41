//===- SplitEntries.h - Entries in parts, for several threads ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_HOST_SPLITENTRIES_H
#define INGOT_CODEGEN_HOST_SPLITENTRIES_H

#include "dialects/Host/HostDialect.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace ingot::hostgen {

/// On a module with a part of a program's entries: the names of the nodes of
/// all of the program's launches (array of strings).
inline constexpr llvm::StringLiteral nodesAttrName = "host.nodes";
/// On such a module: another one holds the names (unit attribute).
inline constexpr llvm::StringLiteral nodesElsewhereAttrName =
    "host.nodes_elsewhere";

/// Splits the entries and functions of a module into several of about the same
/// size, so that threads compile them in parallel; one if the module is small.
/// Their number depends on the program only, as it must not change the
/// artifact. All declare the program's kernels, which launches refer to by
/// number, and refer to the names of its nodes (host.nodes), which the first
/// one defines.
std::vector<mlir::OwningOpRef<mlir::ModuleOp>>
splitEntries(mlir::ModuleOp entries);

/// The name of a launch in traces and watchdog messages: the nodes that it
/// computes.
std::string nodesOf(mlir::host::LaunchOp launch);

} // namespace ingot::hostgen

#endif // INGOT_CODEGEN_HOST_SPLITENTRIES_H
