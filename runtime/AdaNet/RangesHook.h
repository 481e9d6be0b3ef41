//===- RangesHook.h - Ranges of a search's first batch ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_ADANET_RANGESHOOK_H
#define INGOT_RUNTIME_ADANET_RANGESHOOK_H

#include "runtime/Session/Reporter.h"
#include "runtime/Session/SessionRunHook.h"

namespace ingot::adanet {

/// AN-190: logs at step 0 the ranges of features and labels, from the entry of
/// role first_batch: features of very different scales, or large targets, are
/// the usual reason for training that diverges at once.
class RangesHook final : public SessionRunHook {
public:
  RangesHook(const ingot_entry &firstBatch, Reporter &reporter)
      : entry(firstBatch), reporter(reporter) {}

  const char *name() const override { return "AdaNetRanges"; }
  HookPriority priority() const override { return HookPriority::Observer; }
  Status afterCreateSession(RunContext &context) override;

  /// A description of a tensor: "from -1 to 2.5"; nothing for one that is empty
  /// or not numeric.
  static std::string describe(const ingot_tensor_spec &spec, const void *data);

private:
  const ingot_entry &entry;
  Reporter &reporter;
};

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_RANGESHOOK_H
