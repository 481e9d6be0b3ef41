//===- SummaryCollector.h - The summaries of one step -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SUMMARY_SUMMARYCOLLECTOR_H
#define INGOT_RUNTIME_SUMMARY_SUMMARYCOLLECTOR_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ingot {

/// One point of a curve.
struct ScalarSummary {
  std::string tag;
  float value;
};

/// A point of any other kind.
struct SummaryValue {
  /// The step that the graph says it belongs to; -1: the one that runs.
  int64_t step;
  /// A serialized proto::Summary::Value.
  std::string serialized;
};

/// Collects the summaries of a running step.
class SummaryCollector {
public:
  /// `value` is one element of numeric type `dtype`; it is rounded to float32,
  /// the type of event files. Other types are dropped.
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
