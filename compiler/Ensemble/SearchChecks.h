//===- SearchChecks.h - Validates a search ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_ENSEMBLE_SEARCHCHECKS_H
#define INGOT_COMPILER_ENSEMBLE_SEARCHCHECKS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <google/protobuf/text_format.h>

#include "proto/AdaNetSearch.pb.h"

namespace ingot::ensemble {

/// "search.pbtxt:12:3: ", counted from one; the file alone if `line` is
/// negative.
std::string placed(llvm::StringRef file, int line, int column);

/// Reports all errors of `search`, each at its place in the file; true without
/// errors.
bool checkSearch(const proto::AdaNetSearch &search,
                 const google::protobuf::TextFormat::ParseInfoTree &places,
                 llvm::StringRef file,
                 llvm::function_ref<void(const std::string &)> report);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_SEARCHCHECKS_H
