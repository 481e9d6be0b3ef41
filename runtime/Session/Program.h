//===- Program.h - Reading a compiled program's descriptor ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Checks a program before it runs: that its descriptor is one this runtime
// understands and is consistent, and which of its targets runs here.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SESSION_PROGRAM_H
#define INGOT_RUNTIME_SESSION_PROGRAM_H

#include "runtime/ABI/Program.h"
#include "runtime/Support/Expected.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ingot {

/// FailedPrecondition unless `program` is a descriptor of this runtime's
/// version; Internal where its tables contradict each other. Reads nothing
/// beyond the version before that has been found right.
Status checkProgram(const ingot_program &program);

/// True where this machine executes code for `level` ("x86-64-v3").
bool cpuSupports(std::string_view level);

/// Index of the highest of the program's targets that `supports` accepts.
/// Unavailable, naming the lowest level that would do, if there is none.
Expected<uint32_t>
chooseTarget(const ingot_program &program,
             bool (*supports)(std::string_view) = cpuSupports);

/// The first entry of a role, or of a name; null if there is none.
const ingot_entry *findEntry(const ingot_program &program, ingot_role role);
const ingot_entry *findEntry(const ingot_program &program,
                             std::string_view name);

/// The index in `specs` of the tensor that a user's `name` means: the tensor of
/// that name, or output 0 of the node of that name. -1 for an unknown name.
int findTensor(std::span<const ingot_tensor_spec> specs, std::string_view name);

/// The same for a step's fetches, where "loss" means the program's loss unless
/// a tensor has that name.
int findStepFetch(const ingot_program &program, const ingot_entry &step,
                  std::string_view name);

std::span<const ingot_tensor_spec> feedsOf(const ingot_entry &entry);
std::span<const ingot_tensor_spec> fetchesOf(const ingot_entry &entry);
std::vector<int64_t> shapeOf(const ingot_tensor_spec &spec);

/// Number of elements; -1 where a dimension is not known or the product
/// overflows.
int64_t elementCountOf(const ingot_tensor_spec &spec);

/// Bytes of a tensor as the ABI passes it (16 for each string); -1 as above or
/// for a type without elements in memory.
int64_t byteSizeOf(const ingot_tensor_spec &spec);

/// "float32[64,10]", with "?" for dimensions that are not known.
std::string typeText(const ingot_tensor_spec &spec);

/// "init", "step" ... as `info` prints it.
const char *roleName(uint32_t role);

/// Whether a variable holds the state of random ops: one that a session can
/// make up itself where a checkpoint lacks it.
inline bool isRandomState(const ingot_variable &variable) {
  return (variable.flags &
          (INGOT_VARIABLE_RANDOM_POSITION | INGOT_VARIABLE_RANDOM_SEED)) != 0;
}

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_PROGRAM_H
