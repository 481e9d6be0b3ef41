//===- GraphFileHook.h - Writes the graph to a file -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_HOOKS_GRAPHFILEHOOK_H
#define INGOT_RUNTIME_HOOKS_GRAPHFILEHOOK_H

#include "runtime/Session/SessionLogger.h"
#include "runtime/Session/SessionRunHook.h"
#include "runtime/Support/ReplaceFile.h"

#include <functional>

namespace ingot {

/// Writes a file about the program to the model directory when a run begins,
/// such as the graph in text form to `graph.pbtxt`, as TensorFlow's
/// CheckpointSaverHook does. A file that already has the same contents is not
/// written again. A failure is a warning, because the run does not need the
/// file.
class GraphFileHook final : public SessionRunHook {
public:
  /// `contents` returns what appends the contents of the file, or null if the
  /// program does not contain its graph; then no file is written.
  GraphFileHook(FileSystem &fileSystem, const std::string &directory,
                std::function<Expected<FileContents>()> contents,
                SessionLogger &reporter,
                const std::string &fileName = "graph.pbtxt")
      : fileSystem(fileSystem), path(directory + "/" + fileName),
        contents(std::move(contents)), reporter(reporter) {}

  const char *name() const override { return "GraphFile"; }
  HookPriority priority() const override { return HookPriority::Observer; }
  Status afterCreateSession(SessionRunContext &context) override;

private:
  Status write();

  FileSystem &fileSystem;
  std::string path;
  std::function<Expected<FileContents>()> contents;
  SessionLogger &reporter;
  bool isDone = false;
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_GRAPHFILEHOOK_H
