//===- ReduceLearningRateHook.h - Reduces rates on plateaus -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Implements tf.keras.callbacks.ReduceLROnPlateau for evaluations: each
// evaluation counts like an epoch in Keras.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_HOOKS_REDUCELEARNINGRATEHOOK_H
#define INGOT_RUNTIME_HOOKS_REDUCELEARNINGRATEHOOK_H

#include "runtime/Hooks/EarlyStoppingHook.h"

#include <cmath>
#include <optional>

namespace ingot {

/// The arguments of ReduceLROnPlateau, with Keras's defaults.
struct PlateauOptions {
  std::string metric;
  bool wantsMore = false; // the mode "max": higher values are better
  double factor = 0.1;
  int64_t patience = 10;
  double minDelta = 1e-4;
  int64_t cooldown = 0;
  double minRate = 0;
  uint32_t variable = 0; // index of the learning rate
};

/// The rule of Keras's ReduceLROnPlateau with its state: the best value of the
/// metric, and the counters of `patience` and `cooldown`.
class ReduceLROnPlateauRule {
public:
  explicit ReduceLROnPlateauRule(const PlateauOptions &options)
      : options(options), best(options.wantsMore ? -INFINITY : INFINITY) {}

  /// Updates the state with `value`, the metric of the next evaluation. `rate`
  /// is the current learning rate. Returns the new learning rate if the rate
  /// has to be reduced.
  std::optional<double> next(double value, double rate);

  std::string save() const;
  /// Returns false, and changes nothing, if `text` is not a result of save()
  /// for the same metric.
  bool restore(const std::string &text);

private:
  PlateauOptions options;
  double best;
  int64_t wait = 0, coolingDown = 0;
};

/// Multiplies the learning rate, a variable of the program, by a factor when
/// the evaluations of a metric have not improved for a while. The rule's state
/// is saved with the model, so a resumed run has the same learning rates as one
/// that was never stopped.
class ReduceLearningRateHook final : public SessionRunHook {
public:
  /// `history` reads all evaluations of the metric; it is called by check().
  ReduceLearningRateHook(PlateauOptions options,
                         std::function<Expected<MetricHistory>()> history,
                         SessionLogger &reporter)
      : options(std::move(options)), rule(this->options),
        history(std::move(history)), reporter(reporter) {}

  const char *name() const override { return "ReduceLearningRate"; }
  HookPriority priority() const override { return HookPriority::Control; }
  Status afterCreateSession(SessionRunContext &context) override;
  Expected<std::string> saveState() override;
  Status restoreState(std::string_view state) override;

  /// Applies the rule to the evaluations since the last call, up to the current
  /// step. A listener calls this function after each evaluation.
  Status check(SessionRunContext &context);

private:
  PlateauOptions options;
  ReduceLROnPlateauRule rule;
  std::function<Expected<MetricHistory>()> history;
  SessionLogger &reporter;
  /// The step of the last evaluation to which the rule was applied.
  std::optional<int64_t> seen;
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_REDUCELEARNINGRATEHOOK_H
