//===- SplitEntryModule.h - Split entries for LLVM --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_HOST_SPLITENTRYMODULE_H
#define INGOT_CODEGEN_HOST_SPLITENTRYMODULE_H

#include "dialects/Host/HostDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace ingot::hostgen {

/// An attribute (array of strings) of a module that has only some of a
/// program's entry points: the node names of all launches of the whole program.
/// Launch tables refer to these names by offset, which must be the same in all
/// modules.
inline constexpr llvm::StringLiteral nodesAttrName = "host.nodes";
/// A unit attribute of a module that has only some of a program's entry points:
/// the module declares the table of node names as an external symbol, which
/// another module defines.
inline constexpr llvm::StringLiteral nodesElsewhereAttrName =
    "host.nodes_elsewhere";

/// Returns whether the function is an entry that computes initial values (role
/// init or local init). Such an entry runs once.
bool isInitialization(mlir::func::FuncOp function);

/// Splits a module of entry points, and of functions that datasets call, into
/// several modules of about equal size, so that threads compile them in
/// parallel. A small module is not split, except that initializations have a
/// module of their own. The number of modules depends on the program only, not
/// on the machine, so that the artifact is reproducible. Each module declares
/// all kernels, because launches refer to kernels by index. The first module
/// defines the node names (host.nodes), to which all modules refer.
std::vector<mlir::OwningOpRef<mlir::ModuleOp>>
splitEntries(mlir::ModuleOp entries);

/// Returns the name of a launch for traces and watchdog messages: the names of
/// the nodes that it computes, joined by " + ".
std::string nodesOf(mlir::host::LaunchOp launch);

} // namespace ingot::hostgen

#endif // INGOT_CODEGEN_HOST_SPLITENTRYMODULE_H
