//===- BuilderHooks.h - Hooks of an iteration's builders --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Builders and ensemblers of a search may have hooks of their own, in shared
// libraries, for the training of their iteration. The command that compiles the
// iteration lists these hooks in a file, which the training processes read.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_ADANET_BUILDERHOOKS_H
#define INGOT_RUNTIME_ADANET_BUILDERHOOKS_H

#include "runtime/Support/FileSystem.h"

#include <string>
#include <vector>

namespace ingot::adanet {

/// Reads the hooks in file `path` and returns them as values of the trainer's
/// flag --hook. The file is a JSON object whose list `hooks` has objects with
/// `library`, `arguments` and `chief_only`. Unless `isChief`, hooks with
/// `chief_only` are left out. Returns an empty list if the file does not exist,
/// and DataLoss, naming the file, if it is damaged.
Expected<std::vector<std::string>>
readBuilderHooks(FileSystem &fileSystem, const std::string &path, bool isChief);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_BUILDERHOOKS_H
