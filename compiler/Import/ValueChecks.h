//===- ValueChecks.h - Values that a step may not have ----------*- C++ -*-===//
#ifndef INGOT_COMPILER_IMPORT_VALUECHECKS_H
#define INGOT_COMPILER_IMPORT_VALUECHECKS_H

#include "compiler/Import/Body.h"

namespace ingot::importer {

/// Checks before the node's own ops run that `indices` lie below dimension
/// `axis` of `tensor`, which counts from the end where it is negative. `kind`
/// is that of ingot.require_indices. Nothing where they are known to.
void checkIndices(NodeImport &node, llvm::StringRef kind, mlir::Value indices,
                  mlir::Value tensor, int64_t axis = 0);

/// The same below a scalar.
void checkBelow(NodeImport &node, llvm::StringRef kind, mlir::Value indices,
                mlir::Value limit);

/// Checks that shapes which are computed differ in one axis only, or in none.
/// Where one is of known length ingot.require_same_shape does.
void checkConcat(NodeImport &node, mlir::Value sizes, mlir::Value others,
                 std::optional<int64_t> axis);

/// Checks that `ids` lie below `count`, where rows of `data` have elements.
void checkSegments(NodeImport &node, mlir::Value ids, mlir::Value count,
                   mlir::Value data);

/// Checks all that the node's op asks of the values of its inputs (a table in
/// ValueChecks.cpp), before it is imported.
void checkValues(NodeImport &node);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_VALUECHECKS_H
