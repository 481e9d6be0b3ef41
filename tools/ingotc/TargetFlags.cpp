//===- TargetFlags.cpp - Flags of the processors to compile for -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "tools/ingotc/Flags.h"

#include "codegen/CPU/CPUBackend.h"
#include "codegen/PTX/PTXBackend.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace ingot::driver;
using namespace ingot::command;

namespace {
enum class Processor { CPU, CUDA, Both };
enum class Sanitizer { none, address };
} // namespace

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
static cl::list<std::string> cpus(
    "cpu",
    cl::desc("levels of CPU to compile for; a trainer uses the highest "
             "that the machine has (default: all); native: this machine's"),
    cl::value_desc("native|x86-64-v2,x86-64-v3,x86-64-v4,x86-64-v4-bf16,"
                   "x86-64-v4-fp256"),
    cl::CommaSeparated, cl::cat(category));
static cl::opt<std::string> assumedCaches(
    "assume-cache",
    cl::desc("sizes of L1, L2 and the last-level cache that CPU kernels are "
             "planned for (default: this machine's with --cpu=native, else "
             "those that are usual at a level); no bit depends on them"),
    cl::value_desc("32K,512K,16M"), cl::cat(category));
cl::opt<bool> ingot::command::reference(
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
static cl::opt<Sanitizer> sanitizer(
    "sanitize",
    cl::desc("check every memory access of the compiled code; with "
             "--emit=obj or llvm, for a linker that has the sanitizer:"),
    cl::init(Sanitizer::none),
    cl::values(clEnumValN(Sanitizer::address, "address", "AddressSanitizer")),
    cl::cat(category));

/// Returns the rewrites that --reference and --rewrites select, or std::nullopt
/// if a name is unknown.
static std::optional<ingot::OptionalPassSet> chosenRewrites() {
  using ingot::OptionalPassSet;
  StringRef text = rewrites;
  if (reference || text == "none")
    return OptionalPassSet::none();
  if (text == "all")
    return OptionalPassSet::all();
  unsigned number;
  if (text.consume_front("first:"))
    return text.getAsInteger(10, number)
               ? std::nullopt
               : std::optional(OptionalPassSet::first(number));
  OptionalPassSet chosen = OptionalPassSet::all();
  for (StringRef name : split(text, ',')) {
    auto rewrite =
        name.consume_front("-") ? OptionalPassSet::find(name) : std::nullopt;
    if (!rewrite)
      return std::nullopt;
    chosen = chosen.without(*rewrite);
  }
  return chosen;
}

/// Adds a backend for each level of --cpu, in ascending order. Returns the exit
/// code.
int ingot::command::addCPUs(CompileOptions &options) {
  std::vector<std::string> names(cpus.begin(), cpus.end());
  // --emit=llvm and --emit=mlir print the code of one level only, and
  // --reference needs only one.
  bool isText = emit == EmitOption::LLVM || emit == EmitOption::MLIR;
  if (names.empty() && (isText || reference))
    names.push_back("native");
  auto chosen = chosenRewrites();
  if (!chosen)
    return usageError("--rewrites=" + rewrites +
                      ": unknown rewrite; expected all, none, first:N, or "
                      "-NAME (--list-rewrites prints the names)");
  if (names.empty())
    for (StringRef level : ingot::cpu::levelNames())
      names.push_back(level.str());
  std::optional<ingot::cpu::CacheHierarchy> caches;
  if (assumedCaches.getNumOccurrences() != 0) {
    auto parsed = ingot::cpu::parseCaches(assumedCaches);
    if (!parsed)
      return usageError("--assume-cache: " + toString(parsed.takeError()));
    caches = *parsed;
  }
  for (const std::string &name : names) {
    auto backend = ingot::cpu::createBackend(
        name, sanitizer == Sanitizer::address, *chosen, caches);
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
  using ingot::ptx::KernelCodeFormat;
  options.isDeviceDefault = processor == Processor::CUDA;
  if (!gpuArchs.empty() && !ingot::ptx::canAssemble())
    WithColor::warning() << "--gpu-arch: ptxas not found: the trainer has PTX "
                            "only, which the GPU's driver compiles\n";
  if (ingot::ptx::canAssemble())
    for (const std::string &arch : gpuArchs)
      options.devices.push_back(
          ingot::ptx::createBackend(arch, KernelCodeFormat::Cubin, precision));
  for (StringRef arch : textArchs)
    options.devices.push_back(
        ingot::ptx::createBackend(arch, KernelCodeFormat::PTX, precision));
}

/// Adds backends for GPUs if --target or --emit requests GPU kernels. Returns
/// the exit code.
static int addGPUs(CompileOptions &options) {
  using ingot::ptx::KernelCodeFormat;
  bool isForGPUs = emitOf(emit) == OutputKind::Kernels;
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
  if (!isForGPUs && emit != EmitOption::MLIR) {
    addImages(options);
    return 0;
  }
  if (gpuArchs.size() > 1)
    return usageError("--emit=ptx, cubin and nvvm take a single --gpu-arch");
  KernelCodeFormat form = emit == EmitOption::NVVM    ? KernelCodeFormat::IR
                          : emit == EmitOption::Cubin ? KernelCodeFormat::Cubin
                                                      : KernelCodeFormat::PTX;
  options.backends.push_back(ingot::ptx::createBackend(
      gpuArchs.empty() ? "sm_80" : StringRef(gpuArchs.front()), form,
      precision));
  return 0;
}

bool ingot::command::isSanitized() { return sanitizer != Sanitizer::none; }

int ingot::command::addBackends(CompileOptions &options, bool isTuned) {
  if (reference && (isTuned || processor != Processor::CPU))
    return usageError(
        "--reference cannot be used with --target=cuda or --tune");
  if (int code = addGPUs(options))
    return code;
  return options.backends.empty() ? addCPUs(options) : 0;
}
