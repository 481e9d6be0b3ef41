//===- OwnVariables.h - Whose a checkpoint's variables are ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_ADANETTOOL_OWNVARIABLES_H
#define INGOT_RUNTIME_ADANETTOOL_OWNVARIABLES_H

#include "runtime/AdaNet/Iteration.h"
#include "runtime/CommandLine/VerbTool.h"

namespace ingot::adanet {

/// A variable's name in AdaNet's graphs, and its key in the checkpoint. The two
/// differ in object-based checkpoints.
struct OwnVariable {
  std::string name, key;
  /// Returns the parts of the name, with the member or ensemble that owns the
  /// variable; they refer to `name`.
  std::optional<OwnName> own() const { return parseName(name); }
};

/// Returns all variables of a checkpoint, sorted by key.
Expected<std::vector<OwnVariable>> readOwn(const CheckpointReader &reader);

/// Returns true for a slot variable of an optimizer. Its name contains the
/// trained variable's full name (AN-076) or is one of an optimizer's own names.
/// `rest` is the name after the owner's scope.
bool isSlot(std::string_view rest);

/// Returns the prefix that --checkpoint gives, or else the newest checkpoint of
/// `directory`; NotFound if there is none.
Expected<std::string> checkpointOf(const tools::Tool &tool,
                                   const std::string &directory);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANETTOOL_OWNVARIABLES_H
