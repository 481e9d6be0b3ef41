//===- RangesHook.h - What a search begins with -----------------*- C++ -*-===//
#ifndef INGOT_RUNTIME_ADANET_RANGESHOOK_H
#define INGOT_RUNTIME_ADANET_RANGESHOOK_H

#include "runtime/Session/Reporter.h"
#include "runtime/Session/SessionRunHook.h"

namespace ingot::adanet {

/// AN-190: says at step 0 in which ranges features and labels are, by what
/// entry `first_batch` gives: features of scales that are far apart, or large
/// targets, are the usual reason for a training that diverges at once.
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
