//===- Program.h - Reading a compiled program's descriptor ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Checks a program before it runs: whether this runtime understands its
// descriptor, whether the descriptor is consistent, and which of its targets
// this machine can execute.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SESSION_PROGRAM_H
#define INGOT_RUNTIME_SESSION_PROGRAM_H

#include "runtime/ABI/CPULevels.h"
#include "runtime/ABI/Program.h"
#include "runtime/Support/Expected.h"
#include "runtime/Support/TensorSpec.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ingot {

/// Checks the descriptor of a program. Returns FailedPrecondition if it has
/// another ABI version than this runtime, and Internal if its tables contradict
/// each other. If the version differs, no field after the version is read, as
/// their layout may differ.
Status checkProgram(const ingot_program &program);

/// Returns the index of the highest target (CPU level) of the program that
/// `supports` accepts. Returns Unavailable, naming the lowest level of the
/// program, if `supports` accepts none.
Expected<uint32_t>
chooseTarget(const ingot_program &program,
             bool (*supports)(std::string_view) = hasCPULevel);

/// Returns the program's first compiled function (entry) with role `role`, or
/// null if there is none.
const ingot_entry *findEntry(const ingot_program &program, ingot_role role);
/// Returns the first entry with role `role` that belongs to entry `owner`, or
/// null if there is none. For instance, an entry that reads metrics belongs to
/// the evaluation that computes them.
const ingot_entry *findEntry(const ingot_program &program, ingot_role role,
                             const ingot_entry &owner);
/// Returns the first entry with role `role` for the member or ensemble named
/// `member`, or null if there is none.
const ingot_entry *findEntry(const ingot_program &program, ingot_role role,
                             std::string_view member);
/// Returns the first entry called `name`, or null if there is none. Use it only
/// for names that a user gives in a flag or call: users choose the names of
/// entries, so code that looks for a certain purpose must use roles.
const ingot_entry *findEntry(const ingot_program &program,
                             std::string_view name);

/// Returns true if `entry` changes state that checkpoints contain: if it
/// assigns a variable or changes a lookup table.
inline bool changesState(const ingot_entry &entry) {
  return entry.num_assigned != 0 || entry.num_changed_tables != 0;
}

/// Returns true if all iterators that `entry` (a compiled function) draws from
/// yield elements forever, as far as the ops of their datasets show: the entry
/// can then be run without end. Returns true, too, for an entry that draws from
/// no iterator.
bool neverEnds(const ingot_program &program, const ingot_entry &entry);

/// Returns the index in `specs` of the tensor to which a user's `name` refers:
/// the tensor of that name, or output 0 of the node of that name. Returns -1
/// for an unknown name.
int findTensor(std::span<const ingot_tensor_spec> specs, std::string_view name);

/// Returns the index of the fetch of `step` to which a user's `name` refers
/// (see findTensor()). The name "loss" also refers to the program's loss,
/// unless a fetch has this name. Returns -1 for an unknown name.
int findStepFetch(const ingot_program &program, const ingot_entry &step,
                  std::string_view name);

std::span<const ingot_tensor_spec> feedsOf(const ingot_entry &entry);
std::span<const ingot_tensor_spec> fetchesOf(const ingot_entry &entry);

/// Returns the name of role `role` of compiled functions (entries), such as
/// "init" or "step", as the verb `info` prints it.
const char *roleName(uint32_t role);

/// Returns true if a variable is the state of random ops: a seed or a position
/// in a sequence of random numbers. Checkpoints may lack such variables; the
/// session then chooses their values.
inline bool isRandomState(const ingot_variable &variable) {
  return (variable.flags &
          (INGOT_VARIABLE_RANDOM_POSITION | INGOT_VARIABLE_RANDOM_SEED)) != 0;
}

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_PROGRAM_H
