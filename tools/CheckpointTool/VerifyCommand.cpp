//===- VerifyCommand.cpp - ingot-ckpt verify ------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "tools/CheckpointTool/Tool.h"

#include "runtime/ABI/Tensor.h"
#include "runtime/Support/Json.h"

using namespace ingot;
using namespace ingot::ckpt;

static const FlagSpec verifyFlags[] = {
    {"--threads", "N",
     "read N tensors at a time, 0: one per core (default: 0)"},
    {"--json", nullptr, "print one JSON list"},
    {"--help", nullptr, "print this"},
};

/// Returns all errors of a checkpoint: damaged bytes, and partitioned tensors
/// whose slices do not cover them.
static std::vector<Status> findProblems(const CheckpointReader &reader,
                                        unsigned threads) {
  std::vector<Status> problems = reader.findDamage(threads);
  for (const std::string &key : reader.keys()) {
    const CheckpointEntry &entry = *reader.find(key);
    Status status = reader.check(key, "", entry.dtype, entry.shape);
    if (!status.isOk())
      problems.push_back(std::move(status).withContext(
          "'" + reader.shardPath(0) + "': tensor " + quotedKey(key)));
  }
  return problems;
}

static int runVerify(ToolContext &tool) {
  std::optional<UsageError> error;
  auto threads =
      static_cast<unsigned>(tool.flags.getInteger("--threads", 0, 0, error));
  if (error)
    return tool.usage(*error);
  bool asJson = tool.flags.has("--json");
  std::string json;
  int code = Done;
  for (const std::string &path : tool.arguments()) {
    auto reader = CheckpointReader::open(tool.fileSystem, path);
    std::vector<Status> problems;
    if (reader)
      problems = findProblems(**reader, threads);
    else
      problems.push_back(reader.status());
    for (const Status &problem : problems) {
      tool.console.error(problem.message());
      // An I/O error does not mean that the checkpoint is damaged: it sets the
      // exit code Failed, which takes precedence over CheckpointFailed.
      if (code != Failed)
        code = exitCodeOf(problem) == CheckpointFailed ||
                       problem.code() == StatusCode::Unimplemented
                   ? CheckpointFailed
                   : Failed;
    }
    if (asJson) {
      json +=
          json.empty() ? "[\n  {\"checkpoint\": " : ",\n  {\"checkpoint\": ";
      appendJsonString(json, path);
      json += ", \"ok\": " + std::string(problems.empty() ? "true" : "false") +
              ", \"problems\": [";
      for (size_t i = 0; i < problems.size(); ++i) {
        json += i > 0 ? ", " : "";
        appendJsonString(json, problems[i].message());
      }
      json += "]}";
      continue;
    }
    if (!problems.empty())
      continue;
    uint64_t bytes = 0;
    for (const std::string &key : (*reader)->keys())
      bytes += bytesOf(**reader, key);
    bool hasChecksums =
        (*reader)->format() != CheckpointReader::Format::Safetensors;
    std::string line =
        path + ": " + formatName((*reader)->format()) + ", " +
        counted((*reader)->keys().size(), "tensor") + ", " +
        counted(bytes, "byte") +
        (hasChecksums
             ? ", every checksum is right\n"
             : ", every size is right (the format has no checksums)\n");
    if (int printed = tool.print(line))
      return printed;
  }
  if (asJson)
    if (int printed = tool.print(json + "\n]\n"))
      return printed;
  return code;
}

const ToolSubcommand ckpt::verifyVerb = {
    "verify",
    "PREFIX... [--threads N] [--json]",
    "check every byte, checksum and slice; exit code 4 if the checkpoint is "
    "damaged",
    "run/model.ckpt-60",
    1,
    SIZE_MAX,
    verifyFlags,
    runVerify,
};
