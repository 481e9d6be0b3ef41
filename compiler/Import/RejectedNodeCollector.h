//===- RejectedNodeCollector.h - Nodes that later stages reject -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Some nodes pass the importer, but are rejected later, when shapes are
// inferred and ops are lowered. They are reported like nodes that the importer
// rejects.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_REJECTEDNODECOLLECTOR_H
#define INGOT_COMPILER_IMPORT_REJECTEDNODECOLLECTOR_H

#include "compiler/Import/Import.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace ingot::importer {

/// Collects the nodes that stages of the compiler after the import reject, so
/// that they are reported together.
class RejectedNodeCollector {
public:
  /// Finds out which entries and iterators of the imported `program` need each
  /// node; the report names them. `source` must outlive the object.
  RejectedNodeCollector(const proto::MetaGraphDef &source,
                        mlir::ModuleOp program);

  /// Records that a later stage cannot compile `node`, because of `reason`.
  void add(llvm::StringRef node, llvm::StringRef reason);

  bool empty() const { return found.empty(); }
  /// Moves all recorded nodes into `report`, and emits them as diagnostics at
  /// `loc` if `isEmitted`.
  void moveTo(ImportReport &report, mlir::Location loc, bool isEmitted);

private:
  std::string opOf(llvm::StringRef node) const;

  const proto::MetaGraphDef &source;
  llvm::StringMap<std::vector<std::string>> neededBy;
  std::vector<std::pair<std::string, std::string>> found;
};

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_REJECTEDNODECOLLECTOR_H
