//===- SummaryCollector.h - The summaries of one step -----------*- C++ -*-===//
#ifndef INGOT_RUNTIME_SUMMARY_SUMMARYCOLLECTOR_H
#define INGOT_RUNTIME_SUMMARY_SUMMARYCOLLECTOR_H

#include <cstdint>
#include <string>
#include <vector>

namespace ingot {

/// One point of a curve.
struct ScalarSummary {
  std::string tag;
  float value;
};

/// Takes what a running step summarizes.
class SummaryCollector {
public:
  /// `value` is one element of numeric type `dtype`; it is rounded to float32,
  /// which is what event files hold. Other types are left out.
  void addScalar(const char *tag, int32_t dtype, const void *value);

  const std::vector<ScalarSummary> &scalars() const { return theScalars; }
  void clear() { theScalars.clear(); }

private:
  std::vector<ScalarSummary> theScalars;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SUMMARY_SUMMARYCOLLECTOR_H
