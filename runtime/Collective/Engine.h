//===- Engine.h - What starts and connects the ranks ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COLLECTIVE_ENGINE_H
#define INGOT_RUNTIME_COLLECTIVE_ENGINE_H

#include "runtime/Collective/Collective.h"
#include "runtime/Support/Expected.h"

#include <functional>
#include <memory>
#include <string>

namespace ingot {

struct EngineOptions {
  std::string library; // a path; "": the launcher's
  std::string host;    // of this process, for messages
  /// The longest time for one call.
  double timeoutSeconds = 300;
  /// Asked when this time is over: returns true to wait for as long again, as
  /// the others are known to be at work; may be null.
  std::function<bool()> takesLonger;
  /// Returns what is known of the ranks that do not answer, for the message
  /// after a timeout; may be null.
  std::function<std::string()> whoIsLate;
};

/// A connection to the other ranks that a launcher has started.
class Engine : public Collective {
public:
  /// Returns name and version, such as "Open MPI 4.1.4".
  virtual std::string version() const = 0;
  /// The library that was loaded.
  virtual const std::string &library() const = 0;

  /// Disconnects, after the last call of all ranks. Not to be called after a
  /// failure: it would wait for ranks that are gone. A process that ends
  /// without it has failed, and its launcher ends the others.
  virtual Status finalize() = 0;

  /// Waits while ranks with lower numbers may have failed too: of ranks that
  /// fail together, where a file is missing or a peer is gone, one is to say
  /// why. The launcher ends this process meanwhile if one of them has.
  virtual void letLowerRanksSpeak() = 0;
  /// Ends all ranks.
  [[noreturn]] virtual void endAll(int exitCode) = 0;
};

/// What the descriptor of a program for several processes refers to, so that
/// only these programs link an engine.
struct EngineFunctions {
  /// Connects this process. Returns once all ranks have called it.
  Expected<std::unique_ptr<Engine>> (*start)(const EngineOptions &options);
};

} // namespace ingot

#endif // INGOT_RUNTIME_COLLECTIVE_ENGINE_H
