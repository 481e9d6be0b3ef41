//===- CopyFiles.h - Copies a checkpoint's files ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_CHECKPOINT_COPYFILES_H
#define INGOT_RUNTIME_CHECKPOINT_COPYFILES_H

#include "runtime/Support/FileSystem.h"

namespace ingot {

/// Copies V2 checkpoint `from` to prefix `to`, byte by byte. The data shards
/// are copied first and the index last, each under a temporary name that is
/// then renamed, so a crash leaves no incomplete checkpoint. The directory of
/// `to` must exist.
Status copyCheckpointFiles(FileSystem &fileSystem, const std::string &from,
                           const std::string &to);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_COPYFILES_H
