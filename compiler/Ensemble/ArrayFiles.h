//===- ArrayFiles.h - Examples in memory, from .npy files -------*- C++ -*-===//
#ifndef INGOT_COMPILER_ENSEMBLE_ARRAYFILES_H
#define INGOT_COMPILER_ENSEMBLE_ARRAYFILES_H

#include "compiler/Ensemble/FeatureColumns.h"

#include "proto/AdaNetSearch.pb.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace ingot::ensemble {

/// Which of `arrays`' columns cannot be read, and why: by number. Names of
/// files begin in `directory`.
std::vector<std::pair<int, std::string>>
checkArrays(const proto::ArraysSource &arrays, llvm::StringRef directory);

/// The values of `columns`, as their types and shapes want them; nothing, and
/// why, where a file has others.
std::optional<std::vector<graph::Column>>
readArrays(const proto::ArraysSource &arrays,
           const std::vector<RawColumn> &columns, llvm::StringRef directory,
           std::string &error);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_ARRAYFILES_H
