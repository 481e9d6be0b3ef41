//===- LossesHook.h - A JSON line for every step ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The file of --losses: {"step":1,"loss":2.345616340637207} and every
// further fetch, one line a step, the same whether or not the run was killed
// and resumed in between.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_HOOKS_LOSSESHOOK_H
#define INGOT_RUNTIME_HOOKS_LOSSESHOOK_H

#include "runtime/Session/SessionRunHook.h"

#include <memory>

namespace ingot {

class LossesHook final : public SessionRunHook {
public:
  /// A fetch of the step entry under its key in the line.
  struct Column {
    std::string key;
    size_t fetch;
  };

  LossesHook(FileSystem &fileSystem, std::string path,
             std::vector<Column> columns)
      : fileSystem(fileSystem), path(std::move(path)),
        columns(std::move(columns)) {}

  const char *name() const override { return "Losses"; }
  HookPriority priority() const override { return HookPriority::Observer; }
  /// Drops the lines of steps that will be run again.
  Status afterCreateSession(RunContext &context) override;
  Status afterRun(RunContext &context, const RunValues &values) override;
  Status end(RunContext &context) override;

private:
  FileSystem &fileSystem;
  std::string path;
  std::vector<Column> columns;
  std::unique_ptr<WritableFile> file;
  std::string line; // kept for its memory
};

/// How many bytes of a losses file hold whole lines of steps up to `step`. Of a
/// long file, only a few lines are read. InvalidArgument where one of them, or
/// the first, is not from a losses file, which is then not changed.
Expected<uint64_t> lossesUpTo(const RandomAccessFile &file, int64_t step);

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_LOSSESHOOK_H
