//===- Session.h - A program, its state, its entries ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SESSION_SESSION_H
#define INGOT_RUNTIME_SESSION_SESSION_H

#include "runtime/Session/Context.h"
#include "runtime/Session/Program.h"
#include "runtime/Summary/SummaryCollector.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ingot {

struct SessionOptions {
  unsigned threads = 0; // 0: the program's default, or one per core
  /// The device that runs kernels, such as "cpu" or "cuda:0"; "" for the
  /// program's default. A name without a number is device 0 or, if several
  /// ranks train on this machine, device `rankOnHost`; if there are fewer
  /// devices, ranks share them.
  std::string device;
  std::optional<unsigned> rankOnHost;
  std::string dataDirectory;
  DataMap dataMap;
  /// The seed of random ops that have no seeds of their own; std::nullopt: a
  /// random seed.
  std::optional<int64_t> seed;
  FileSystem *fileSystem = &FileSystem::posix();
};

class Session;

/// An entry (a compiled function of the program, such as the training step) and
/// the memory that it needs to run. An entry is bound once and can be run many
/// times.
class BoundEntryPoint {
public:
  const ingot_entry &entry() const { return *theEntry; }
  /// The types and shapes of the fetches. The shapes are those of the last run;
  /// before the first run, they are the declared ones.
  std::span<const ingot_tensor_spec> fetches() const { return fetchSpecs; }
  const ingot_tensor_spec &fetchSpec(size_t index) const {
    return fetchSpecs[index];
  }
  /// Returns the value of fetch `index` in the last run. It is valid until this
  /// entry runs again.
  const void *fetch(size_t index) const;

private:
  friend class Session;
  const ingot_entry *theEntry = nullptr;
  AlignedBuffer arena, fetchStorage;
  /// Memory that is allocated during a run, such as fetches of dynamic shape. A
  /// device keeps a weak pointer to it, to notice that this object was
  /// destroyed.
  std::shared_ptr<RunArena> memory = std::make_shared<RunArena>();
  std::vector<ingot_tensor> fetchTensors;
  std::vector<std::vector<int64_t>> fetchDims;
  std::vector<ingot_tensor_spec> fetchSpecs;
  /// The session, if fetches are copied from its device only on request
  /// (fetchWhenAsked()); else null.
  const Session *asksFor = nullptr;
  EntryLaunchTuning schedules;
  /// True after the first run. The variables that the entry assigns are
  /// initialized then.
  bool hasRun = false;
};

/// A checked program with its state, and the code for this machine. Not
/// thread-safe.
class Session {
public:
  static Expected<std::unique_ptr<Session>>
  create(const ingot_program &program, const SessionOptions &options);

  const ingot_program &program() const { return *theContext->program; }
  ingot_context &context() { return *theContext; }
  const char *target() const { return program().targets[theContext->target]; }

  /// Allocates the memory that `entry` needs to run.
  Expected<BoundEntryPoint> bind(const ingot_entry &entry);

  /// Runs a compiled function once, and marks the variables that it assigns as
  /// initialized. Returns InvalidArgument if a feed does not have the type and
  /// shape that the entry states. Summaries go to `summaries` unless it is
  /// null.
  Status run(BoundEntryPoint &bound, std::span<const ingot_tensor> feeds = {},
             SummaryCollector *summaries = nullptr);

  /// For sessions on a device: from now on, fetches of the entry are not copied
  /// to the host after each run. A fetch is copied only when fetch() is called
  /// for it. deviceStatus() and the next call of the session return errors of
  /// such a copy.
  void fetchWhenAsked(BoundEntryPoint &bound);
  Status deviceStatus() const;

  /// Binds and runs an entry without feeds.
  Status runOnce(const ingot_entry &entry);

  /// From now on notifies `observer` of each kernel that runs; null ends that.
  void observe(RunObserver *observer);
  /// From now on notifies `observer` of each schedule that is chosen; null ends
  /// that. While observe() has an observer, no schedules are chosen: launches
  /// then run one after the other.
  void observeSchedules(ScheduleObserver *observer);

  /// Resets the session to the state after creation: no variable has a value,
  /// no iterator is made. Bound entries remain valid.
  Status reset();

  /// Returns the value of the global step variable. If the program has none,
  /// returns the step set by setGlobalStep() plus the number of runs of the
  /// step entry since.
  int64_t globalStep() const;
  /// Sets the step at which counting begins in programs without a global step
  /// variable: the step of the restored checkpoint.
  void setGlobalStep(int64_t step) { countedSteps = step; }

private:
  friend class BoundEntryPoint;
  explicit Session(const SessionOptions &options) : options(options) {}
  Status createState(const ingot_program &program);
  Status openDevice(const ingot_program &program);

  SessionOptions options;
  RunObserver *observer = nullptr;
  ScheduleObserver *scheduleObserver = nullptr;
  std::unique_ptr<ingot_context> theContext;
  int64_t countedSteps = 0;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_SESSION_H
