//===- LeaveOut.h - What is not compiled if it cannot be --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A graph contains more than its user asks for: summaries, signatures, nodes
// that nothing uses. What of these cannot be compiled is left out with a
// warning, and does not stop the rest.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_LEAVEOUT_H
#define INGOT_COMPILER_IMPORT_LEAVEOUT_H

#include "compiler/Import/Entries.h"

namespace ingot::importer {

/// Imports `spec` like `importEntry`. If it cannot be imported, removes the
/// targets and fetches in `spec.optional` that depend on nodes with problems,
/// with a warning, and tries again.
mlir::ingot::EntryOp importNeeded(Program &program, EntrySpec &spec,
                                  ImportProblems &problems);

/// The entries that could not be imported and that nobody asked for.
class EntriesLeftOut {
public:
  void add(llvm::StringRef name, ImportProblems &&problems) {
    entries.push_back({name.str(), std::move(problems)});
  }
  /// Warns of the entries if the program has another one that `runs`. Otherwise
  /// adds their problems to `problems`.
  void report(Program &program, bool runs, ImportProblems &problems);

private:
  std::vector<std::pair<std::string, ImportProblems>> entries;
};

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_LEAVEOUT_H
