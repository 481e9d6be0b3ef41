//===- ImportErrors.h - Nodes that cannot be compiled -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// An import never stops at its first problem: problems are collected over all
// entries and emitted at once.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_IMPORTERRORS_H
#define INGOT_COMPILER_IMPORT_IMPORTERRORS_H

#include "compiler/Import/Import.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace ingot::importer {

/// Collects the nodes that cannot be compiled, and other errors in a graph or
/// in the import's options.
class ImportErrors {
public:
  /// Names the part of the program that is being imported. As long as the
  /// object lives, each recorded problem notes that the entry or iterator
  /// `name` needs the node with the problem.
  class ImportErrorScope {
  public:
    ImportErrorScope(ImportErrors &problems, const llvm::Twine &name)
        : problems(problems), outer(std::move(problems.neededBy)) {
      problems.neededBy = name.str();
    }
    ~ImportErrorScope() { problems.neededBy = std::move(outer); }

  private:
    ImportErrors &problems;
    std::string outer;
  };

  /// Records that `node` cannot be compiled because of `reason`, such as
  /// "data_format 'NCHW_VECT_C'". An empty `reason` means that the op itself is
  /// not supported; `hintFor` then supplies the reason.
  void unsupported(llvm::StringRef op, llvm::StringRef node,
                   const llvm::Twine &reason = "");
  /// Records that the graph is malformed; `message` names the node.
  void malformed(const llvm::Twine &message);
  /// Records that the import's options are wrong: a name does not exist in the
  /// graph, is given twice, or is missing.
  void unknownName(const llvm::Twine &message);

  /// Adds to each recorded node the line of the user's program that created the
  /// node. `find` returns that line, or "" if it is unknown.
  void locate(llvm::function_ref<std::string(llvm::StringRef node)> find);

  bool empty() const;
  /// Returns the number of unsupported nodes, of messages about malformed
  /// nodes, and of messages about unknown names.
  size_t size() const;
  /// Returns the names of all nodes with a problem.
  std::vector<std::string> nodes() const;
  /// Describes the first recorded problem, for a warning about the entry,
  /// target or fetch that has it: "node 'a' (Add): REASON".
  std::string describeFirst() const;
  /// Adds the problems that `other` has collected, such as those of one entry,
  /// to this object.
  void merge(ImportErrors &&other);
  /// Emits all problems as errors and notes at `loc`. Lists at most `maxNodes`
  /// names per op.
  void emit(mlir::Location loc, size_t maxNodes = 8) const;
  /// Moves all problems into `report`.
  void moveTo(ImportReport &report);

private:
  void add(llvm::StringRef op, llvm::StringRef reason, llvm::StringRef node,
           llvm::StringRef needer);

  std::vector<ImportReport::UnsupportedNodeGroup> kinds;
  llvm::StringMap<size_t> kindOf;
  llvm::StringSet<> seen;
  std::vector<std::string> malformedMessages, unknownNames;
  std::string neededBy;
};

/// Returns the reason why an op is not supported: from a table or, for other
/// ops, the supported op with the closest name.
std::string hintFor(llvm::StringRef op);

/// Calls `visit` with each op that has a reason of its own for not being
/// supported, and with the reason.
void forEachRefused(
    llvm::function_ref<void(llvm::StringRef op, llvm::StringRef why)> visit);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_IMPORTERRORS_H
