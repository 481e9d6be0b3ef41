//===- InfoCommand.cpp - trainer info -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Commands.h"

#include "runtime/CommandLine/ProgramInfo.h"
#include "runtime/CommandLine/TrainerMain.h"

#include <cstdio>

using namespace ingot;

static const FlagSpec infoFlags[] = {
    {"--json", nullptr, "print one JSON object"},
    {"--kernels", nullptr, "print each kernel's grid, arithmetic and memory"},
    {"--help", nullptr, "print this"},
};

static int runInfo(Command &command) {
  if (!command.flags.positionals().empty())
    return command.usage(
        {"unexpected argument '" + command.flags.positionals().front() + "'",
         ""});
  std::string text = command.flags.has("--json") ? infoJson(command.program)
                     : command.flags.has("--kernels")
                         ? kernelTable(command.program)
                         : infoTable(command.program);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return std::fflush(stdout) == 0 ? ExitDone : ExitFailed;
}

const Verb ingot::infoVerb = {
    "info",
    "[--json] [--kernels]",
    "print the program's entries, variables, iterators and kernels",
    "--json",
    infoFlags,
    runInfo,
};
