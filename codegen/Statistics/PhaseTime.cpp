//===- PhaseTime.cpp - CPU time of phases of compilation ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Statistics/PhaseTime.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <ctime>
#include <vector>

using namespace ingot;

static bool isEnabled = false;

static std::vector<Phase *> &phases() {
  static auto *all = new std::vector<Phase *>;
  return *all;
}

Phase::Phase(const char *name) : name(name) { phases().push_back(this); }

void Phase::enable() { isEnabled = true; }

void Phase::print(llvm::raw_ostream &os) {
  for (const Phase *phase : phases())
    if (phase->times)
      os << llvm::format("%8.1f ms of CPU  ",
                         static_cast<double>(phase->nanoseconds) * 1e-6)
         << phase->name << " (" << phase->times << ")\n";
}

/// Returns the calling thread's CPU time, or 0 if nothing is measured.
static uint64_t now() {
  if (!isEnabled)
    return 0;
  timespec time;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0)
    return 0;
  return uint64_t(time.tv_sec) * 1000000000 + uint64_t(time.tv_nsec);
}

PhaseTimer::PhaseTimer(Phase &phase) : phase(phase), start(now()) {}

PhaseTimer::~PhaseTimer() {
  if (!isEnabled)
    return;
  phase.nanoseconds += now() - start;
  ++phase.times;
}
