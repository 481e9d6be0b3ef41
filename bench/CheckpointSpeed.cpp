//===- CheckpointSpeed.cpp - How fast checkpoints are saved and restored --===//
// SPDX-License-Identifier: Apache-2.0
//
// Saves and restores a state of many variables in several shards, alternating
// with two plain loops that write and read the same bytes, the machine's limit.
// Every round does all of it; the medians are printed. All
// memory is touched before anything is timed. Every byte saved is on the disk,
// and every checksum is computed and checked. Both write new files, as each
// save of a run has a name of its own; older ones are removed between.
//
//   ingot-checkpoint-speed FOLDER [MIB [VARIABLES [SHARDS [ROUNDS]]]]
//
//===----------------------------------------------------------------------===//

#include "runtime/ABI/Tensor.h"
#include "runtime/Device/ParallelLoops.h"
#include "runtime/Hooks/BackgroundSaver.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <thread>
#include <time.h>
#include <unistd.h>

using namespace ingot;

namespace {

constexpr unsigned loops = 2;
constexpr size_t chunk = 1 << 20;

double now() {
  timespec time;
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_nsec) * 1e-9;
}

[[noreturn]] void fail(const std::string &message) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  std::exit(1);
}

/// Bytes of this process in memory.
uint64_t residentBytes() {
  uint64_t pages = 0;
  if (std::FILE *file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%*u %" SCNu64, &pages) != 1)
      pages = 0;
    std::fclose(file);
  }
  return pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// Variables of float32, all of one size, filled with something.
struct Variables {
  Variables(uint64_t bytes, uint32_t count, uint32_t shards)
      : size(bytes / count) {
    auto allocated = AlignedBuffer::allocate(bytes, "the variables");
    if (!allocated)
      fail(allocated.status().message());
    memory = std::move(*allocated);
    uint64_t random = 1;
    for (uint64_t i = 0; i + 8 <= bytes; i += 8) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      std::memcpy(memory.data() + i, &random, 8);
    }
    for (uint32_t i = 0; i < count; ++i) {
      char name[32];
      std::snprintf(name, sizeof(name), "variable_%03u", i);
      items.push_back({name,
                       "",
                       INGOT_FLOAT,
                       {static_cast<int64_t>(size / 4)},
                       memory.data() + i * size,
                       i % shards});
    }
  }

  uint64_t size;
  AlignedBuffer memory;
  std::vector<TensorToSave> items;
};

std::string loopFile(const std::string &folder, unsigned loop) {
  return folder + "/plain" + std::to_string(loop);
}

/// Each loop writes its part of the bytes to a file; with `durable` it waits
/// until they are on the disk.
void writePlainly(const std::string &folder, const AlignedBuffer &bytes,
                  bool durable) {
  std::vector<std::thread> threads;
  for (unsigned loop = 0; loop < loops; ++loop)
    threads.emplace_back([&, loop] {
      uint64_t at = bytes.size() / loops * loop;
      uint64_t end =
          loop + 1 == loops ? bytes.size() : at + bytes.size() / loops;
      int file = ::open(loopFile(folder, loop).c_str(),
                        O_WRONLY | O_CREAT | O_TRUNC, 0666);
      while (file >= 0 && at < end) {
        ssize_t n = ::write(file, bytes.data() + at,
                            std::min<uint64_t>(chunk, end - at));
        if (n <= 0)
          fail("cannot write to '" + folder + "'");
        at += static_cast<uint64_t>(n);
      }
      if (file < 0 || (durable && ::fsync(file) != 0) || ::close(file) != 0)
        fail("cannot write to '" + folder + "'");
    });
  for (std::thread &thread : threads)
    thread.join();
}

void readPlainly(const std::string &folder, const AlignedBuffer &bytes) {
  std::vector<std::thread> threads;
  for (unsigned loop = 0; loop < loops; ++loop)
    threads.emplace_back([&, loop] {
      uint64_t at = bytes.size() / loops * loop;
      int file = ::open(loopFile(folder, loop).c_str(), O_RDONLY);
      if (file < 0)
        fail("cannot read from '" + folder + "'");
      ssize_t n;
      while ((n = ::read(file, bytes.data() + at, chunk)) > 0)
        at += static_cast<uint64_t>(n);
      ::close(file);
    });
  for (std::thread &thread : threads)
    thread.join();
}

class CheckpointBenchmark {
public:
  CheckpointBenchmark(std::string folder, uint64_t bytes, uint32_t variables,
                      uint32_t shards)
      : folder(std::move(folder)), shards(shards),
        state(bytes, variables, shards), read(bytes, variables, shards) {}

  void run(int rounds);
  void print() const;

private:
  template <typename Do> void time(const std::string &what, Do work) {
    double start = now();
    work();
    seconds[what].push_back(now() - start);
  }
  double median(const std::string &what) const {
    std::vector<double> sorted = seconds.at(what);
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
  std::string prefix() const {
    return folder + "/model.ckpt-" + std::to_string(round);
  }
  void clear();
  void save();
  void restore();
  void copy();
  void begin();

  std::string folder;
  uint32_t shards;
  int round = 0;
  Variables state, read;
  AlignedBuffer buffer, small;
  std::map<std::string, std::vector<double>> seconds;
};

/// Removes the files of the loops and of the save.
void CheckpointBenchmark::clear() {
  for (unsigned loop = 0; loop < loops; ++loop)
    ::unlink(loopFile(folder, loop).c_str());
  if (Status status = removeCheckpoint(FileSystem::posix(), prefix());
      !status.isOk())
    fail(status.message());
}

void CheckpointBenchmark::save() {
  Status status = writeCheckpoint(FileSystem::posix(), prefix(), shards,
                                  shards > 1, state.items);
  if (!status.isOk())
    fail(status.message());
}

void CheckpointBenchmark::restore() {
  std::vector<TensorToRestore> items;
  for (const TensorToSave &item : read.items)
    items.push_back(
        {item.key, "", item.dtype, item.shape, const_cast<void *>(item.data)});
  auto report = restoreCheckpoint(FileSystem::posix(), prefix(), items);
  if (!report)
    fail(report.status().message());
}

/// The copy of all variables, which a step waits for with --save-copy of at
/// least their size.
void CheckpointBenchmark::copy() {
  StateToSave copied;
  copied.items = state.items;
  if (Status status = detachState(copied, std::move(buffer), availableCores());
      !status.isOk())
    fail(status.message());
  buffer = std::move(copied.copy);
}

/// What a step waits for by default when a save begins: a copy of a part of the
/// variables, and the writing of the others. Adds its time, not that of the
/// rest of the save.
void CheckpointBenchmark::begin() {
  CheckpointManagerOptions options;
  options.directory = folder;
  options.basename = "begun.ckpt";
  options.writesState = false;
  options.numShards = shards;
  options.sharded = shards > 1;
  CheckpointManager checkpoints(FileSystem::posix(), options);
  BackgroundSaver saver(checkpoints);
  StateToSave begun;
  begun.items = state.items;
  double start = now();
  if (Status status = detachState(begun, std::move(small), availableCores(),
                                  defaultCopySize(state.memory.size()));
      !status.isOk())
    fail(status.message());
  saver.start(round, std::move(begun));
  if (round > 0)
    seconds["begin"].push_back(now() - start);
  auto finished = saver.finish(/*wait=*/true);
  if (!finished->prefix)
    fail(finished->prefix.status().message());
  small = saver.takeBuffer();
  if (Status status = removeCheckpoint(FileSystem::posix(), *finished->prefix);
      !status.isOk())
    fail(status.message());
}

void CheckpointBenchmark::run(int rounds) {
  copy(); // touches its memory, as a run's first save does
  begin();
  for (round = 1; round <= rounds; ++round) {
    time("plain write, no sync",
         [&] { writePlainly(folder, state.memory, false); });
    clear();
    time("plain write", [&] { writePlainly(folder, state.memory, true); });
    time("save", [&] { save(); });
    time("plain read", [&] { readPlainly(folder, read.memory); });
    std::memset(read.memory.data(), 0, read.memory.size());
    time("restore", [&] { restore(); });
    if (std::memcmp(read.memory.data(), state.memory.data(),
                    read.memory.size()) != 0)
      fail("what was restored isn't what was saved");
    time("copy", [&] { copy(); });
    clear();
    begin();
  }
}

void CheckpointBenchmark::print() const {
  double mib = static_cast<double>(state.memory.size()) / (1 << 20);
  std::printf(
      "%.0f MiB in %zu variables and %u shards; medians of %zu rounds\n", mib,
      state.items.size(), shards, seconds.at("save").size());
  auto line = [&](const char *what, const char *than) {
    std::printf("%-24s %7.0f MiB/s", what, mib / median(what));
    if (than)
      std::printf("   %5.1f %% of %s", 100 * median(than) / median(what), than);
    std::printf("\n");
  };
  line("plain write, no sync", nullptr);
  line("plain write", nullptr);
  line("save", "plain write");
  line("plain read", nullptr);
  line("restore", "plain read");
  auto wait = [&](const char *what, const char *name) {
    std::printf("%-24s %7.1f ms      %5.1f %% of a synchronous save\n", name,
                1e3 * median(what), 100 * median(what) / median("save"));
  };
  wait("begin", "a step waits");
  wait("copy", "  for a copy of all");
}

/// Saves 200 times beside a run, as the hook of a trainer does.
void measureMemory(const std::string &folder) {
  Variables state(16 << 20, 16, 4);
  CheckpointManagerOptions options;
  options.directory = folder + "/many";
  options.numShards = 4;
  options.sharded = true;
  CheckpointManager checkpoints(FileSystem::posix(), options);
  BackgroundSaver saver(checkpoints);
  uint64_t early = 0, late = 0;
  for (int64_t step = 1; step <= 200; ++step) {
    StateToSave copied;
    copied.items = state.items;
    if (Status status =
            detachState(copied, saver.takeBuffer(), availableCores());
        !status.isOk())
      fail(status.message());
    saver.start(step, std::move(copied));
    auto finished = saver.finish(/*wait=*/true);
    if (!finished->prefix)
      fail(finished->prefix.status().message());
    if (step == 20)
      early = residentBytes();
  }
  late = residentBytes();
  std::printf("%-24s %7.1f MiB after 20, %.1f MiB after 200\n",
              "memory of saves", static_cast<double>(early) / (1 << 20),
              static_cast<double>(late) / (1 << 20));
}

} // namespace

int main(int argc, char **argv) {
  auto number = [&](int at, uint64_t fallback) -> uint64_t {
    return argc > at ? std::strtoull(argv[at], nullptr, 10) : fallback;
  };
  uint64_t mib = number(2, 1024), variables = number(3, 64);
  uint64_t shards = number(4, 4), rounds = number(5, 5);
  if (argc < 2 || argc > 6 || mib == 0 || variables == 0 || shards == 0 ||
      rounds == 0 || mib * 256 * 1024 % variables != 0) {
    std::fprintf(stderr, "usage: ingot-checkpoint-speed FOLDER [MIB "
                         "[VARIABLES [SHARDS [ROUNDS]]]]\n");
    return 2;
  }
  std::string folder = argv[1];
  if (Status status = FileSystem::posix().createDirectories(folder);
      !status.isOk())
    fail(status.message());
  measureMemory(folder);
  CheckpointBenchmark measuring(folder, mib << 20,
                                static_cast<uint32_t>(variables),
                                static_cast<uint32_t>(shards));
  measuring.run(static_cast<int>(rounds));
  measuring.print();
  return 0;
}
