//===- InlineGraph.h - Inlines functions of users' graphs -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A search may use a user's graph as a function. The ops of one of the graph's
// entries are then cloned into the search's program, and the variables that
// these ops read become variables in the open name scope.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_ENSEMBLE_INLINEGRAPH_H
#define INGOT_COMPILER_ENSEMBLE_INLINEGRAPH_H

#include "compiler/Builder/GraphImpl.h"
#include "dialects/Ingot/IR/ProgramOps.h"

#include "mlir/IR/IRMapping.h"

namespace mlir::ingot {
class ReadOp;
} // namespace mlir::ingot

namespace ingot::ensemble {

/// A function that a user's graph computes: the tensors `fetches` as a function
/// of the tensors `feeds`.
struct ImportedGraphFunction {
  std::string file; // GraphDef, MetaGraphDef, SavedModel or MLIR
  std::string name; // distinguishes several functions of one file
  std::vector<std::string> feeds, fetches;
};

/// Clones the ops of a function of a user's graph into the search's program,
/// into the entry that `data.builder` currently fills. A function's graph is
/// imported only once per program. If the import fails or the graph lacks the
/// function, the constructor reports errors, and `isValid` is false.
class GraphInliner {
public:
  GraphInliner(graph::GraphImpl &data, const ImportedGraphFunction &function);

  bool isValid() const { return static_cast<bool>(entry); }
  /// Sets the value of the feed `name`. Returns false if the type of `value`
  /// does not match that of the feed.
  bool feed(llvm::StringRef name, graph::Tensor value);
  /// Clones the function's ops. Reports an error and returns false if the ops
  /// read a feed that has no value, or refer to a symbol that is not a
  /// variable, such as a lookup table.
  bool run();
  /// Returns the cloned value of a fetch, or an invalid tensor.
  graph::Tensor fetch(llvm::StringRef name);

private:
  mlir::OwningOpRef<mlir::ModuleOp> read() const;
  mlir::ingot::EntryOp find();
  graph::Variable variable(mlir::ingot::ReadOp read);
  bool fail(const llvm::Twine &message) {
    data.error(function.file, message);
    return false;
  }

  graph::GraphImpl &data;
  const ImportedGraphFunction &function;
  mlir::ModuleOp module;
  mlir::ingot::EntryOp entry;
  mlir::IRMapping values;
};

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_INLINEGRAPH_H
