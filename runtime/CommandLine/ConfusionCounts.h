//===- ConfusionCounts.h - Right and wrong at many thresholds ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_CONFUSIONCOUNTS_H
#define INGOT_RUNTIME_COMMANDLINE_CONFUSIONCOUNTS_H

#include <array>
#include <cstdint>
#include <span>

namespace ingot {

/// The counts of Estimator's heads for two classes: how many examples of each
/// are predicted to be positive, at each of 200 thresholds
/// (tf.keras.metrics.AUC's) and at a half.
class ConfusionCounts {
public:
  /// Labels are 0 or 1, predictions probabilities; there are as many of both.
  /// `weights` are those of examples, each of which has the same number of
  /// consecutive labels; none: all have weight 1.
  void add(std::span<const float> labels, std::span<const float> predictions,
           std::span<const float> weights = {});

  /// Integrates by the trapezoidal rule, over the rate of false positives.
  double areaUnderRoc() const;
  /// Precision between two thresholds goes as counts do, not as itself: Davis
  /// and Goadrich, "The Relationship Between Precision-Recall and ROC Curves".
  double areaUnderPrecisionRecall() const;
  /// At a half; 0 where nothing is, or is predicted to be, positive.
  double precision() const;
  double recall() const;
  /// The accuracy of always predicting the class that most examples are of.
  double baseline() const;

private:
  static constexpr size_t numThresholds = 200;
  struct Positives {
    double right = 0, wrong = 0;
  };
  std::array<Positives, numThresholds> at = {};
  Positives atHalf, all; // of all examples, as if all were predicted positive
};

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_CONFUSIONCOUNTS_H
