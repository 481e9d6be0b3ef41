//===- ExportCommand.cpp - ingot-adanet export ----------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Exports the best ensemble by itself: as a program or library that predicts,
// or as a SavedModel.
//
//===----------------------------------------------------------------------===//

#include "tools/AdaNetTool/SearchFolder.h"
#include "tools/AdaNetTool/SearchProgramCompiler.h"
#include "tools/AdaNetTool/Tool.h"

using namespace ingot;
using namespace ingot::adanet;

static constexpr FlagSpec exportFlags[] = {
    {"--model-dir", "DIR", "the model directory of the search"},
    {"-o", "FILE", "write a standalone program that predicts"},
    {"--emit", "exe|lib|shared",
     "make a program, or a static or shared library with a C header (default: "
     "exe)"},
    {"--name", "NAME", "--emit=lib and shared: name the C header"},
    {"--saved-model", "DIR", "write a SavedModel for TensorFlow"},
    {"--subnetwork-logits", nullptr,
     "--saved-model: add a signature with new members' logits"},
    {"--no-subnetwork-last-layer", nullptr,
     "--saved-model: omit the signature with new members' last layers"},
    {"--ingotc", "FILE",
     "use this compiler (default: the one beside this program)"},
    {"--cpu", "native|x86-64-v2,...", "compile for these CPU levels"},
    {"--cache-dir", "DIR", "keep compiled kernels in DIR"},
    {"--no-cache", nullptr, "neither read nor write the kernel cache"},
    {"--help", nullptr, "print this"},
};

// Returns the signatures to export (AN-223). As in AdaNet, the default includes
// the signature of members' last layers, but not the signature of their logits.
static std::string signatures(const ToolContext &tool) {
  std::string list = "head";
  if (!tool.flags.has("--no-subnetwork-last-layer"))
    list += ",last_layer";
  if (tool.flags.has("--subnetwork-logits"))
    list += ",logits";
  return list;
}

static int runExport(ToolContext &tool) {
  std::string directory = modelDirectory(tool);
  if (directory.empty())
    return tool.usage(
        {"--model-dir is missing: it names the model directory of the search",
         ""});
  std::string output = tool.flags.get("-o"),
              saved = tool.flags.get("--saved-model");
  if (output.empty() && saved.empty())
    return tool.usage({"no output: give -o FILE or --saved-model DIR", ""});
  for (const char *name : {"--emit", "--name"})
    if (tool.flags.has(name) && output.empty())
      return tool.usage({std::string(name) + " needs -o FILE", ""});
  if (std::string kind = tool.flags.get("--emit", "exe");
      kind != "exe" && kind != "lib" && kind != "shared")
    return tool.usage(
        {"--emit: expected exe, lib or shared, found '" + kind + "'", ""});
  auto compiler = SearchProgramCompiler::create(tool, tool.arguments()[0],
                                                tool.flags.get("--ingotc"));
  if (!compiler)
    return tool.fail(compiler.status());
  std::vector<std::string> flags;
  for (const char *name : {"--cpu", "--cache-dir"})
    if (tool.flags.has(name))
      flags.push_back(std::string(name) + "=" + tool.flags.get(name));
  if (tool.flags.has("--no-cache"))
    flags.emplace_back("--no-cache");
  Status status = Status::ok();
  if (!output.empty()) {
    std::vector<std::string> kinds = flags;
    for (const char *name : {"--emit", "--name"})
      if (tool.flags.has(name))
        kinds.push_back(std::string(name) + "=" + tool.flags.get(name));
    status = compiler->compilePredictor(directory, kinds, output);
  }
  if (status.isOk() && !saved.empty())
    status = compiler->saveModel(tool.fileSystem, directory, signatures(tool),
                                 saved);
  if (status.isOk())
    return tools::Done;
  return status.code() == StatusCode::InvalidArgument ? tools::Usage
                                                      : tool.fail(status);
}

const tools::ToolSubcommand adanet::exportVerb = {
    "export",
    "SEARCH.pbtxt --model-dir DIR [-o FILE] [--saved-model DIR] [FLAGS]",
    "export the best ensemble as a program or a SavedModel",
    "search.pbtxt --model-dir run -o predictor",
    1,
    1,
    exportFlags,
    runExport,
};
