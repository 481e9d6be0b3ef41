//===- ProgramDescription.h - A library's contents --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_EMBEDDING_PROGRAMDESCRIPTION_H
#define INGOT_RUNTIME_EMBEDDING_PROGRAMDESCRIPTION_H

#include "ingot/trainer.h"

#include "runtime/ABI/Program.h"

namespace ingot::embedding {

/// The entries and variables of `program`, which is found right or described
/// as empty. Made once for each program, which stays where it is; any thread
/// may ask.
const ingot_trainer_program &describeProgram(const ingot_program &program);

} // namespace ingot::embedding

#endif // INGOT_RUNTIME_EMBEDDING_PROGRAMDESCRIPTION_H
