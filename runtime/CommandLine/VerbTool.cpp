//===- VerbTool.cpp - Command-line tools that consist of verbs ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/VerbTool.h"

#include "runtime/ABI/Program.h"
#include "runtime/Session/StopSignals.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace ingot::tools {

int ToolContext::usage(const UsageError &error) const {
  console.error(error.message);
  if (!error.hint.empty())
    console.hint(error.hint);
  return Usage;
}

int ToolContext::fail(const Status &status) const {
  console.error(status.message());
  return exitCodeOf(status);
}

int ToolContext::print(const std::string &text) const {
  bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
      std::fflush(stdout) == 0;
  if (!written)
    console.error(std::string("cannot write to standard output: ") +
                  std::strerror(errno));
  return written ? Done : Failed;
}

int exitCodeOf(const Status &status) {
  switch (status.code()) {
  case StatusCode::Ok:
    return Done;
  case StatusCode::NotFound:
  case StatusCode::DataLoss:
    return CheckpointFailed;
  case StatusCode::Cancelled:
    return 128 + (StopSignals::caught() ? StopSignals::caught() : SIGINT);
  default:
    return Failed;
  }
}

std::string counted(uint64_t count, const std::string &noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string jsonText(const nlohmann::ordered_json &json) {
  return json.dump(2, ' ', false,
                   nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

static int printHelp(const ToolHelp &help) {
  std::printf("%s\n\nusage: %s %s\n\n", help.summary, help.name, help.usage);
  size_t width = 0;
  for (const ToolSubcommand *verb : help.verbs)
    width = std::max(width, std::strlen(verb->name));
  for (const ToolSubcommand *verb : help.verbs)
    std::printf("  %-*s  %s\n", static_cast<int>(width), verb->name,
                verb->summary);
  const ToolSubcommand &first = *help.verbs.front();
  std::printf("\n%s\n\nexit codes: %s\n\nexample: %s %s %s\n", help.details,
              help.exitCodes, help.name, first.name, first.example);
  return Done;
}

static int printVerbHelp(const ToolHelp &help, const ToolSubcommand &verb) {
  std::printf("%s\n\nusage: %s %s %s\n\n%s\nexample: %s %s %s\n", verb.summary,
              help.name, verb.name, verb.arguments,
              flagHelp(verb.flags).c_str(), help.name, verb.name, verb.example);
  return Done;
}

static int printVersion(const ToolHelp &help) {
  std::printf("%s %s, artifact format %u; %s\n", help.name, INGOT_VERSION,
              INGOT_ABI_VERSION, help.formats);
  return Done;
}

static const ToolSubcommand *findVerb(const ToolHelp &help,
                                      std::string_view name) {
  for (const ToolSubcommand *verb : help.verbs)
    if (name == verb->name)
      return verb;
  return nullptr;
}

static int refuseVerb(const ToolHelp &help, const ToolContext &tool,
                      std::string_view name) {
  std::vector<std::string> names;
  for (const ToolSubcommand *verb : help.verbs)
    names.emplace_back(verb->name);
  std::string nearest = nearestName(name, names);
  return tool.usage({"unknown verb '" + std::string(name) + "'",
                     nearest.empty() ? "--help lists the verbs"
                                     : "did you mean '" + nearest + "'?"});
}

static int runVerb(const ToolHelp &help, const ToolSubcommand &verb,
                   ToolContext &tool, std::span<char *const> arguments) {
  for (std::string_view argument : arguments) {
    if (argument == "--")
      break;
    if (argument == "--help" || argument == "-h")
      return printVerbHelp(help, verb);
    if (argument == "--version")
      return printVersion(help);
  }
  if (auto error = parseFlags(verb.flags, arguments, tool.flags))
    return tool.usage(*error);
  size_t given = tool.arguments().size();
  std::string usage = std::string("usage: ") + help.name + " " + verb.name +
                      " " + verb.arguments;
  if (given < verb.minArguments)
    return tool.usage({std::string(verb.name) + " needs " +
                           counted(verb.minArguments, "argument") + ", found " +
                           std::to_string(given),
                       usage});
  if (given > verb.maxArguments)
    return tool.usage(
        {"unexpected argument '" + tool.arguments()[verb.maxArguments] + "'",
         usage});
  return verb.run(tool);
}

int runTool(const ToolHelp &help, int argc, char **argv,
            FileSystem &fileSystem) {
  // Ignore SIGXFSZ: a write beyond the file size limit then fails with an error
  // that names the file, rather than killing the process.
  (void)std::signal(SIGXFSZ, SIG_IGN);
  Console console;
  ToolContext tool{fileSystem, console, {}};
  std::span<char *const> arguments(argv + (argc > 0), argv + argc);
  if (arguments.empty()) {
    printHelp(help);
    return Usage;
  }
  std::string_view first = arguments.front();
  if (first == "--help" || first == "-h" || first == "help")
    return printHelp(help);
  if (first == "--version")
    return printVersion(help);
  const ToolSubcommand *verb = findVerb(help, first);
  return verb ? runVerb(help, *verb, tool, arguments.subspan(1))
              : refuseVerb(help, tool, first);
}

} // namespace ingot::tools
