//===- ArrayFiles.h - Examples in memory, from .npy files -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_ENSEMBLE_ARRAYFILES_H
#define INGOT_COMPILER_ENSEMBLE_ARRAYFILES_H

#include "compiler/Ensemble/FeatureColumns.h"

#include "proto/AdaNetSearch.pb.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace ingot::ensemble {

/// The columns of `arrays` that cannot be read, by index, with reasons. File
/// names are relative to `directory`.
std::vector<std::pair<int, std::string>>
checkArrays(const proto::ArraysSource &arrays, llvm::StringRef directory);

/// The values of `columns` in their types and shapes; nothing, with the reason,
/// if a file differs.
std::optional<std::vector<graph::Column>>
readArrays(const proto::ArraysSource &arrays,
           const std::vector<RawColumn> &columns, llvm::StringRef directory,
           std::string &error);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_ARRAYFILES_H
