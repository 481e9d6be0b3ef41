//===- Problems.h - Everything that stands in the way, collected *- C++ -*-===//
//
// An import never stops at its first problem: what cannot be compiled is
// collected over all entries and emitted at once.
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
  /// While it lives, what is recorded is needed by `name`.
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

  /// A node whose op is not supported; `reason` says why where the op itself
  /// would be ("data_format 'NCHW_VECT_C'"), else it is looked up.
  void unsupported(llvm::StringRef op, llvm::StringRef node,
                   const llvm::Twine &reason = "");
  /// The graph contradicts itself; `message` names the node.
  void malformed(const llvm::Twine &message);
  /// A name in the options that the graph does not have.
  void unknownName(const llvm::Twine &message);

  /// Looks up where the nodes that cannot be compiled were made.
  void locate(llvm::function_ref<std::string(llvm::StringRef node)> find);

  bool empty() const;
  /// Takes over what another import recorded.
  void merge(Problems &&other);
  /// Emits everything as errors and notes at `loc`. At most `maxNodes` names
  /// a kind of op.
  void emit(mlir::Location loc, size_t maxNodes = 8) const;
  /// Moves everything into the report.
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

/// Why an op is not supported: from a table of what is known of it, else the
/// supported op with the closest name.
std::string hintFor(llvm::StringRef op);

/// Calls `visit` with each op that is refused by name, and why.
void forEachRefused(
    llvm::function_ref<void(llvm::StringRef op, llvm::StringRef why)> visit);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_PROBLEMS_H
