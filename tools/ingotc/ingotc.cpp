//===- ingotc.cpp - Compiles training graphs into native trainers ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/CPU/CPUBackend.h"
#include "codegen/PTX/PTXBackend.h"
#include "compiler/Driver/Compile.h"
#include "compiler/Driver/CrashReport.h"
#include "compiler/Driver/Inspect.h"
#include "compiler/Driver/Stages.h"
#include "compiler/Ensemble/SearchInput.h"
#include "compiler/Graph/OptimizerFlag.h"
#include "runtime/ABI/Mutants.h"
#include "runtime/ABI/Program.h"
#include "tools/GraphFlags/GraphFlags.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

#include <csignal>
#include <malloc.h>

using namespace llvm;
using namespace ingot::driver;

static cl::OptionCategory category("ingotc options");
static cl::opt<std::string> input(cl::Positional, cl::desc("INPUT"),
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
/// The values of --emit. PTX, Cubin and NVVM contain kernels only.
enum class Output {
  Executable,
  Library,
  Shared,
  Object,
  LLVM,
  PTX,
  Cubin,
  NVVM,
  MLIR
};
static cl::opt<Output>
    emit("emit", cl::desc("kind of output:"), cl::init(Output::Executable),
         cl::values(clEnumValN(Output::Executable, "exe", "a trainer"),
                    clEnumValN(Output::Library, "lib",
                               "a static library, and its header"),
                    clEnumValN(Output::Shared, "shared",
                               "a shared library, and its header"),
                    clEnumValN(Output::Object, "obj", "one object file"),
                    clEnumValN(Output::LLVM, "llvm", "LLVM IR, optimized"),
                    clEnumValN(Output::PTX, "ptx",
                               "with --target=cuda: all kernels, as PTX"),
                    clEnumValN(Output::Cubin, "cubin",
                               "with --target=cuda: all kernels, as machine "
                               "code, by ptxas"),
                    clEnumValN(Output::NVVM, "nvvm",
                               "with --target=cuda: all kernels, as LLVM IR"),
                    clEnumValN(Output::MLIR, "mlir", "the IR after --stage")),
         cl::cat(category));
static cl::opt<std::string> libraryName(
    "name",
    cl::desc("with --emit=lib and shared: the name of the header, and the "
             "prefix of its functions (default: NAME of libNAME.a)"),
    cl::value_desc("NAME"), cl::cat(category));
enum class Processor { CPU, CUDA, Both };
static cl::opt<Processor>
    processor("target", cl::desc("processor that kernels run on:"),
              cl::init(Processor::CPU),
              cl::values(clEnumValN(Processor::CPU, "cpu", "this processor"),
                         clEnumValN(Processor::CUDA, "cuda",
                                    "a GPU, or with the trainer's --device cpu "
                                    "this processor"),
                         clEnumValN(Processor::Both, "cpu,cuda",
                                    "this processor, or with the trainer's "
                                    "--device cuda:0 a GPU")),
              cl::cat(category));
static cl::list<std::string>
    gpuArchs("gpu-arch",
             cl::desc("with --target=cuda: GPUs to add machine code for, "
                      "besides PTX (needs ptxas); with --emit=ptx, cubin or "
                      "nvvm: the GPU to compile for (default: sm_80)"),
             cl::value_desc("sm_80,sm_90"), cl::CommaSeparated,
             cl::cat(category));
using ingot::ptx::Precision;
static cl::opt<Precision> precision(
    "precision",
    cl::desc("with --target=cuda: type that operands of f32 GEMMs are rounded "
             "to, for tensor cores; accumulators are f32:"),
    cl::init(Precision::F32),
    cl::values(
        clEnumValN(Precision::F32, "f32", "not at all (default)"),
        clEnumValN(Precision::TF32, "tf32", "10 mantissa bits, range of f32"),
        clEnumValN(Precision::BF16, "bf16", "7 mantissa bits, range of f32"),
        clEnumValN(Precision::F16, "f16", "10 mantissa bits, range of f16")),
    cl::cat(category));
static cl::opt<Stage>
    stage("stage", cl::desc("with --emit=mlir:"), cl::init(Stage::Graph),
          cl::values(clEnumValN(Stage::Import, "import", "as imported"),
                     clEnumValN(Stage::Graph, "graph", "fusion groups"),
                     clEnumValN(Stage::Linalg, "linalg", "linalg on tensors"),
                     clEnumValN(Stage::MemRef, "memref", "linalg on buffers"),
                     clEnumValN(Stage::LLVM, "llvm", "the LLVM dialect")),
          cl::cat(category));
static cl::list<std::string> cpus(
    "cpu",
    cl::desc("levels of CPU to compile for; a trainer uses the highest "
             "that the machine has (default: all); native: this machine's"),
    cl::value_desc("native|x86-64-v2,x86-64-v3,x86-64-v4,x86-64-v4-bf16"),
    cl::CommaSeparated, cl::cat(category));
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
static cl::opt<bool> upgradeSavers(
    "upgrade-savers",
    cl::desc("make savers of V1 checkpoints write V2; they restore both"),
    cl::cat(category));
static cl::opt<std::string>
    dumpStages("dump-stages",
               cl::desc("write the IR after every stage, and index.html"),
               cl::value_desc("folder"), cl::cat(category));
static cl::opt<bool> showRemarks(
    "remarks",
    cl::desc("report what was recognized and fused in the graph, and why "
             "similar parts were not"),
    cl::cat(category));
static cl::opt<bool> timing("timing", cl::desc("print the time of each stage"),
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

static cl::opt<bool> reference(
    "reference",
    cl::desc("compile the reference that optimized code must agree with: one "
             "op per kernel, scalar loops, no rewrites"),
    cl::cat(category));
static cl::opt<std::string>
    rewrites("rewrites",
             cl::desc("rewrites that run: all, none, first:N of "
                      "--list-rewrites, or names with a minus to leave out"),
             cl::value_desc("list"), cl::init("all"), cl::Hidden,
             cl::cat(category));
static cl::opt<bool> showPasses("print-passes",
                                cl::desc("print the passes that would run"),
                                cl::Hidden, cl::cat(category));
static cl::opt<bool> listRewrites("list-rewrites",
                                  cl::desc("print the rewrites in order"),
                                  cl::Hidden, cl::cat(category));

static cl::opt<std::string>
    modelDir("model-dir",
             cl::desc("of a search: compile the next iteration of this folder "
                      "(default: the first iteration)"),
             cl::value_desc("folder"), cl::cat(category));
static cl::opt<long>
    iteration("iteration",
              cl::desc("of a search: iteration to compile (default: the one "
                       "after those that --model-dir has finished)"),
              cl::value_desc("T"), cl::init(-1), cl::cat(category));

static cl::opt<std::string>
    reportFacts("report-facts",
                cl::desc("of a search: write the reports' facts about the "
                         "iteration's builders, as JSON"),
                cl::value_desc("file"), cl::cat(category));
static cl::opt<unsigned>
    processes("processes",
              cl::desc("of a search: number of processes that share the "
                       "folder and divide the iteration's members"),
              cl::value_desc("N"), cl::init(1), cl::cat(category));
static cl::opt<bool>
    searchPlan("search-plan",
               cl::desc("compile nothing: print the trainers that the search "
                        "INPUT needs, as JSON"),
               cl::cat(category));

static cl::opt<bool>
    predictor("predictor",
              cl::desc("of a search: compile a predictor of the best ensemble "
                       "in --model-dir, with its weights"),
              cl::cat(category));
static cl::opt<std::string> signatures(
    "signatures",
    cl::desc("with --predictor: additional entries, like the signatures of an "
             "exported model: the head, members' last layers, their logits"),
    cl::value_desc("head,last_layer,logits"), cl::cat(category));
static cl::opt<std::string>
    loss("loss",
         cl::desc("train a graph without a training step: the tensor to "
                  "minimize (its mean, if it is no scalar)"),
         cl::value_desc("TENSOR"), cl::cat(category));
static cl::opt<std::string>
    optimizer("optimizer",
              cl::desc("with --loss: sgd, momentum, adam, adamw, adagrad or "
                       "rmsprop, its learning rate, and hyperparameters"),
              cl::value_desc("NAME:RATE,KEY=VALUE"), cl::cat(category));

enum class Sanitizer { none, address };
static cl::opt<Sanitizer> sanitizer(
    "sanitize",
    cl::desc("check every memory access of the compiled code; with "
             "--emit=obj or llvm, for a linker that has the sanitizer:"),
    cl::init(Sanitizer::none),
    cl::values(clEnumValN(Sanitizer::address, "address", "AddressSanitizer")),
    cl::cat(category));

static int usageError(const Twine &message) {
  WithColor::error() << message << '\n';
  return 2;
}

/// Returns the folder of the runtime, ../lib/ingot beside the command. It has
/// this place both in the build folder and when installed.
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
  if (sanitizer != Sanitizer::none) // the cache has unsanitized code
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

static Emit emitOf(Output output) {
  switch (output) {
  case Output::Executable:
    return Emit::Executable;
  case Output::Library:
    return Emit::StaticLibrary;
  case Output::Shared:
    return Emit::SharedLibrary;
  case Output::Object:
    return Emit::Object;
  case Output::LLVM:
    return Emit::LLVM;
  case Output::PTX:
  case Output::Cubin:
  case Output::NVVM:
    return Emit::Kernels;
  case Output::MLIR:
    return Emit::MLIR;
  }
  llvm_unreachable("all outputs are listed");
}

/// Returns the rewrites that --reference and --rewrites select, or std::nullopt
/// if a name is unknown.
static std::optional<ingot::RewriteSet> chosenRewrites() {
  using ingot::RewriteSet;
  StringRef text = rewrites;
  if (reference || text == "none")
    return RewriteSet::none();
  if (text == "all")
    return RewriteSet::all();
  unsigned number;
  if (text.consume_front("first:"))
    return text.getAsInteger(10, number)
               ? std::nullopt
               : std::optional(RewriteSet::first(number));
  RewriteSet chosen = RewriteSet::all();
  for (StringRef name : split(text, ',')) {
    auto rewrite =
        name.consume_front("-") ? RewriteSet::find(name) : std::nullopt;
    if (!rewrite)
      return std::nullopt;
    chosen = chosen.without(*rewrite);
  }
  return chosen;
}

/// Adds a backend for each level of --cpu, in ascending order. Returns the exit
/// code.
static int addCPUs(CompileOptions &options) {
  std::vector<std::string> names(cpus.begin(), cpus.end());
  // --emit=llvm and --emit=mlir print the code of one level only, and
  // --reference needs only one.
  bool isText = emit == Output::LLVM || emit == Output::MLIR;
  if (names.empty() && (isText || reference))
    names.push_back("native");
  auto chosen = chosenRewrites();
  if (!chosen)
    return usageError("--rewrites=" + rewrites +
                      ": unknown rewrite; --list-rewrites lists them all");
  if (names.empty())
    for (StringRef level : ingot::cpu::levelNames())
      names.push_back(level.str());
  for (const std::string &name : names) {
    auto backend = ingot::cpu::createBackend(
        name, sanitizer == Sanitizer::address, *chosen);
    if (!backend)
      return usageError("unknown --cpu '" + name + "': expected native, " +
                        join(ingot::cpu::levelNames(), ", "));
    if (none_of(options.backends, [&](const auto &other) {
          return other->name() == backend->name();
        }))
      options.backends.push_back(std::move(backend));
  }
  sort(options.backends,
       [](const auto &a, const auto &b) { return a->name() < b->name(); });
  return 0;
}

/// The architectures that every trainer has PTX for. Compute capabilities 9.0
/// and 10.0 have features that only PTX for these architectures can use.
static constexpr StringLiteral textArchs[] = {"sm_100a", "sm_90a", "sm_80"};

/// Adds a backend for each image of device code that the trainer stores, in
/// order of preference: machine code for each --gpu-arch, if ptxas is
/// installed, and then PTX for each of `textArchs`, the oldest GPUs last.
static void addImages(CompileOptions &options) {
  using ingot::ptx::Form;
  options.isDeviceDefault = processor == Processor::CUDA;
  if (!gpuArchs.empty() && !ingot::ptx::canAssemble())
    WithColor::warning() << "--gpu-arch: ptxas not found: the trainer has PTX "
                            "only, which the GPU's driver compiles\n";
  if (ingot::ptx::canAssemble())
    for (const std::string &arch : gpuArchs)
      options.devices.push_back(
          ingot::ptx::createBackend(arch, Form::Cubin, precision));
  for (StringRef arch : textArchs)
    options.devices.push_back(
        ingot::ptx::createBackend(arch, Form::PTX, precision));
}

/// Adds backends for GPUs if --target or --emit asks for GPU kernels. Returns
/// the exit code.
static int addGPUs(CompileOptions &options) {
  using ingot::ptx::Form;
  bool isForGPUs = emitOf(emit) == Emit::Kernels;
  if (processor == Processor::CPU && precision != Precision::F32)
    return usageError("--precision needs --target=cuda");
  if (processor == Processor::CPU && (isForGPUs || !gpuArchs.empty()))
    return usageError(
        Twine(isForGPUs ? "--emit=ptx, cubin or nvvm" : "--gpu-arch") +
        " needs --target=cuda");
  if (processor == Processor::CPU)
    return 0;
  if (sanitizer != Sanitizer::none)
    return usageError("--sanitize needs --target=cpu");
  for (const std::string &arch : gpuArchs)
    if (!is_contained(ingot::ptx::archNames(), arch))
      return usageError("unknown --gpu-arch '" + arch + "': expected " +
                        join(ingot::ptx::archNames(), ", "));
  if (!isForGPUs && emit != Output::MLIR) {
    addImages(options);
    return 0;
  }
  if (gpuArchs.size() > 1)
    return usageError("--emit=ptx, cubin and nvvm take a single --gpu-arch");
  Form form = emit == Output::NVVM    ? Form::IR
              : emit == Output::Cubin ? Form::Cubin
                                      : Form::PTX;
  options.backends.push_back(ingot::ptx::createBackend(
      gpuArchs.empty() ? "sm_80" : StringRef(gpuArchs.front()), form,
      precision));
  return 0;
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
  options.tuneSeconds = tune;
  options.remarks = showRemarks;
  options.strip = !keepSymbols;
  options.dumpStages = dumpStages;
  options.embedGraph = embedGraph;
  options.stepKernel = stepKernel;
  options.import.upgradeSavers = upgradeSavers;
  options.defaultThreads = threadsDefault;
  bool isLibrary = emit == Output::Library || emit == Output::Shared;
  bool makesFile =
      emit == Output::Executable || isLibrary || emit == Output::Object;
  if (!check && makesFile && output.empty())
    return usageError("no output file: give one with -o");
  if (!check && makesFile)
    if (int code = checkOutput(output))
      return code;
  if (!libraryName.empty() && !isLibrary)
    return usageError("--name needs --emit=lib or shared");
  if (isLibrary && !check) {
    Expected<LibraryName> name = LibraryName::of(
        output, emit == Output::Library ? ".a" : ".so", libraryName);
    if (!name)
      return usageError(toString(name.takeError()));
    options.library = *name;
  }
  if (sanitizer != Sanitizer::none &&
      (emit == Output::Executable || isLibrary) && !check)
    return usageError("--sanitize needs --emit=obj or --emit=llvm");
  if (optimization < '0' || optimization > '3')
    return usageError(Twine("unknown -O") + Twine(optimization.getValue()) +
                      ": expected -O0 to -O3");
  options.optimization = optimization - '0';
  if (reference && optimization.getNumOccurrences() == 0)
    options.optimization = 1;
  if (reference && (processor != Processor::CPU || tune.getNumOccurrences()))
    return usageError("--reference excludes --target=cuda and --tune");
  if (int code = addGPUs(options))
    return code;
  if (options.backends.empty())
    if (int code = addCPUs(options))
      return code;
  if (tune.getNumOccurrences() != 0 &&
      (!(tune > 0) || llvm::none_of(options.backends, [](const auto &backend) {
        return backend->runsHere();
      })))
    return usageError("--tune needs a number of seconds above 0, and a --cpu "
                      "that this machine runs");
  if (int code = openCache(options))
    return code;
  if (int code = parseTraining(options))
    return code;
  options.tagSet = ingot::tools::tagSet;
  return ingot::tools::readGraphFlags(options.import) ? 0 : 2;
}

static void reportProblem(const std::string &problem) {
  WithColor::error() << problem << '\n';
}

static int printPlan() {
  std::optional<std::string> text = ingot::ensemble::readIfSearch(input);
  if (!text)
    return usageError("'" + input +
                      "' is not an AdaNet search; --search-plan needs one");
  auto plan = ingot::ensemble::planSearch(input, *text, reportProblem);
  if (plan)
    outs() << *plan;
  return plan ? 0 : 2;
}

/// If the input is a search, replaces it by the program of the requested
/// iteration or by a predictor. Returns the exit code.
static int readSearch(CompileOptions &options) {
  std::optional<std::string> text = ingot::ensemble::readIfSearch(input);
  if (!text) {
    if (!modelDir.empty() || iteration >= 0 || predictor)
      return usageError("--model-dir, --iteration and --predictor need a "
                        "search, which '" +
                        input + "' is not");
    return 0;
  }
  if (predictor && modelDir.empty())
    return usageError("--predictor needs a --model-dir with the weights");
  auto wanted = ingot::ensemble::PredictionSignatures::parse(signatures);
  if (!wanted)
    return usageError("--signatures: expected head, last_layer or logits");
  std::string found;
  auto program =
      predictor
          ? ingot::ensemble::buildPredictorProgram(
                input, *text, modelDir, *wanted, reportProblem, found)
          : ingot::ensemble::buildSearchProgram(
                input, *text, {modelDir, iteration, reportFacts, processes},
                reportProblem);
  if (!program)
    return 2;
  if (predictor)
    WithColor::note() << "predicts by " << found << '\n';
  options.program = std::move(*program);
  return 0;
}

/// Has malloc keep freed memory in the process: kernels are compiled one after
/// the other with millions of small allocations, and would return memory to the
/// system only to get it again.
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
    return printPlan();
  if (listRewrites) {
    for (unsigned i = 0; i < ingot::RewriteSet::count; ++i)
      outs() << ingot::RewriteSet::nameOf(static_cast<ingot::Rewrite>(i))
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
  return compile(options);
}
