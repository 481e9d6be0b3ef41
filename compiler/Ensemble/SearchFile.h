//===- SearchFile.h - search.pbtxt, read and checked ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_ENSEMBLE_SEARCHFILE_H
#define INGOT_COMPILER_ENSEMBLE_SEARCHFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

#include "proto/AdaNetSearch.pb.h"

namespace ingot::ensemble {

/// Whether a text is a search: its first field is one of a search's and not of
/// a graph's.
bool looksLikeSearch(llvm::StringRef text);

/// Reads and checks the search `text` of the file `name`. Nothing if it has
/// errors; `report` receives each, as "search.pbtxt:12:3: max_iteration_steps
/// must be positive, not -1".
std::optional<proto::AdaNetSearch>
readSearch(llvm::StringRef name, llvm::StringRef text,
           llvm::function_ref<void(const std::string &)> report);

/// Whether a name is valid in names of variables and files: letters, digits,
/// '_', '.', '-', and not too long (AN-174).
bool isPlainName(llvm::StringRef name);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_SEARCHFILE_H
