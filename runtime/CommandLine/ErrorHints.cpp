//===- ErrorHints.cpp - Hints for failed runs -----------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/ErrorHints.h"

#include "runtime/Checkpoint/SaveRestore.h"
#include "runtime/CommandLine/TrainerMain.h"
#include "runtime/Session/Program.h"

using namespace ingot;

std::string ingot::restoreHint(const Status &failure) {
  auto says = [&](std::string_view title) {
    return failure.message().find(std::string("\n  ").append(title) + ":") !=
           std::string::npos;
  };
  std::string hint;
  auto add = [&](const char *flag) {
    hint += std::string(hint.empty() ? "" : "; ") + flag;
  };
  if (says(missingTitle))
    add("--allow-missing initializes missing variables; --init-from with "
        "--restore-map REGEX=REPL finds them under other names");
  if (says(unfitTitle))
    add("--reshape accepts another shape with the same number of elements");
  if (says(unusedTitle))
    add("--allow-unused ignores unused tensors");
  return hint;
}

std::string ingot::dataHint(const CommandContext &command,
                            const Status &failure) {
  if (failure.code() != StatusCode::NotFound || !command.program.num_iterators)
    return "";
  const std::string &directory = command.flags.get("--data-dir");
  return "the graph's relative file names start at " +
         (directory.empty() ? "the working folder: --data-dir DIR gives another"
                            : "--data-dir, '" + directory + "'") +
         "; --data-map FROM=TO replaces prefixes of names";
}

int ingot::failSession(const CommandContext &command, const Status &failure,
                       bool failedOnCheckpoint, bool verbRestores) {
  int code =
      command.fail(failure, failedOnCheckpoint ? ExitNoCheckpoint : ExitFailed);
  std::string hint = !failedOnCheckpoint ? dataHint(command, failure)
                     : verbRestores      ? restoreHint(failure)
                                         : "";
  if (!hint.empty())
    command.console.hint(hint);
  return code;
}
