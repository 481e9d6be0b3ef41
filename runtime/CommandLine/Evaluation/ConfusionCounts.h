//===- ConfusionCounts.h - Binary classification metrics --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_EVALUATION_CONFUSIONCOUNTS_H
#define INGOT_RUNTIME_COMMANDLINE_EVALUATION_CONFUSIONCOUNTS_H

#include <array>
#include <cstdint>
#include <span>

namespace ingot {

/// Counts, for the binary classification metrics of Estimator's heads, how many
/// positive and negative examples are predicted to be positive: at each of 200
/// thresholds (as tf.keras.metrics.AUC) and at a threshold of 0.5.
class ConfusionCounts {
public:
  /// Counts a batch: `labels` are 0 or 1, `predictions` the probabilities for
  /// the same elements. `weights` has one weight per example, and each example
  /// has the same number of consecutive labels; if `weights` is empty, all
  /// weights are 1.
  void add(std::span<const float> labels, std::span<const float> predictions,
           std::span<const float> weights = {});

  /// Returns the area under the ROC curve, by the trapezoidal rule over the
  /// rate of false positives.
  double areaUnderRoc() const;
  /// Returns the area under the precision-recall curve. Between two thresholds,
  /// interpolates the counts linearly rather than the precision, as in Davis
  /// and Goadrich, "The Relationship Between Precision-Recall and ROC Curves".
  double areaUnderPrecisionRecall() const;
  /// Precision and recall at a threshold of 0.5. Precision is 0 if no example
  /// is predicted to be positive; recall is 0 if no example is positive.
  double precision() const;
  double recall() const;
  /// Returns the accuracy of always predicting the more frequent class.
  double baseline() const;

private:
  static constexpr size_t numThresholds = 200;
  /// The number of examples that are predicted to be positive, rightly and
  /// wrongly.
  struct TrueAndFalsePositives {
    double right = 0, wrong = 0;
  };
  std::array<TrueAndFalsePositives, numThresholds> at = {};
  TrueAndFalsePositives atHalf,
      all; // `all`: at a threshold below all predictions
};

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_EVALUATION_CONFUSIONCOUNTS_H
