//===- SearchWorker.cpp - A run of a search in a worker -------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Runs a worker of a search. The chief compiles the trainer of each iteration,
// begins the iteration and selects its ensemble. A worker trains its members of
// the iteration with this trainer (AN-115 to 118). Chief and workers
// communicate by files in the model directory.
//
//===----------------------------------------------------------------------===//

#include "tools/AdaNetTool/SearchRun.h"

#include "runtime/AdaNet/Placement.h"
#include "runtime/Session/StopSignals.h"
#include "tools/AdaNetTool/ChildProcess.h"

#include <algorithm>
#include <ctime>
#include <unistd.h>

namespace ingot::adanet {

static double secondsNow() {
  timespec time;
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Waits for the iteration after `iteration`. Returns Aborted if the chief has
/// restarted `iteration`, and OutOfRange if it has ended the search.
Expected<WaitResult> SearchRun::waitForChief(int64_t iteration,
                                             const SearchProgress &progress) {
  WorkerWaitOptions options = wait;
  options.maxSteps = iteration < 0 ? maxSteps : lastStepOf(iteration, progress);
  WorkerWaitClock clock;
  clock.seconds = secondsNow;
  clock.sleep = [&](double seconds) -> Status {
    for (double end = secondsNow() + seconds, now;
         (now = secondsNow()) < end;) {
      if (StopSignals::caught() != 0)
        return Status(StatusCode::Cancelled,
                      "stopped by a signal while waiting for the chief");
      if (readPlacedEnd(files, directory) != endBefore)
        return Status(StatusCode::OutOfRange, "the chief has ended the search");
      auto run = readPlacedRun(files, directory);
      if (run && *run && (*run)->iteration == iteration &&
          (*run)->id != trainedFor)
        return Status(StatusCode::Aborted,
                      "the chief has restarted the iteration, so this "
                      "worker trains it anew");
      ::usleep(static_cast<useconds_t>(1e6 * std::min(0.1, end - now)));
    }
    return Status::ok();
  };
  return waitForIteration(files, directory, iteration, options, cluster, clock,
                          tool.console);
}

/// Waits until the chief's trainer of `iteration`, the newest iteration in the
/// folder, has started. Returns false if it will not start, because the search
/// has ended or the iteration is over.
Expected<bool> SearchRun::waitForRun(int64_t iteration) {
  StopSignals signals;
  for (double begin = secondsNow(); secondsNow() - begin < wait.timeoutSeconds;
       ::usleep(20000)) {
    if (StopSignals::caught() != 0)
      return Status(StatusCode::Cancelled,
                    "stopped by a signal while waiting for the chief");
    INGOT_ASSIGN_OR_RETURN(auto run, readPlacedRun(files, directory));
    if (run && run->iteration == iteration && run->id != trainedFor) {
      trainedFor = run->id;
      return true;
    }
    if (readPlacedEnd(files, directory) != endBefore ||
        (run && run->iteration > iteration))
      return false;
    auto progress = readProgress(files, directory);
    if (progress && (progress->iteration > iteration || progress->selected))
      return false;
  }
  return Status(StatusCode::DeadlineExceeded,
                cluster.self() + " waits for " + cluster.chief() +
                    " to train iteration " + std::to_string(iteration) +
                    ": timed out after " +
                    std::to_string(static_cast<int64_t>(wait.timeoutSeconds)) +
                    " s (--worker-wait-timeout-secs)");
}

int SearchRun::runWorker() {
  if (tool.flags.has("--plan") || moreSteps > 0)
    return tool.usage({"--plan and --steps are for the chief only", ""});
  int64_t trained = -1;
  SearchProgress progress;
  endBefore = readPlacedEnd(files, directory);
  while (true) {
    Expected<WaitResult> result = [&] {
      StopSignals signals;
      return waitForChief(trained, progress);
    }();
    // OutOfRange means that the chief has ended the search, possibly before its
    // last step.
    if (!result && result.status().code() == StatusCode::OutOfRange) {
      tool.console.log(result.status().message());
      return tools::Done;
    }
    bool isAnew = !result && result.status().code() == StatusCode::Aborted;
    if (int signal = StopSignals::caught(); !result && signal != 0)
      return 128 + signal;
    if (!result && !isAnew)
      return tool.fail(result.status());
    auto now = readProgress(files, directory);
    if (!now)
      return tool.fail(now.status());
    progress = std::move(*now);
    std::string reason = reasonToEnd(progress);
    if (!reason.empty() || (result && *result == WaitResult::Ended))
      return end(progress,
                 reason.empty() ? "its last step was reached" : reason);
    auto found = waitForRun(progress.iteration);
    if (int signal = StopSignals::caught(); !found && signal != 0)
      return 128 + signal;
    if (!found)
      return tool.fail(found.status());
    trained = progress.iteration;
    if (readPlacedEnd(files, directory) != endBefore) {
      tool.console.log("the chief has ended the search");
      return tools::Done;
    }
    if (!*found)
      continue;
    auto words = trainerWords(trained, progress);
    if (!words)
      return tool.fail(words.status());
    auto code = runProgram(*words);
    if (!code)
      return tool.fail(code.status());
    if (*code != 0)
      return *code;
  }
}

} // namespace ingot::adanet
