//===- CollectiveEngine.h - Connects the ranks of a training ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COLLECTIVE_COLLECTIVEENGINE_H
#define INGOT_RUNTIME_COLLECTIVE_COLLECTIVEENGINE_H

#include "runtime/Collective/Collective.h"
#include "runtime/Collective/WaitLimits.h"
#include "runtime/Support/Expected.h"

#include <functional>
#include <memory>
#include <string>

namespace ingot {

struct CollectiveEngineOptions {
  std::string library; // a path; "": the library of the launcher
  std::string host;    // the host of this process, for messages
  /// The time limit of one call, in seconds.
  double timeoutSeconds = 300;
  /// Called when the time limit of a call is over. If it returns true, because
  /// other ranks are known to be busy, the call waits for the same time again.
  /// May be null.
  std::function<bool()> takesLonger;
  /// Returns whether rank 0 is known to be alive. It then reports a timeout of
  /// all ranks, so other ranks wait for it to do so. May be null.
  std::function<bool()> isFirstRankAlive;
  /// Returns a description of the ranks that do not answer, for the message
  /// after a timeout. May be null.
  std::function<std::string()> whoIsLate;
};

/// A connection to the other ranks that a launcher has started.
class CollectiveEngine : public Collective {
public:
  /// Returns the name and version of the MPI library, such as "Open MPI 4.1.4".
  virtual std::string version() const = 0;
  /// Returns the file name of the MPI library that was loaded.
  virtual const std::string &library() const = 0;

  /// Returns the limits of this engine's waits, for other waits for the same
  /// ranks. They refer to this object.
  virtual WaitLimits waitLimits() = 0;

  /// Disconnects after the last call of all ranks. Must not be called after a
  /// failure, as it would wait for ranks that have ended. If a process ends
  /// without this call, the launcher regards it as failed, and ends the other
  /// processes.
  virtual Status finalize() = 0;

  /// Moves on messages of earlier calls. Such a call may have returned while
  /// its bytes are in buffers of this process, which other ranks wait for. To
  /// be called from time to time by a rank that waits outside the engine's
  /// calls.
  virtual Status progress() = 0;

  /// Waits before this rank prints its error, so that the lowest failed rank
  /// prints first and ends the others. Restores the default actions of signals,
  /// as letLowerRanksSpeak() of Collective.h does.
  virtual void waitForErrorsOfLowerRanks() = 0;

  /// Ends all ranks with exit code `exitCode`.
  [[noreturn]] virtual void endAll(int exitCode) = 0;
};

/// Starts an engine (such as MPI). Only programs that were compiled for several
/// processes have a pointer to a factory, so only those are linked with an
/// engine.
struct CollectiveEngineFactory {
  /// Connects this process. Returns once all ranks have called it.
  Expected<std::unique_ptr<CollectiveEngine>> (*start)(
      const CollectiveEngineOptions &options);
  /// Makes the ranks exchange messages through memory that they share, if all
  /// of them are on one machine (SharedMemoryCollective). All ranks must call
  /// it.
  Status (*shareMemory)(std::unique_ptr<CollectiveEngine> &engine);
};

} // namespace ingot

#endif // INGOT_RUNTIME_COLLECTIVE_COLLECTIVEENGINE_H
