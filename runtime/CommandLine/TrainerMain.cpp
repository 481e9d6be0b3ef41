//===- TrainerMain.cpp - Command line of a trainer ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/TrainerMain.h"

#include "runtime/CommandLine/Feeds/FeedFiles.h"
#include "runtime/CommandLine/LauncherEnvironment.h"
#include "runtime/CommandLine/TrainerExtension.h"
#include "runtime/CommandLine/Verbs/Commands.h"
#include "runtime/Device/FlushDenormals.h"
#include "runtime/Session/Program.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace ingot;

static const char *environment(const char *name) { return std::getenv(name); }

static const TrainerSubcommand *const verbs[] = {
    &trainVerb,    &trainAndEvaluateVerb,
    &evaluateVerb, &predictVerb,
    &runVerb,      &exportVerb,
    &setVerb,      &plotVerb,
    &reportVerb,   &infoVerb};

int CommandContext::usage(const UsageError &error) const {
  // All ranks have the same command line, so only rank 0 prints the error.
  if (program.slices > 0 && readLauncher(environment).rank > 0)
    return ExitUsage;
  console.error(error.message);
  if (!error.hint.empty())
    console.hint(error.hint);
  return ExitUsage;
}

int CommandContext::fail(const Status &status, int code) const {
  console.error(status.message());
  return code;
}

UsageError ingot::unknownTensor(const char *flag, const std::string &name,
                                const char *what,
                                std::span<const ingot_tensor_spec> specs,
                                const std::string &hint) {
  std::string message =
      std::string(flag) + ": '" + name + "' is not among the " + what + "s";
  if (specs.empty())
    return {message + " of this program, which has none", hint};
  message += " of this program: ";
  for (size_t i = 0; i < specs.size(); ++i)
    message += std::string(i > 0 ? ", " : "") + specs[i].name;
  return {message, hint};
}

std::optional<UsageError>
ingot::parseFeeds(const CommandContext &command,
                  std::span<const ingot_tensor_spec> feeds, const char *what,
                  std::vector<FeedFlag> &result, const char *flag,
                  bool takesFiles) {
  std::vector<bool> given(feeds.size());
  for (const std::string &text : splitFeeds(command.flags.all(flag), feeds)) {
    if (isFeedFile(text) && takesFiles)
      continue;
    size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      return UsageError{std::string(flag) +
                            ": expected NAME=VALUE or NAME=@FILE.npy, found '" +
                            text + "'",
                        ""};
    std::string name = text.substr(0, equals);
    int index = findTensor(feeds, name);
    if (index < 0)
      return unknownTensor(flag, name, what, feeds, "");
    auto feed = static_cast<size_t>(index);
    if (given[feed])
      return UsageError{std::string(flag) + ": '" + name + "' is given twice",
                        ""};
    given[feed] = true;
    result.push_back({feed, text.substr(equals + 1)});
  }
  return std::nullopt;
}

static void printHelp(const char *executable, const ingot_program &program) {
  std::printf("Trains the model of %s, compiled by %s.\n\n"
              "usage: %s [VERB] [FLAGS]\n\n",
              program.source, program.compiler, executable);
  for (const TrainerSubcommand *verb : verbs)
    std::printf("  %-20s%s\n", verb->name, verb->summary);
  std::printf("\nWithout a verb, flags are those of train. '%s VERB --help' "
              "lists a verb's flags;\n--version prints versions.\n\n"
              "example: %s %s %s\n",
              executable, executable, trainVerb.name, trainVerb.example);
}

static void printVerbHelp(const char *executable, const ingot_program &program,
                          const TrainerSubcommand &verb) {
  std::printf("%s\n\nusage: %s %s %s\n\n%s\nexample: %s %s %s\n", verb.summary,
              executable, verb.name, verb.arguments,
              flagHelp(flagsOf(program, verb.name, verb.flags)).c_str(),
              executable, verb.name, verb.example);
}

static void printVersion(const ingot_program &program) {
  std::printf("Ingot runtime %s, artifact format %u\n%s, compiled by %s\n",
              INGOT_VERSION, INGOT_ABI_VERSION, program.source,
              program.compiler);
}

/// Returns true if this process must leave the verb to rank 0. Only the
/// training verbs run on all ranks together; any other verb runs on rank 0
/// alone.
static bool isForFirst(const CommandContext &command,
                       const TrainerSubcommand &verb) {
  if (command.program.slices == 0 || &verb == &trainVerb ||
      &verb == &trainAndEvaluateVerb)
    return false;
  LauncherEnvironment launcher = readLauncher(environment);
  if (launcher.rank == 0 && launcher.size > 1 && !command.flags.has("--quiet"))
    command.console.note(std::string(verb.name) +
                         " runs in a single process: of the " +
                         std::to_string(launcher.size) +
                         " that were started, only rank 0 runs it");
  return launcher.rank > 0;
}

int ingot::trainerMain(int argc, char **argv, const ingot_program &program,
                       FileSystem &fileSystem) {
  Console console;
  // Ignore SIGXFSZ: a write beyond the file size limit then fails with an error
  // that names the file, rather than killing the process.
  (void)std::signal(SIGXFSZ, SIG_IGN);
  // Set the floating-point mode before other threads start, because they
  // inherit it.
  flushDenormals();
  // Check the descriptor's tables first: everything below reads them.
  if (Status status = checkProgram(program); !status.isOk()) {
    console.error(status.message());
    return ExitFailed;
  }
  const char *executable = argc > 0 ? argv[0] : "trainer";
  std::span<char *const> arguments(argv + (argc > 0), argv + argc);
  CommandContext command{program, fileSystem, console, executable, {}};

  const TrainerSubcommand *verb = &trainVerb;
  if (!arguments.empty()) {
    std::string_view first = arguments.front();
    if (first == "--help" || first == "-h" || first == "help") {
      printHelp(executable, program);
      return ExitDone;
    }
    if (first == "--version") {
      printVersion(program);
      return ExitDone;
    }
    if (!first.starts_with('-')) {
      std::vector<std::string> names;
      verb = nullptr;
      for (const TrainerSubcommand *candidate : verbs) {
        names.emplace_back(candidate->name);
        if (first == candidate->name)
          verb = candidate;
      }
      if (!verb) {
        std::string nearest = nearestName(first, names);
        return command.usage({"unknown verb '" + std::string(first) + "'",
                              nearest.empty()
                                  ? "--help lists the verbs"
                                  : "did you mean '" + nearest + "'?"});
      }
      arguments = arguments.subspan(1);
    }
  }
  for (std::string_view argument : arguments) {
    if (argument == "--")
      break;
    if (argument == "--help" || argument == "-h") {
      printVerbHelp(executable, program, *verb);
      return ExitDone;
    }
    if (argument == "--version") {
      printVersion(program);
      return ExitDone;
    }
  }
  if (auto error = parseFlags(flagsOf(program, verb->name, verb->flags),
                              arguments, command.flags))
    return command.usage(*error);
  return isForFirst(command, *verb) ? ExitDone : verb->run(command);
}
