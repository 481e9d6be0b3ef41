//===- WaitForIteration.h - Workers wait for the chief ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// AN-115 to 118: how a worker waits for the next iteration. The chief selects
// and grows, which the shared directory shows.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_ADANET_WAITFORITERATION_H
#define INGOT_RUNTIME_ADANET_WAITFORITERATION_H

#include "runtime/AdaNet/SearchProgress.h"
#include "runtime/Session/Cluster.h"
#include "runtime/Session/Reporter.h"

#include <functional>

namespace ingot::adanet {

/// AN-010, with AdaNet's defaults.
struct WaitOptions {
  double waitSeconds = 5;       // between two looks (worker_wait_secs)
  double timeoutSeconds = 7200; // worker_wait_timeout_secs
  double delaySecondsPerWorker = 5;
  double maxDelaySeconds = 60;
  int64_t maxSteps = -1; // where the whole search ends; -1: it does not say
};

/// InvalidArgument, naming the option, where a number of seconds is negative,
/// NaN or infinite, or a wait is longer than its timeout (AN-011).
Status checkWait(const WaitOptions &options);

/// The system's clock, or a test's.
struct WaitClock {
  std::function<double()> seconds;     // that pass
  std::function<Status(double)> sleep; // a failure ends the wait
};

enum class WaitResult {
  NextIteration, // the chief has grown
  Ended,         // the newest checkpoint has the search's last step
};

/// How long a process waits before it begins an iteration, so that workers do
/// not all begin at once (AN-118): 0 for the chief.
double staggerSeconds(const WaitOptions &options, const Cluster &cluster);

/// Polls `directory` until its newest checkpoint has step maxSteps (which comes
/// first, AN-115), or belongs to an iteration after `iteration`; then staggers.
/// DeadlineExceeded at the timeout, saying what it waited for and what it saw
/// (AN-116: AdaNet ends as if all were well). An unreadable state is polled
/// again; failures of the clock's sleep are returned.
Expected<WaitResult>
waitForIteration(FileSystem &fileSystem, const std::string &directory,
                 int64_t iteration, const WaitOptions &options,
                 const Cluster &cluster, const WaitClock &clock,
                 Reporter &reporter);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_WAITFORITERATION_H
