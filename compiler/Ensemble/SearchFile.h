//===- SearchFile.h - Parses search files -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_ENSEMBLE_SEARCHFILE_H
#define INGOT_COMPILER_ENSEMBLE_SEARCHFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

#include "proto/AdaNetSearch.pb.h"

namespace ingot::ensemble {

/// Returns whether a text is a search file: its first field is a field of
/// AdaNetSearch. Graph files begin with other fields.
bool looksLikeSearch(llvm::StringRef text);

/// Parses and checks the search `text` of the file `name`. Passes each error to
/// `report`, such as "search.pbtxt:12:3: max_iteration_steps must be positive,
/// not -1", and then returns std::nullopt.
std::optional<proto::AdaNetSearch>
readSearch(llvm::StringRef name, llvm::StringRef text,
           llvm::function_ref<void(const std::string &)> report);

/// Returns whether a name can be part of the names of variables and files: it
/// has at most 128 letters, digits, '_', '.' and '-' (AN-174).
bool isPlainName(llvm::StringRef name);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_SEARCHFILE_H
