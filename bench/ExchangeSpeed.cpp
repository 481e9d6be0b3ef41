//===- ExchangeSpeed.cpp - Sums over ranks beside MPI_Allreduce -----------===//
// SPDX-License-Identifier: Apache-2.0
//
// An MPI launcher starts it:
// ingot-exchange-speed ordered|messages|allreduce BYTES...
// For each number of bytes, rank 0 prints the microseconds of one sum of floats
// over all ranks: the median of several rounds. "ordered" is
// BatchSliceAllReduce with one slice for each rank, through shared memory where
// ranks can share it; "messages" is the same through messages of MPI;
// "allreduce" is MPI_Allreduce of the same library. They are separate processes
// because MPI may be called from one thread only, which is a thread of
// MpiCollective in the first cases.
//
//===----------------------------------------------------------------------===//

#include "runtime/ABI/Tensor.h"
#include "runtime/Collective/BatchSliceAllReduce.h"
#include "runtime/Collective/MpiCollective.h"
#include "runtime/Collective/SharedMemoryCollective.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string_view>
#include <vector>

using namespace ingot;

static constexpr int numRounds = 9;

/// The number of sums in a round: about 64 MiB in all, but not too many.
static int sumsOfRound(size_t bytes) {
  return static_cast<int>(
      std::clamp((size_t(64) << 20) / bytes, size_t(1), size_t(2000)));
}

/// Returns the microseconds of one call of `sum`, the median of all rounds.
template <typename Sum> static double measure(size_t bytes, Sum sum) {
  std::vector<double> rounds;
  int calls = sumsOfRound(bytes);
  for (int round = 0; round <= numRounds; ++round) {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i)
      sum();
    std::chrono::duration<double, std::micro> time =
        std::chrono::steady_clock::now() - start;
    if (round != 0) // the first one warms up
      rounds.push_back(time.count() / calls);
  }
  std::nth_element(rounds.begin(), rounds.begin() + numRounds / 2,
                   rounds.end());
  return rounds[numRounds / 2];
}

static MpiLibrary loadLibrary() {
  auto library = MpiLibrary::load(MpiLibrary::candidates(
      "", [](const char *name) -> const char * { return std::getenv(name); }));
  if (!library) {
    std::fprintf(stderr, "error: %s\n", library.status().message().c_str());
    std::exit(3);
  }
  return std::move(*library);
}

static void fail(const Status &status) {
  if (status.isOk())
    return;
  std::fprintf(stderr, "error: %s\n", status.message().c_str());
  std::exit(1);
}

static void measureOrdered(const std::vector<size_t> &sizes,
                           bool sharesMemory) {
  auto started = MpiCollective::start(loadLibrary(), {});
  fail(started.status());
  std::unique_ptr<CollectiveEngine> engine = std::move(*started);
  if (sharesMemory)
    fail(SharedMemoryCollective::connect(engine));
  CollectiveEngine &ranks = *engine;
  for (size_t bytes : sizes) {
    std::vector<float> value(bytes / sizeof(float), 1), result(value.size());
    BatchSliceAllReduce sum(BatchSliceReductionTree(ranks.size(), ranks.size()),
                            ranks.rank(), INGOT_FLOAT, {value.size()},
                            Reduction::Sum, BucketLayout::defaultSmallBytes, 0,
                            ranks.messageMemory(), ranks.messageMemory());
    double time = measure(bytes, [&] {
      sum.add(0, ranks.rank(), value.data());
      auto *to = reinterpret_cast<std::byte *>(result.data());
      fail(sum.exchange(ranks, to));
      sum.store(0, to);
      sum.clear();
    });
    if (ranks.rank() == 0)
      std::printf("%zu %.2f\n", bytes, time);
  }
  fail(ranks.finalize());
}

/// MPI's handles of MPI_FLOAT and MPI_SUM. Open MPI's are addresses of objects,
/// MPICH's are the constants of its ABI.
static std::pair<uintptr_t, uintptr_t> floatAndSum() {
  if (void *type = dlsym(RTLD_DEFAULT, "ompi_mpi_float"))
    return {
        reinterpret_cast<uintptr_t>(type),
        reinterpret_cast<uintptr_t>(dlsym(RTLD_DEFAULT, "ompi_mpi_op_sum"))};
  return {0x4c00040a, 0x58000003};
}

static void measureAllreduce(const std::vector<size_t> &sizes) {
  MpiLibrary library = loadLibrary();
  int provided = 0, rank = 0;
  library.Init_thread(nullptr, nullptr, library.constants.funneled, &provided);
  library.Comm_rank(library.constants.world, &rank);
  auto [type, add] = floatAndSum();
  using Allreduce =
      int(const void *, void *, int, uintptr_t, uintptr_t, uintptr_t);
  auto *allreduce =
      reinterpret_cast<Allreduce *>(dlsym(RTLD_DEFAULT, "MPI_Allreduce"));
  if (!allreduce) {
    std::fprintf(stderr, "error: %s has no MPI_Allreduce\n",
                 library.path.c_str());
    std::exit(3);
  }
  for (size_t bytes : sizes) {
    std::vector<float> value(bytes / sizeof(float), 1), result(value.size());
    double time = measure(bytes, [&] {
      allreduce(value.data(), result.data(), static_cast<int>(value.size()),
                type, add, library.constants.world);
    });
    if (rank == 0)
      std::printf("%zu %.2f\n", bytes, time);
  }
  library.Finalize();
}

int main(int argc, char **argv) {
  std::string_view what = argc > 1 ? argv[1] : "";
  std::vector<size_t> sizes;
  for (int i = 2; i < argc; ++i)
    sizes.push_back(std::strtoull(argv[i], nullptr, 10));
  bool isValid = std::all_of(sizes.begin(), sizes.end(),
                             [](size_t bytes) { return bytes >= 4; });
  if (sizes.empty() || !isValid ||
      (what != "ordered" && what != "messages" && what != "allreduce")) {
    std::fprintf(stderr, "usage: %s ordered|messages|allreduce BYTES...\n",
                 argv[0]);
    return 2;
  }
  if (what == "allreduce")
    measureAllreduce(sizes);
  else
    measureOrdered(sizes, what == "ordered");
}
