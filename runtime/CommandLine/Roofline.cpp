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
  Roofline roofline = {
      std::move(limits), program.targets[target], {}, 0, {}, {}};
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
  /// For a kernel of an entry's launch table: the entry, else "", and the
  /// sequence of launches.
  std::string entry;
  double sequence = 0;
};

/// A sequence of launches of an entry.
using LaunchSequenceName = std::pair<std::string, double>;

/// What a kernel did in one step.
struct KernelInStep {
  double launches = 0, seconds = 0, flops = 0, bytes = 0;
  double boundSeconds = 0, arithmeticBoundSeconds = 0;
};

/// A traced step.
struct TracedStep {
  double seconds = 0, hookSeconds = 0;
  std::map<std::string, KernelInStep> kernels;
  std::map<LaunchSequenceName, KernelInStep> sequences;
};

/// The schedule that was chosen last for a sequence of launches. Times are in
/// seconds; they are negative if the sequence was not timed, because none of
/// its launches can be divided.
struct TracedSchedule {
  unsigned threads = 1;
  double launches = 1, launchesOnOneThread = 0;
  double seconds = -1, oneThreadSeconds = -1, aloneSeconds = -1;
};

struct ParsedTrace {
  std::vector<TracedActivity> activities;
  std::map<LaunchSequenceName, TracedSchedule> schedules;
  /// For each entry that was timed as a whole: whether one thread runs it.
  std::map<std::string, bool> isAlone;

  bool runsAlone(const std::string &entry) const {
    auto found = isAlone.find(entry);
    return found != isAlone.end() && found->second;
  }
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

/// Reads the event of a schedule that was chosen. Later events replace earlier
/// ones. Rests of several threads are left out: they pass.
static void readSchedule(const Json &arguments, ParsedTrace &trace) {
  std::string entry = textIn(arguments, "entry"),
              chosen = textIn(arguments, "chosen");
  if (textIn(arguments, "why") == "contention" || chosen.empty())
    return;
  auto sequence = arguments.find("sequence");
  if (sequence == arguments.end() || !sequence->is_number()) {
    trace.isAlone[entry] = chosen == "one thread";
    return;
  }
  TracedSchedule schedule;
  schedule.threads = static_cast<unsigned>(
      std::clamp(numberIn(arguments, "threads"), 1.0, 1e6));
  schedule.launches = std::max(numberIn(arguments, "launches"), 1.0);
  schedule.launchesOnOneThread = schedule.launches;
  auto least = arguments.find("least_us");
  if (least != arguments.end() && least->is_object() &&
      arguments.contains("us_on_one_thread")) {
    schedule.launchesOnOneThread =
        numberIn(arguments, "launches_on_one_thread");
    schedule.seconds = numberIn(*least, chosen.c_str()) * 1e-6;
    schedule.aloneSeconds = numberIn(*least, "one thread") * 1e-6;
    schedule.oneThreadSeconds =
        chosen == "one thread"
            ? schedule.seconds
            : std::min(numberIn(arguments, "us_on_one_thread") * 1e-6,
                       schedule.seconds);
  }
  trace.schedules[{entry, sequence->get<double>()}] = schedule;
}

/// Returns the activities of a trace in the order of their starts. Among those
/// with the same start, a step comes first. Also returns the schedules.
static Expected<ParsedTrace> readTrace(const std::string &trace) {
  Json parsed = Json::parse(trace, nullptr, /*allow_exceptions=*/false);
  auto events = parsed.is_object() ? parsed.find("traceEvents") : parsed.end();
  if (!parsed.is_object() || events == parsed.end() || !events->is_array())
    return Status(StatusCode::InvalidArgument,
                  "not a trace: it is no JSON object with \"traceEvents\"");
  ParsedTrace result;
  for (const Json &event : *events) {
    if (!event.is_object())
      continue;
    // numberIn() needs an object. Events without work have no "args".
    auto found = event.find("args");
    const Json &work =
        found != event.end() && found->is_object() ? *found : event;
    if (textIn(event, "cat") == "schedule")
      readSchedule(work, result);
    if (textIn(event, "ph") != "X")
      continue;
    result.activities.push_back({textIn(event, "cat"), textIn(event, "name"),
                                 numberIn(event, "ts"), numberIn(event, "dur"),
                                 numberIn(work, "operations"),
                                 numberIn(work, "bytes"), textIn(work, "entry"),
                                 numberIn(work, "sequence")});
  }
  std::ranges::stable_sort(result.activities, [](const TracedActivity &left,
                                                 const TracedActivity &right) {
    bool isStep = left.category == "step" && right.category != "step";
    return left.start < right.start || (left.start == right.start && isStep);
  });
  return result;
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
      steps.push_back({seconds, 0, {}, {}});
      end = activity.start + activity.duration;
      continue;
    }
    if (steps.empty() || activity.start >= end)
      continue;
    if (activity.category == "hook")
      steps.back().hookSeconds += seconds;
    if (activity.category != "kernel")
      continue;
    if (!activity.entry.empty()) {
      KernelInStep &sequence =
          steps.back().sequences[{activity.entry, activity.sequence}];
      sequence.launches += 1;
      sequence.seconds += seconds;
    }
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

/// Returns how the chosen schedules run the launches of a step, or nothing if
/// the trace has no schedules. The time of launches that were not timed for a
/// schedule is that in the trace.
static std::optional<Roofline::ScheduledStep>
scheduledStep(const std::vector<TracedStep> &steps, const ParsedTrace &trace) {
  if (trace.schedules.empty())
    return std::nullopt;
  std::vector<double> launches, onOneThread, seconds, oneThreadSeconds;
  unsigned threads = 1;
  for (const TracedStep &step : steps) {
    double of[4] = {};
    for (const auto &[name, sequence] : step.sequences) {
      auto found = trace.schedules.find(name);
      bool isEntryAlone = trace.runsAlone(name.first);
      TracedSchedule schedule =
          found != trace.schedules.end() ? found->second : TracedSchedule();
      threads = std::max(threads, schedule.threads);
      bool isTimed = schedule.seconds >= 0;
      double runs = sequence.launches / schedule.launches;
      of[0] += sequence.launches;
      of[1] += found == trace.schedules.end() || isEntryAlone
                   ? sequence.launches
                   : runs * schedule.launchesOnOneThread;
      double alone = isTimed ? runs * schedule.aloneSeconds : sequence.seconds;
      bool isAlone = !isTimed || isEntryAlone;
      of[2] += isAlone ? alone : runs * schedule.seconds;
      of[3] += isAlone ? alone : runs * schedule.oneThreadSeconds;
    }
    launches.push_back(of[0]);
    onOneThread.push_back(of[1]);
    seconds.push_back(of[2]);
    oneThreadSeconds.push_back(of[3]);
  }
  return Roofline::ScheduledStep{
      threads, median(std::move(launches)), median(std::move(onOneThread)),
      median(std::move(seconds)), median(std::move(oneThreadSeconds))};
}

Expected<Roofline> ingot::rooflineOfTrace(const std::string &trace,
                                          std::string level,
                                          MachineLimits limits) {
  INGOT_ASSIGN_OR_RETURN(ParsedTrace parsed, readTrace(trace));
  std::vector<TracedStep> steps = stepsOf(parsed.activities, limits);
  if (steps.empty())
    return Status(StatusCode::InvalidArgument,
                  "the trace has no steps: write it by `train --trace FILE`");
  Roofline roofline = {std::move(limits), std::move(level), {}, 0, {}, {}};
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
  roofline.schedules = scheduledStep(steps, parsed);
  return roofline;
}
