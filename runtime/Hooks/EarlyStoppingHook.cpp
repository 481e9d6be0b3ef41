//===- EarlyStoppingHook.cpp - Stops when evaluations say so --------------===//

#include "runtime/Hooks/EarlyStoppingHook.h"

#include <cstdio>

using namespace ingot;

static std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.6g", value);
  return text;
}

std::string ingot::whyStop(const StopCondition &condition,
                           const MetricHistory &history) {
  bool wantsLess = condition.kind == StopCondition::IfLower ||
                   condition.kind == StopCondition::IfNoDecrease;
  auto isBetter = [&](double a, double b) { return wantsLess ? a < b : a > b; };
  bool hasThreshold = condition.kind == StopCondition::IfLower ||
                      condition.kind == StopCondition::IfHigher;
  bool any = false;
  double best = 0;
  int64_t bestStep = 0;
  for (auto [step, value] : history) {
    if (step < condition.minSteps)
      continue;
    std::string found = condition.metric + " is " + number(value) +
                        " at step " + std::to_string(step);
    if (hasThreshold) {
      if (isBetter(value, condition.threshold))
        return found + ", " + (wantsLess ? "below " : "above ") +
               number(condition.threshold);
      continue;
    }
    if (!any || isBetter(value, best)) {
      any = true;
      best = value;
      bestStep = step;
    }
    if (step - bestStep >= condition.stepsWithout)
      return found + ": no better than " + number(best) + " at step " +
             std::to_string(bestStep) + ", " + std::to_string(step - bestStep) +
             " steps before";
  }
  return "";
}

Status EarlyStoppingHook::afterCreateSession(RunContext &context) {
  return check(context);
}

Status EarlyStoppingHook::afterRun(RunContext &context, const RunValues &) {
  return clock() - last >= everySeconds ? check(context) : Status::ok();
}

Status EarlyStoppingHook::check(RunContext &context) {
  last = clock();
  INGOT_ASSIGN_OR_RETURN(MetricHistory found, history(condition.metric));
  std::string why = whyStop(condition, found);
  if (!why.empty()) {
    reporter.note("stopping early: " + why);
    context.requestStop();
  }
  return Status::ok();
}
