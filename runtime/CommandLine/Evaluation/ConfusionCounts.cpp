//===- ConfusionCounts.cpp - Binary classification metrics ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Evaluation/ConfusionCounts.h"

#include <algorithm>
#include <cmath>

using namespace ingot;

static double ratio(double part, double whole) {
  return whole == 0 ? 0 : part / whole;
}

/// Returns threshold `index` of `count`. The thresholds are evenly spaced
/// between 0 and 1; the first is slightly below 0 and the last slightly above
/// 1, so that every prediction exceeds the first and none the last.
static float threshold(size_t index, size_t count) {
  if (index == 0)
    return -1e-7f;
  if (index + 1 == count)
    return 1 + 1e-7f;
  return static_cast<float>(static_cast<double>(index) /
                            static_cast<double>(count - 1));
}

void ConfusionCounts::add(std::span<const float> labels,
                          std::span<const float> predictions,
                          std::span<const float> weights) {
  std::array<float, numThresholds> thresholds;
  for (size_t i = 0; i < numThresholds; ++i)
    thresholds[i] = threshold(i, numThresholds);
  for (size_t i = 0; i < labels.size(); ++i) {
    double weight =
        weights.empty() ? 1 : weights[i * weights.size() / labels.size()];
    auto count = [&](TrueAndFalsePositives &positives) {
      (labels[i] > 0.5f ? positives.right : positives.wrong) += weight;
    };
    count(all);
    if (predictions[i] > 0.5f)
      count(atHalf);
    // A prediction of NaN exceeds no threshold, as the comparison is false.
    size_t above = static_cast<size_t>(
        std::partition_point(
            thresholds.begin(), thresholds.end(),
            [&](float threshold) { return predictions[i] > threshold; }) -
        thresholds.begin());
    for (size_t t = 0; t < above; ++t)
      count(at[t]);
  }
}

double ConfusionCounts::areaUnderRoc() const {
  double area = 0;
  for (size_t i = 0; i + 1 < numThresholds; ++i) {
    double width =
        ratio(at[i].wrong, all.wrong) - ratio(at[i + 1].wrong, all.wrong);
    area +=
        width *
        (ratio(at[i].right, all.right) + ratio(at[i + 1].right, all.right)) / 2;
  }
  return area;
}

double ConfusionCounts::areaUnderPrecisionRecall() const {
  double area = 0;
  for (size_t i = 0; i + 1 < numThresholds; ++i) {
    double low = at[i].right + at[i].wrong,
           high = at[i + 1].right + at[i + 1].wrong;
    double gained = at[i].right - at[i + 1].right;
    double slope = ratio(gained, std::max(low - high, 0.0));
    double start = at[i + 1].right - slope * high;
    double grown = low > 0 && high > 0 ? low / high : 1;
    area += ratio(slope * (gained + start * std::log(grown)), all.right);
  }
  return area;
}

double ConfusionCounts::precision() const {
  return ratio(atHalf.right, atHalf.right + atHalf.wrong);
}

double ConfusionCounts::recall() const {
  return ratio(atHalf.right, all.right);
}

double ConfusionCounts::baseline() const {
  return ratio(std::max(all.right, all.wrong), all.right + all.wrong);
}
