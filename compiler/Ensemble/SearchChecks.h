//===- SearchChecks.h - Validates a search ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_ENSEMBLE_SEARCHCHECKS_H
#define INGOT_COMPILER_ENSEMBLE_SEARCHCHECKS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <google/protobuf/text_format.h>

#include "proto/AdaNetSearch.pb.h"

namespace ingot::ensemble {

/// Returns the prefix of a message at a position of the search file, such as
/// "search.pbtxt:12:3: ". `line` and `column` are counted from 0, but printed
/// from 1. If `line` is negative, the prefix names the file only.
std::string placed(llvm::StringRef file, int line, int column);

/// Reports all errors of `search`, each with its line and column in the file.
/// Returns true if there are none.
bool checkSearch(const proto::AdaNetSearch &search,
                 const google::protobuf::TextFormat::ParseInfoTree &places,
                 llvm::StringRef file,
                 llvm::function_ref<void(const std::string &)> report);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_SEARCHCHECKS_H
