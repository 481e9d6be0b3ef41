//===- FeedHook.h - The same feeds in every step ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_FEEDS_FEEDHOOK_H
#define INGOT_RUNTIME_COMMANDLINE_FEEDS_FEEDHOOK_H

#include "runtime/CommandLine/Feeds/FeedValue.h"
#include "runtime/Session/SessionRunHook.h"

namespace ingot {

/// A placeholder's name and the value to feed.
struct NamedFeed {
  std::string name;
  FeedValue value;
};

/// Feeds the values of --feed in every step, as TensorFlow's FeedFnHook does.
class FeedHook final : public SessionRunHook {
public:
  explicit FeedHook(std::vector<NamedFeed> feeds) : feeds(std::move(feeds)) {}

  const char *name() const override { return "Feed"; }
  HookPriority priority() const override { return HookPriority::Observer; }
  Status beforeRun(SessionRunContext &context,
                   SessionRunArgs &request) override {
    for (NamedFeed &feed : feeds)
      request.feeds.push_back({feed.name, feed.value.tensor()});
    return Status::ok();
  }

private:
  std::vector<NamedFeed> feeds;
};

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_FEEDS_FEEDHOOK_H
