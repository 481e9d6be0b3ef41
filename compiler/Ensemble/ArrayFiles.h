//===- ArrayFiles.h - Reads examples from .npy files ------------*- C++ -*-===//
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

/// Checks the header of each column's file, and that all files have the same
/// number of examples. Returns the index of each column whose file is rejected,
/// with the reason. File names are relative to `directory`.
std::vector<std::pair<int, std::string>>
checkArrays(const proto::ArraysSource &arrays, llvm::StringRef directory);

/// Reads the values of `columns`, and converts them to the columns' types.
/// Returns std::nullopt, with the reason in `error`, if a file cannot be read
/// or does not match the type and shape of its column.
std::optional<std::vector<graph::Column>>
readArrays(const proto::ArraysSource &arrays,
           const std::vector<DataFileColumn> &columns,
           llvm::StringRef directory, std::string &error);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_ARRAYFILES_H
