//===- ExportWeights.h - trainer export --weights ---------------*- C++ -*-===//
#ifndef INGOT_RUNTIME_COMMANDLINE_EXPORTWEIGHTS_H
#define INGOT_RUNTIME_COMMANDLINE_EXPORTWEIGHTS_H

#include "runtime/CommandLine/Commands.h"
#include "runtime/Support/Expected.h"

namespace ingot {

/// Checks that a file's name ends in .weights.h5, .npz or .safetensors.
std::optional<UsageError> checkWeightsFile(const std::string &path);

/// Writes the weights in checkpoint `prefix` to file `path`, which must not
/// exist, in the format that its name says; returns how many there are. A graph
/// of Keras's says which of its variables are weights, and where a .weights.h5
/// has them; of another, these are all variables but the global step and what
/// optimizers keep. InvalidArgument where it doesn't say, NotFound where the
/// checkpoint lacks one.
Expected<size_t> exportWeights(const Command &command, const std::string &path,
                               const std::string &prefix);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_EXPORTWEIGHTS_H
