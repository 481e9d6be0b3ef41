//===- WaitForIteration.h - Workers wait for the chief ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Makes a worker wait for the next iteration (AN-115 to 118 in
// test/structure/adanet_facts.md). The chief selects an ensemble and begins the
// next iteration. The worker sees the result in the shared model directory.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_ADANET_WAITFORITERATION_H
#define INGOT_RUNTIME_ADANET_WAITFORITERATION_H

#include "runtime/AdaNet/SearchProgress.h"
#include "runtime/Session/ProcessCluster.h"
#include "runtime/Session/SessionLogger.h"

#include <functional>

namespace ingot::adanet {

/// How a worker waits, with AdaNet's defaults (AN-010).
struct WorkerWaitOptions {
  double waitSeconds = 5;       // time between two polls (worker_wait_secs)
  double timeoutSeconds = 7200; // worker_wait_timeout_secs
  double delaySecondsPerWorker = 5;
  double maxDelaySeconds = 60;
  int64_t maxSteps = -1; // global step that ends the search; -1: unknown
};

/// Checks the options. Returns InvalidArgument, naming the option, if a number
/// of seconds is negative, NaN or infinite, or a wait is longer than its
/// timeout (AN-011).
Status checkWait(const WorkerWaitOptions &options);

/// The clock that waitForIteration() uses: the system's, or a simulated one in
/// tests.
struct WorkerWaitClock {
  std::function<double()> seconds;     // the current time
  std::function<Status(double)> sleep; // sleeps; a failure ends the wait
};

/// Why waitForIteration() has stopped waiting.
enum class WaitResult {
  NextIteration, // the newest checkpoint is of a later iteration
  Ended,         // the newest checkpoint is at the search's last step
};

/// Returns the number of seconds by which this process delays the start of an
/// iteration, so that workers do not all start at once (AN-118); 0 for the
/// chief.
double staggerSeconds(const WorkerWaitOptions &options,
                      const ProcessCluster &cluster);

/// Polls `directory` until its newest checkpoint has reached global step
/// `maxSteps` (checked first, AN-115) or belongs to a later iteration than
/// `iteration`. In the second case it then sleeps for staggerSeconds().
///
/// Returns DeadlineExceeded after the timeout; the message says what the worker
/// waited for and which state it saw (AN-116: AdaNet would end without an
/// error). If the directory cannot be read, it is polled again. Returns errors
/// of `clock.sleep`.
Expected<WaitResult>
waitForIteration(FileSystem &fileSystem, const std::string &directory,
                 int64_t iteration, const WorkerWaitOptions &options,
                 const ProcessCluster &cluster, const WorkerWaitClock &clock,
                 SessionLogger &reporter);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_WAITFORITERATION_H
