//===- Collective.cpp - Moves bytes between ranks -------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Collective/Collective.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

using namespace ingot;

Collective::~Collective() = default;

Status Collective::exchangeInPlace(std::span<const ConstBytes> send,
                                   std::span<Bytes> receive) {
  std::vector<Bytes> places(receive.begin(), receive.end());
  return exchange(send, places);
}

Status Collective::gatherFrom(ConstBytes, Bytes, std::span<const size_t>) {
  return Status(StatusCode::Unimplemented,
                "this engine does not read messages in place");
}

Status SingleRankCollective::exchange(std::span<const ConstBytes>,
                                      std::span<const Bytes>) {
  return Status::ok();
}

Status SingleRankCollective::gather(Bytes, std::span<const size_t>) {
  return Status::ok();
}

Status SingleRankCollective::broadcast(Bytes, unsigned) { return Status::ok(); }

void SingleRankCollective::abort(const Status &why) {
  std::fprintf(stderr, "error: %s\n", why.message().c_str());
  std::_Exit(1);
}

void ingot::letLowerRanksSpeak(unsigned rank) {
  // The launcher ends the processes by SIGTERM. Restore the default action, so
  // that the signal ends this process instead of only requesting a stop.
  for (int signal : {SIGINT, SIGTERM, SIGHUP})
    (void)std::signal(signal, SIG_DFL);
  // CollectiveEngine::endAll() and the launcher take less than 750 ms to end
  // all processes. So each rank waits that much longer before it prints than
  // the rank before it: the lowest failed rank prints first. Ranks from the
  // eighth on wait equally long.
  constexpr unsigned milliseconds = 750, most = 8;
  std::this_thread::sleep_for(
      std::chrono::milliseconds(milliseconds * std::min(rank, most)));
}
