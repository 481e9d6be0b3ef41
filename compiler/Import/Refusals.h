//===- Refusals.h - What later stages say of a graph's nodes ----*- C++ -*-===//
//
// What the importer takes may still turn out, once shapes are inferred and ops
// lowered, to be more than can be compiled. Such nodes are reported as those
// are that the importer itself refuses.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_REFUSALS_H
#define INGOT_COMPILER_IMPORT_REFUSALS_H

#include "compiler/Import/Import.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace ingot::importer {

class Refusals {
public:
  /// Remembers which entries and iterators of the imported `program` need
  /// which nodes. `source` must outlive the object.
  Refusals(const proto::MetaGraphDef &source, mlir::ModuleOp program);

  /// A stage cannot compile this node, and why.
  void add(llvm::StringRef node, llvm::StringRef reason);

  bool empty() const { return found.empty(); }
  /// Moves everything into `report`, and emits it at `loc` where `isEmitted`.
  void moveTo(Report &report, mlir::Location loc, bool isEmitted);

private:
  std::string opOf(llvm::StringRef node) const;

  const proto::MetaGraphDef &source;
  llvm::StringMap<std::vector<std::string>> neededBy;
  std::vector<std::pair<std::string, std::string>> found;
};

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_REFUSALS_H
