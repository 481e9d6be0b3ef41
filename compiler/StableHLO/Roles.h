//===- Roles.h - The names and roles of a step's values ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A StableHLO module has functions of tensors. The file of roles, step.json
// beside step.mlir, says which arguments are state, which are a batch, where
// these come from, and what the results are.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_STABLEHLO_ROLES_H
#define INGOT_COMPILER_STABLEHLO_ROLES_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace ingot::stablehlo {

/// A variable of the step's state.
struct StateRole {
  std::string name;
  /// The number of the result that becomes its next value; -1: the one in its
  /// place.
  int64_t result = -1;
  /// The initial value of all elements, if it is not in the file of initial
  /// values.
  std::optional<double> initial;
  bool isTrainable = true;
};

/// Where batches come from: files that the trainer reads.
struct DataRole {
  /// A .npy file, or an array of a .npz file ("train.npz:x"), for each tensor
  /// of a batch.
  std::vector<std::string> arrays;
  /// A folder that ingot.materialize() has written.
  std::string records;
  bool shuffles = true;
  std::optional<int64_t> seed;

  bool isGiven() const { return !arrays.empty() || !records.empty(); }
};

/// A further entry, which computes results of state and inputs.
struct EntryRole {
  std::string name, file, function = "main";
  std::vector<std::string> state, inputs, outputs;
};

struct Roles {
  std::string function = "main";
  std::vector<StateRole> state;
  /// A .npz or .safetensors file, or a checkpoint.
  std::string initial;
  std::vector<std::string> batch, outputs;
  /// The names of the state and the batch in the order of the function's
  /// arguments; empty: first the state, then the batch.
  std::vector<std::string> arguments;
  std::string loss;
  DataRole data;
  int64_t maxToKeep = 5;
  std::vector<EntryRole> entries;
};

/// Parses the JSON text of a file of roles. Appends to `problems` what is wrong
/// with it, each beginning with the path of the field, such as "state[2].name".
Roles parseRoles(llvm::StringRef text, std::vector<std::string> &problems);

} // namespace ingot::stablehlo

#endif // INGOT_COMPILER_STABLEHLO_ROLES_H
