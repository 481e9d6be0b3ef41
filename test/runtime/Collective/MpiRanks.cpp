//===- MpiRanks.cpp - A program that an MPI launcher starts ---------------===//
// SPDX-License-Identifier: Apache-2.0
//
// mpi_ranks.py runs it:
// MpiRanks sum SLICES ELEMENTS [shared] | late [shared] | abort | big. Rank 0
// prints what was found.
//
//===----------------------------------------------------------------------===//

#include "runtime/Collective/BatchSliceAllGather.h"
#include "runtime/Collective/BatchSliceAllReduce.h"
#include "runtime/Collective/MpiCollective.h"
#include "runtime/Collective/SharedMemoryCollective.h"

#include "runtime/ABI/Tensor.h"
#include "runtime/Support/Crc32c.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>

using namespace ingot;

/// Numbers whose sum depends on the order.
static std::vector<float> valueOf(uint64_t slice, size_t elements) {
  std::vector<float> value(elements);
  uint64_t state = 88172645463325252u + slice * 7919;
  for (float &element : value) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    element = (static_cast<float>(state >> 40) - 8388608.0f) * 1e-7f *
              static_cast<float>(1 + slice % 3 * 100);
  }
  return value;
}

/// Gathers parts of growing sizes, and none of rank 0, several times: the
/// memory of a part is used again while other ranks may read it.
static Status gatherOften(CollectiveEngine &engine) {
  unsigned ranks = engine.size();
  for (size_t round = 0; round < 40; ++round) {
    std::vector<size_t> sizes;
    std::vector<std::byte> expected;
    for (unsigned r = 0; r < ranks; ++r) {
      sizes.push_back(r * (20'000 + 3000 * round));
      expected.insert(expected.end(), sizes.back(),
                      static_cast<std::byte>(1 + r + round));
    }
    std::vector<std::byte> all = expected;
    size_t begin = 0;
    for (unsigned r = 0; r < ranks; begin += sizes[r++])
      if (r != engine.rank())
        std::fill_n(all.data() + begin, sizes[r], std::byte(0));
    INGOT_RETURN_IF_ERROR(engine.gather(all, sizes));
    if (all != expected)
      return Status(StatusCode::Internal, "gather: another byte");
  }
  return Status::ok();
}

/// Connects the shared memory of all ranks, which are on this machine.
static Status share(std::unique_ptr<CollectiveEngine> &engine) {
  INGOT_RETURN_IF_ERROR(SharedMemoryCollective::connect(engine));
  return engine->readsInPlace() || engine->size() == 1
             ? Status::ok()
             : Status(StatusCode::Internal, "no shared memory");
}

static Status sum(std::unique_ptr<CollectiveEngine> &ranks, uint32_t slices,
                  size_t elements, std::string_view way) {
  if (way == "shared")
    INGOT_RETURN_IF_ERROR(share(ranks));
  // A rank has a limit, so that all send messages.
  if (way == "limited" && (share(ranks).isOk() || ranks->readsInPlace()))
    return Status(StatusCode::Internal, "shared memory in spite of a limit");
  CollectiveEngine &engine = *ranks;
  INGOT_RETURN_IF_ERROR(gatherOften(engine));
  BatchSliceReductionTree tree(slices, engine.size());
  std::vector<float> result(elements);
  uint32_t both = 0;
  size_t sent = 0;
  for (size_t smallBytes : {size_t(0), elements * sizeof(float)}) {
    BatchSliceAllReduce sum(tree, engine.rank(), INGOT_FLOAT, {elements},
                            Reduction::Sum, smallBytes, /*shards=*/0,
                            engine.messageMemory(), engine.messageMemory());
    BatchSliceRange run = tree.runOf(engine.rank());
    // The last batch counts; those before it use the memory, too.
    for (uint64_t batch = 3; batch-- > 0;) {
      for (uint64_t slice = run.first; slice < run.last; ++slice)
        sum.add(0, slice, valueOf(slice + batch, elements).data());
      INGOT_RETURN_IF_ERROR(sum.exchange(engine, nullptr));
      sum.store(0, result.data());
      sum.clear();
    }
    uint32_t sumOf = crc32c(0, result.data(), elements * sizeof(float));
    if (smallBytes != 0 && sumOf != both)
      return Status(StatusCode::Internal, "ways differ");
    both = sumOf;
    sent = std::max(sent, sum.bytesSent());
  }
  // Every rank has the same sums.
  std::vector<uint32_t> all(engine.size());
  all[engine.rank()] = both;
  INGOT_RETURN_IF_ERROR(
      engine.gather(std::as_writable_bytes(std::span(all)),
                    std::vector<size_t>(engine.size(), sizeof(uint32_t))));
  for (uint32_t other : all)
    if (other != both)
      return Status(StatusCode::Internal, "ranks differ");
  if (engine.rank() == 0)
    std::printf("%u ranks, %s: %08x\n", engine.size(), engine.version().c_str(),
                both);
  return Status::ok();
}

/// Messages that are cut, as those longer than the ints of MPI's standard are.
static Status big(MpiCollective &engine) {
  engine.cutMessagesAt(1000);
  unsigned ranks = engine.size(), own = engine.rank();
  // Rank r has 1500 r + 700 bytes of r + 1.
  std::vector<size_t> sizes;
  size_t total = 0, begin = 0;
  for (unsigned r = 0; r < ranks; ++r) {
    begin = r == own ? total : begin;
    sizes.push_back(1500 * r + 700);
    total += sizes.back();
  }
  auto byteOf = [](unsigned r) { return static_cast<std::byte>(r + 1); };
  std::vector<std::byte> all(total);
  std::fill_n(all.begin() + static_cast<std::ptrdiff_t>(begin), sizes[own],
              byteOf(own));
  INGOT_RETURN_IF_ERROR(engine.gather(all, sizes));
  size_t at = 0;
  for (unsigned r = 0; r < ranks; ++r)
    for (size_t i = 0; i < sizes[r]; ++i)
      if (all[at++] != byteOf(r))
        return Status(StatusCode::Internal, "gather: another byte");

  std::vector<std::byte> sent(4321, byteOf(own));
  std::vector<std::vector<std::byte>> received(ranks, sent);
  std::vector<Collective::ConstBytes> send(ranks, sent);
  std::vector<Collective::Bytes> receive(received.begin(), received.end());
  INGOT_RETURN_IF_ERROR(engine.exchange(send, receive));
  for (unsigned r = 0; r < ranks; ++r)
    if (received[r] != std::vector<std::byte>(4321, byteOf(r)))
      return Status(StatusCode::Internal, "exchange: another byte");

  INGOT_RETURN_IF_ERROR(engine.broadcast(sent, ranks - 1));
  if (sent != std::vector<std::byte>(4321, byteOf(ranks - 1)))
    return Status(StatusCode::Internal, "broadcast: another byte");
  if (own == 0)
    std::printf("big: %u ranks\n", ranks);
  return Status::ok();
}

static Status late(std::unique_ptr<CollectiveEngine> &engine, bool shares) {
  if (shares)
    INGOT_RETURN_IF_ERROR(share(engine));
  std::byte byte{};
  if (engine->rank() == 1)
    std::this_thread::sleep_for(std::chrono::seconds(30));
  return shares ? engine->waitForReaders() : engine->broadcast({&byte, 1}, 1);
}

int main(int argc, char **argv) {
  std::string_view what = argc > 1 ? argv[1] : "sum";
  CollectiveEngineOptions options;
  options.host = "here";
  if (const char *library = std::getenv("INGOT_MPI_LIBRARY"))
    options.library = library;
  if (what == "late") {
    options.timeoutSeconds = 1;
    options.whoIsLate = [] { return "rank 1 sleeps"; };
  }
  auto library = MpiLibrary::load(MpiLibrary::candidates(
      options.library,
      [](const char *name) -> const char * { return std::getenv(name); }));
  if (!library) {
    std::fprintf(stderr, "error: %s\n", library.status().message().c_str());
    return 3;
  }
  auto started = MpiCollective::start(std::move(*library), options);
  if (!started) {
    std::fprintf(stderr, "error: %s\n", started.status().message().c_str());
    return 3;
  }
  MpiCollective &mpi = **started;
  std::unique_ptr<CollectiveEngine> engine = std::move(*started);
  Status status;
  if (what == "sum" && argc > 3)
    status =
        sum(engine, static_cast<uint32_t>(std::atoi(argv[2])),
            static_cast<size_t>(std::atol(argv[3])), argc > 4 ? argv[4] : "");
  else if (what == "big")
    status = big(mpi);
  else if (what == "late")
    status = late(engine, argc > 2);
  else
    status = Status(StatusCode::Aborted, "told to abort");
  if (status.isOk())
    status = engine->finalize();
  if (!status.isOk())
    engine->abort(status);
  return 0;
}
