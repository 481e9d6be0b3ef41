//===- LoggingHook.cpp - Step, loss and speed in the log ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/LoggingHook.h"

#include "runtime/Support/DType.h"
#include "runtime/Support/Numeric.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace ingot;

/// The number of a tensor's first elements that a log line shows.
static constexpr int64_t shown = 4;

/// Appends to `text` a label and the first elements of a tensor with `count`
/// elements, for example "  accuracy:0 0.95".
static void appendTensor(std::string &text, const std::string &label,
                         int32_t dtype, int64_t count, const char *element) {
  text += "  " + label;
  for (int64_t i = 0; i < count && i < shown; ++i) {
    char number[32];
    std::snprintf(number, sizeof(number), " %.6g",
                  elementAsDouble(dtype, element));
    text += number;
    element += dtypeSize(dtype);
  }
  if (count > shown)
    text += " ...";
}

std::string
ingot::formatWatched(const std::vector<LoggingHook::LabeledFetch> &watched,
                     const BoundEntryPoint &step) {
  std::string text;
  for (const LoggingHook::LabeledFetch &tensor : watched) {
    const ingot_tensor_spec &spec = step.fetches()[tensor.fetch];
    if (isNumeric(spec.dtype))
      appendTensor(text, tensor.label, spec.dtype, elementCountOf(spec),
                   static_cast<const char *>(step.fetch(tensor.fetch)));
  }
  return text;
}

Status LoggingHook::afterCreateSession(SessionRunContext &context) {
  countedFrom = context.globalStep;
  timedFrom = clock();
  return Status::ok();
}

std::string LoggingHook::format(const SessionRunContext &context,
                                const BoundEntryPoint &step) const {
  return formatter ? formatter(context.globalStep, step)
                   : formatWatched(watched, step);
}

Status LoggingHook::afterRun(SessionRunContext &context,
                             const SessionRunValues &values) {
  if (timer && timer->isDue(context.globalStep)) {
    timer->done(context.globalStep);
    lastValues.clear();
    kept.clear();
    log(context, format(context, values.step));
  } else if (context.stopRequested() && atEnd) {
    // This is the run's last step. Formats its line now, because end(), which
    // logs it, can no longer read the step's fetches.
    lastValues = format(context, values.step);
  } else if (atEnd && !formatter) {
    keep(values.step);
  }
  return Status::ok();
}

void LoggingHook::keep(const BoundEntryPoint &step) {
  kept.resize(watched.size());
  for (size_t i = 0; i < watched.size(); ++i) {
    const ingot_tensor_spec &spec = step.fetches()[watched[i].fetch];
    kept[i].dtype = spec.dtype;
    kept[i].count = isNumeric(spec.dtype) ? elementCountOf(spec) : -1;
    if (int64_t count = std::min(kept[i].count, shown); count > 0)
      std::memcpy(kept[i].elements, step.fetch(watched[i].fetch),
                  static_cast<size_t>(count) * dtypeSize(spec.dtype));
  }
}

std::string LoggingHook::formatKept() const {
  std::string text;
  for (size_t i = 0; i < kept.size(); ++i)
    if (kept[i].count >= 0)
      appendTensor(text, watched[i].label, kept[i].dtype, kept[i].count,
                   kept[i].elements);
  return text;
}

Status LoggingHook::end(SessionRunContext &context) {
  if (atEnd && context.globalStep != countedFrom)
    log(context, lastValues.empty() ? formatKept() : lastValues);
  return Status::ok();
}

void LoggingHook::log(SessionRunContext &context, const std::string &values) {
  double now = clock();
  char head[32], speed[48] = "";
  std::snprintf(head, sizeof(head), "step %lld",
                static_cast<long long>(context.globalStep));
  int64_t steps = context.globalStep - countedFrom;
  // Prints the speed only if the line covers more than one step, as a single
  // first step includes one-time costs.
  if (steps > 1 && now > timedFrom)
    std::snprintf(speed, sizeof(speed), "  (%.1f steps/s)",
                  static_cast<double>(steps) / (now - timedFrom));
  countedFrom = context.globalStep;
  timedFrom = now;
  if (!formatter)
    reporter.log(head + values + speed);
  else if (!values.empty())
    reporter.log(values);
  // If the log cannot be written, the run stops after this step, saves its
  // state, and then fails.
  if (!reporter.logStatus().isOk())
    context.requestStop();
}
