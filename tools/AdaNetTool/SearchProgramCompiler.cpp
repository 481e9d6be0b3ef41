//===- SearchProgramCompiler.cpp - Compiles a search's programs -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "tools/AdaNetTool/SearchProgramCompiler.h"

#include "runtime/Session/StopSignals.h"
#include "tools/AdaNetTool/ChildProcess.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <climits>
#include <unistd.h>

namespace ingot::adanet {

/// Returns the path of the program `name` in the folder of this executable.
static std::string sibling(const std::string &name) {
  char path[PATH_MAX];
  ssize_t size = ::readlink("/proc/self/exe", path, sizeof(path));
  if (size <= 0)
    return name;
  std::string self(path, static_cast<size_t>(size));
  return self.substr(0, self.rfind('/') + 1) + name;
}

static std::string joined(const std::vector<std::string> &command) {
  std::string text;
  for (const std::string &word : command)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

Expected<SearchProgramCompiler>
SearchProgramCompiler::create(const tools::ToolContext &tool,
                              const std::string &search,
                              const std::string &ingotc) {
  INGOT_ASSIGN_OR_RETURN(auto file, tool.fileSystem.openForReading(search));
  char start[4] = {};
  INGOT_ASSIGN_OR_RETURN(size_t size, file->read(0, sizeof(start), start));
  SearchProgramCompiler compiler;
  if (std::string_view(start, size) == "\177ELF")
    compiler.command = {search.find('/') == std::string::npos ? "./" + search
                                                              : search};
  else
    compiler.command = {ingotc.empty() ? sibling("ingotc") : ingotc, search};
  return compiler;
}

/// Converts the compiler's exit code to a status. The compiler has already
/// printed what is wrong, so the message only names the command.
static Status check(int code, const std::vector<std::string> &command) {
  if (code == 0)
    return Status::ok();
  if (std::find(std::begin(signalsToStop), std::end(signalsToStop),
                code - 128) != std::end(signalsToStop))
    return Status(StatusCode::Cancelled, "stopped while compiling");
  return Status(code == 2 ? StatusCode::InvalidArgument : StatusCode::Internal,
                "'" + joined(command) + "' failed with exit code " +
                    std::to_string(code) + ": its messages above say why");
}

template <typename T>
static std::optional<T> find(const nlohmann::json &plan, const char *key) {
  auto found = plan.find(key);
  if (found == plan.end() || !found->is_number())
    return std::nullopt;
  return found->get<T>();
}

std::optional<SearchSettings> SearchSettings::parse(const std::string &text) {
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  auto steps = json.is_object() ? find<int64_t>(json, "max_iteration_steps")
                                : std::nullopt;
  if (!steps)
    return std::nullopt;
  SearchSettings plan;
  plan.maxIterationSteps = *steps;
  plan.maxIterations = find<int64_t>(json, "max_iterations");
  plan.maxSteps = find<int64_t>(json, "max_steps");
  if (json.contains("data_dir") && json["data_dir"].is_string())
    plan.dataDirectory = json["data_dir"].get<std::string>();
  if (json.contains("search") && json["search"].is_string())
    plan.search = json["search"].get<std::string>();
  if (json.contains("report_dir") && json["report_dir"].is_string())
    plan.reportDirectory = json["report_dir"].get<std::string>();
  if (json.contains("values_where_missing") &&
      json["values_where_missing"].is_object())
    for (const auto &[column, value] : json["values_where_missing"].items())
      if (value.is_number())
        plan.valuesWhereMissing[column] = value.dump();
  plan.reports = json.contains("reports") && json["reports"] == true;
  plan.evaluates = json.contains("evaluates") && json["evaluates"] == true;
  if (json.contains("train_flags") && json["train_flags"].is_array())
    for (const nlohmann::json &flag : json["train_flags"])
      if (flag.is_string())
        plan.trainFlags.push_back(flag.get<std::string>());
  return plan;
}

Expected<SearchSettings> SearchProgramCompiler::plan(std::string &text) const {
  std::vector<std::string> words = command;
  words.emplace_back("--search-plan");
  INGOT_ASSIGN_OR_RETURN(int code, runProgram(words, &text));
  INGOT_RETURN_IF_ERROR(check(code, words));
  auto plan = SearchSettings::parse(text);
  if (!plan)
    return Status(
        StatusCode::Internal,
        "'" + joined(words) +
            "' did not print the plan of a search: it must be ingotc, or a "
            "program that calls searchMain()");
  return *plan;
}

Status
SearchProgramCompiler::compilePredictor(const std::string &directory,
                                        const std::vector<std::string> &flags,
                                        const std::string &output) const {
  std::vector<std::string> words = command;
  words.insert(words.end(),
               {"--predictor", "--model-dir", directory, "-o", output});
  words.insert(words.end(), flags.begin(), flags.end());
  INGOT_ASSIGN_OR_RETURN(int code, runProgram(words));
  return check(code, words);
}

Status SearchProgramCompiler::saveModel(FileSystem &fileSystem,
                                        const std::string &directory,
                                        const std::string &signatures,
                                        const std::string &folder) const {
  std::string model = folder;
  while (model.size() > 1 && model.back() == '/')
    model.pop_back();
  std::string program = model + ".mlir";
  INGOT_RETURN_IF_ERROR(compilePredictor(
      directory,
      {"--emit=mlir", "--stage=import", "--signatures=" + signatures},
      program));
  std::vector<std::string> words = {
      sibling("ingot-translate"), "--export-saved-model", program, "-o", model};
  auto code = runProgram(words);
  Status removed = fileSystem.remove(program);
  if (!code)
    return code.status();
  INGOT_RETURN_IF_ERROR(check(*code, words));
  return removed;
}

Status SearchProgramCompiler::compile(const std::string &directory,
                                      int64_t iteration,
                                      const std::vector<std::string> &flags,
                                      const std::string &output) const {
  return compileStage(directory, "--iteration", std::to_string(iteration),
                      flags, output);
}

Status SearchProgramCompiler::compileFor(const std::string &directory,
                                         const std::string &prefix,
                                         const std::vector<std::string> &flags,
                                         const std::string &output) const {
  return compileStage(directory, "--checkpoint", prefix, flags, output);
}

/// Compiles the trainer of one iteration. The compiler flag `flag` with `value`
/// selects the iteration: --iteration with its number, or --checkpoint with a
/// prefix.
Status SearchProgramCompiler::compileStage(
    const std::string &directory, const std::string &flag,
    const std::string &value, const std::vector<std::string> &flags,
    const std::string &output) const {
  std::vector<std::string> words = command;
  words.insert(words.end(),
               {"--model-dir", directory, flag, value, "-o", output});
  words.insert(words.end(), flags.begin(), flags.end());
  INGOT_ASSIGN_OR_RETURN(int code, runProgram(words));
  return check(code, words);
}

} // namespace ingot::adanet
