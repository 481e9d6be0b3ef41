//===- CopyFiles.h - A checkpoint's files under another name ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_CHECKPOINT_COPYFILES_H
#define INGOT_RUNTIME_CHECKPOINT_COPYFILES_H

#include "runtime/Support/FileSystem.h"

namespace ingot {

/// Copies V2 checkpoint `from` to prefix `to`, byte by byte, durably: data
/// first, and the index, which makes it a checkpoint, at once. Directories must
/// be there.
Status copyCheckpointFiles(FileSystem &fileSystem, const std::string &from,
                           const std::string &to);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_COPYFILES_H
