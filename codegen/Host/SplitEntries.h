//===- SplitEntries.h - Entries in parts, for several threads ---*- C++ -*-===//
#ifndef INGOT_CODEGEN_HOST_SPLITENTRIES_H
#define INGOT_CODEGEN_HOST_SPLITENTRIES_H

#include "dialects/Host/HostDialect.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace ingot::hostgen {

/// On a module with a part of a program's entries: the names of all nodes that
/// the program's launches tell of (array of strings).
inline constexpr llvm::StringLiteral nodesAttrName = "host.nodes";
/// On such a module: another one holds the names (unit attribute).
inline constexpr llvm::StringLiteral nodesElsewhereAttrName =
    "host.nodes_elsewhere";

/// The entries and functions of a module in several, of about the same size;
/// one where a thread would have little to do. How many follows from the
/// program alone. All have the program's kernels, which launches know by
/// number, and the names of its nodes (host.nodes), which the first one holds.
std::vector<mlir::OwningOpRef<mlir::ModuleOp>>
splitEntries(mlir::ModuleOp entries);

/// What a trace and a watchdog call a launch: the nodes that it computes.
std::string nodesOf(mlir::host::LaunchOp launch);

} // namespace ingot::hostgen

#endif // INGOT_CODEGEN_HOST_SPLITENTRIES_H
