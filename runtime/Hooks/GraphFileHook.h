//===- GraphFileHook.h - graph.pbtxt in the model directory -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_HOOKS_GRAPHFILEHOOK_H
#define INGOT_RUNTIME_HOOKS_GRAPHFILEHOOK_H

#include "runtime/Session/Reporter.h"
#include "runtime/Session/SessionRunHook.h"

#include <functional>

namespace ingot {

/// Writes the program's graph, a GraphDef as text, to `graph.pbtxt` when a run
/// begins, as TensorFlow's CheckpointSaverHook does. A file with the same
/// contents is left alone. The file is for readers only, so a failure is a
/// warning.
class GraphFileHook final : public SessionRunHook {
public:
  /// `graph` returns the contents of the file, or "" if the program does not
  /// contain its graph; then no file is written.
  GraphFileHook(FileSystem &fileSystem, std::string directory,
                std::function<Expected<std::string>()> graph,
                Reporter &reporter)
      : fileSystem(fileSystem), path(std::move(directory) + "/graph.pbtxt"),
        graph(std::move(graph)), reporter(reporter) {}

  const char *name() const override { return "GraphFile"; }
  HookPriority priority() const override { return HookPriority::Observer; }
  Status afterCreateSession(RunContext &context) override;

private:
  Status write();

  FileSystem &fileSystem;
  std::string path;
  std::function<Expected<std::string>()> graph;
  Reporter &reporter;
  bool isDone = false;
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_GRAPHFILEHOOK_H
