//===- ProgramDescription.h - Describes a library's program -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_EMBEDDING_PROGRAMDESCRIPTION_H
#define INGOT_RUNTIME_EMBEDDING_PROGRAMDESCRIPTION_H

#include "ingot/trainer.h"

#include "runtime/ABI/Program.h"

namespace ingot::embedding {

/// Returns the description of the entries and variables of `program`, empty if
/// checkProgram() rejects the program. The first call for an address makes the
/// description, which lives until the process ends; so `program` must not be
/// moved or freed. Thread-safe.
const ingot_trainer_program &describeProgram(const ingot_program &program);

} // namespace ingot::embedding

#endif // INGOT_RUNTIME_EMBEDDING_PROGRAMDESCRIPTION_H
