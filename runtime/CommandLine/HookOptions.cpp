//===- HookOptions.cpp - Hooks that the command line asks for -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/HookOptions.h"

#include "runtime/CommandLine/TrainerMain.h"
#include "runtime/Hooks/NanFinder.h"
#include "runtime/Hooks/TraceHook.h"
#include "runtime/Hooks/UserLibraryHook.h"
#include "runtime/Hooks/WatchdogHook.h"
#include "runtime/Session/TrainingLoop.h"

#include <chrono>
#include <unistd.h>

using namespace ingot;

static double secondsNow() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

HookOptions ingot::readUserHooks(const ParsedFlags &flags,
                                 std::optional<UsageError> &error) {
  HookOptions hooks;
  hooks.libraries = flags.all("--hook");
  hooks.trace = flags.get("--trace");
  hooks.traceSteps =
      flags.getInteger("--trace-steps", hooks.traceSteps, 1, error);
  hooks.checksNumerics = flags.has("--check-numerics");
  hooks.watchdogSeconds = flags.getPositive("--watchdog-secs", 0, error);
  // Both hooks have to observe what the session computes, but a session can
  // have only one observer.
  if (hooks.checksNumerics && !hooks.trace.empty() && !error)
    error = UsageError{"--trace and --check-numerics exclude one another", ""};
  return hooks;
}

using Listeners = std::vector<std::shared_ptr<CheckpointSaverListener>>;

static Status addLibrary(TrainingLoop &loop, const CommandContext &command,
                         const std::string &text, bool observesOnly,
                         Listeners *listeners) {
  // --hook is PATH or PATH:ARGUMENT, and PATH may contain colons.
  size_t colon =
      command.fileSystem.exists(text) ? std::string::npos : text.find(':');
  INGOT_ASSIGN_OR_RETURN(
      auto hook, UserLibraryHook::load(
                     text.substr(0, colon),
                     colon == std::string::npos ? "" : text.substr(colon + 1),
                     command.console));
  if (observesOnly)
    hook->observeOnly();
  if (auto listener = listeners ? hook->makeListener() : nullptr)
    listeners->push_back(std::move(listener));
  loop.addHook(std::move(hook));
  return Status::ok();
}

Status ingot::addUserHooks(TrainingLoop &loop, const CommandContext &command,
                           const HookOptions &hooks, Listeners *listeners) {
  for (const std::string &text : hooks.libraries)
    INGOT_RETURN_IF_ERROR(
        addLibrary(loop, command, text, hooks.observeOnly, listeners));
  if (hooks.checksNumerics)
    loop.addHook(std::make_unique<CheckNumericsHook>());
  if (!hooks.trace.empty())
    loop.addHook(std::make_unique<TraceHook>(command.fileSystem, hooks.trace,
                                             hooks.traceSteps, secondsNow,
                                             hooks.ranks));
  if (hooks.watchdogSeconds > 0)
    loop.addHook(std::make_unique<WatchdogHook>(
        hooks.watchdogSeconds, [&command](const std::string &message) {
          command.console.error(message);
          ::_exit(ExitFailed);
        }));
  return Status::ok();
}
