//===- MemoryLimit.cpp - The flag --max-memory ----------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Verbs/MemoryLimit.h"

#include "runtime/ABI/Program.h"
#include "runtime/CommandLine/TrainerExtension.h"
#include "runtime/Support/ByteSizes.h"

#include <algorithm>

using namespace ingot;

/// Returns the number of bytes that a save in the background copies of
/// variables of `variables` bytes (CheckpointSavePolicy::mostCopied). Programs
/// for devices or for several ranks, and searches, copy all of them.
static uint64_t copySize(const CommandContext &command,
                         const TrainOptions &options, uint64_t variables) {
  if (!options.saves.inBackground)
    return 0;
  const ingot_program &program = command.program;
  bool copiesAll = program.default_device != 0 || program.slices != 0 ||
                   extensionOf(program) != nullptr;
  uint64_t most = options.saves.mostCopied.value_or(defaultCopySize(variables));
  return copiesAll ? variables : std::min(variables, most);
}

std::optional<UsageError> ingot::checkMemory(const CommandContext &command,
                                             const TrainOptions &options) {
  if (!options.maxMemory.isGiven())
    return std::nullopt;
  std::optional<uint64_t> limit = parseByteSize(options.maxMemory);
  if (!limit || *limit == 0)
    return wrongValue(options.maxMemory, byteSizeSyntax, options.maxMemory);
  const ingot_program &program = command.program;
  uint64_t variables = 0;
  for (uint32_t i = 0; i < program.num_variables; ++i)
    variables += program.variables[i].byte_size;
  uint64_t copy = copySize(command, options, variables),
           step = options.step->arena_size, evaluation = 0;
  // An evaluation restores the variables into memory of its own.
  if (options.evaluates)
    evaluation = variables + options.evaluates->arena_size;
  uint64_t needed = variables + copy + step + evaluation;
  if (needed <= *limit)
    return std::nullopt;
  return UsageError{
      options.maxMemory.name() + std::string(": the run needs at least ") +
          byteSizeText(needed) + ", and " + byteSizeText(*limit) +
          " are allowed: " + byteSizeText(variables) + " for variables" +
          (copy == 0 ? ""
           : copy == variables
               ? ", as much for saving them"
               : ", " + byteSizeText(copy) + " for saving them") +
          ", " + byteSizeText(step) + " for a step" +
          (evaluation > 0 ? ", " + byteSizeText(evaluation) + " for evaluations"
                          : ""),
      copy > 0 && needed - copy <= *limit ? "--sync-saves saves without a copy"
                                          : "train with smaller batches, or "
                                            "compile with ingotc "
                                            "--max-step-memory"};
}
