//===- SearchFromProto.h - Converts a search file to a search ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_ENSEMBLE_SEARCHFROMPROTO_H
#define INGOT_COMPILER_ENSEMBLE_SEARCHFROMPROTO_H

#include "ingot/adanet.h"

#include "llvm/ADT/StringRef.h"

#include "proto/AdaNetSearch.pb.h"

namespace ingot::ensemble {

/// Makes the search that `file`, which has passed checkSearch, describes.
/// Relative paths of data files are resolved from `directory`; headers of CSV
/// files are read. Returns std::nullopt, with a message in `error`, if features
/// and data do not match.
std::optional<adanet::Search> makeSearch(const proto::AdaNetSearch &file,
                                         llvm::StringRef directory,
                                         std::string &error);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_SEARCHFROMPROTO_H
