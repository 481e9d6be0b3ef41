//===- OwnVariables.h - Whose a checkpoint's variables are ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_ADANETTOOL_OWNVARIABLES_H
#define INGOT_RUNTIME_ADANETTOOL_OWNVARIABLES_H

#include "runtime/AdaNet/Iteration.h"
#include "runtime/CommandLine/VerbTool.h"

namespace ingot::adanet {

/// A variable, by its name in AdaNet's graphs, and its key in the checkpoint:
/// another one in object-based checkpoints.
struct OwnVariable {
  std::string name, key;
  /// The variable's owner; refers to `name`.
  std::optional<OwnName> own() const { return parseName(name); }
};

/// All that a checkpoint has, sorted by key.
Expected<std::vector<OwnVariable>> readOwn(const CheckpointReader &reader);

/// Slots of optimizers: their names have the variable's whole name in them
/// (AN-076), or they are an optimizer's own. `rest` is the name after the
/// owner's scope.
bool isSlot(std::string_view rest);

/// The checkpoint that --checkpoint names, else the newest of `directory`;
/// NotFound if there is none.
Expected<std::string> checkpointOf(const tools::Tool &tool,
                                   const std::string &directory);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANETTOOL_OWNVARIABLES_H
