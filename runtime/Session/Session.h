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
  unsigned threads = 0; // 0: the program's default, else one a core
  /// The device for kernels: "cpu", "cuda:0"; empty: the program's default.
  std::string device;
  std::string dataDirectory;
  DataMap dataMap;
  /// The seed of random ops without seeds of their own; absent: random.
  std::optional<int64_t> seed;
  FileSystem *fileSystem = &FileSystem::posix();
};

class Session;

/// An entry with the memory that running it takes. Made once, run many times.
class BoundEntry {
public:
  const ingot_entry &entry() const { return *theEntry; }
  /// With the shapes that they had in the last run; before the first one with
  /// those that the entry states.
  std::span<const ingot_tensor_spec> fetches() const { return fetchSpecs; }
  const ingot_tensor_spec &fetchSpec(size_t index) const {
    return fetchSpecs[index];
  }
  /// The value of fetch `index` after the last run, until this entry runs
  /// again.
  const void *fetch(size_t index) const;

private:
  friend class Session;
  const ingot_entry *theEntry = nullptr;
  AlignedBuffer arena, fetchStorage;
  /// Memory allocated during a run, fetches of dynamic shape among it.
  std::unique_ptr<RunMemory> memory = std::make_unique<RunMemory>();
  std::vector<ingot_tensor> fetchTensors;
  std::vector<std::vector<int64_t>> fetchDims;
  std::vector<ingot_tensor_spec> fetchSpecs;
  /// For fetches that are copied on request: the session.
  const Session *asksFor = nullptr;
  LaunchSchedules schedules;
  /// The variables that it assigns have values.
  bool hasRun = false;
};

/// A checked program, its state and the target that runs here. Not for several
/// threads.
class Session {
public:
  static Expected<std::unique_ptr<Session>>
  create(const ingot_program &program, const SessionOptions &options);

  const ingot_program &program() const { return *theContext->program; }
  ingot_context &context() { return *theContext; }
  const char *target() const { return program().targets[theContext->target]; }

  /// Allocates the memory of `entry`.
  Expected<BoundEntry> bind(const ingot_entry &entry);

  /// Runs an entry once; InvalidArgument where a feed is not of the type and
  /// shape that the entry states. Summaries go to `summaries` unless it is
  /// null. The variables that the entry assigns have values afterwards.
  Status run(BoundEntry &bound, std::span<const ingot_tensor> feeds = {},
             SummaryCollector *summaries = nullptr);

  /// If a device computes, the entry's fetches are copied to the host one by
  /// one, each when fetch() is called for it. Failures are reported by
  /// deviceStatus(), and by the next call of the session.
  void fetchWhenAsked(BoundEntry &bound);
  Status deviceStatus() const;

  /// bind() and run() for an entry without feeds.
  Status runOnce(const ingot_entry &entry);

  /// `observer` is notified of computations from now on; may be null.
  void observe(RunObserver *observer);

  /// Makes it a session that was just created: no variable has a value, no
  /// iterator is made. Bound entries stay good.
  Status reset();

  /// The global step variable; where the program has none, the step entry's
  /// runs, counted from setGlobalStep().
  int64_t globalStep() const;
  /// For programs without a global step variable: the step of the checkpoint
  /// that was restored.
  void setGlobalStep(int64_t step) { countedSteps = step; }

private:
  friend class BoundEntry;
  explicit Session(const SessionOptions &options) : options(options) {}
  Status createState(const ingot_program &program);
  Status openDevice(const ingot_program &program);

  SessionOptions options;
  RunObserver *observer = nullptr;
  std::unique_ptr<ingot_context> theContext;
  int64_t countedSteps = 0;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_SESSION_H
