//===- FeatureRangeLoggingHook.h - Value ranges of features -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_ADANET_FEATURERANGELOGGINGHOOK_H
#define INGOT_RUNTIME_ADANET_FEATURERANGELOGGINGHOOK_H

#include "runtime/Session/SessionLogger.h"
#include "runtime/Session/SessionRunHook.h"

namespace ingot::adanet {

/// Logs the smallest and largest value of each feature and label in the first
/// batch when training starts at step 0 (AN-190). Features of very different
/// scales, or large labels, often make training diverge at once. The values
/// come from the entry of role first_batch.
class FeatureRangeLoggingHook final : public SessionRunHook {
public:
  FeatureRangeLoggingHook(const ingot_entry &firstBatch,
                          SessionLogger &reporter)
      : entry(firstBatch), reporter(reporter) {}

  const char *name() const override { return "AdaNetRanges"; }
  HookPriority priority() const override { return HookPriority::Observer; }
  Status afterCreateSession(SessionRunContext &context) override;

  /// Returns the range of the values of a tensor, such as "from -1 to 2.5".
  /// Returns "" if the tensor is empty or not numeric.
  static std::string describe(const ingot_tensor_spec &spec, const void *data);

private:
  const ingot_entry &entry;
  SessionLogger &reporter;
};

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_FEATURERANGELOGGINGHOOK_H
