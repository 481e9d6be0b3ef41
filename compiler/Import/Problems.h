//===- Problems.h - Collects everything that cannot be compiled -----------===//
// SPDX-License-Identifier: Apache-2.0
//
// An import never stops at its first problem: problems are collected over all
// entries and emitted at once.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_PROBLEMS_H
#define INGOT_COMPILER_IMPORT_PROBLEMS_H

#include "compiler/Import/Import.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace ingot::importer {

class Problems {
public:
  /// While it lives, recorded problems are attributed to entry `name`.
  class Scope {
  public:
    Scope(Problems &problems, const llvm::Twine &name)
        : problems(problems), outer(std::move(problems.neededBy)) {
      problems.neededBy = name.str();
    }
    ~Scope() { problems.neededBy = std::move(outer); }

  private:
    Problems &problems;
    std::string outer;
  };

  /// A node whose op is not supported; `reason`, unless the op itself is the
  /// reason ("data_format 'NCHW_VECT_C'"), else it is looked up.
  void unsupported(llvm::StringRef op, llvm::StringRef node,
                   const llvm::Twine &reason = "");
  /// The graph is malformed; `message` names the node.
  void malformed(const llvm::Twine &message);
  /// An unknown name in the options.
  void unknownName(const llvm::Twine &message);

  /// Looks up the source lines of the nodes that cannot be compiled.
  void locate(llvm::function_ref<std::string(llvm::StringRef node)> find);

  bool empty() const;
  /// Takes over the problems of another import.
  void merge(Problems &&other);
  /// Emits all problems as errors and notes at `loc`. Lists at most `maxNodes`
  /// names per op.
  void emit(mlir::Location loc, size_t maxNodes = 8) const;
  /// Moves all problems into the report.
  void moveTo(Report &report);

private:
  void add(llvm::StringRef op, llvm::StringRef reason, llvm::StringRef node,
           llvm::StringRef needer);

  std::vector<Report::Unsupported> kinds;
  llvm::StringMap<size_t> kindOf;
  llvm::StringSet<> seen;
  std::vector<std::string> malformedMessages, unknownNames;
  std::string neededBy;
};

/// The reason why an op is not supported: from a table, else the supported op
/// with the closest name.
std::string hintFor(llvm::StringRef op);

/// Calls `visit` with each op that is rejected by name, and the reason.
void forEachRefused(
    llvm::function_ref<void(llvm::StringRef op, llvm::StringRef why)> visit);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_PROBLEMS_H
