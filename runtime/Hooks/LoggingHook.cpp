//===- LoggingHook.cpp - Step, loss and speed in the log ------------------===//

#include "runtime/Hooks/LoggingHook.h"

#include "runtime/Summary/EventWriter.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/Numeric.h"

#include <cstdio>

using namespace ingot;

std::string
ingot::formatWatched(const std::vector<LoggingHook::Watched> &watched,
                     const BoundEntry &step) {
  std::string text;
  for (const LoggingHook::Watched &tensor : watched) {
    const ingot_tensor_spec &spec = step.fetches()[tensor.fetch];
    if (!isNumeric(spec.dtype))
      continue;
    text += "  " + tensor.label;
    auto *element = static_cast<const char *>(step.fetch(tensor.fetch));
    int64_t count = elementCountOf(spec);
    constexpr int64_t shown = 4;
    for (int64_t i = 0; i < count && i < shown; ++i) {
      char number[32];
      std::snprintf(number, sizeof(number), " %.6g",
                    elementAsDouble(spec.dtype, element));
      text += number;
      element += dtypeSize(spec.dtype);
    }
    if (count > shown)
      text += " ...";
  }
  return text;
}

Status LoggingHook::afterCreateSession(RunContext &context) {
  countedFrom = context.globalStep;
  timedFrom = clock();
  return Status::ok();
}

Status LoggingHook::afterRun(RunContext &context, const RunValues &values) {
  if (timer.isDue(context.globalStep)) {
    timer.done(context.globalStep);
    lastValues.clear();
    return log(context, formatWatched(watched, values.step));
  }
  // The last step's values are shown at the end, when its fetches are gone.
  if (context.stopRequested())
    lastValues = formatWatched(watched, values.step);
  return Status::ok();
}

Status LoggingHook::end(RunContext &context) {
  if (context.globalStep == countedFrom)
    return Status::ok();
  return log(context, lastValues);
}

Status LoggingHook::log(RunContext &context, const std::string &values) {
  double now = clock();
  char head[32], speed[48] = "";
  std::snprintf(head, sizeof(head), "step %lld",
                static_cast<long long>(context.globalStep));
  double perSecond = 0;
  if (now > timedFrom)
    perSecond = static_cast<double>(context.globalStep - countedFrom) /
                (now - timedFrom);
  // One step alone, with all its first times, says nothing about speed.
  bool counted = context.globalStep - countedFrom > 1 && perSecond > 0;
  if (counted)
    std::snprintf(speed, sizeof(speed), "  (%.1f steps/s)", perSecond);
  countedFrom = context.globalStep;
  timedFrom = now;
  reporter.log(head + values + speed);
  EventWriter *writer = events();
  if (!counted || !writer)
    return Status::ok();
  ScalarSummary summary{"global_step/sec", static_cast<float>(perSecond)};
  return writer->addScalars(context.globalStep, {&summary, 1});
}
