//===- TrainerFunctions.h - The functions of ingot/trainer.h ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_EMBEDDING_TRAINERFUNCTIONS_H
#define INGOT_RUNTIME_EMBEDDING_TRAINERFUNCTIONS_H

#include "ingot/trainer.h"

#include "runtime/ABI/Program.h"
#include "runtime/Support/FileSystem.h"

namespace ingot::embedding {

/// Implements ingot_trainer_open() for a given file system, or, if
/// `initialized` is not null, ingot_trainer_recover().
int32_t openTrainer(const ingot_program &program, FileSystem &fileSystem,
                    const ingot_trainer_options *options,
                    ingot_trainer **trainer, char *message, size_t messageSize,
                    int32_t *initialized = nullptr);

/// The function table of every trainer library.
extern const ingot_trainer_functions trainerFunctions;

} // namespace ingot::embedding

#endif // INGOT_RUNTIME_EMBEDDING_TRAINERFUNCTIONS_H
