//===- MemoryLimit.cpp - The flag --max-memory ----------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Verbs/MemoryLimit.h"

#include "runtime/ABI/Program.h"

#include <charconv>
#include <cstdio>

using namespace ingot;

/// Parses a number of bytes, or of KiB, MiB or GiB with a suffix K, M or G.
static std::optional<uint64_t> parseSize(const std::string &text) {
  uint64_t value = 0;
  const char *end = text.data() + text.size();
  auto [rest, code] = std::from_chars(text.data(), end, value);
  std::string_view suffix(rest, static_cast<size_t>(end - rest));
  int shift = suffix.empty()  ? 0
              : suffix == "K" ? 10
              : suffix == "M" ? 20
              : suffix == "G" ? 30
                              : -1;
  if (code != std::errc() || value == 0 || shift < 0 ||
      value > UINT64_MAX >> shift)
    return std::nullopt;
  return value << shift;
}

static std::string sizeText(uint64_t bytes) {
  char text[32];
  double size = static_cast<double>(bytes);
  const char *units[] = {"bytes", "KiB", "MiB", "GiB"};
  size_t unit = 0;
  for (; size >= 1024 && unit < 3; ++unit)
    size /= 1024;
  std::snprintf(text, sizeof(text), "%.4g ", size);
  return text + std::string(units[unit]);
}

std::optional<UsageError> ingot::checkMemory(const CommandContext &command,
                                             const TrainOptions &options) {
  if (!options.maxMemory.isGiven())
    return std::nullopt;
  std::optional<uint64_t> limit = parseSize(options.maxMemory);
  if (!limit)
    return wrongValue(options.maxMemory,
                      "a number of bytes, or one with K, M or G",
                      options.maxMemory);
  const ingot_program &program = command.program;
  uint64_t variables = 0;
  for (uint32_t i = 0; i < program.num_variables; ++i)
    variables += program.variables[i].byte_size;
  uint64_t copy = options.saves.inBackground ? variables : 0,
           step = options.step->arena_size, evaluation = 0;
  // An evaluation restores the variables into memory of its own.
  if (options.evaluates)
    evaluation = variables + options.evaluates->arena_size;
  uint64_t needed = variables + copy + step + evaluation;
  if (needed <= *limit)
    return std::nullopt;
  return UsageError{
      options.maxMemory.name() + std::string(": the run needs at least ") +
          sizeText(needed) + ", and " + sizeText(*limit) +
          " are allowed: " + sizeText(variables) + " for variables" +
          (copy > 0 ? ", as much for saving them" : "") + ", " +
          sizeText(step) + " for a step" +
          (evaluation > 0 ? ", " + sizeText(evaluation) + " for evaluations"
                          : ""),
      copy > 0 && needed - copy <= *limit ? "--sync-saves saves without a copy"
                                          : "train with smaller batches"};
}
