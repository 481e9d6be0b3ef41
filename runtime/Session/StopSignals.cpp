//===- StopSignals.cpp - SIGINT and SIGTERM as a request to stop ----------===//

#include "runtime/Session/StopSignals.h"

#include <atomic>
#include <csignal>

using namespace ingot;

// The handler may run on any thread.
static std::atomic<int> first = 0;
static_assert(std::atomic<int>::is_always_lock_free);
static struct sigaction oldInterrupt, oldTerminate;

static void remember(int signal) {
  int none = 0;
  first.compare_exchange_strong(none, signal);
}

StopSignals::StopSignals() {
  first = 0;
  struct sigaction action = {};
  action.sa_handler = remember;
  sigemptyset(&action.sa_mask);
  // Reads and writes of files go on as if nothing had happened.
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, &oldInterrupt);
  ::sigaction(SIGTERM, &action, &oldTerminate);
}

StopSignals::~StopSignals() {
  ::sigaction(SIGINT, &oldInterrupt, nullptr);
  ::sigaction(SIGTERM, &oldTerminate, nullptr);
}

int StopSignals::caught() { return first; }
