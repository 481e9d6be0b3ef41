//===- TrainingCurvesHook.cpp - Loss, metrics and learning rate as curves -===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/TrainingCurvesHook.h"

#include "runtime/Hooks/LearningRate.h"
#include "runtime/Session/Context.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/Numeric.h"

#include <algorithm>

using namespace ingot;

int64_t ingot::curvePointsUpTo(int64_t step) {
  constexpr int64_t dense = 100, dense2 = 1'638'400;
  if (step <= dense)
    return std::max<int64_t>(step, 0);
  int64_t points = dense;
  for (int64_t begin = dense;; begin *= 2) {
    int64_t inRange = begin < dense2 ? 50 : 4;
    if (step - begin < begin)
      return points + (step - begin) / (begin / inRange);
    points += inRange;
    if (begin > INT64_MAX / 2)
      return points;
  }
}

Status TrainingCurvesHook::afterCreateSession(SessionRunContext &context) {
  written = curvePointsUpTo(context.globalStep);
  return Status::ok();
}

Status TrainingCurvesHook::afterRun(SessionRunContext &context,
                                    const SessionRunValues &values) {
  int64_t points = curvePointsUpTo(context.globalStep);
  if (points <= std::exchange(written, points))
    return Status::ok();
  // Skip a curve if the graph has a scalar summary with the same tag, which
  // SummarySaverHook writes.
  const std::vector<ScalarSummary> &own = values.summaries.scalars();
  std::vector<ScalarSummary> scalars;
  for (const TrainingCurveSource &curve : curves) {
    if (std::any_of(own.begin(), own.end(), [&](const ScalarSummary &scalar) {
          return scalar.tag == curve.tag;
        }))
      continue;
    if (curve.isVariable && !context.session.context().initialized[curve.index])
      continue;
    const ingot_tensor_spec &spec =
        curve.isVariable ? context.session.program().variables[curve.index].spec
                         : values.step.fetchSpec(curve.index);
    if (elementCountOf(spec) != 1)
      continue;
    const void *data = curve.isVariable
                           ? readVariable(context.session.context(),
                                          static_cast<uint32_t>(curve.index))
                           : values.step.fetch(curve.index);
    scalars.push_back(
        {curve.tag, static_cast<float>(elementAsDouble(spec.dtype, data))});
  }
  return scalars.empty() ? Status::ok()
                         : events()->addScalars(context.globalStep, scalars);
}

/// Returns the tag for a fetch: its name without ":0", and without the scope
/// "step/" or "epoch/". The metrics of exported models are in these scopes;
/// "epoch/" has Keras's averages since the epoch began. Without its scope, a
/// metric has the same tag as in evaluations.
static std::string tagOf(std::string_view fetch) {
  if (fetch.ends_with(":0"))
    fetch.remove_suffix(2);
  for (std::string_view scope : {"epoch/", "step/"})
    if (fetch.starts_with(scope))
      fetch.remove_prefix(scope.size());
  return std::string(fetch);
}

std::vector<TrainingCurvesHook::TrainingCurveSource>
ingot::curvesOf(const ingot_program &program, const ingot_entry &step,
                int loss) {
  std::vector<TrainingCurvesHook::TrainingCurveSource> curves;
  auto isNew = [&](const std::string &tag) {
    return std::none_of(
        curves.begin(), curves.end(),
        [&](const TrainingCurvesHook::TrainingCurveSource &curve) {
          return curve.tag == tag;
        });
  };
  if (loss >= 0)
    curves.push_back({"loss", static_cast<size_t>(loss)});
  for (uint32_t i = 0; i < step.num_fetches; ++i) {
    const ingot_tensor_spec &spec = step.fetches[i];
    std::string tag = tagOf(spec.name);
    if (static_cast<int>(i) != loss && spec.rank == 0 &&
        isFloating(spec.dtype) && isNew(tag))
      curves.push_back({std::move(tag), i});
  }
  // A learning rate schedule of Keras is not a variable, but the optimizer
  // stores the schedule's current value in the variable
  // `current_learning_rate`.
  std::vector<uint32_t> rates = learningRatesOf(program);
  for (uint32_t i = 0; rates.empty() && i < program.num_variables; ++i)
    if (program.variables[i].spec.name ==
            std::string_view("current_learning_rate") &&
        program.variables[i].spec.rank == 0)
      rates.push_back(i);
  for (uint32_t rate : rates) {
    std::string tag =
        rates.size() == 1 ? "learning_rate" : program.variables[rate].spec.name;
    if (isNew(tag))
      curves.push_back({std::move(tag), rate, /*isVariable=*/true});
  }
  return curves;
}
