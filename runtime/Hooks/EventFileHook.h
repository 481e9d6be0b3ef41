//===- EventFileHook.h - The event file of a run ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_HOOKS_EVENTFILEHOOK_H
#define INGOT_RUNTIME_HOOKS_EVENTFILEHOOK_H

#include "runtime/Session/SessionRunHook.h"
#include "runtime/Summary/EventWriter.h"

#include <functional>

namespace ingot {

/// Owns the run's event file, to which other hooks write. Each session has a
/// new file, which begins with the graph so that TensorBoard shows it. Removes
/// events that a killed run wrote after its last checkpoint, since the resumed
/// run repeats the steps after that checkpoint. The hook must be added to a
/// loop before the hooks that write to the file.
class EventFileHook final : public SessionRunHook {
public:
  /// `metaGraph` returns the graph as a serialized MetaGraphDef, or "". If it
  /// is null, the file has no graph.
  EventFileHook(FileSystem &fileSystem, std::string directory,
                std::function<double()> clock,
                std::function<Expected<std::string>()> metaGraph = nullptr)
      : fileSystem(fileSystem), directory(std::move(directory)),
        clock(std::move(clock)), metaGraph(std::move(metaGraph)) {}

  /// The writer of the event file; null before the session is created.
  EventWriter *events() const { return writer.get(); }

  const char *name() const override { return "EventFile"; }
  HookPriority priority() const override { return HookPriority::Observer; }
  Status afterCreateSession(SessionRunContext &context) override;

private:
  FileSystem &fileSystem;
  std::string directory;
  std::function<double()> clock;
  std::function<Expected<std::string>()> metaGraph;
  std::unique_ptr<EventWriter> writer;
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_EVENTFILEHOOK_H
