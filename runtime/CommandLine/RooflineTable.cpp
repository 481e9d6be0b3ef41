//===- RooflineTable.cpp - The output of info --roofline ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Roofline.h"

#include <nlohmann/json.hpp>

#include <cstdarg>
#include <cstdio>

using namespace ingot;
using Json = nlohmann::ordered_json;

__attribute__((format(printf, 1, 2))) static std::string
format(const char *pattern, ...) {
  char text[160];
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text, sizeof(text), pattern, arguments);
  va_end(arguments);
  return text;
}

/// Returns "16 KiB" or "64 MiB".
static std::string sizeText(size_t bytes) {
  return bytes >= size_t(1) << 20 ? std::to_string(bytes >> 20) + " MiB"
                                  : std::to_string(bytes >> 10) + " KiB";
}

static std::string limitsTable(const Roofline &roofline) {
  const MachineLimits &limits = roofline.limits;
  std::string sizes = "  working set of a thread", rates = "  GB/s";
  rates.resize(sizes.size(), ' ');
  for (const Bandwidth &level : limits.bandwidths) {
    std::string size = sizeText(level.workingSet);
    sizes += "  " + size;
    rates += format("  %*.0f", static_cast<int>(size.size()),
                    level.bytesPerSecond / 1e9);
  }
  return format("limits of %u thread%s, as measured now\n  multiply-adds of ",
                limits.threads, limits.threads == 1 ? "" : "s") +
         roofline.level +
         format("  %.0f GFLOP/s\n", limits.flopsPerSecond / 1e9) + sizes +
         "\n" + rates + "\n" +
         (limits.threads == 1
              ? ""
              : format("  to divide work among the threads  %.2f us\n",
                       limits.forkJoinSeconds * 1e6));
}

/// Returns what limits a kernel.
static const char *limitOf(const KernelOnRoofline &kernel) {
  return kernel.bound.seconds <= 0     ? "unknown"
         : kernel.bound.isByArithmetic ? "arithmetic"
                                       : "memory";
}

static std::string stepsText(const Roofline::TracedSteps &steps) {
  return format("\n%zu traced step%s of %.1f us: %.1f us in kernels, whose "
                "bounds sum to %.1f us (%.0f %%),\n",
                steps.count, steps.count == 1 ? "" : "s", steps.seconds * 1e6,
                steps.kernelSeconds * 1e6, steps.boundSeconds * 1e6,
                100 * steps.boundSeconds / std::max(steps.seconds, 1e-12)) +
         format("%.1f us in neither kernels nor hooks\n",
                steps.betweenSeconds * 1e6);
}

static std::string schedulesText(const Roofline::ScheduledStep &step) {
  return format("\nwith %u threads, %.0f of %.0f launches of a step run on one "
                "thread each;\n",
                step.threads, step.launchesOnOneThread, step.launches) +
         format("for %.1f of %.1f us of launches (%.0f %%), no second thread "
                "helps\n",
                step.oneThreadSeconds * 1e6, step.seconds * 1e6,
                100 * step.oneThreadSeconds / std::max(step.seconds, 1e-12));
}

std::string ingot::rooflineTable(const Roofline &roofline) {
  std::string text = limitsTable(roofline);
  if (roofline.steps)
    text += stepsText(*roofline.steps) +
            (roofline.schedules ? schedulesText(*roofline.schedules) : "") +
            "\n  beyond us   took us  bound us  share  limited by  launches  "
            "kernel\n";
  else
    text += "\n     MFLOP        MB  bound us  limited by  kernel\n";
  for (const KernelOnRoofline &kernel : roofline.kernels) {
    double bound = kernel.bound.seconds;
    if (kernel.seconds)
      text += format("  %9.1f %9.1f %9.1f %5.0f%%  %-10s  %8.0f  ",
                     kernel.loss() * 1e6, *kernel.seconds * 1e6, bound * 1e6,
                     100 * bound / std::max(*kernel.seconds, 1e-12),
                     limitOf(kernel), kernel.launches);
    else
      text += format("%10.3f %9.3f %9.1f  %-10s  ", kernel.flops / 1e6,
                     kernel.bytes / 1e6, bound * 1e6, limitOf(kernel));
    text += kernel.name + "\n";
  }
  if (roofline.numDynamic > 0)
    text += format("and %zu kernels whose sizes are known only at run time: "
                   "see --trace\n",
                   roofline.numDynamic);
  return text;
}

std::string ingot::rooflineJson(const Roofline &roofline) {
  Json json = {{"threads", roofline.limits.threads},
               {"target", roofline.level},
               {"flops_per_second", roofline.limits.flopsPerSecond},
               {"fork_join_seconds", roofline.limits.forkJoinSeconds},
               {"bandwidths", Json::array()}};
  for (const Bandwidth &level : roofline.limits.bandwidths)
    json["bandwidths"].push_back({{"working_set", level.workingSet},
                                  {"bytes_per_second", level.bytesPerSecond}});
  if (const auto &steps = roofline.steps)
    json["steps"] = {{"count", steps->count},
                     {"seconds", steps->seconds},
                     {"kernel_seconds", steps->kernelSeconds},
                     {"bound_seconds", steps->boundSeconds},
                     {"between_seconds", steps->betweenSeconds}};
  if (const auto &step = roofline.schedules)
    json["schedules"] = {{"threads", step->threads},
                         {"launches", step->launches},
                         {"launches_on_one_thread", step->launchesOnOneThread},
                         {"seconds", step->seconds},
                         {"one_thread_seconds", step->oneThreadSeconds}};
  json["kernels"] = Json::array();
  for (const KernelOnRoofline &kernel : roofline.kernels) {
    Json row = {{"name", kernel.name},
                {"flops", kernel.flops},
                {"bytes", kernel.bytes},
                {"bound_seconds", kernel.bound.seconds},
                {"limited_by", limitOf(kernel)}};
    if (kernel.seconds) {
      row["launches"] = kernel.launches;
      row["seconds"] = *kernel.seconds;
    }
    json["kernels"].push_back(std::move(row));
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}
