//===- LossMonitorHook.cpp - Watches the losses of a search ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNet/LossMonitorHook.h"

#include "runtime/AdaNet/HookStateReader.h"
#include "runtime/Session/Context.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace ingot;
using namespace ingot::adanet;

/// The decay of the moving average of a member's loss; AdaNet's averages use
/// the same value.
static constexpr double decay = 0.9;

/// Returns base^exponent, with the same bits on all machines, so that all ranks
/// make the same decisions.
static double power(double base, int64_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent /= 2, base *= base)
    if (exponent % 2 != 0)
      result *= base;
  return result;
}

static std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.6g", value);
  return text;
}

/// Checks that the step fetches the losses that the options need.
Status LossMonitorHook::afterCreateSession(SessionRunContext &context) {
  started = clock();
  if (options.patience == 0 && !options.dropsDiverged)
    return Status::ok();
  const ingot_program &program = context.session.program();
  const ingot_entry *step = findEntry(program, INGOT_ROLE_STEP);
  std::string unknown;
  for (const MemberOrEnsemble &member : iterationEnd->iteration.members)
    if (!step ||
        findLossFetches(*step, member.name, iterationEnd->iteration.number)
            .empty())
      unknown += (unknown.empty() ? "'" : ", '") + member.name + "'";
  if (unknown.empty())
    return Status::ok();
  std::string what = "the step does not fetch the loss of " + unknown +
                     ": to fetch it, compile the graph with --observe TENSOR";
  if (options.patience > 0)
    return Status(StatusCode::InvalidArgument, "--patience: " + what);
  reporter.note(what +
                "; otherwise, divergence of these members is not detected, "
                "but divergence of candidate ensembles is, by their AdaNet "
                "loss");
  return Status::ok();
}

/// Returns true if `loss`, the loss of the member or ensemble `spec`, is
/// finite. Otherwise warns once for each member and ensemble, and drops `spec`
/// if the options say so.
bool LossMonitorHook::watchLoss(const std::string &spec, int64_t step,
                                double loss, const std::string &what) {
  if (std::isfinite(loss))
    return true;
  if (warned.insert(spec).second)
    reporter.warning("'" + spec + "' has diverged at step " +
                     std::to_string(step) + " of its training: " + what +
                     " is " + number(loss));
  if (options.dropsDiverged)
    iterationEnd->drop(spec, step, what + " is " + number(loss), averages);
  return false;
}

/// Updates the moving average of a member's loss, and stops training the member
/// if the average has not improved for `patience` steps.
void LossMonitorHook::watchLearning(const MemberOrEnsemble &member,
                                    int64_t step, double loss) {
  LossTrend &state = learning[member.name];
  // `biased` is an exponential moving average that starts at 0 (AN-130). As in
  // Adam, dividing it by 1 - decay^count removes the bias towards 0.
  state.biased -= (state.biased - loss) * (1 - decay);
  ++state.count;
  double average = state.biased / (1 - power(decay, state.count));
  if (state.bestStep < 0 || average < state.best - options.minDelta) {
    state.best = average;
    state.bestStep = step;
  }
  if (step - state.bestStep < options.patience)
    return;
  std::string why = "its average loss, now " + number(average) +
                    ", has not improved on " + number(state.best);
  if (options.minDelta > 0)
    why += " by more than " + number(options.minDelta);
  why += " for " + std::to_string(step - state.bestStep) + " steps";
  reporter.log("'" + member.name + "' is done: " + why);
  iterationEnd->stop(member.name, TrainingDoneMarkers::stopped(step, why));
}

/// Stops training the member if its builder says so: fetch
/// "subnetwork/<member>/stop:0" of the step that has just run (AN-051).
void LossMonitorHook::watchStop(const MemberOrEnsemble &member, int64_t step,
                                const BoundEntryPoint &entry) {
  std::string name = "subnetwork/" + member.name + "/stop:0";
  std::span<const ingot_tensor_spec> fetches = entry.fetches();
  for (size_t i = 0; i < fetches.size(); ++i) {
    if (fetches[i].dtype != INGOT_BOOL || fetches[i].name != name ||
        !*static_cast<const bool *>(entry.fetch(i)))
      continue;
    const char *why = "its builder stops it";
    reporter.log("'" + member.name + "' is done: " + why);
    iterationEnd->stop(member.name, TrainingDoneMarkers::stopped(step, why));
  }
}

Status LossMonitorHook::watchClock(const ingot_context &context) {
  if (options.maxSeconds <= 0)
    return Status::ok();
  bool isOver = elapsed() >= options.maxSeconds;
  // All ranks have to stop after the same step, but their clocks differ. So the
  // clock of rank 0 decides.
  if (options.share) {
    INGOT_ASSIGN_OR_RETURN(std::string first, options.share(isOver ? "1" : ""));
    isOver = !first.empty();
  }
  if (!isOver)
    return Status::ok();
  std::string why =
      "the iteration's " + number(options.maxSeconds) + " seconds have passed";
  for (const MemberOrEnsemble &member : iterationEnd->iteration.members)
    if (!iterationEnd->isDone(member.name)) {
      reporter.log("'" + member.name + "' is done: " + why);
      iterationEnd->stop(member.name,
                         TrainingDoneMarkers::stopped(
                             iterationEnd->stepsOf(context, member), why));
    }
  return Status::ok();
}

Status LossMonitorHook::afterRun(SessionRunContext &run,
                                 const SessionRunValues &values) {
  const ingot_context &context = run.session.context();
  const Iteration &iteration = iterationEnd->iteration;
  for (const MemberOrEnsemble &member : iteration.members) {
    if (iterationEnd->isDone(member.name))
      continue;
    auto loss = losses.lossOf(member.name, values.step);
    int64_t step = iterationEnd->stepsOf(context, member);
    if (loss && watchLoss(member.name, step, *loss, "its loss") &&
        options.patience > 0)
      watchLearning(member, step, *loss);
    if (!iterationEnd->isDone(member.name))
      watchStop(member, step, values.step);
  }
  for (const MemberOrEnsemble &ensemble : iteration.ensembles) {
    if (iterationEnd->isDropped(ensemble.name))
      continue;
    auto average = averageOf(context, ensemble.name);
    if (average &&
        watchLoss(ensemble.name, iterationEnd->stepsOf(context, ensemble),
                  *average, "the average of its AdaNet loss") &&
        options.dropsDiverged)
      averages[ensemble.name] = *average;
  }
  INGOT_RETURN_IF_ERROR(watchClock(context));
  return options.dropsDiverged ? iterationEnd->checkCandidates() : Status::ok();
}

Status LossMonitorHook::beforeRecovery() {
  secondsBefore = elapsed();
  learning.clear();
  averages.clear();
  return Status::ok();
}

Expected<std::string> LossMonitorHook::saveState() {
  std::string state;
  char line[160];
  if (options.maxSeconds > 0) {
    std::snprintf(line, sizeof(line), "seconds %a\n", elapsed());
    state += line;
  }
  // Numbers are printed as hexadecimal floats (%a), from which the restored
  // hook reads exactly the same values.
  for (const auto &[name, at] : learning) {
    std::snprintf(line, sizeof(line), " %a %lld %a %lld\n", at.biased,
                  static_cast<long long>(at.count), at.best,
                  static_cast<long long>(at.bestStep));
    state += "learning " + name + line;
  }
  for (const auto &[name, average] : averages) {
    std::snprintf(line, sizeof(line), " %a\n", static_cast<double>(average));
    state += "average " + name + line;
  }
  return state;
}

Status LossMonitorHook::restoreState(std::string_view state) {
  for (std::string_view rest = state; !rest.empty();) {
    std::string_view line = readLineOf(rest), whole = line;
    std::string_view kind = readToken(line);
    bool isRead = false;
    if (kind == "seconds") {
      auto seconds = readDoubleToken(line);
      isRead = seconds.has_value();
      if (isRead)
        secondsBefore = std::max(secondsBefore, *seconds);
    } else if (kind == "learning") {
      std::string name(readToken(line));
      auto biased = readDoubleToken(line);
      auto count = readIntegerToken(line);
      auto best = readDoubleToken(line);
      auto step = readIntegerToken(line);
      isRead = biased && count && best && step;
      if (isRead)
        learning[name] = {*biased, *count, *best, *step};
    } else if (kind == "average") {
      std::string name(readToken(line));
      auto average = readDoubleToken(line);
      isRead = average.has_value();
      if (isRead)
        averages[name] = static_cast<float>(*average);
    }
    if (!isRead)
      return Status(StatusCode::DataLoss,
                    "the checkpoint's state of hook 'AdaNetWatch' has the "
                    "line '" +
                        std::string(whole) +
                        "', which cannot be parsed: the checkpoint is damaged; "
                        "restore an earlier one");
  }
  return Status::ok();
}
