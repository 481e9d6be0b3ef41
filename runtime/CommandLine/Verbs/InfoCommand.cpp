//===- InfoCommand.cpp - trainer info -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Verbs/Commands.h"

#include "runtime/Checkpoint/MetaGraphWire.h"
#include "runtime/CommandLine/ProgramInfo.h"
#include "runtime/CommandLine/TrainerMain.h"
#include "runtime/CommandLine/Verbs/SaverFlags.h"

#include <cstdio>

using namespace ingot;

static const FlagSpec infoFlags[] = {
    {"--json", nullptr, "print one JSON object"},
    {"--kernels", nullptr, "print each kernel's grid, arithmetic and memory"},
    {"--exchanges", nullptr,
     "print the values that several processes exchange, and their bytes"},
    {"--bandwidth", "GBIT/S",
     "with --exchanges: print how long the bytes take in a network"},
    {"--collection", "NAME",
     "print the strings and names in this collection of the graph"},
    {"--help", nullptr, "print this"},
};

/// Returns the elements of a collection of the embedded graph, one per line.
static Expected<std::string> collectionText(const ingot_program &program,
                                            std::string_view name) {
  INGOT_ASSIGN_OR_RETURN(std::string graph, embeddedMetaGraph(program));
  std::string text;
  wire::forEach(
      graph, wire::metaGraphDef::collection, [&](std::string_view entry) {
        if (wire::fieldOf(entry, wire::mapKey) != name)
          return;
        std::string_view value = wire::fieldOf(entry, wire::mapValue);
        for (uint32_t list :
             {wire::collectionDef::nodeList, wire::collectionDef::bytesList})
          wire::forEach(wire::fieldOf(value, list), wire::collectionDef::value,
                        [&](std::string_view element) {
                          text += std::string(element) + "\n";
                        });
      });
  return text;
}

static int runInfo(CommandContext &command) {
  if (!command.flags.positionals().empty())
    return command.usage(
        {"unexpected argument '" + command.flags.positionals().front() + "'",
         ""});
  std::optional<UsageError> error;
  double gigabits = command.flags.getPositive("--bandwidth", 0, error);
  if (!error && gigabits > 0 && !command.flags.has("--exchanges"))
    error = {"--bandwidth needs --exchanges", ""};
  if (error)
    return command.usage(*error);
  std::string text;
  if (command.flags.has("--collection")) {
    auto found =
        collectionText(command.program, command.flags.get("--collection"));
    if (!found)
      return command.fail(found.status());
    text = std::move(*found);
  } else
    text = command.flags.has("--json")      ? infoJson(command.program)
           : command.flags.has("--kernels") ? kernelTable(command.program)
           : command.flags.has("--exchanges")
               ? exchangeTable(command.program, gigabits)
               : infoTable(command.program);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return std::fflush(stdout) == 0 ? ExitDone : ExitFailed;
}

const TrainerSubcommand ingot::infoVerb = {
    "info",
    "[--json] [--kernels] [--exchanges [--bandwidth GBIT/S]] [--collection "
    "NAME]",
    "print the program's entries, variables, iterators and kernels",
    "--json",
    infoFlags,
    runInfo,
};
