//===- ReduceLearningRateHook.cpp - Reduces rates on plateaus -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/ReduceLearningRateHook.h"

#include "runtime/Session/Context.h"
#include "runtime/Support/Numeric.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace ingot;

std::optional<double> ReduceLROnPlateauRule::next(double value, double rate) {
  if (coolingDown > 0) {
    --coolingDown;
    wait = 0;
  }
  if (options.wantsMore ? value > best + options.minDelta
                        : value < best - options.minDelta) {
    best = value;
    wait = 0;
    return std::nullopt;
  }
  if (coolingDown > 0 || ++wait < options.patience ||
      // Keras compares in float32, the type in which it stores learning rates.
      !(static_cast<float>(rate) > static_cast<float>(options.minRate)))
    return std::nullopt;
  coolingDown = options.cooldown;
  wait = 0;
  return std::max(rate * options.factor, options.minRate);
}

std::string ReduceLROnPlateauRule::save() const {
  char text[96];
  std::snprintf(text, sizeof(text), "%a %lld %lld ", best,
                static_cast<long long>(wait),
                static_cast<long long>(coolingDown));
  return text + options.metric;
}

bool ReduceLROnPlateauRule::restore(const std::string &text) {
  double value = 0;
  long long waited = 0, cooling = 0;
  int metric = 0;
  // Ignore a state of another metric: it was saved before the user changed the
  // flag.
  if (std::sscanf(text.c_str(), "%la %lld %lld %n", &value, &waited, &cooling,
                  &metric) != 3 ||
      metric <= 0 || text.substr(static_cast<size_t>(metric)) != options.metric)
    return false;
  best = value;
  wait = waited;
  coolingDown = cooling;
  return true;
}

Status ReduceLearningRateHook::afterCreateSession(SessionRunContext &context) {
  // If no state was restored, for instance because a resumed run uses the flag
  // for the first time, ignore the evaluations of earlier steps.
  if (!seen)
    seen = context.globalStep - 1;
  return Status::ok();
}

Status ReduceLearningRateHook::check(SessionRunContext &context) {
  INGOT_ASSIGN_OR_RETURN(MetricHistory found, history());
  ingot_context &state = context.session.context();
  int32_t dtype = state.program->variables[options.variable].spec.dtype;
  for (auto at = found.upper_bound(seen.value_or(-1));
       at != found.end() && at->first <= context.globalStep; ++at) {
    seen = at->first;
    double rate = elementAsDouble(dtype, readVariable(state, options.variable));
    std::optional<double> reduced = rule.next(at->second, rate);
    if (!reduced)
      continue;
    void *data = changeVariable(state, options.variable);
    auto single = static_cast<float>(*reduced);
    if (dtype == INGOT_DOUBLE)
      std::memcpy(data, &*reduced, sizeof(double));
    else if (dtype == INGOT_FLOAT)
      std::memcpy(data, &single, sizeof(single));
    else
      parseElement(numberText(*reduced), dtype, data);
    char text[64];
    std::snprintf(text, sizeof(text), " from %.6g to %.6g", rate, *reduced);
    reporter.note("step " + std::to_string(at->first) +
                  ": reducing the learning rate '" +
                  state.program->variables[options.variable].spec.name + "'" +
                  text + ", because metric '" + options.metric +
                  "' of the evaluations has not improved");
  }
  return Status::ok();
}

Expected<std::string> ReduceLearningRateHook::saveState() {
  return std::to_string(seen.value_or(-1)) + " " + rule.save();
}

Status ReduceLearningRateHook::restoreState(std::string_view state) {
  std::string text(state);
  char *end = nullptr;
  long long step = std::strtoll(text.c_str(), &end, 10);
  if (*end == ' ' && rule.restore(end + 1))
    seen = step;
  return Status::ok();
}
