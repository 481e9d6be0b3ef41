//===- ExportWeights.h - trainer export --weights ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_VERBS_EXPORTWEIGHTS_H
#define INGOT_RUNTIME_COMMANDLINE_VERBS_EXPORTWEIGHTS_H

#include "runtime/CommandLine/Verbs/Commands.h"
#include "runtime/Support/Expected.h"

namespace ingot {

/// Returns a usage error unless the name of a --weights file ends in
/// .weights.h5, .npz or .safetensors.
std::optional<UsageError> checkWeightsFile(const std::string &path);

/// Writes the weights in checkpoint `prefix` to file `path`, which must not
/// exist, in the format of its suffix, and returns their number. The graph of a
/// Keras model states which variables are weights and what their paths in a
/// .weights.h5 file are. For other graphs, weights are all variables but the
/// global step and optimizers' slots, and .weights.h5 is InvalidArgument.
/// Returns NotFound if the checkpoint lacks a weight.
Expected<size_t> exportWeights(const CommandContext &command,
                               const std::string &path,
                               const std::string &prefix);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_VERBS_EXPORTWEIGHTS_H
