//===- ProgramDescription.h - Describes a library's program -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_EMBEDDING_PROGRAMDESCRIPTION_H
#define INGOT_RUNTIME_EMBEDDING_PROGRAMDESCRIPTION_H

#include "ingot/trainer.h"

#include "runtime/ABI/Program.h"

namespace ingot::embedding {

/// Returns the description of the entries and variables of `program`; an empty
/// one if checkProgram() rejects the program. It is made once for each program,
/// which must stay at its address, and lives until the process ends.
/// Thread-safe.
const ingot_trainer_program &describeProgram(const ingot_program &program);

} // namespace ingot::embedding

#endif // INGOT_RUNTIME_EMBEDDING_PROGRAMDESCRIPTION_H
