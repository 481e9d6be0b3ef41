//===- PosixSequentialFile.h - Streams that can be abandoned ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SUPPORT_POSIXSEQUENTIALFILE_H
#define INGOT_RUNTIME_SUPPORT_POSIXSEQUENTIALFILE_H

#include "runtime/Support/FileSystem.h"

namespace ingot {

/// Implements FileSystem::openStream() for the machine's file system.
Expected<std::unique_ptr<SequentialFile>>
openPosixStream(std::string path, StopPredicate stopped);

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_POSIXSEQUENTIALFILE_H
