//===- ExportWeights.h - trainer export --weights ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_EXPORTWEIGHTS_H
#define INGOT_RUNTIME_COMMANDLINE_EXPORTWEIGHTS_H

#include "runtime/CommandLine/Commands.h"
#include "runtime/Support/Expected.h"

namespace ingot {

/// Checks that a file's name ends in .weights.h5, .npz or .safetensors.
std::optional<UsageError> checkWeightsFile(const std::string &path);

/// Writes the weights in checkpoint `prefix` to file `path`, which must not
/// exist, in the format of its suffix; returns their number. A graph of Keras's
/// tells which of its variables are weights, and their paths in a .weights.h5;
/// for others, these are all variables but the global step and optimizers'.
/// InvalidArgument where the graph does not tell them, NotFound where the
/// checkpoint lacks one.
Expected<size_t> exportWeights(const Command &command, const std::string &path,
                               const std::string &prefix);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_EXPORTWEIGHTS_H
