//===- Roofline.cpp - Kernels beside the machine's limits -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Roofline.h"

#include "runtime/Device/LaunchSetup.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

using namespace ingot;
using Json = nlohmann::json;

Roofline ingot::rooflineOf(const ingot_program &program, uint32_t target,
                           MachineLimits limits) {
  Roofline roofline = {std::move(limits), program.targets[target], {}, 0, {}};
  for (uint32_t i = 0; i < program.num_kernels; ++i) {
    const ingot_kernel_code &code = program.kernels[i].code[target];
    if (code.num_terms > 0) {
      ++roofline.numDynamic;
      continue;
    }
    auto iterations = static_cast<double>(countIterations(code, nullptr));
    KernelOnRoofline kernel = {.name = program.kernels[i].name};
    kernel.flops = iterations * static_cast<double>(code.flops);
    kernel.bytes = iterations * static_cast<double>(code.bytes);
    kernel.bound = roofline.limits.boundOf(kernel.flops, kernel.bytes);
    roofline.kernels.push_back(std::move(kernel));
  }
  return roofline;
}

namespace {

/// An activity of a trace. Times are in microseconds.
struct TracedActivity {
  std::string category, name;
  double start, duration, flops, bytes;
};

/// What a kernel did in one step.
struct KernelInStep {
  double launches = 0, seconds = 0, flops = 0, bytes = 0;
  double boundSeconds = 0, arithmeticBoundSeconds = 0;
};

/// A traced step.
struct TracedStep {
  double seconds = 0, hookSeconds = 0;
  std::map<std::string, KernelInStep> kernels;
};

} // namespace

static double numberIn(const Json &object, const char *key) {
  auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

static std::string textIn(const Json &object, const char *key) {
  auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>()
                                                     : std::string();
}

/// Returns the activities of a trace in the order of their starts. Among those
/// with the same start, a step comes first.
static Expected<std::vector<TracedActivity>>
readTrace(const std::string &trace) {
  Json parsed = Json::parse(trace, nullptr, /*allow_exceptions=*/false);
  auto events = parsed.is_object() ? parsed.find("traceEvents") : parsed.end();
  if (!parsed.is_object() || events == parsed.end() || !events->is_array())
    return Status(StatusCode::InvalidArgument,
                  "not a trace: it is no JSON object with \"traceEvents\"");
  std::vector<TracedActivity> activities;
  for (const Json &event : *events) {
    if (!event.is_object() || textIn(event, "ph") != "X")
      continue;
    // numberIn() needs an object. Events without work have no "args".
    auto found = event.find("args");
    const Json &work =
        found != event.end() && found->is_object() ? *found : event;
    activities.push_back({textIn(event, "cat"), textIn(event, "name"),
                          numberIn(event, "ts"), numberIn(event, "dur"),
                          numberIn(work, "operations"),
                          numberIn(work, "bytes")});
  }
  std::ranges::stable_sort(activities, [](const TracedActivity &left,
                                          const TracedActivity &right) {
    bool isStep = left.category == "step" && right.category != "step";
    return left.start < right.start || (left.start == right.start && isStep);
  });
  return activities;
}

/// Returns the steps of a trace, with what ran inside each.
static std::vector<TracedStep>
stepsOf(const std::vector<TracedActivity> &activities,
        const MachineLimits &limits) {
  std::vector<TracedStep> steps;
  double end = 0;
  for (const TracedActivity &activity : activities) {
    double seconds = activity.duration * 1e-6;
    if (activity.category == "step") {
      steps.push_back({seconds, 0, {}});
      end = activity.start + activity.duration;
      continue;
    }
    if (steps.empty() || activity.start >= end)
      continue;
    if (activity.category == "hook")
      steps.back().hookSeconds += seconds;
    if (activity.category != "kernel")
      continue;
    KernelInStep &kernel = steps.back().kernels[activity.name];
    RooflineBound bound = limits.boundOf(activity.flops, activity.bytes);
    kernel.launches += 1;
    kernel.seconds += seconds;
    kernel.flops += activity.flops;
    kernel.bytes += activity.bytes;
    kernel.boundSeconds += bound.seconds;
    if (bound.isByArithmetic && activity.flops > 0)
      kernel.arithmeticBoundSeconds += bound.seconds;
  }
  return steps;
}

static double median(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  size_t middle = numbers.size() / 2;
  return numbers.size() % 2 == 1 ? numbers[middle]
                                 : (numbers[middle - 1] + numbers[middle]) / 2;
}

/// Returns the median of `number` over all steps in which the kernel ran.
static double medianOf(const std::vector<TracedStep> &steps,
                       const std::string &kernel,
                       double KernelInStep::*number) {
  std::vector<double> numbers;
  for (const TracedStep &step : steps)
    if (auto found = step.kernels.find(kernel); found != step.kernels.end())
      numbers.push_back(found->second.*number);
  return median(std::move(numbers));
}

static Roofline::TracedSteps
summarize(const std::vector<TracedStep> &steps,
          const std::vector<KernelOnRoofline> &kernels) {
  Roofline::TracedSteps summary = {steps.size(), 0, 0, 0, 0};
  std::vector<double> times, between;
  for (const TracedStep &step : steps) {
    double inside = step.hookSeconds;
    for (const auto &[name, kernel] : step.kernels)
      inside += kernel.seconds;
    times.push_back(step.seconds);
    between.push_back(std::max(0.0, step.seconds - inside));
  }
  summary.seconds = median(std::move(times));
  summary.betweenSeconds = median(std::move(between));
  for (const KernelOnRoofline &kernel : kernels) {
    summary.kernelSeconds += *kernel.seconds;
    summary.boundSeconds += kernel.bound.seconds;
  }
  return summary;
}

Expected<Roofline> ingot::rooflineOfTrace(const std::string &trace,
                                          std::string level,
                                          MachineLimits limits) {
  INGOT_ASSIGN_OR_RETURN(std::vector<TracedActivity> activities,
                         readTrace(trace));
  std::vector<TracedStep> steps = stepsOf(activities, limits);
  if (steps.empty())
    return Status(StatusCode::InvalidArgument,
                  "the trace has no steps: write it by `train --trace FILE`");
  Roofline roofline = {std::move(limits), std::move(level), {}, 0, {}};
  std::set<std::string> names;
  for (const TracedStep &step : steps)
    for (const auto &[name, kernel] : step.kernels)
      names.insert(name);
  for (const std::string &name : names) {
    auto of = [&](double KernelInStep::*number) {
      return medianOf(steps, name, number);
    };
    KernelOnRoofline kernel = {.name = name};
    kernel.launches = of(&KernelInStep::launches);
    kernel.flops = of(&KernelInStep::flops);
    kernel.bytes = of(&KernelInStep::bytes);
    kernel.seconds = of(&KernelInStep::seconds);
    kernel.bound = {of(&KernelInStep::boundSeconds),
                    2 * of(&KernelInStep::arithmeticBoundSeconds) >
                        of(&KernelInStep::boundSeconds)};
    roofline.kernels.push_back(std::move(kernel));
  }
  std::ranges::stable_sort(roofline.kernels, std::greater(),
                           &KernelOnRoofline::loss);
  roofline.steps = summarize(steps, roofline.kernels);
  return roofline;
}
