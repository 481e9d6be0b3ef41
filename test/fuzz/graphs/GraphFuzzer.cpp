//===- GraphFuzzer.cpp - Random training graphs, compiled in several ways -===//
// SPDX-License-Identifier: Apache-2.0
//
//   ingot-graph-fuzzer --seed 1 --count 100 --work DIR
//   ingot-graph-fuzzer --replay FILE.graph --work DIR
//
// Compares random training graphs with their compilation by --reference. A
// graph with a fault is reduced and written to DIR/found-SEED.graph. The exit
// code is 1 if there was any fault.
//
//===----------------------------------------------------------------------===//

#include "Trial.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <sstream>

using namespace llvm;
using namespace ingot::fuzz;

static cl::OptionCategory category("Options of the fuzzer");

static cl::opt<uint64_t> firstSeed("seed", cl::desc("Start from this seed"),
                                   cl::init(1), cl::cat(category));
static cl::opt<uint64_t> seedCount("count", cl::desc("Try N seeds"),
                                   cl::value_desc("N"), cl::init(10),
                                   cl::cat(category));
static cl::opt<uint64_t>
    towersOfProgram("towers", cl::desc("Train N graphs with each program"),
                    cl::value_desc("N"), cl::init(1), cl::cat(category));
static cl::opt<double> seconds("seconds",
                               cl::desc("Stop after this time (0: no limit)"),
                               cl::init(0), cl::cat(category));
static cl::opt<std::string>
    work("work", cl::desc("Keep trials, and graphs with faults, in DIR"),
         cl::value_desc("DIR"), cl::init("graph-fuzzer"), cl::cat(category));
static cl::opt<std::string>
    runtimeFolder("runtime", cl::desc("Link trainers with the runtime in DIR"),
                  cl::value_desc("DIR"), cl::cat(category));
static cl::opt<std::string>
    cache("cache-dir",
          cl::desc("Cache compiled kernels in DIR (default: none)"),
          cl::value_desc("DIR"), cl::cat(category));
static cl::opt<std::string> replay("replay",
                                   cl::desc("Try the recipe in FILE only"),
                                   cl::value_desc("FILE"), cl::cat(category));
static cl::opt<std::string> cpu("cpu", cl::desc("Compile for this CPU level"),
                                cl::value_desc("level"), cl::init("native"),
                                cl::cat(category));
static cl::opt<bool>
    everything("all",
               cl::desc("Test threads, CPU levels, restarts and the least "
                        "memory with every program, not only with some"),
               cl::cat(category));
static cl::opt<bool>
    alwaysSlices("slices",
                 cl::desc("Split a batch of every program into slices"),
                 cl::cat(category));
static cl::opt<bool> alwaysDevice(
    "device", cl::desc("Run a graph of every program on the emulated device"),
    cl::cat(category));
static cl::opt<double>
    reduceSeconds("reduce", cl::desc("Reduce each fault for this long (0: no)"),
                  cl::value_desc("seconds"), cl::init(60), cl::cat(category));
static cl::opt<bool> stopAtFault("stop-at-fault",
                                 cl::desc("Stop at the first fault"),
                                 cl::cat(category));
static cl::opt<bool>
    printProgram("print",
                 cl::desc("Print the program of --replay or --seed, and exit"),
                 cl::cat(category));

namespace {

/// Set by SIGINT and SIGTERM: the session ends with its counts.
volatile std::sig_atomic_t isInterrupted = 0;

/// Tries recipes, prints and reduces those that show a fault, and counts
/// verdicts. To save time, only some recipes are also trained with threads,
/// with a restart, for older CPU levels, with the least memory, in slices, or
/// on a device.
class Session {
public:
  /// `bin` is the folder of the build's programs.
  explicit Session(StringRef bin) {
    options.work = work + "/trial";
    options.emulator = (bin + "/ingot-ptx-emulate").str();
    options.cuda = (bin + "/../test/Cuda").str();
    hasDevice = sys::fs::exists(options.emulator) &&
                sys::fs::exists(options.cuda + "/libcuda.so.1");
    options.launcher = findLauncher();
    options.cache = cache;
    options.cpu = cpu;
    options.runtime = runtimeFolder;
    (void)sys::fs::create_directories(work);
  }

  void tryOne(const Towers &towers) {
    uint64_t seed = towers.front().seed;
    bool all = everything || !replay.empty();
    options.threads = all || seed / towers.size() % 4 == 0;
    options.resumes = all || seed / towers.size() % 4 == 1;
    options.memory = all || seed / towers.size() % 8 == 2;
    options.levels = all || seed / towers.size() % 16 == 2;
    bool isReplay = !replay.empty();
    options.slices = isReplay || alwaysSlices || seed / towers.size() % 16 == 6;
    options.device = hasDevice && (isReplay || alwaysDevice ||
                                   seed / towers.size() % 32 == 10);
    Verdict verdict = tryTowers(towers, options);
    // The signal may have ended a compiler or trainer of this trial, too.
    if (isInterrupted)
      return;
    graphs += towers.size();
    ++counts[verdict.kind];
    if (verdict.kind == Verdict::Refused || verdict.kind == Verdict::Stopped)
      printf("seed %llu: %s: %s\n", (unsigned long long)seed,
             nameOf(verdict.kind), verdict.what.c_str());
    if (!verdict.isFault())
      return;
    printf("seed %llu: %s: %s\n", (unsigned long long)seed,
           nameOf(verdict.kind), verdict.what.c_str());
    fflush(stdout);
    if (reduceSeconds <= 0)
      return;
    std::string text = toText(reduce(towers, options, verdict, reduceSeconds));
    std::ofstream(work + "/found-" + std::to_string(seed) + ".graph")
        << "# " << nameOf(verdict.kind) << ": "
        << verdict.what.substr(0, verdict.what.find('\n')) << '\n'
        << text;
    printf("reduced: %s\n%s", verdict.what.c_str(), text.c_str());
    fflush(stdout);
  }

  bool hasFault() const {
    return counts[Verdict::Different] + counts[Verdict::Crash] != 0;
  }

  int finish() const {
    printf("%zu graphs, by program: ", graphs);
    for (int kind = Verdict::Equal; kind <= Verdict::Crash; ++kind)
      printf("%s%d %s", kind == 0 ? "" : ", ", counts[kind],
             nameOf(static_cast<Verdict::Kind>(kind)));
    printf("\n");
    return hasFault();
  }

private:
  /// Returns the command of an MPI that starts two ranks, or none if no MPI is
  /// installed.
  static std::vector<std::string> findLauncher() {
    if (auto open = sys::findProgramByName("mpirun.openmpi"))
      return {*open, "--oversubscribe", "--bind-to", "none", "-n", "2"};
    if (auto mpich = sys::findProgramByName("mpirun.mpich"))
      return {*mpich, "-n", "2"};
    return {};
  }

  TrialOptions options;
  bool hasDevice = false;
  size_t graphs = 0;
  std::array<int, Verdict::Crash + 1> counts = {};
};

} // namespace

static int print(const Towers &towers) {
  std::string why;
  puts(buildProgram(towers, 0, why).value_or(why).c_str());
  return 0;
}

static int replayOne(Session &session) {
  std::ifstream file(replay);
  std::ostringstream text;
  text << file.rdbuf();
  std::optional<Towers> towers = parseTowers(text.str());
  if (!file || !towers) {
    fprintf(stderr, "error: '%s' is not a recipe\n", replay.c_str());
    return 2;
  }
  if (printProgram)
    return print(*towers);
  session.tryOne(*towers);
  return session.finish();
}

int main(int argc, char **argv) {
  // Run kernels on several threads even if they are small, as almost all
  // kernels here are.
  setenv("INGOT_FORCE_PARALLEL", "1", /*overwrite=*/0);
  // Flush standard output after each line, so that faults are seen as soon as
  // they are found.
  setvbuf(stdout, nullptr, _IOLBF, 0);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv, "Compares random training graphs with --reference\n");
  SmallString<128> bin(
      sys::fs::getMainExecutable(argv[0], reinterpret_cast<void *>(main)));
  sys::path::remove_filename(bin);
  if (runtimeFolder.empty())
    runtimeFolder = (bin + "/../lib/ingot").str();
  Session session(bin);
  if (!replay.empty())
    return replayOne(session);
  if (printProgram)
    return print({generate(firstSeed)});
  for (int signal : {SIGINT, SIGTERM})
    std::signal(signal, [](int) { isInterrupted = 1; });
  auto start = std::chrono::steady_clock::now();
  uint64_t towers = std::max<uint64_t>(1, towersOfProgram);
  for (uint64_t i = 0; i < seedCount; i += towers) {
    std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - start;
    if (seconds > 0 && taken.count() > seconds)
      break;
    Towers program;
    for (uint64_t tower = 0; tower < towers; ++tower)
      program.push_back(generate(firstSeed + i + tower));
    session.tryOne(program);
    if (isInterrupted || (stopAtFault && session.hasFault()))
      break;
  }
  return session.finish();
}
