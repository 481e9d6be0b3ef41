//===- InfoCommand.cpp - trainer info -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Verbs/Commands.h"

#include "runtime/Checkpoint/MetaGraphWire.h"
#include "runtime/CommandLine/ProgramInfo.h"
#include "runtime/CommandLine/Roofline.h"
#include "runtime/CommandLine/TrainerMain.h"
#include "runtime/CommandLine/Verbs/SaverFlags.h"
#include "runtime/Device/ThreadPool.h"
#include "runtime/Session/Program.h"

#include <algorithm>
#include <cstdio>

using namespace ingot;

static const FlagSpec infoFlags[] = {
    {"--json", nullptr, "print one JSON object"},
    {"--kernels", nullptr, "print each kernel's grid, arithmetic and memory"},
    {"--exchanges", nullptr,
     "print the values that several processes exchange, and their bytes"},
    {"--bandwidth", "GBIT/S",
     "with --exchanges: print how long the bytes take in a network"},
    {"--roofline", nullptr,
     "print the least time of each kernel by this machine's peak arithmetic "
     "and "
     "bandwidths, which are measured first"},
    {"--trace", "FILE",
     "with --roofline: print the kernels that a training run traced to FILE, "
     "by "
     "the time that they took beyond that"},
    {"--threads", "N",
     "with --roofline: measure N threads, 0: one per core (default: 0)"},
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

/// Returns the contents of a trace.
static Expected<std::string> readTrace(FileSystem &fileSystem,
                                       const std::string &path) {
  INGOT_ASSIGN_OR_RETURN(auto file, fileSystem.openForReading(path));
  constexpr uint64_t most = uint64_t(256) << 20;
  if (file->size() > most)
    return Status(StatusCode::InvalidArgument,
                  "'" + path + "' has " + std::to_string(file->size()) +
                      " bytes, expected at most " + std::to_string(most) +
                      ": trace fewer steps (--trace-steps)");
  std::string text(file->size(), '\0');
  INGOT_ASSIGN_OR_RETURN(size_t size, file->read(0, text.size(), text.data()));
  text.resize(size);
  return text;
}

/// Returns the output of --roofline.
static Expected<std::string> rooflineText(const CommandContext &command,
                                          unsigned threads) {
  const ParsedFlags &flags = command.flags;
  std::string trace;
  if (flags.has("--trace")) {
    INGOT_ASSIGN_OR_RETURN(trace,
                           readTrace(command.fileSystem, flags.get("--trace")));
  }
  INGOT_ASSIGN_OR_RETURN(uint32_t target, chooseTarget(command.program));
  std::string level = command.program.targets[target];
  INGOT_ASSIGN_OR_RETURN(
      MachineLimits limits,
      measureMachineLimits(level, threads > 0 ? threads : availableCores(),
                           /*seconds=*/0.1));
  Roofline roofline;
  if (flags.has("--trace")) {
    auto traced = rooflineOfTrace(trace, level, std::move(limits));
    if (!traced)
      return traced.takeStatus().withContext("'" + flags.get("--trace") + "'");
    roofline = std::move(*traced);
  } else
    roofline = rooflineOf(command.program, target, std::move(limits));
  return flags.has("--json") ? rooflineJson(roofline) : rooflineTable(roofline);
}

/// Returns the output of `info`, by its flags.
static Expected<std::string> infoText(const CommandContext &command,
                                      double gigabits, unsigned threads) {
  const ParsedFlags &flags = command.flags;
  if (flags.has("--collection"))
    return collectionText(command.program, flags.get("--collection"));
  if (flags.has("--roofline"))
    return rooflineText(command, threads);
  return flags.has("--json")        ? infoJson(command.program)
         : flags.has("--kernels")   ? kernelTable(command.program)
         : flags.has("--exchanges") ? exchangeTable(command.program, gigabits)
                                    : infoTable(command.program);
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
  for (const char *flag : {"--trace", "--threads"})
    if (!error && command.flags.has(flag) && !command.flags.has("--roofline"))
      error = {std::string(flag) + " needs --roofline", ""};
  auto threads = static_cast<unsigned>(std::min<int64_t>(
      command.flags.getInteger("--threads", 0, 0, error), 4096));
  if (error)
    return command.usage(*error);
  auto text = infoText(command, gigabits, threads);
  if (!text)
    return command.fail(text.status());
  std::fwrite(text->data(), 1, text->size(), stdout);
  return std::fflush(stdout) == 0 ? ExitDone : ExitFailed;
}

const TrainerSubcommand ingot::infoVerb = {
    "info",
    "[--json] [--kernels] [--roofline [--trace FILE]] [--exchanges "
    "[--bandwidth GBIT/S]] [--collection NAME]",
    "print the program's entries, variables, iterators and kernels",
    "--json",
    infoFlags,
    runInfo,
};
