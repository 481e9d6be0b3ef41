//===- LibraryHook.h - A hook in a shared library of the user's -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// --hook LIB.so[:ARGUMENTS], through the C interface of ingot/hook.h. The
// library is loaded by a process of its own (HookHost.c): the trainer is
// static, and a static program cannot load libraries reliably; and a crash in a
// library cannot harm the trainer.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_HOOKS_LIBRARYHOOK_H
#define INGOT_RUNTIME_HOOKS_LIBRARYHOOK_H

#include "runtime/Hooks/HookWire.h"
#include "runtime/Session/AlignedBuffer.h"
#include "runtime/Session/Reporter.h"
#include "runtime/Session/SessionRunHook.h"

#include <deque>
#include <memory>
#include <string>
#include <sys/types.h>

namespace ingot {

class LibraryHook final : public SessionRunHook {
public:
  /// Starts the process and loads `path` there; the hook is made from
  /// `arguments`. A path without a slash is a local file if it exists, else a
  /// library of the system. Fails with the message of the loader or the
  /// library.
  static Expected<std::unique_ptr<LibraryHook>>
  load(const std::string &path, const std::string &arguments,
       Reporter &reporter);
  /// Lets the library destroy its hook, and kills the process if that does not
  /// end.
  ~LibraryHook() override;

  const char *name() const override { return theName.c_str(); }
  HookPriority priority() const override { return thePriority; }
  Status begin(Session &session) override;
  Status afterCreateSession(RunContext &context) override;
  Status beforeRun(RunContext &context, RunRequest &request) override;
  Status afterRun(RunContext &context, const RunValues &values) override;
  Status end(RunContext &context) override;
  Expected<std::string> saveState() override;
  Status restoreState(std::string_view state) override;

private:
  /// A fed tensor's memory.
  struct Fed {
    std::string name;
    std::vector<int64_t> dims;
    AlignedBuffer data;
    std::deque<std::string> strings;
  };

  LibraryHook(std::string path, Reporter &reporter)
      : path(std::move(path)), reporter(reporter) {}
  Status start();
  void startFrame(uint32_t callback, int64_t step, bool restored);
  Status call(const char *callback, RunContext *context);
  bool waitForReply();
  Status readFeed(RunRequest &request);
  Status died(const char *callback);
  void stopProcess(double seconds);

  std::string path, theName;
  Reporter &reporter;
  bool isGivenUp = false; // its process hung, and was ended
  HookPriority thePriority = HookPriority::Observer;
  pid_t process = -1;
  int socket = -1;
  std::unique_ptr<ingot_wire, void (*)(ingot_wire *)> frame{nullptr, nullptr};
  std::vector<std::string> fetches; // that beforeRun asked for
  std::deque<Fed> fed;
  int64_t lastStep = 0; // that the library was told of
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_LIBRARYHOOK_H
