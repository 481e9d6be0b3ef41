//===- Histogram.h - Histograms for TensorBoard -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SUMMARY_HISTOGRAM_H
#define INGOT_RUNTIME_SUMMARY_HISTOGRAM_H

#include <cfloat>
#include <vector>

namespace ingot {

namespace proto {
class HistogramProto;
} // namespace proto

/// A histogram with TensorFlow's buckets. From 1e-12 to 1e20 each limit of a
/// bucket is 1.1 times the one before it; the negative limits mirror these.
class Histogram {
public:
  Histogram();

  /// Adds `value`, which must be finite.
  void add(double value);

  /// Writes the histogram. Consecutive empty buckets are merged into one.
  void write(proto::HistogramProto &proto) const;

private:
  std::vector<double> counts;
  double min = DBL_MAX, max = -DBL_MAX, number = 0, sum = 0, squares = 0;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SUMMARY_HISTOGRAM_H
