//===- FinalCheckpointWaiterHook.h - Votes after the last step --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_HOOKS_FINALCHECKPOINTWAITERHOOK_H
#define INGOT_RUNTIME_HOOKS_FINALCHECKPOINTWAITERHOOK_H

#include "runtime/Session/RankGroup.h"
#include "runtime/Session/SessionRunHook.h"

namespace ingot {

/// On ranks other than 0: takes part in votes after the last step until rank 0
/// has saved the last checkpoint, so that this rank writes its shard of that
/// checkpoint before it ends.
class FinalCheckpointWaiterHook final : public SessionRunHook {
public:
  explicit FinalCheckpointWaiterHook(RankGroup &ranks) : ranks(ranks) {}

  const char *name() const override { return "VoteServer"; }
  HookPriority priority() const override { return HookPriority::Saver; }
  Status end(SessionRunContext &) override { return ranks.endVotes(); }

private:
  RankGroup &ranks;
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_FINALCHECKPOINTWAITERHOOK_H
