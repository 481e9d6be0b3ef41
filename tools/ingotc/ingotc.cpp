//===- ingotc.cpp - Compiles training graphs into native trainers ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Driver/CrashReport.h"
#include "compiler/Driver/InspectArtifact.h"
#include "compiler/Driver/Stages.h"
#include "compiler/Graph/OptimizerFlag.h"
#include "runtime/ABI/Mutants.h"
#include "runtime/ABI/Program.h"
#include "runtime/Support/ByteSizes.h"
#include "tools/GraphFlags/GraphFlags.h"
#include "tools/ingotc/Flags.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/WithColor.h"

#include <csignal>
#include <malloc.h>

using namespace llvm;
using namespace ingot::driver;
using namespace ingot::command;

cl::OptionCategory ingot::command::category("ingotc options");
cl::opt<std::string> ingot::command::input(cl::Positional, cl::desc("INPUT"),
                                           cl::cat(category));
static cl::opt<std::string> output("o", cl::desc("the artifact's name"),
                                   cl::value_desc("file"), cl::cat(category));
static cl::opt<bool> check("check",
                           cl::desc("compile nothing: list every entry, "
                                    "variable, iterator and everything "
                                    "unsupported"),
                           cl::cat(category));
static cl::opt<bool> inspectArtifact("inspect",
                                     cl::desc("compile nothing: print the "
                                              "compiler and the graph that "
                                              "the trainer INPUT was made "
                                              "with"),
                                     cl::cat(category));
static cl::opt<bool> json("json",
                          cl::desc("with --check and --inspect: as JSON"),
                          cl::cat(category));
cl::opt<EmitOption> ingot::command::emit(
    "emit", cl::desc("kind of output:"), cl::init(EmitOption::Executable),
    cl::values(clEnumValN(EmitOption::Executable, "exe", "a trainer"),
               clEnumValN(EmitOption::Library, "lib",
                          "a static library, and its header"),
               clEnumValN(EmitOption::Shared, "shared",
                          "a shared library, and its header"),
               clEnumValN(EmitOption::Object, "obj", "one object file"),
               clEnumValN(EmitOption::LLVM, "llvm", "LLVM IR, optimized"),
               clEnumValN(EmitOption::PTX, "ptx",
                          "with --target=cuda: all kernels, as PTX"),
               clEnumValN(EmitOption::Cubin, "cubin",
                          "with --target=cuda: all kernels, as machine "
                          "code, by ptxas"),
               clEnumValN(EmitOption::NVVM, "nvvm",
                          "with --target=cuda: all kernels, as LLVM IR"),
               clEnumValN(EmitOption::MLIR, "mlir", "the IR after --stage")),
    cl::cat(category));
static cl::opt<std::string> libraryName(
    "name",
    cl::desc("with --emit=lib and shared: the name of the header, and the "
             "prefix of its functions (default: NAME of libNAME.a)"),
    cl::value_desc("NAME"), cl::cat(category));
static cl::opt<Stage>
    stage("stage", cl::desc("with --emit=mlir:"), cl::init(Stage::Graph),
          cl::values(clEnumValN(Stage::Import, "import", "as imported"),
                     clEnumValN(Stage::Graph, "graph", "fusion groups"),
                     clEnumValN(Stage::Linalg, "linalg", "linalg on tensors"),
                     clEnumValN(Stage::MemRef, "memref", "linalg on buffers"),
                     clEnumValN(Stage::LLVM, "llvm", "the LLVM dialect")),
          cl::cat(category));
static cl::opt<char> optimization("O", cl::desc("optimization level, 0 to 3"),
                                  cl::Prefix, cl::init('3'), cl::cat(category));
static cl::opt<unsigned>
    threadsDefault("threads-default",
                   cl::desc("the trainer's default of --threads (default: one "
                            "per core)"),
                   cl::init(0), cl::cat(category));
static cl::opt<std::string>
    runtimeDir("runtime-dir",
               cl::desc("folder of the runtime that trainers are linked with "
                        "(default: ../lib/ingot beside ingotc)"),
               cl::value_desc("folder"), cl::cat(category));
static cl::opt<bool> embedGraph(
    "embed-graph",
    cl::desc("embed the graph in the artifact, for --write-meta-graph "
             "(default: true)"),
    cl::init(true), cl::cat(category));
static cl::opt<bool> stepKernel(
    "step-kernel",
    cl::desc("with --target=cuda: run all launches of a small training step "
             "in one kernel instead of a CUDA graph (default: false)"),
    cl::cat(category));
static cl::opt<bool> parallel(
    "parallel",
    cl::desc("make a trainer that several processes may run together, under "
             "mpirun or srun, with the same results for any number of them"),
    cl::cat(category));
static cl::opt<bool> shardOptimizer(
    "shard-optimizer",
    cl::desc("with --parallel: divide the slots of optimizers among the "
             "processes, so that each needs less memory (ZeRO, stage 1)"),
    cl::cat(category));
static cl::opt<uint64_t> leastShardedBytes(
    "least-sharded-bytes",
    cl::desc("with --shard-optimizer: divide slots of at least this many "
             "bytes"),
    cl::init(64 << 10), cl::Hidden);
static cl::opt<unsigned> slices(
    "slices",
    cl::desc("with --parallel: divide each batch into this many slices, which "
             "is also the largest number of processes (default: 2 to 16, with "
             "at least 64 rows a slice)"),
    cl::value_desc("S"), cl::cat(category));
static cl::opt<std::string> maxStepMemory(
    "max-step-memory",
    cl::desc("recompute values in the backward pass instead of keeping them, "
             "so that a training step needs at most SIZE of memory for them "
             "(1500000, 512M, 4G; least: as little as possible); results stay "
             "the same to the last bit"),
    cl::value_desc("SIZE|least"), cl::cat(category));
static cl::opt<bool> upgradeSavers(
    "upgrade-savers",
    cl::desc("make savers of V1 checkpoints write V2 without a warning"),
    cl::Hidden, cl::cat(category));
static cl::opt<std::string>
    dumpStages("dump-stages",
               cl::desc("write the IR after every stage, and index.html"),
               cl::value_desc("folder"), cl::cat(category));
static cl::opt<bool> showRemarks(
    "remarks",
    cl::desc("report what was recognized and fused in the graph, and why "
             "similar parts were not"),
    cl::cat(category));
static cl::opt<bool>
    timing("time",
           cl::desc("print the time of each stage, and the CPU "
                    "time of what several threads do"),
           cl::cat(category));
static cl::alias timingAlias("timing", cl::desc("--time's earlier name"),
                             cl::aliasopt(timing), cl::Hidden);
static cl::opt<bool> showProgress(
    "progress",
    cl::desc("print what is being done after 2, 4, 8 ... seconds (default: if "
             "stderr is a terminal)"),
    cl::cat(category));
static cl::opt<std::string>
    cacheDir("cache-dir",
             cl::desc("folder of cached kernels (default: the user's cache "
                      "directory)"),
             cl::value_desc("folder"), cl::cat(category));
static cl::opt<bool> noCache("no-cache",
                             cl::desc("neither read nor write cached kernels"),
                             cl::cat(category));
static cl::opt<double>
    tune("tune",
         cl::desc("autotune for this many seconds: measure the tile sizes of "
                  "GEMMs on this machine, and cache the fastest with the "
                  "kernels; results stay the same to the last bit"),
         cl::value_desc("seconds"), cl::cat(category));
static cl::opt<bool> keepSymbols("g",
                                 cl::desc("keep the names of kernels in the "
                                          "artifact"),
                                 cl::cat(category));

static cl::opt<bool> showPasses("print-passes",
                                cl::desc("print the passes that would run"),
                                cl::Hidden, cl::cat(category));
static cl::opt<bool> listRewrites("list-rewrites",
                                  cl::desc("print the rewrites in order"),
                                  cl::Hidden, cl::cat(category));

static cl::opt<std::string>
    loss("loss",
         cl::desc("train a graph without a training step: the tensor to "
                  "minimize (its mean, if it is not a scalar)"),
         cl::value_desc("TENSOR"), cl::cat(category));
static cl::opt<std::string>
    optimizer("optimizer",
              cl::desc("with --loss: sgd, momentum, adam, adamw, adagrad or "
                       "rmsprop, its learning rate, and hyperparameters"),
              cl::value_desc("NAME:RATE,KEY=VALUE"), cl::cat(category));

int ingot::command::usageError(const Twine &message) {
  WithColor::error() << message << '\n';
  return 2;
}

/// Returns the folder of the runtime: ../lib/ingot, relative to the folder of
/// this command. The path is the same in the build folder and in an
/// installation.
static std::string findSdk(const char *argv0, void *address) {
  SmallString<128> path(sys::fs::getMainExecutable(argv0, address));
  sys::path::remove_filename(path);
  sys::path::append(path, "..", "lib", "ingot");
  return path.str().str();
}

/// Opens the kernel cache, and returns the exit code. Fails if the folder of
/// --cache-dir cannot be used. If the default folder cannot be used, the
/// compilation continues without a cache.
static int openCache(CompileOptions &options) {
  if (isSanitized()) // the cache has unsanitized code
    return 0;
  if (INGOT_HAS_MUTANT())
    return 0;
  if (noCache)
    return cacheDir.empty()
               ? 0
               : usageError("--cache-dir and --no-cache exclude each other");
  std::string folder = cacheDir.empty()
                           ? ingot::driver::KernelCache::defaultFolder()
                           : cacheDir.getValue();
  if (folder.empty())
    return 0;
  Expected<ingot::driver::KernelCache> cache =
      ingot::driver::KernelCache::open(folder);
  if (cache) {
    options.cache = *cache;
    return 0;
  }
  std::string message = toString(cache.takeError());
  if (cacheDir.empty())
    return 0;
  WithColor::error() << message << '\n';
  return 1;
}

/// Reads --parallel, --shard-optimizer and --slices. Returns the exit code.
static int parseParallel(CompileOptions &options) {
  constexpr unsigned mostSlices = 256;
  options.isParallel = parallel;
  options.slices = slices;
  if (shardOptimizer)
    options.leastShardedBytes = leastShardedBytes;
  if (shardOptimizer && !parallel)
    return usageError("--shard-optimizer needs --parallel");
  if (shardOptimizer && !options.devices.empty())
    return usageError("--shard-optimizer cannot be used with --target=cuda: "
                      "slots are divided in the memory of CPUs only");
  if (slices.getNumOccurrences() != 0 && !parallel)
    return usageError("--slices needs --parallel");
  if (slices.getNumOccurrences() != 0 && (slices < 1 || slices > mostSlices))
    return usageError("--slices: expected a number from 1 to " +
                      Twine(mostSlices) + ", found " +
                      Twine(slices.getValue()));
  if (parallel && (emit == EmitOption::Library || emit == EmitOption::Shared))
    return usageError("--parallel needs --emit=exe: only executables can run "
                      "as several processes");
  return 0;
}

/// Reads --max-step-memory. Returns the exit code.
static int parseStepMemory(CompileOptions &options) {
  if (maxStepMemory.getNumOccurrences() == 0)
    return 0;
  if (maxStepMemory == "least") {
    options.maxStepMemory = 0;
    return 0;
  }
  std::optional<uint64_t> bytes = ingot::parseByteSize(maxStepMemory);
  if (!bytes || *bytes == 0 || *bytes > INT64_MAX)
    return usageError("--max-step-memory: expected " +
                      Twine(ingot::byteSizeSyntax) + ", or 'least', found '" +
                      maxStepMemory.getValue() + "'");
  options.maxStepMemory = *bytes;
  return 0;
}

/// Reads --loss and --optimizer, which must be given together. Returns the exit
/// code.
static int parseTraining(CompileOptions &options) {
  if (loss.empty() && optimizer.empty())
    return 0;
  if (loss.empty() || optimizer.empty())
    return usageError("--loss and --optimizer must be given together");
  Expected<ingot::graph::OptimizerFlag> flag =
      ingot::graph::OptimizerFlag::parse(optimizer);
  if (!flag)
    return usageError("--optimizer: " + toString(flag.takeError()));
  options.loss = loss;
  options.optimizer = optimizer;
  return 0;
}

OutputKind ingot::command::emitOf(EmitOption output) {
  switch (output) {
  case EmitOption::Executable:
    return OutputKind::Executable;
  case EmitOption::Library:
    return OutputKind::StaticLibrary;
  case EmitOption::Shared:
    return OutputKind::SharedLibrary;
  case EmitOption::Object:
    return OutputKind::Object;
  case EmitOption::LLVM:
    return OutputKind::LLVM;
  case EmitOption::PTX:
  case EmitOption::Cubin:
  case EmitOption::NVVM:
    return OutputKind::Kernels;
  case EmitOption::MLIR:
    return OutputKind::MLIR;
  }
  llvm_unreachable("all outputs are listed");
}

/// Checks before compiling whether `path` can be written. Reports an error and
/// returns 1 if it cannot; returns 0 if no problem is known yet.
static int checkOutput(StringRef path) {
  StringRef folder = sys::path::parent_path(path);
  std::error_code error;
  if (sys::fs::is_directory(path))
    error = std::make_error_code(std::errc::is_a_directory);
  else if (!folder.empty() && !sys::fs::is_directory(folder))
    error = std::make_error_code(sys::fs::exists(folder)
                                     ? std::errc::not_a_directory
                                     : std::errc::no_such_file_or_directory);
  if (!error)
    return 0;
  WithColor::error() << "cannot write '" << path << "': " << error.message()
                     << '\n';
  return 1;
}

static int parse(CompileOptions &options) {
  if (input.empty())
    return usageError("no input file");
  options.input = input;
  options.output = output;
  options.emit = emitOf(emit);
  options.stage = stage;
  options.check = check;
  options.json = json;
  options.timing = timing;
  options.progress = showProgress.getNumOccurrences() != 0
                         ? showProgress
                         : sys::Process::StandardErrIsDisplayed();
  options.tuneSeconds = tune;
  options.remarks = showRemarks;
  options.strip = !keepSymbols;
  options.dumpStages = dumpStages;
  options.embedGraph = embedGraph;
  options.stepKernel = stepKernel;
  options.import.upgradeSavers = upgradeSavers;
  options.defaultThreads = threadsDefault;
  bool isLibrary = emit == EmitOption::Library || emit == EmitOption::Shared;
  bool makesFile =
      emit == EmitOption::Executable || isLibrary || emit == EmitOption::Object;
  if (!check && makesFile && output.empty())
    return usageError("no output file: give one with -o");
  if (!check && makesFile)
    if (int code = checkOutput(output))
      return code;
  if (!libraryName.empty() && !isLibrary)
    return usageError("--name needs --emit=lib or shared");
  if (isLibrary && !check) {
    Expected<LibraryName> name = LibraryName::of(
        output, emit == EmitOption::Library ? ".a" : ".so", libraryName);
    if (!name)
      return usageError(toString(name.takeError()));
    options.library = *name;
  }
  if (isSanitized() && (emit == EmitOption::Executable || isLibrary) && !check)
    return usageError("--sanitize needs --emit=obj or --emit=llvm");
  if (optimization < '0' || optimization > '3')
    return usageError(Twine("unknown -O") + Twine(optimization.getValue()) +
                      ": expected -O0 to -O3");
  options.optimization = optimization - '0';
  if (reference && optimization.getNumOccurrences() == 0)
    options.optimization = 1;
  if (int code = addBackends(options, tune.getNumOccurrences() != 0))
    return code;
  if (tune.getNumOccurrences() != 0 && !(tune > 0))
    return usageError("--tune needs a number of seconds above 0");
  if (tune.getNumOccurrences() != 0 &&
      llvm::none_of(options.backends,
                    [](const auto &backend) { return backend->runsHere(); }))
    return usageError("--tune measures kernels on this machine, which supports "
                      "none of the levels that --cpu names");
  if (int code = openCache(options))
    return code;
  if (int code = parseParallel(options))
    return code;
  if (int code = parseTraining(options))
    return code;
  if (int code = parseStepMemory(options))
    return code;
  options.tagSet = ingot::tools::tagSet;
  options.roles = ingot::tools::roles;
  return ingot::tools::readGraphFlags(options.import) ? 0 : 2;
}

/// Has malloc keep freed memory in the process. Kernels are compiled one after
/// the other with millions of small allocations, so malloc would return memory
/// to the system only to get it again.
static void keepMemory() {
  constexpr int chunk = 64 * 1024 * 1024;
  mallopt(M_TOP_PAD, chunk);
  mallopt(M_TRIM_THRESHOLD, 16 * chunk);
  mallopt(M_MMAP_THRESHOLD, chunk / 2);
}

int main(int argc, char **argv) {
  keepMemory();
  reportCrashes();
  InitLLVM init(argc, argv);
  // SIGXFSZ is ignored, so that a write beyond the file size limit fails with
  // an error that names the file. Otherwise the signal would crash the compiler
  // in LLVM's signal handler.
  (void)std::signal(SIGXFSZ, SIG_IGN);
  cl::HideUnrelatedOptions({&category, &ingot::tools::graphFlags});
  cl::SetVersionPrinter([](raw_ostream &os) {
    os << "ingotc 0.1.0, LLVM " LLVM_VERSION_STRING ", artifact format "
       << INGOT_ABI_VERSION << "\n";
  });
  if (!cl::ParseCommandLineOptions(
          argc, argv,
          "Compiles TensorFlow training graphs into native trainers\n\n"
          "  ingotc train.meta -o trainer && ./trainer --model-dir run\n",
          &errs()))
    return 2;
  if (inspectArtifact)
    return input.empty() ? usageError("no input file") : inspect(input, json);
  if (searchPlan)
    return printSearchPlan();
  if (listRewrites) {
    for (unsigned i = 0; i < ingot::OptionalPassSet::count; ++i)
      outs() << ingot::OptionalPassSet::nameOf(static_cast<ingot::Rewrite>(i))
             << '\n';
    return 0;
  }
  CompileOptions options;
  if (showPasses) {
    if (int code = addCPUs(options))
      return code;
    ingot::driver::printPasses(*options.backends.back(), outs());
    return 0;
  }
  if (int code = parse(options))
    return code;
  if (int code = readSearch(options))
    return code;
  options.sdk = runtimeDir.empty()
                    ? findSdk(argv[0], reinterpret_cast<void *>(main))
                    : runtimeDir;
  options.endsProcess = true;
  return compile(options);
}
