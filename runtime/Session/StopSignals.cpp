//===- StopSignals.cpp - SIGINT and SIGTERM as a request to stop ----------===//

#include "runtime/Session/StopSignals.h"

#include <csignal>

using namespace ingot;

static volatile std::sig_atomic_t first = 0;
static struct sigaction oldInterrupt, oldTerminate;

static void remember(int signal) {
  if (first == 0)
    first = signal;
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
