//===- OmittedEntryPointReporter.h - Omitted entries ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A graph often contains more than its user needs: summaries, signatures, and
// nodes that nothing uses. If such a part cannot be compiled, it is left out
// with a warning, and the rest is compiled.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_ENTRIES_OMITTEDENTRYPOINTREPORTER_H
#define INGOT_COMPILER_IMPORT_ENTRIES_OMITTEDENTRYPOINTREPORTER_H

#include "compiler/Import/Entries/Entries.h"

namespace ingot::importer {

/// Imports `spec` like `importEntry`. If it cannot be imported, removes the
/// targets and fetches in `spec.optional` that depend on nodes with problems,
/// with a warning, and tries again.
mlir::ingot::EntryOp importNeeded(Program &program, EntrySpec &spec,
                                  ImportErrors &problems);

/// The optional entries (EntrySpec::isOptional) that could not be imported.
class OmittedEntryPointReporter {
public:
  void add(llvm::StringRef name, ImportErrors &&problems) {
    entries.push_back({name.str(), std::move(problems)});
  }
  /// Warns that each entry that was passed to `add` is left out, if the program
  /// has another entry to run (`runs`). Otherwise the program would be useless,
  /// so adds the problems of these entries to `problems`.
  void report(Program &program, bool runs, ImportErrors &problems);

private:
  std::vector<std::pair<std::string, ImportErrors>> entries;
};

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ENTRIES_OMITTEDENTRYPOINTREPORTER_H
