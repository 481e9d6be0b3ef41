//===- Roofline.h - Kernels beside the machine's limits ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_ROOFLINE_H
#define INGOT_RUNTIME_COMMANDLINE_ROOFLINE_H

#include "runtime/ABI/Program.h"
#include "runtime/Device/MachineLimits.h"

#include <optional>
#include <string>
#include <vector>

namespace ingot {

/// A kernel beside the roofline. If the kernel was traced, all numbers are for
/// all of its launches in a step, else for a single launch.
struct KernelOnRoofline {
  std::string name;
  double launches = 1;
  double flops = 0, bytes = 0;
  /// The sum over all launches; not a bound by arithmetic if the program states
  /// no arithmetic and no memory traffic for the kernel.
  RooflineBound bound = {0, false};
  std::optional<double> seconds = std::nullopt; // as traced

  /// The time beyond the bound.
  double loss() const { return seconds.value_or(0) - bound.seconds; }
};

/// A program's kernels, or those of a traced step, beside the roofline.
struct Roofline {
  MachineLimits limits;
  std::string level; // the CPU target, such as "x86-64-v4"
  /// Traced kernels by descending loss; otherwise in the program's order.
  std::vector<KernelOnRoofline> kernels;
  /// Without a trace: how many kernels have a dynamic grid. Their bounds depend
  /// on sizes that are known only at run time, so `kernels` lacks them.
  size_t numDynamic = 0;

  struct TracedSteps {
    size_t count;
    double seconds;        // of a step
    double kernelSeconds;  // of the kernels in it
    double boundSeconds;   // of the kernels in it
    double betweenSeconds; // in no kernel and in no hook
  };
  std::optional<TracedSteps> steps;

  /// How threads run a step's launches by the schedules that the trace says
  /// were chosen last. Numbers are medians over the traced steps.
  struct ScheduledStep {
    unsigned threads;
    double launches;            // in a step
    double launchesOnOneThread; // not divided among threads
    /// The time of all launches in a step with the chosen schedules, and the
    /// time of these during which only one thread works.
    double seconds, oneThreadSeconds;
  };
  std::optional<ScheduledStep> schedules;
};

/// Returns the bounds of all kernels that have a static grid in their code for
/// CPU target `target`.
Roofline rooflineOf(const ingot_program &program, uint32_t target,
                    MachineLimits limits);

/// Returns the bounds of the kernels that ran in the steps of a trace, beside
/// the times that they took. All numbers of a kernel are medians over the
/// steps. `trace` is the text of a file written by `--trace`; returns
/// InvalidArgument if it is not.
Expected<Roofline> rooflineOfTrace(const std::string &trace, std::string level,
                                   MachineLimits limits);

/// Returns the text of `info --roofline`.
std::string rooflineTable(const Roofline &roofline);

/// Returns the contents of rooflineTable() as one line of JSON. Rates are per
/// second; times are in seconds.
std::string rooflineJson(const Roofline &roofline);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_ROOFLINE_H
