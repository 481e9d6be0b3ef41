//===- FakeCollective.cpp - Ranks that are threads ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "FakeCollective.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <thread>

using namespace ingot;

class FakeCollectives::Rank final : public Collective {
public:
  Rank(FakeCollectives &all, unsigned number) : all(all), number(number) {}

  unsigned rank() const override { return number; }
  unsigned size() const override {
    return static_cast<unsigned>(all.ranks.size());
  }
  Status exchange(std::span<const ConstBytes> send,
                  std::span<const Bytes> receive) override {
    return all.call(number, {Kind::Exchange, send, receive, {}, {}, 0, {}});
  }
  bool readsInPlace() const override { return all.readsInPlace; }
  Status exchangeInPlace(std::span<const ConstBytes> send,
                         std::span<Bytes> receive) override {
    if (!readsInPlace())
      return Collective::exchangeInPlace(send, receive);
    return all.call(number, {Kind::InPlace, send, {}, {}, {}, 0, receive});
  }
  Status gatherFrom(ConstBytes mine, Bytes bytes,
                    std::span<const size_t> sizes) override {
    std::vector<ConstBytes> send(size(), mine);
    std::vector<Bytes> parts;
    size_t offset = 0;
    for (size_t length : sizes) {
      parts.push_back(bytes.subspan(offset, length));
      offset += length;
    }
    std::vector<Bytes> places = parts;
    INGOT_RETURN_IF_ERROR(exchangeInPlace(send, parts));
    for (unsigned r = 0; r < size(); ++r) {
      ConstBytes from = r == number ? mine : parts[r];
      if (!from.empty())
        std::memcpy(places[r].data(), from.data(), from.size());
    }
    return Status::ok();
  }
  Status waitForReaders() override {
    std::vector<ConstBytes> none(size());
    std::vector<Bytes> places(size());
    return readsInPlace() ? exchangeInPlace(none, places) : Status::ok();
  }
  Status gather(Bytes bytes, std::span<const size_t> sizes) override {
    return all.call(number, {Kind::Gather, {}, {}, bytes, sizes, 0, {}});
  }
  Status broadcast(Bytes bytes, unsigned root) override {
    return all.call(number, {Kind::Broadcast, {}, {}, bytes, {}, root, {}});
  }
  [[noreturn]] void abort(const Status &why) override {
    std::fprintf(stderr, "rank %u: %s\n", number, why.message().c_str());
    std::_Exit(1);
  }

  FakeCollectives &all;
  unsigned number;
  size_t numCalls = 0, sent = 0;
  std::optional<size_t> failing;
};

FakeCollectives::FakeCollectives(unsigned count, bool readsInPlace)
    : readsInPlace(readsInPlace), current(count) {
  for (unsigned r = 0; r < count; ++r)
    ranks.push_back(std::make_unique<Rank>(*this, r));
}

FakeCollectives::~FakeCollectives() = default;

Collective &FakeCollectives::operator[](unsigned rank) { return *ranks[rank]; }

void FakeCollectives::failAt(unsigned rank, size_t call) {
  ranks[rank]->failing = ranks[rank]->numCalls + call;
}

size_t FakeCollectives::bytesSent(unsigned rank) const {
  return ranks[rank]->sent;
}

size_t FakeCollectives::calls(unsigned rank) const {
  return ranks[rank]->numCalls;
}

std::vector<Status>
FakeCollectives::run(const std::function<Status(Collective &)> &body) {
  std::vector<Status> results(ranks.size());
  std::vector<std::thread> threads;
  for (size_t r = 0; r < ranks.size(); ++r)
    threads.emplace_back([&, r] {
      results[r] = body(*ranks[r]);
      if (!results[r].isOk())
        fail(static_cast<unsigned>(r));
    });
  for (std::thread &thread : threads)
    thread.join();
  return results;
}

/// A rank that has failed is gone: a launcher ends the others.
void FakeCollectives::fail(unsigned rank) {
  std::lock_guard lock(mutex);
  if (broken.isOk())
    broken = Status(StatusCode::Unavailable,
                    "rank " + std::to_string(rank) + " fails");
  changed.notify_all();
}

Status FakeCollectives::call(unsigned number, const Call &call) {
  Rank &rank = *ranks[number];
  if (delays) {
    std::minstd_rand random(delays + 7919 * number +
                            static_cast<unsigned>(rank.numCalls));
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
  }
  std::unique_lock lock(mutex);
  if (rank.failing == rank.numCalls++) {
    broken = Status(StatusCode::Unavailable,
                    "rank " + std::to_string(number) + " fails");
    changed.notify_all();
  }
  if (!broken.isOk())
    return broken;
  current[number] = call;
  if (++numCalling == ranks.size()) {
    carryOut();
    if (observe)
      observe();
    outcome = broken;
    numCalling = 0;
    ++generation;
    changed.notify_all();
    return broken;
  }
  size_t seen = generation;
  changed.wait(lock, [&] { return generation != seen || !broken.isOk(); });
  // A rank may have failed since the call was carried out.
  return generation != seen ? outcome : broken;
}

void FakeCollectives::carryOut() {
  for (const Call &call : current)
    if (call.kind != current[0].kind)
      return disagree("call");
  switch (current[0].kind) {
  case Kind::Exchange:
    return exchange();
  case Kind::InPlace:
    return exchangeInPlace();
  case Kind::Gather:
    return gather();
  case Kind::Broadcast:
    return broadcast();
  }
}

void FakeCollectives::exchange() {
  for (unsigned from = 0; from < ranks.size(); ++from)
    for (unsigned to = 0; to < ranks.size(); ++to)
      if (from != to)
        copy(from, to, current[from].send[to], current[to].receive[from]);
}

void FakeCollectives::exchangeInPlace() {
  for (unsigned from = 0; from < ranks.size(); ++from)
    for (unsigned to = 0; to < ranks.size(); ++to) {
      if (from == to)
        continue;
      Collective::ConstBytes message = current[from].send[to];
      if (message.size() != current[to].places[from].size())
        return disagree("length of a message");
      current[to].places[from] = {const_cast<std::byte *>(message.data()),
                                  message.size()};
      ranks[from]->sent += message.size();
    }
}

void FakeCollectives::gather() {
  size_t offset = 0;
  for (unsigned from = 0; from < ranks.size(); ++from) {
    size_t size = current[0].sizes[from];
    for (unsigned to = 0; to < ranks.size(); ++to) {
      if (current[to].sizes[from] != size)
        return disagree("sizes");
      if (from != to)
        copy(from, to, current[from].bytes.subspan(offset, size),
             current[to].bytes.subspan(offset, size));
    }
    offset += size;
  }
  for (const Call &call : current)
    if (call.bytes.size() != offset)
      disagree("sum of sizes");
}

void FakeCollectives::broadcast() {
  unsigned root = current[0].root;
  for (unsigned to = 0; to < ranks.size(); ++to) {
    if (current[to].root != root)
      return disagree("root");
    if (to != root)
      copy(root, to, current[root].bytes, current[to].bytes);
  }
}

void FakeCollectives::copy(unsigned from, unsigned to,
                           Collective::ConstBytes bytes,
                           Collective::Bytes place) {
  if (bytes.size() != place.size())
    return disagree("length of a message");
  if (!bytes.empty())
    std::memcpy(place.data(), bytes.data(), bytes.size());
  ranks[from]->sent += bytes.size();
}

void FakeCollectives::disagree(const std::string &what) {
  broken = Status(StatusCode::Internal, "ranks do not agree: " + what);
}
