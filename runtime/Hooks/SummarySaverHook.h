//===- SummarySaverHook.h - Summaries into an event file --------*- C++ -*-===//
#ifndef INGOT_RUNTIME_HOOKS_SUMMARYSAVERHOOK_H
#define INGOT_RUNTIME_HOOKS_SUMMARYSAVERHOOK_H

#include "runtime/Hooks/SessionRunHook.h"
#include "runtime/Hooks/StepTimer.h"
#include "runtime/Summary/EventWriter.h"

namespace ingot {

/// Writes the summaries of the first step and of every N-th after it. Owns the
/// run's event file, in which other hooks write too.
class SummarySaverHook final : public SessionRunHook {
public:
  SummarySaverHook(FileSystem &fileSystem, std::string directory,
                   int64_t everySteps, std::function<double()> clock)
      : fileSystem(fileSystem), directory(std::move(directory)), clock(clock),
        timer(everySteps, 0, std::move(clock)) {}

  /// The event file; null before the session is created.
  EventWriter *events() const { return writer.get(); }

  const char *name() const override { return "SummarySaver"; }
  HookPriority priority() const override { return HookPriority::Observer; }
  Status afterCreateSession(RunContext &context) override;
  Status beforeRun(RunContext &context, RunRequest &request) override;
  Status afterRun(RunContext &context, const RunValues &values) override;

private:
  FileSystem &fileSystem;
  std::string directory;
  std::function<double()> clock;
  StepTimer timer;
  std::unique_ptr<EventWriter> writer;
  bool requested = false;
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_SUMMARYSAVERHOOK_H
