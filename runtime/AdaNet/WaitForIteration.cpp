//===- WaitForIteration.cpp - Workers wait for the chief ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNet/WaitForIteration.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace ingot;
using namespace ingot::adanet;

static std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%g", value);
  return text;
}

Status adanet::checkWait(const WorkerWaitOptions &options) {
  for (auto [name, value] :
       {std::pair("worker_wait_secs", options.waitSeconds),
        {"worker_wait_timeout_secs", options.timeoutSeconds},
        {"delay_secs_per_worker", options.delaySecondsPerWorker},
        {"max_worker_delay_secs", options.maxDelaySeconds}})
    if (!std::isfinite(value) || value < 0)
      return Status(StatusCode::InvalidArgument,
                    std::string(name) + " is " + number(value) +
                        ", expected a number of seconds, 0 or more");
  if (options.waitSeconds > options.timeoutSeconds)
    return Status(StatusCode::InvalidArgument,
                  "worker_wait_secs is " + number(options.waitSeconds) +
                      ", longer than worker_wait_timeout_secs, " +
                      number(options.timeoutSeconds));
  return Status::ok();
}

double adanet::staggerSeconds(const WorkerWaitOptions &options,
                              const ProcessCluster &cluster) {
  if (cluster.isChief() || cluster.type != "worker")
    return 0;
  return std::min(options.maxDelaySeconds,
                  static_cast<double>(cluster.index + 1) *
                      options.delaySecondsPerWorker);
}

/// Reads from `directory` how far the search has come, and describes it in
/// `seen`. Returns std::nullopt if a file cannot be read, for instance because
/// the chief is writing it.
static std::optional<SearchProgress>
look(FileSystem &fileSystem, const std::string &directory, std::string &seen) {
  auto progress = readProgress(fileSystem, directory);
  if (!progress) {
    seen = progress.status().message();
    return std::nullopt;
  }
  seen = progress->checkpoint.empty()
             ? "no checkpoint in '" + directory + "'"
             : "'" + progress->checkpoint + "' is at iteration " +
                   std::to_string(progress->iteration) + ", step " +
                   std::to_string(progress->globalStep);
  return std::move(*progress);
}

Expected<WaitResult> adanet::waitForIteration(
    FileSystem &fileSystem, const std::string &directory, int64_t iteration,
    const WorkerWaitOptions &options, const ProcessCluster &cluster,
    const WorkerWaitClock &clock, SessionLogger &reporter) {
  INGOT_RETURN_IF_ERROR(checkWait(options));
  double deadline = clock.seconds() + options.timeoutSeconds;
  std::string wanted = cluster.self() + " waits for " + cluster.chief() +
                       " to begin iteration " + std::to_string(iteration + 1);
  std::string seen, told;
  while (true) {
    if (auto progress = look(fileSystem, directory, seen)) {
      if (options.maxSteps >= 0 && progress->globalStep >= options.maxSteps)
        return WaitResult::Ended;
      if (!progress->checkpoint.empty() && progress->iteration > iteration)
        break;
    }
    // Log what this worker waits for, and the state of the directory, whenever
    // that state has changed (AN-244).
    if (seen != told)
      reporter.note(wanted + ": " + seen);
    told = seen;
    double left = deadline - clock.seconds();
    if (left <= 0)
      return Status(StatusCode::DeadlineExceeded,
                    wanted + ", timed out after " +
                        number(options.timeoutSeconds) + " s; " + seen);
    // Sleeps no longer than the remaining time, so that the timeout is exact,
    // unlike AdaNet's.
    INGOT_RETURN_IF_ERROR(clock.sleep(std::min(left, options.waitSeconds)));
  }
  if (double stagger = staggerSeconds(options, cluster); stagger > 0) {
    reporter.note(cluster.self() + " starts training in " + number(stagger) +
                  " s, as workers start one after the other");
    INGOT_RETURN_IF_ERROR(clock.sleep(stagger));
  }
  return WaitResult::NextIteration;
}
