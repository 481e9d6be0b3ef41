//===- SummaryCollector.h - Collects a step's summaries ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SUMMARY_SUMMARYCOLLECTOR_H
#define INGOT_RUNTIME_SUMMARY_SUMMARYCOLLECTOR_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ingot {

/// A scalar summary: one point of a curve.
struct ScalarSummary {
  std::string tag;
  float value;
};

/// A summary of any other kind, such as a histogram or an image.
struct SummaryValue {
  /// The step under which the value is recorded: the `step` input of the
  /// graph's summary op, or -1 for the step that is running.
  int64_t step;
  /// The value, a serialized proto::Summary::Value.
  std::string serialized;
};

/// Collects the summaries that runtime ops and compiled code record during a
/// step.
class SummaryCollector {
public:
  /// Adds a scalar. `value` points to an element of numeric type `dtype`; it is
  /// rounded to float32, the type of scalars in event files. An element of any
  /// other type is ignored.
  void addScalar(const char *tag, int32_t dtype, const void *value);

  void addValue(int64_t step, std::string serialized) {
    theValues.push_back({step, std::move(serialized)});
  }

  const std::vector<ScalarSummary> &scalars() const { return theScalars; }
  const std::vector<SummaryValue> &values() const { return theValues; }
  void clear() {
    theScalars.clear();
    theValues.clear();
  }

private:
  std::vector<SummaryValue> theValues;
  std::vector<ScalarSummary> theScalars;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SUMMARY_SUMMARYCOLLECTOR_H
