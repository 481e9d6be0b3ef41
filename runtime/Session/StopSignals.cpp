//===- StopSignals.cpp - Signals as a request to stop ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/StopSignals.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <iterator>
#include <unistd.h>

using namespace ingot;

// The first stop signal that has arrived; 0 if none has. Atomic, because the
// kernel may run the handler on any thread.
static std::atomic<int> first = 0;
static_assert(std::atomic<int>::is_always_lock_free);
static bool isTerminal = false;
static std::atomic<bool> stopsTogether = false;
static struct sigaction oldActions[std::size(signalsToStop)];

// The time of the first SIGINT in milliseconds; 0 if none has arrived.
static std::atomic<int64_t> interruptedAt = 0;

/// Records a stop signal. The signal handler calls this, so only
/// async-signal-safe functions may be called here.
static void note(int signal) {
  int none = 0;
  first.compare_exchange_strong(none, signal);
  if (signal != SIGINT)
    return;
  timespec time;
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  int64_t now = int64_t(time.tv_sec) * 1000 + time.tv_nsec / 1000000 + 1;
  int64_t before = 0;
  // Ends the process at the second SIGINT. Ignores a SIGINT that comes less
  // than 1 s after the first, since a shell or a script may deliver one key
  // press as several signals.
  if (interruptedAt.compare_exchange_strong(before, now)) {
    static const char text[] = "\nstopping after this step and its checkpoint; "
                               "press Ctrl-C again to quit now\n";
    if (isTerminal)
      (void)!::write(STDERR_FILENO, text, sizeof(text) - 1);
  } else if (now - before > 1000) {
    ::_exit(128 + SIGINT);
  }
}

/// The handler of the stop signals.
static void remember(int signal) {
  // Preserve errno, since the interrupted code may be about to read it.
  int error = errno;
  note(signal);
  errno = error;
}

const char *ingot::signalName(int signal) {
  return signal == SIGINT ? "SIGINT" : signal == SIGTERM ? "SIGTERM" : "SIGHUP";
}

bool ingot::stopsBy(int signal) {
  struct sigaction action = {};
  return signal != SIGHUP || ::sigaction(signal, nullptr, &action) != 0 ||
         action.sa_handler != SIG_IGN;
}

StopSignals::StopSignals() {
  first = 0;
  interruptedAt = 0;
  stopsTogether = false;
  isTerminal = ::isatty(STDERR_FILENO) != 0;
  struct sigaction action = {};
  action.sa_handler = remember;
  sigemptyset(&action.sa_mask);
  // SA_RESTART makes the kernel restart system calls that the signal
  // interrupts, such as reads of files.
  action.sa_flags = SA_RESTART;
  for (size_t i = 0; i < std::size(signalsToStop); ++i) {
    bool stops = stopsBy(signalsToStop[i]);
    ::sigaction(signalsToStop[i], stops ? &action : nullptr, &oldActions[i]);
  }
}

StopSignals::~StopSignals() {
  for (size_t i = 0; i < std::size(signalsToStop); ++i)
    ::sigaction(signalsToStop[i], &oldActions[i], nullptr);
}

int StopSignals::caught() { return first; }

int StopSignals::interrupting() { return stopsTogether ? 0 : caught(); }

void StopSignals::stopTogether() { stopsTogether = true; }
