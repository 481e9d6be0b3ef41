//===- PhaseTime.h - CPU time of phases of compilation ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Adds up the CPU time of phases that run on several threads at once, such as
// the code generation of kernels, for --time: wall-clock time does not say how
// the threads' work divides into phases.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_STATISTICS_PHASETIME_H
#define INGOT_CODEGEN_STATISTICS_PHASETIME_H

#include <atomic>
#include <cstdint>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace ingot {

/// The total CPU time of a phase over all threads. Objects are global variables
/// and are listed in the order of their construction.
class Phase {
public:
  /// `name` must be a string literal: only a pointer to it is kept.
  explicit Phase(const char *name);

  /// Starts measuring. Must be called before other threads begin a phase.
  static void enable();
  /// Prints the times of all phases that have run, one per line.
  static void print(llvm::raw_ostream &os);

private:
  friend class PhaseTimer;
  const char *name;
  std::atomic<uint64_t> nanoseconds = 0, times = 0;
};

/// Adds to a phase the CPU time that the calling thread spends while this
/// object lives.
class PhaseTimer {
public:
  explicit PhaseTimer(Phase &phase);
  ~PhaseTimer();
  PhaseTimer(const PhaseTimer &) = delete;
  PhaseTimer &operator=(const PhaseTimer &) = delete;

private:
  Phase &phase;
  uint64_t start;
};

} // namespace ingot

#endif // INGOT_CODEGEN_STATISTICS_PHASETIME_H
