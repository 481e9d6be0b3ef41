//===- SearchModel.h - A search file as a search ----------------*- C++ -*-===//
#ifndef INGOT_COMPILER_ENSEMBLE_SEARCHMODEL_H
#define INGOT_COMPILER_ENSEMBLE_SEARCHMODEL_H

#include "ingot/adanet.h"

#include "llvm/ADT/StringRef.h"

#include "proto/AdaNetSearch.pb.h"

namespace ingot::ensemble {

/// What `file`, which was read and checked, describes. Relative names of data
/// files begin at `directory`; headers of CSV files are read. Nothing, and a
/// message in `error`, where features and data do not go with each other.
std::optional<adanet::Search> makeSearch(const proto::AdaNetSearch &file,
                                         llvm::StringRef directory,
                                         std::string &error);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_SEARCHMODEL_H
