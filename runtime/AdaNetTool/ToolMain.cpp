//===- ToolMain.cpp - What ingot-adanet does when started -----------------===//

#include "runtime/AdaNetTool/Tool.h"

#include "runtime/ABI/Program.h"

#include <cstdio>

using namespace ingot;
using namespace ingot::adanet;

static const Verb *const verbs[] = {&showVerb};

int Tool::usage(const UsageError &error) const {
  console.error(error.message);
  if (!error.hint.empty())
    console.hint(error.hint);
  return Usage;
}

int Tool::fail(const Status &status) const {
  console.error(status.message());
  bool isCheckpoints = status.code() == StatusCode::NotFound ||
                       status.code() == StatusCode::DataLoss;
  return isCheckpoints ? CheckpointFailed : Failed;
}

int Tool::print(const std::string &text) const {
  bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
      std::fflush(stdout) == 0;
  if (!written)
    console.error("cannot write to stdout");
  return written ? Done : Failed;
}

static void printHelp() {
  std::printf("Works with the model directories of AdaNet's estimator.\n\n"
              "usage: ingot-adanet VERB --model-dir DIR [FLAGS]\n\n");
  for (const Verb *verb : verbs)
    std::printf("  %-10s%s\n", verb->name, verb->summary);
  std::printf("\n'ingot-adanet VERB --help' lists a verb's flags; --version "
              "prints versions.\n\n"
              "exit codes: 0 done, 1 failed, 2 wrong usage, 4 no usable "
              "checkpoint, or a file\nof the folder is damaged or missing\n\n"
              "example: ingot-adanet %s %s\n",
              showVerb.name, showVerb.example);
}

static void printVerbHelp(const Verb &verb) {
  std::printf("%s\n\nusage: ingot-adanet %s %s\n\n%s\nexample: ingot-adanet %s "
              "%s\n",
              verb.summary, verb.name, verb.arguments,
              flagHelp(verb.flags).c_str(), verb.name, verb.example);
}

static int printVersion() {
  std::printf("ingot-adanet %s, artifact format %u; reads what adanet 0.9.0 "
              "writes\n",
              INGOT_VERSION, INGOT_ABI_VERSION);
  return Done;
}

int adanet::toolMain(int argc, char **argv, FileSystem &fileSystem) {
  Console console;
  Tool tool{fileSystem, console, {}};
  std::span<char *const> arguments(argv + (argc > 0), argv + argc);
  if (arguments.empty()) {
    printHelp();
    return Usage;
  }
  std::string_view first = arguments.front();
  if (first == "--help" || first == "-h" || first == "help") {
    printHelp();
    return Done;
  }
  if (first == "--version")
    return printVersion();
  const Verb *verb = nullptr;
  std::vector<std::string> names;
  for (const Verb *candidate : verbs) {
    names.emplace_back(candidate->name);
    if (first == candidate->name)
      verb = candidate;
  }
  if (!verb) {
    std::string nearest = nearestName(first, names);
    return tool.usage({"unknown verb '" + std::string(first) + "'",
                       nearest.empty() ? "--help lists the verbs"
                                       : "did you mean '" + nearest + "'?"});
  }
  arguments = arguments.subspan(1);
  for (std::string_view argument : arguments) {
    if (argument == "--help" || argument == "-h") {
      printVerbHelp(*verb);
      return Done;
    }
    if (argument == "--version")
      return printVersion();
  }
  if (auto error = parseFlags(verb->flags, arguments, tool.flags))
    return tool.usage(*error);
  if (!tool.flags.positionals().empty())
    return tool.usage(
        {"unexpected argument '" + tool.flags.positionals().front() + "'",
         std::string("usage: ingot-adanet ") + verb->name + " " +
             verb->arguments});
  return verb->run(tool);
}
