//===- SearchMain.cpp - The main function of search programs --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Ensemble/SearchPlan.h"
#include "compiler/Ensemble/SearchPrograms.h"
#include "ingot/adanet.h"
#include "tools/GraphLibrary/CompileText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>

using namespace llvm;

namespace ingot::adanet {

namespace {
struct SearchFlags {
  bool printsPlan = false, printsProgram = false, predicts = false;
  std::string output;
  ensemble::IterationOptions stage;
  ensemble::PredictionSignatures signatures;
  graph::CompileOptions compile;
  graph::ArtifactSpec artifact;
};
} // namespace

static void printError(const std::string &message) {
  fprintf(stderr, "error: %s\n", message.c_str());
}

/// Sets a flag to its value. Returns false if there is no such flag, or if its
/// value is invalid.
static bool set(SearchFlags &flags, StringRef name, StringRef value) {
  if (name == "-o")
    flags.output = value.str();
  else if (name == "--model-dir")
    flags.stage.modelDirectory = value.str();
  else if (name == "--checkpoint")
    flags.stage.checkpoint = value.str();
  else if (name == "--iteration")
    return !value.getAsInteger(10, flags.stage.iteration) &&
           flags.stage.iteration >= 0;
  else if (name == "--signatures") {
    auto signatures = ensemble::PredictionSignatures::parse(value);
    flags.signatures = signatures.value_or(ensemble::PredictionSignatures());
    return signatures.has_value();
  } else if (name == "--processes")
    return !value.getAsInteger(10, flags.stage.processes) &&
           flags.stage.processes >= 1;
  else if (name == "--slices")
    return !value.getAsInteger(10, flags.compile.slices) &&
           flags.compile.slices >= 1 && flags.compile.slices <= 256;
  else if (name == "--report-facts")
    flags.stage.factsFile = value.str();
  else if (name == "--hooks-file")
    flags.stage.hooksFile = value.str();
  else if (name == "--cache-dir")
    flags.compile.cacheFolder = value.str();
  else if (name == "--runtime-dir")
    flags.compile.runtimeFolder = value.str();
  else if (name == "--emit") {
    flags.printsProgram = value == "mlir";
    if (value == "lib")
      flags.artifact.kind = graph::ArtifactSpec::StaticLibrary;
    else if (value == "shared")
      flags.artifact.kind = graph::ArtifactSpec::SharedLibrary;
    else
      return value == "mlir" || value == "exe";
  } else if (name == "--name")
    flags.artifact.name = value.str();
  else if (name == "--stage")
    return value == "import";
  else if (name == "--cpu")
    flags.compile.cpus = [&] {
      SmallVector<StringRef> levels;
      value.split(levels, ',');
      return std::vector<std::string>(levels.begin(), levels.end());
    }();
  else
    return false;
  return true;
}

static std::optional<SearchFlags> parse(int argc, char **argv) {
  SearchFlags flags;
  for (int index = 1; index < argc; ++index) {
    StringRef word = argv[index];
    if (word == "--search-plan") {
      flags.printsPlan = true;
      continue;
    }
    if (word == "--predictor") {
      flags.predicts = true;
      continue;
    }
    if (word == "--parallel") {
      flags.compile.isParallel = true;
      continue;
    }
    if (word == "--no-cache") {
      flags.compile.useCache = false;
      continue;
    }
    auto [name, value] = word.split('=');
    if (!word.contains('=')) {
      if (index + 1 == argc) {
        printError(
            ("unknown flag '" + word + "', or its value is missing").str());
        return std::nullopt;
      }
      value = argv[++index];
    }
    if (!set(flags, name, value)) {
      printError(("unknown flag '" + name + "', or its value '" + value +
                  "' is invalid")
                     .str());
      return std::nullopt;
    }
  }
  if (!flags.printsPlan && !flags.printsProgram && flags.output.empty()) {
    printError("no output file: give one with -o, or --search-plan or "
               "--emit=mlir");
    return std::nullopt;
  }
  if (flags.compile.slices != 0 && !flags.compile.isParallel) {
    printError("--slices needs --parallel");
    return std::nullopt;
  }
  if (flags.compile.isParallel && flags.stage.processes > 1) {
    printError("--parallel and --processes exclude each other: processes "
               "either compute slices of each batch, or train different "
               "networks");
    return std::nullopt;
  }
  if (flags.predicts && flags.stage.modelDirectory.empty()) {
    printError("--predictor needs --model-dir for its weights");
    return std::nullopt;
  }
  if (!flags.stage.checkpoint.empty() && flags.stage.modelDirectory.empty()) {
    printError("--checkpoint needs --model-dir");
    return std::nullopt;
  }
  if (!flags.stage.checkpoint.empty() &&
      (flags.stage.iteration >= 0 || flags.predicts)) {
    printError(
        "--checkpoint cannot be used with --iteration or --predictor: the "
        "checkpoint determines the iteration");
    return std::nullopt;
  }
  return flags;
}

static int print(const std::string &text, const std::string &path) {
  std::error_code code;
  raw_fd_ostream os(path.empty() ? "-" : path, code);
  if (!code) {
    os << text;
    os.flush();
    code = os.error();
  }
  if (!code)
    return 0;
  os.clear_error();
  printError(path + ": " + code.message());
  return 1;
}

int searchMain(int argc, char **argv, const std::function<Search()> &describe) {
  std::optional<SearchFlags> flags = parse(argc, argv);
  if (!flags)
    return 2;
  Search search = describe();
  // Make the path absolute, as trainers run in another directory.
  SmallString<128> directory(
      search.dataDirectory.empty() ? "." : search.dataDirectory);
  sys::fs::make_absolute(directory);
  search.dataDirectory = directory.str().str();
  if (flags->printsPlan) {
    fputs(ensemble::searchPlan(search).c_str(), stdout);
    return 0;
  }
  std::string found;
  auto program = flags->predicts
                     ? ensemble::buildPredictorProgram(
                           search, argv[0], flags->stage.modelDirectory,
                           flags->signatures, printError, found)
                     : ensemble::buildSearchProgram(search, argv[0],
                                                    flags->stage, printError);
  if (!program)
    return 2;
  if (flags->predicts)
    fprintf(stderr, "note: the predictor uses %s\n", found.c_str());
  if (flags->printsProgram) {
    return print(*program, flags->output);
  }
  return graph::compileText(std::move(*program), argv[0], flags->output,
                            flags->compile, flags->artifact);
}

} // namespace ingot::adanet
