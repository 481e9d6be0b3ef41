//===- GenerateCode.cpp - Compiles kernels and entries to objects ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Driver/GenerateCode.h"

#include "codegen/Host/EmitEntries.h"
#include "codegen/Host/HostAccesses.h"
#include "codegen/Host/OptNoneEntries.h"
#include "codegen/Host/Passes.h"
#include "codegen/LLVM/EmitObject.h"
#include "compiler/Driver/Autotuning.h"
#include "compiler/Driver/CompileEntries.h"
#include "compiler/Driver/CompileKernels.h"
#include "compiler/Driver/StepMemory.h"
#include "compiler/Driver/WorkEstimates.h"
#include "dialects/Host/HostAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Linker/Linker.h"

#include <chrono>

using namespace mlir;

namespace ingot::driver {

using Scratch = llvm::StringMap<int64_t>;

/// Returns the error for a failed stage. CheckCompilable rejects all
/// unsupported programs before, so a failure here is a bug of the compiler.
static llvm::Error internalError(llvm::StringRef stage) {
  return llvm::createStringError(
      "the %s stage failed: this is a bug in Ingot, not in the graph",
      stage.str().c_str());
}

/// Returns the machine for which entries are compiled: that of the first CPU
/// backend, whose code the machines of all later backends can run.
static const llvmgen::TargetMachineSpec &
hostMachine(const CompileOptions &options) {
  for (const auto &backend : options.backends)
    if (const llvmgen::TargetMachineSpec *machine = backend->hostMachine())
      return *machine;
  llvm_unreachable("a backend of the host's processor is always there");
}

static OwningOpRef<ModuleOp> cutEntries(ModuleOp program,
                                        const Scratch &scratch,
                                        const CompileOptions &options) {
  OwningOpRef<ModuleOp> entries = hostgen::cutEntries(
      program, [&](llvm::StringRef kernel) { return scratch.lookup(kernel); });
  if (options.maxStepMemory)
    limitStepMemory(*entries, program, *options.maxStepMemory);
  return entries;
}

static llvm::Error generateEntries(ModuleOp program, const Scratch &scratch,
                                   const CompileOptions &options,
                                   abi::ProgramDescriptorContents &info,
                                   ObjectFiles &objects,
                                   StageInstrumentation &log) {
  OwningOpRef<ModuleOp> entries = cutEntries(program, scratch, options);
  if (!options.devices.empty())
    for (auto function : entries->getOps<func::FuncOp>())
      if (function->hasAttr(host::entryAttrName))
        function->setAttr(hostgen::onDeviceAttrName,
                          UnitAttr::get(program.getContext()));
  unsigned level = options.isForOneRun() ? 0 : options.optimization;
  llvm::Expected<std::vector<std::string>> compiled =
      compileEntries(*entries, hostMachine(options), level, options.rewrites(),
                     options.cache, info);
  if (!compiled)
    return compiled.takeError();
  for (const std::string &object : *compiled)
    if (llvm::Error error = objects.add(object))
      return error;
  log.note("entries");
  return llvm::Error::success();
}

/// Returns the vector width of a CPU backend in bits, or 0 for a device.
static unsigned vectorBits(const codegen::Backend &backend) {
  const llvmgen::TargetMachineSpec *machine = backend.hostMachine();
  return machine ? machine->vectorBits : 0;
}

/// Returns for each kernel in `units` whether it is compiled for `backend`, a
/// CPU level. `other` is the next lower level. If `backend` has wider vectors
/// than `other`, all kernels are compiled. Otherwise only those are compiled
/// that can use the additional instructions of `backend`; for the remaining
/// kernels, machines of this level run the code for `other`.
static std::vector<bool> kernelsOfLevel(const SymbolTable &symbols,
                                        const std::vector<KernelModule> &units,
                                        const codegen::Backend &backend,
                                        const codegen::Backend &other) {
  bool isWider = vectorBits(backend) != vectorBits(other);
  std::vector<bool> uses;
  for (const KernelModule &unit : units)
    uses.push_back(isWider || backend.isOfUseTo(symbols.lookup(unit.name)));
  return uses;
}

namespace {

/// The kernels that take only a small fraction of the time of the entries that
/// launch them, such as the training step. A kernel whose work is unknown at
/// compile time does not count as such a kernel. Both vectors have one element
/// per unit (KernelModule).
struct LowCostKernels {
  /// For each unit, whether it does at most 1/256 (`little`) or 1/1024
  /// (`least`) of the work of each entry that launches it. A unit that runs
  /// only to initialize variables or for short batches counts as both.
  std::vector<bool> little, least;
};

} // namespace

static LowCostKernels weigh(ModuleOp program,
                            const std::vector<KernelModule> &units) {
  std::vector<std::vector<bool>> found =
      findLittleWork(program, units, {256, 1024});
  LowCostKernels weights{std::move(found[0]), std::move(found[1])};
  for (auto [unit, runsOnce] : llvm::enumerate(findRunOnce(program, units)))
    if (runsOnce)
      weights.little[unit] = weights.least[unit] = true;
  return weights;
}

/// Returns for each kernel in `units` whether it is compiled for `backend`, the
/// first CPU level with vectors of more than 128 bits. Machines of this level
/// run the remaining kernels with the previous level's code. A kernel with a
/// very small share of the work (`least`) gains too little from wider vectors
/// to be compiled again, unless the two levels round differently: the previous
/// level's code would then change the results of this level.
static std::vector<bool> findWide(const SymbolTable &symbols,
                                  const std::vector<KernelModule> &units,
                                  const codegen::Backend &backend,
                                  const std::vector<bool> &least) {
  std::vector<bool> chosen;
  for (auto [unit, isLeast] : llvm::zip(units, least))
    chosen.push_back(!isLeast ||
                     backend.roundsOtherwise(symbols.lookup(unit.name)));
  return chosen;
}

/// Decides which backends compile each kernel, and at which optimization level.
///
/// - If there are levels with wider vectors, only few machines run the 128-bit
///   level: its code is optimized less, which halves its compile time.
/// - Kernels with little of the work (`LowCostKernels::little`) are compiled
///   without loop unrolling. Of the levels with vectors of at least 256 bits,
///   only the first one gets code of its own for these kernels; the later
///   levels run the same code.
/// - Kernels with even less of the work (`least`) are not compiled for that
///   first level, either: machines of this level run the code of the 128-bit
///   level. The exception is a kernel for which the two levels round
///   differently.
/// - A level with the vector width of the previous level is left out if no
///   kernel is compiled for it.
///
/// All of these choices give bitwise equal results.
static SmallVector<KernelCompilationSettings>
targetsOf(ModuleOp program, const std::vector<KernelModule> &units,
          const CompileOptions &options, const LowCostKernels &weights) {
  SmallVector<KernelCompilationSettings> targets;
  SymbolTable symbols(program);
  for (const auto &backend : options.backends) {
    bool isForFew = vectorBits(*backend) == 128 &&
                    vectorBits(*options.backends.back()) > 128;
    bool isLater =
        !targets.empty() && vectorBits(*targets.back().backend) >= 256;
    std::vector<bool> chosen;
    if (isLater) {
      chosen =
          kernelsOfLevel(symbols, units, *backend, *targets.back().backend);
      for (auto [isChosen, isLittle] : llvm::zip(chosen, weights.little))
        isChosen = isChosen && !isLittle;
      if (vectorBits(*backend) == vectorBits(*targets.back().backend) &&
          !llvm::is_contained(chosen, true))
        continue;
    } else if (!targets.empty()) {
      chosen = findWide(symbols, units, *backend, weights.least);
    }
    KernelCompilationSettings &target = targets.emplace_back(
        backend.get(),
        isForFew ? std::min(options.optimization, 1u) : options.optimization);
    target.seldom = weights.little;
    target.chosen = std::move(chosen);
  }
  return targets;
}

/// For each kernel that a target does not compile, copies the code of the
/// previous target, which is the next lower CPU level.
static void shareCode(llvm::ArrayRef<KernelCompilationSettings> targets,
                      llvm::MutableArrayRef<CompiledKernels> kernels) {
  for (size_t target = 1; target < targets.size(); ++target)
    for (auto [unit, code] : llvm::enumerate(kernels[target].codes))
      if (!targets[target].takes(unit))
        code = kernels[target - 1].codes[unit];
}

/// Sets the plans of each target's kernels to the results of earlier
/// autotuning. If --tune is given, measures the kernels of the highest level
/// that this machine runs, and sets their plans to the new results.
static void
planKernels(const std::vector<KernelModule> &units,
            const CompileOptions &options,
            llvm::MutableArrayRef<KernelCompilationSettings> targets,
            StageInstrumentation &log) {
  for (KernelCompilationSettings &target : targets)
    target.plans = findPlans(units, target, options.cache);
  if (options.tuneSeconds <= 0)
    return;
  TuningResult result;
  double seconds = options.tuneSeconds;
  for (size_t i = targets.size(); i-- > 0;) {
    KernelCompilationSettings &target = targets[i];
    if (!target.backend->runsHere())
      continue;
    // If the preceding level has the same vector width, its code for most units
    // is also the code of this level (`shareCode`), so measure the preceding
    // level, too.
    bool isAdded = i != 0 && vectorBits(*target.backend) ==
                                 vectorBits(*targets[i - 1].backend);
    auto start = std::chrono::steady_clock::now();
    TuningResult measured =
        tuneKernels(units, target, options.cache, seconds, target.plans);
    result.measured += measured.measured;
    result.changed += measured.changed;
    std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - start;
    seconds -= taken.count();
    if (!isAdded || seconds <= 0)
      break;
  }
  log.note("tuning: " + std::to_string(result.measured) +
           " kernels measured, " + std::to_string(result.changed) +
           " with a new tiling plan");
}

llvm::Error generate(ModuleOp program, const CompileOptions &options,
                     abi::ProgramDescriptorContents &info, ObjectFiles &objects,
                     std::vector<HostFallbackKernel> &left,
                     StageInstrumentation &log) {
  std::vector<KernelModule> units = cutKernels(program);
  for (const KernelModule &unit : units)
    info.kernels.push_back({unit.name, {}});
  log.note("kernel modules");
  Scratch scratch;
  auto note = [&](llvm::ArrayRef<int64_t> bytes) {
    for (auto [unit, size] : llvm::zip(units, bytes)) {
      int64_t &most = scratch[unit.name];
      most = std::max(most, size);
    }
  };
  if (!options.devices.empty())
    if (llvm::Error error =
            generateDevice(program, units, options, info, note, left, log))
      return error;
  // The code of entries depends on the scratch sizes of all kernels. This
  // callback compiles the entries as soon as these sizes are known, while other
  // threads still compile kernels.
  llvm::Error entriesError = llvm::Error::success();
  auto compileEntries = [&](llvm::ArrayRef<int64_t> bytes) {
    note(bytes);
    entriesError = llvm::joinErrors(
        std::move(entriesError),
        generateEntries(program, scratch, options, info, objects, log));
  };
  SmallVector<KernelCompilationSettings> targets =
      targetsOf(program, units, options, weigh(program, units));
  log.progress.begin("planning kernels");
  planKernels(units, options, targets, log);
  auto kernels = compileKernels(units, targets, options.cache, log.progress,
                                compileEntries);
  if (!kernels)
    return llvm::joinErrors(kernels.takeError(), std::move(entriesError));
  if (entriesError)
    return entriesError;
  shareCode(targets, *kernels);
  for (auto [target, compiled] : llvm::zip(targets, *kernels)) {
    llvm::StringRef name = target.backend->name();
    for (auto [kernel, code] : llvm::zip(info.kernels, compiled.codes)) {
      if (llvm::Error error = objects.addKernel(
              code.image, abi::kernelSymbol(kernel.name, name)))
        return error;
      kernel.facts.push_back(code.facts);
    }
    info.targets.push_back(name.str());
  }
  log.note(describe(targets, *kernels));
  options.cache.prune();
  return llvm::Error::success();
}

llvm::Error addDescriptor(ModuleOp program, const CompileOptions &options,
                          const abi::ProgramDescriptorContents &info,
                          ObjectFiles &objects) {
  OwningOpRef<ModuleOp> descriptor = abi::buildDescriptor(program, info);
  const llvmgen::TargetMachineSpec &machine = hostMachine(options);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      llvmgen::translate(*descriptor, context, machine);
  if (!translated)
    return internalError("descriptor");
  // Optimization level 0: the descriptor consists of tables, so there is no
  // code to optimize.
  llvm::Expected<std::string> object =
      llvmgen::emitObject(*translated, machine, /*level=*/0);
  return object ? objects.add(*object) : object.takeError();
}

/// Clones all kernels into one module, to run a backend's passes on all of them
/// at once.
static OwningOpRef<ModuleOp> kernelsOf(ModuleOp program) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(program.getLoc());
  for (auto function : program.getOps<func::FuncOp>())
    if (function->hasAttr(host::kernelAttrName))
      module->push_back(function->clone());
  return module;
}

llvm::Expected<std::vector<CompilationStageIR>>
generateStages(ModuleOp program, const CompileOptions &options) {
  std::vector<CompilationStageIR> stages;
  Scratch scratch;
  for (const auto &backend : options.backends) {
    OwningOpRef<ModuleOp> kernels = kernelsOf(program);
    if (failed(runBufferStage(*kernels, *backend)))
      return internalError("memref");
    for (auto kernel : kernels->getOps<func::FuncOp>()) {
      int64_t &most = scratch[kernel.getName()];
      most = std::max(most, codegen::factsOf(kernel).scratchBytes);
    }
    std::string name = backend->name().str();
    stages.push_back({name + ".memref", kernels->clone()});
    if (failed(runCodeStage(*kernels, *backend)))
      return internalError("llvm");
    stages.push_back({name + ".llvm", std::move(kernels)});
  }
  OwningOpRef<ModuleOp> entries = cutEntries(program, scratch, options);
  if (failed(runEntryBufferStage(*entries, options.rewrites())))
    return internalError("memref");
  stages.push_back({"entries.memref", entries->clone()});
  if (failed(runEntryLLVMStage(*entries, options.rewrites())))
    return internalError("llvm");
  stages.push_back({"entries.llvm", std::move(entries)});
  return stages;
}

/// Returns the optimized LLVM IR of `stage`, which has all kernels or all
/// entries in the LLVM dialect. Returns null on failure.
static std::unique_ptr<llvm::Module>
optimizedStage(CompilationStageIR &stage, llvm::LLVMContext &context,
               const llvmgen::TargetMachineSpec &machine, unsigned level) {
  bool isEntries = stage.name == "entries.llvm";
  std::unique_ptr<llvm::Module> translated =
      isEntries ? hostgen::translateEntries(*stage.module, context, machine)
                : llvmgen::translate(*stage.module, context, machine);
  if (!translated)
    return nullptr;
  if (isEntries)
    hostgen::markLongEntriesOptNone(*translated);
  if (llvm::Error error = llvmgen::optimize(*translated, machine, level)) {
    llvm::consumeError(std::move(error));
    return nullptr;
  }
  return translated;
}

llvm::Error printLLVM(ModuleOp program, const CompileOptions &options,
                      llvm::raw_ostream &os) {
  llvm::Expected<std::vector<CompilationStageIR>> stages =
      generateStages(program, options);
  if (!stages)
    return stages.takeError();
  const llvmgen::TargetMachineSpec &machine = hostMachine(options);
  std::string kernels = options.backends.front()->name().str() + ".llvm";
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> all;
  for (CompilationStageIR &stage : *stages) {
    if (stage.name != "entries.llvm" && stage.name != kernels)
      continue;
    std::unique_ptr<llvm::Module> module =
        optimizedStage(stage, context, machine, options.optimization);
    if (!module)
      return internalError("llvm");
    if (!all)
      all = std::move(module);
    else if (llvm::Linker::linkModules(*all, std::move(module)))
      return internalError("llvm");
  }
  all->print(os, nullptr);
  return llvm::Error::success();
}

} // namespace ingot::driver
