//===- GraphFuzzer.cpp - Random training graphs, compiled in several ways -===//
//
//   ingot-graph-fuzzer --seed 1 --count 100 --work DIR
//   ingot-graph-fuzzer --replay FILE.graph --work DIR
//
// What is found is written to DIR/found-SEED.graph, reduced. Exit code 1 where
// anything was.
//
//===----------------------------------------------------------------------===//

#include "Trial.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>

using namespace llvm;
using namespace ingot::fuzz;

static cl::opt<uint64_t> firstSeed("seed", cl::desc("start with this seed"),
                                   cl::init(1));
static cl::opt<uint64_t> seedCount("count", cl::desc("try N seeds"),
                                   cl::init(10));
static cl::opt<uint64_t>
    towersOfProgram("towers", cl::desc("train N graphs by one program"),
                    cl::init(1));
static cl::opt<double>
    seconds("seconds", cl::desc("stop after this many seconds; 0: never"),
            cl::init(0));
static cl::opt<std::string> work("work", cl::desc("work in this folder"),
                                 cl::init("graph-fuzzer"));
static cl::opt<std::string>
    runtimeFolder("runtime",
                  cl::desc("link trainers with the runtime in this folder"));
static cl::opt<std::string>
    cache("cache-dir",
          cl::desc("cache kernels in this folder; empty: no cache"));
static cl::opt<std::string> replay("replay", cl::desc("replay this recipe"));
static cl::opt<std::string> cpu("cpu", cl::desc("compile for this CPU level"),
                                cl::init("native"));
static cl::opt<bool> everything(
    "all",
    cl::desc("vary threads, levels and resumes for each graph, not for some"));
static cl::opt<double>
    reduceSeconds("reduce", cl::desc("reduce faults for this many seconds"),
                  cl::init(60));
static cl::opt<bool> stopAtFault("stop-at-fault",
                                 cl::desc("end at the first fault"));
static cl::opt<bool> printProgram("print", cl::desc("print the program"));

namespace {

class Session {
public:
  Session() {
    options.work = work + "/trial";
    options.cache = cache;
    options.cpu = cpu;
    options.runtime = runtimeFolder;
    (void)sys::fs::create_directories(work);
  }

  void tryOne(const Towers &towers) {
    graphs += towers.size();
    uint64_t seed = towers.front().seed;
    bool all = everything || !replay.empty();
    options.threads = all || seed / towers.size() % 4 == 0;
    options.resumes = all || seed / towers.size() % 4 == 1;
    options.levels = all || seed / towers.size() % 16 == 2;
    Verdict verdict = tryTowers(towers, options);
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
  TrialOptions options;
  size_t graphs = 0;
  std::array<int, Verdict::Crash + 1> counts = {};
};

} // namespace

static int replayOne(Session &session) {
  std::ifstream file(replay);
  std::ostringstream text;
  text << file.rdbuf();
  std::optional<Towers> towers = parseTowers(text.str());
  if (!file || !towers) {
    fprintf(stderr, "error: '%s' is no recipe\n", replay.c_str());
    return 2;
  }
  if (printProgram) {
    std::string why;
    puts(buildProgram(*towers, 0, why).value_or(why).c_str());
    return 0;
  }
  session.tryOne(*towers);
  return session.finish();
}

int main(int argc, char **argv) {
  // Small kernels, too, are split among threads.
  setenv("INGOT_THREADS_FOR_LITTLE", "1", /*overwrite=*/0);
  setvbuf(stdout, nullptr, _IOLBF, 0); // what was found is worth reading now
  cl::ParseCommandLineOptions(argc, argv,
                              "Random training graphs against --reference\n");
  if (runtimeFolder.empty()) {
    SmallString<128> path(
        sys::fs::getMainExecutable(argv[0], reinterpret_cast<void *>(main)));
    sys::path::remove_filename(path);
    sys::path::append(path, "..", "lib", "ingot");
    runtimeFolder = path.str().str();
  }
  Session session;
  if (!replay.empty())
    return replayOne(session);
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
    if (stopAtFault && session.hasFault())
      break;
  }
  return session.finish();
}
