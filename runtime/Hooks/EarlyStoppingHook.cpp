//===- EarlyStoppingHook.cpp - Stops by metrics of evaluations ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/EarlyStoppingHook.h"

#include <cmath>
#include <cstdio>

using namespace ingot;

static std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.6g", value);
  return text;
}

static bool wantsLess(const EarlyStoppingCondition &condition) {
  return condition.kind == EarlyStoppingCondition::IfLower ||
         condition.kind == EarlyStoppingCondition::IfNoDecrease;
}

static bool isBetter(const EarlyStoppingCondition &condition, double a,
                     double b) {
  return wantsLess(condition) ? a < b : a > b;
}

/// Returns true if metric value `a` is better than `b` under the condition. Any
/// number is better than NaN.
static bool isBest(const EarlyStoppingCondition &condition, double a,
                   double b) {
  return isBetter(condition, a, b) || (std::isnan(b) && !std::isnan(a));
}

/// Returns the evaluation with the best value among those at step `minSteps` or
/// later; if several have this value, the first. Returns the end iterator if
/// there is no evaluation at these steps.
static MetricHistory::const_iterator
bestOf(const EarlyStoppingCondition &condition, const MetricHistory &history) {
  auto best = history.end();
  for (auto at = history.lower_bound(condition.minSteps); at != history.end();
       ++at)
    if (best == history.end() || isBest(condition, at->second, best->second))
      best = at;
  return best;
}

std::string ingot::whyStop(const EarlyStoppingCondition &condition,
                           const MetricHistory &history) {
  bool hasThreshold = condition.kind == EarlyStoppingCondition::IfLower ||
                      condition.kind == EarlyStoppingCondition::IfHigher;
  bool any = false;
  double best = 0;
  int64_t bestStep = 0;
  for (auto [step, value] : history) {
    if (step < condition.minSteps)
      continue;
    std::string found = condition.metric + " is " + number(value) +
                        " at step " + std::to_string(step);
    if (hasThreshold) {
      if (isBetter(condition, value, condition.threshold))
        return found + ", " + (wantsLess(condition) ? "below " : "above ") +
               number(condition.threshold);
      continue;
    }
    if (!any || isBest(condition, value, best)) {
      any = true;
      best = value;
      bestStep = step;
    }
    if (step - bestStep >= condition.stepsWithout)
      return found + ", no improvement on " + number(best) + " at step " +
             std::to_string(bestStep) + ", " + std::to_string(step - bestStep) +
             " steps earlier";
  }
  return "";
}

Status EarlyStoppingHook::afterCreateSession(SessionRunContext &context) {
  return check(context);
}

Status EarlyStoppingHook::afterRun(SessionRunContext &context,
                                   const SessionRunValues &) {
  return clock() - last >= everySeconds ? check(context) : Status::ok();
}

Status EarlyStoppingHook::check(SessionRunContext &context) {
  last = clock();
  INGOT_ASSIGN_OR_RETURN(MetricHistory found, history(condition.metric));
  // Adds the best evaluation so far, because the event file that contained it
  // may have been removed. A resumed run gets this evaluation from its
  // checkpoint.
  found.insert(best.begin(), best.end());
  best.clear();
  if (auto at = bestOf(condition, found); at != found.end())
    best.insert(*at);
  std::string why = whyStop(condition, found);
  if (!why.empty()) {
    reporter.note("stopping early: " + why);
    context.requestStop();
  }
  return Status::ok();
}

Expected<std::string> EarlyStoppingHook::saveState() {
  if (best.empty())
    return std::string();
  char text[64];
  std::snprintf(text, sizeof(text), "%lld %a ",
                static_cast<long long>(best.begin()->first),
                best.begin()->second);
  return text + condition.metric;
}

Status EarlyStoppingHook::restoreState(std::string_view state) {
  std::string text(state);
  long long step = 0;
  double value = 0;
  int metric = 0;
  best.clear();
  // Ignores the state if it was saved for another metric, because the user may
  // have changed the flag.
  if (std::sscanf(text.c_str(), "%lld %la %n", &step, &value, &metric) == 2 &&
      metric > 0 &&
      text.substr(static_cast<size_t>(metric)) == condition.metric)
    best.emplace(step, value);
  return Status::ok();
}
