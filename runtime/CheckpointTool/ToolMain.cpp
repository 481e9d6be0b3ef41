//===- ToolMain.cpp - What ingot-ckpt does when started -------------------===//

#include "runtime/CheckpointTool/Tool.h"

#include "runtime/ABI/Program.h"
#include "runtime/Session/StopSignals.h"
#include "runtime/Support/DType.h"

#include <csignal>
#include <cstdio>

using namespace ingot;
using namespace ingot::ckpt;

static const Verb *const verbs[] = {&lsVerb,      &catVerb,     &diffVerb,
                                    &verifyVerb,  &convertVerb, &mergeVerb,
                                    &reshardVerb, &renameVerb,  &stripVerb,
                                    &averageVerb, &pruneVerb,   &iteratorVerb};

int Tool::usage(const UsageError &error) const {
  console.error(error.message);
  if (!error.hint.empty())
    console.hint(error.hint);
  return Usage;
}

int Tool::fail(const Status &status) const {
  console.error(status.message());
  return exitCodeOf(status);
}

int Tool::print(const std::string &text) const {
  bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
      std::fflush(stdout) == 0;
  if (!written)
    console.error("cannot write to stdout");
  return written ? Done : Failed;
}

int ckpt::exitCodeOf(const Status &status) {
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

std::string ckpt::counted(uint64_t count, const std::string &noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string ckpt::typeText(const CheckpointEntry &entry) {
  return dtypeName(entry.dtype) + shapeText(entry.shape);
}

uint64_t ckpt::bytesOf(const CheckpointReader &reader, const std::string &key) {
  const CheckpointEntry &entry = *reader.find(key);
  uint64_t bytes = 0;
  for (const StoredPart &part : reader.parts(key))
    bytes += part.size;
  if (reader.format() == CheckpointReader::Format::V1)
    bytes = static_cast<uint64_t>(elementCount(entry.shape).value_or(0)) *
            dtypeSize(entry.dtype);
  return bytes;
}

static void printHelp() {
  std::printf("Works with checkpoints: TensorFlow's V2 and V1, SavedModels' "
              "variables,\nobject-based ones, and safetensors files.\n\n"
              "usage: ingot-ckpt VERB PREFIX ... [FLAGS]\n\n");
  for (const Verb *verb : verbs)
    std::printf("  %-10s%s\n", verb->name, verb->summary);
  std::printf(
      "\nPREFIX is TensorFlow's, 'run/model.ckpt-60'; a folder stands for its "
      "newest\ncheckpoint, a SavedModel for its variables. 'ingot-ckpt VERB "
      "--help' lists a\nverb's flags; --version prints versions.\n\n"
      "exit codes: 0 done, 1 failed (diff: they differ), 2 wrong usage, 4 no "
      "usable\ncheckpoint or a damaged one\n\n"
      "example: ingot-ckpt %s %s\n",
      lsVerb.name, lsVerb.example);
}

static void printVerbHelp(const Verb &verb) {
  std::printf("%s\n\nusage: ingot-ckpt %s %s\n\n%s\nexample: ingot-ckpt %s "
              "%s\n",
              verb.summary, verb.name, verb.arguments,
              flagHelp(verb.flags).c_str(), verb.name, verb.example);
}

static int printVersion() {
  std::printf("ingot-ckpt %s, artifact format %u; reads checkpoints V1, V2 and "
              "safetensors, writes V2, safetensors and npz\n",
              INGOT_VERSION, INGOT_ABI_VERSION);
  return Done;
}

static const Verb *findVerb(std::string_view name) {
  for (const Verb *verb : verbs)
    if (name == verb->name)
      return verb;
  return nullptr;
}

int ckpt::toolMain(int argc, char **argv, FileSystem &fileSystem) {
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
  const Verb *verb = findVerb(first);
  if (!verb) {
    std::vector<std::string> names;
    for (const Verb *candidate : verbs)
      names.emplace_back(candidate->name);
    std::string nearest = nearestName(first, names);
    return tool.usage({"unknown verb '" + std::string(first) + "'",
                       nearest.empty() ? "--help lists the verbs"
                                       : "did you mean '" + nearest + "'?"});
  }
  arguments = arguments.subspan(1);
  for (std::string_view argument : arguments) {
    if (argument == "--")
      break;
    if (argument == "--help" || argument == "-h") {
      printVerbHelp(*verb);
      return Done;
    }
    if (argument == "--version")
      return printVersion();
  }
  if (auto error = parseFlags(verb->flags, arguments, tool.flags))
    return tool.usage(*error);
  size_t given = tool.arguments().size();
  if (given < verb->minArguments)
    return tool.usage({std::string(verb->name) + " needs " +
                           counted(verb->minArguments, "argument") +
                           ", found " + std::to_string(given),
                       "usage: ingot-ckpt " + std::string(verb->name) + " " +
                           verb->arguments});
  if (given > verb->maxArguments)
    return tool.usage(
        {"unexpected argument '" + tool.arguments()[verb->maxArguments] + "'",
         "usage: ingot-ckpt " + std::string(verb->name) + " " +
             verb->arguments});
  // Ctrl-C ends the work between two tensors, and nothing is left behind.
  StopSignals signals;
  return verb->run(tool);
}
