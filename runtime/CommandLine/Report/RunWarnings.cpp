//===- RunWarnings.cpp - What a run's curves warn of ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Report/RunWarnings.h"

#include "runtime/Charts/Html.h"

#include <algorithm>
#include <cmath>

using namespace ingot;

static std::string at(int64_t step) {
  return " at step " + std::to_string(step);
}

static const Curve *find(const std::map<std::string, Curve> &curves,
                         const char *metric) {
  auto found = curves.find(metric);
  return found == curves.end() ? nullptr : &found->second;
}

/// Returns the mean of the next size / 10 points from `begin` on, but of at
/// least one point.
template <typename IteratorT>
static double meanOfTenth(IteratorT begin, size_t size) {
  size_t count = std::max<size_t>(1, size / 10);
  double sum = 0;
  for (size_t i = 0; i < count; ++i, ++begin)
    sum += begin->second;
  return sum / static_cast<double>(count);
}

/// Adds warnings about losses that are not finite or have not fallen.
static void checkLoss(const Curve &loss, std::vector<std::string> &warnings) {
  constexpr size_t enough = 20; // fewer points do not show a trend
  for (const auto &[step, value] : loss)
    if (!std::isfinite(value)) {
      warnings.push_back(
          std::string("the loss is ") +
          (std::isnan(value) ? "NaN" : "infinite") + at(step) +
          ": lower the learning rate; --check-numerics names the node");
      return;
    }
  if (loss.size() < enough)
    return;
  double first = meanOfTenth(loss.begin(), loss.size()),
         last = meanOfTenth(loss.rbegin(), loss.size());
  if (last >= first)
    warnings.push_back("the loss has not fallen: from " + htmlNumber(first) +
                       " (mean of the first tenth) to " + htmlNumber(last));
}

/// Adds a warning if the loss of evaluations has risen since its lowest value,
/// but the training loss has not.
static void checkOverfitting(const Curve &evaluated, const Curve *training,
                             std::vector<std::string> &warnings) {
  auto best = std::min_element(
      evaluated.begin(), evaluated.end(),
      [](const auto &a, const auto &b) { return a.second < b.second; });
  if (best == evaluated.end() || !training || training->empty())
    return;
  // Warn only if the loss of the last two evaluations is higher: a single bad
  // evaluation may be noise.
  constexpr double worse = 0.1;
  const auto &[step, value] = *evaluated.rbegin();
  auto then = training->lower_bound(best->first);
  double limit = best->second + worse * std::abs(best->second);
  bool isWorse = evaluated.size() > 2 && value > limit &&
                 std::next(evaluated.rbegin())->second > limit;
  if (isWorse && then != training->end() &&
      training->rbegin()->second <= then->second)
    warnings.push_back("the model overfits: evaluations' loss was lowest" +
                       at(best->first) + " (" + htmlNumber(best->second) +
                       ") and is " + htmlNumber(value) + at(step) +
                       "; --keep-best loss keeps that checkpoint, "
                       "--stop-if-no-decrease loss:STEPS ends the run");
}

static void checkSpeed(const Curve &speed, std::vector<std::string> &warnings) {
  auto best = std::max_element(
      speed.begin(), speed.end(),
      [](const auto &a, const auto &b) { return a.second < b.second; });
  if (best != speed.end() && speed.rbegin()->second < best->second / 2)
    warnings.push_back(
        "the run has become slow: " + htmlNumber(speed.rbegin()->second) +
        " steps a second" + at(speed.rbegin()->first) + ", but " +
        htmlNumber(best->second) + at(best->first));
}

std::vector<std::string> ingot::warningsOf(const TrainingRunCurves &run,
                                           int64_t newest) {
  std::vector<std::string> warnings;
  const Curve *loss = find(run.training, "loss");
  if (loss)
    checkLoss(*loss, warnings);
  for (const auto &[folder, curves] : run.evaluations)
    if (const Curve *evaluated = find(curves, "loss"))
      checkOverfitting(*evaluated, loss, warnings);
  if (loss && loss->rbegin()->first > newest)
    warnings.push_back(
        "steps " + std::to_string(newest + 1) + " to " +
        std::to_string(loss->rbegin()->first) +
        " are in no checkpoint: a run that goes on repeats them");
  for (const auto &[tag, curve] : run.training)
    if (isSpeed(tag))
      checkSpeed(curve, warnings);
  if (run.evaluations.empty())
    warnings.push_back("there are no evaluations: train-and-evaluate makes "
                       "them of each checkpoint");
  return warnings;
}
