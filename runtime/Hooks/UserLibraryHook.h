//===- UserLibraryHook.h - A hook in a user's shared library ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Implements --hook LIB.so[:ARGUMENTS] with the C interface of ingot/hook.h.
// The library is loaded in a process of its own (HookHost.c), because the
// trainer is a static executable, which cannot load libraries reliably. Also, a
// crash of the library cannot harm the trainer.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_HOOKS_USERLIBRARYHOOK_H
#define INGOT_RUNTIME_HOOKS_USERLIBRARYHOOK_H

#include "runtime/Hooks/CheckpointSaverListener.h"
#include "runtime/Hooks/HookProtocol.h"
#include "runtime/Session/AlignedBuffer.h"
#include "runtime/Session/FeedDefaults.h"
#include "runtime/Session/SessionLogger.h"
#include "runtime/Session/SessionRunHook.h"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <sys/types.h>

namespace ingot {

/// A hook whose callbacks are in a user's library. Forwards each call to the
/// host process that has loaded the library, and waits for the reply of that
/// process.
class UserLibraryHook final : public SessionRunHook {
public:
  /// Starts the host process, loads library `path` there and creates the hook
  /// with `arguments`. A path without a slash is a file in the current
  /// directory if it exists, else a library of the system. Returns the message
  /// of the dynamic loader or the library on failure.
  static Expected<std::unique_ptr<UserLibraryHook>>
  load(const std::string &path, const std::string &arguments,
       SessionLogger &reporter);
  /// Lets the library destroy its hook, and kills the process if it does not
  /// exit within 5 s.
  ~UserLibraryHook() override;

  /// Returns a listener that forwards its calls to the library's callbacks
  /// about checkpoints, or null if the library has no such callbacks. The
  /// listener must not be called after the hook is destroyed.
  std::shared_ptr<CheckpointSaverListener> makeListener();

  const char *name() const override { return theName.c_str(); }
  HookPriority priority() const override { return thePriority; }
  Status begin(Session &session) override;
  Status afterCreateSession(SessionRunContext &context) override;
  Status beforeRun(SessionRunContext &context,
                   SessionRunArgs &request) override;
  Status afterRun(SessionRunContext &context,
                  const SessionRunValues &values) override;
  Status end(SessionRunContext &context) override;
  Expected<std::string> saveState() override;
  Status restoreState(std::string_view state) override;

private:
  class Listener;
  /// An entry that the hook has run, with the defaults of its feeds.
  struct EntryPointWithFeedDefaults {
    BoundEntryPoint entry;
    FeedDefaults defaults;
  };
  /// The name and elements of a tensor that the hook feeds. They must stay in
  /// memory until the step has run.
  struct UserHookFeed {
    std::string name;
    std::vector<int64_t> dims;
    AlignedBuffer data;
    std::deque<std::string> strings;
  };

public:
  /// Must be called if several ranks train together and only rank 0 has this
  /// hook. The hook must then change no variables or feeds, because it would
  /// change them on one rank only.
  void observeOnly() { observesOnly = true; }

private:
  UserLibraryHook(std::string path, SessionLogger &reporter)
      : path(std::move(path)), reporter(reporter) {}
  Status start();
  void startFrame(uint32_t callback, int64_t step, uint32_t flags = 0);
  void startFrame(uint32_t callback, const SessionRunContext &context);
  Status call(const char *callback, SessionRunContext *context);
  Status exchange(const char *callback, SessionRunContext *context);
  bool waitForReply();
  void readStop(SessionRunContext *context);
  Expected<ingot_tensor> readTensor(UserHookFeed &feed);
  void answerRunEntry(SessionRunContext *context);
  Expected<const BoundEntryPoint *> runEntry(SessionRunContext &context);
  Status died(const char *callback);
  void stopProcess(double seconds);

  std::string path, theName;
  SessionLogger &reporter;
  bool observesOnly = false;
  bool isGivenUp = false; // the host process hung and was killed
  HookPriority thePriority = HookPriority::Observer;
  pid_t process = -1;
  int socket = -1;
  std::unique_ptr<ingot_wire, void (*)(ingot_wire *)> frame{nullptr, nullptr};
  std::vector<std::string> fetches; // names that before_run requested
  std::deque<UserHookFeed> fed;
  int64_t lastStep = 0; // global step last sent to the library
  bool listens = false; // the library has callbacks about checkpoints
  /// The entries that the library has run in the current session.
  std::map<const ingot_entry *, EntryPointWithFeedDefaults> runnable;
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_USERLIBRARYHOOK_H
