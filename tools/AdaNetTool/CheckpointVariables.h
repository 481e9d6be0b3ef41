//===- CheckpointVariables.h - Which member owns a variable -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_TOOLS_ADANETTOOL_CHECKPOINTVARIABLES_H
#define INGOT_TOOLS_ADANETTOOL_CHECKPOINTVARIABLES_H

#include "runtime/AdaNet/Iteration.h"
#include "runtime/CommandLine/VerbTool.h"

namespace ingot::adanet {

/// A variable of a checkpoint: its name in AdaNet's graph, and its key in the
/// checkpoint. The two differ in object-based checkpoints.
struct CheckpointVariable {
  std::string name, key;
  /// Parses the variable's name, and so tells which member or ensemble owns the
  /// variable. The result refers to `name`. Returns std::nullopt for names that
  /// are not AdaNet's.
  std::optional<AdaNetVariableName> own() const { return parseName(name); }
};

/// Returns all variables of a checkpoint, sorted by key.
Expected<std::vector<CheckpointVariable>>
readOwn(const CheckpointReader &reader);

/// Returns true if a variable is a slot variable of an optimizer. `rest` is its
/// name after the owner's scope. A slot's name contains the full name of the
/// trained variable (AN-076), ends in "_power", such as "beta1_power", or
/// begins with "training/".
bool isSlot(std::string_view rest);

/// Returns the prefix that --checkpoint gives, or else the newest checkpoint of
/// `directory`; NotFound if there is none.
Expected<std::string> checkpointOf(const tools::ToolContext &tool,
                                   const std::string &directory);

} // namespace ingot::adanet

#endif // INGOT_TOOLS_ADANETTOOL_CHECKPOINTVARIABLES_H
