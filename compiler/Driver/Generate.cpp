//===- Generate.cpp - From linalg to objects ------------------------------===//

#include "compiler/Driver/Generate.h"

#include "codegen/Host/EmitEntries.h"
#include "codegen/Host/HostMemory.h"
#include "codegen/Host/LongEntries.h"
#include "codegen/Host/Passes.h"
#include "codegen/LLVM/EmitObject.h"
#include "compiler/Driver/CompileEntries.h"
#include "compiler/Driver/CompileKernels.h"
#include "compiler/Driver/KernelPlans.h"
#include "compiler/Driver/StepRuns.h"
#include "dialects/Host/HostAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Linker/Linker.h"

using namespace mlir;

namespace ingot::driver {

using Scratch = llvm::StringMap<int64_t>;

/// Nothing that passes the front door may fail later.
static llvm::Error internalError(llvm::StringRef stage) {
  return llvm::createStringError(
      "the %s stage failed; this is a bug in Ingot, not in the graph",
      stage.str().c_str());
}

/// The machine that entries are compiled for: the least that any backend asks
/// for, which come in rising order.
static const llvmgen::Machine &hostMachine(const CompileOptions &options) {
  for (const auto &backend : options.backends)
    if (const llvmgen::Machine *machine = backend->hostMachine())
      return *machine;
  llvm_unreachable("a backend of the host's processor is always there");
}

static OwningOpRef<ModuleOp> cutEntries(ModuleOp program,
                                        const Scratch &scratch) {
  return hostgen::cutEntries(
      program, [&](llvm::StringRef kernel) { return scratch.lookup(kernel); });
}

static llvm::Error generateEntries(ModuleOp program, const Scratch &scratch,
                                   const CompileOptions &options,
                                   abi::DescriptorInfo &info,
                                   ObjectFiles &objects, StageLog &log) {
  OwningOpRef<ModuleOp> entries = cutEntries(program, scratch);
  if (!options.devices.empty())
    for (auto function : entries->getOps<func::FuncOp>())
      if (function->hasAttr(host::entryAttrName))
        function->setAttr(hostgen::onDeviceAttrName,
                          UnitAttr::get(program.getContext()));
  unsigned level = options.isForOneRun() ? 0 : options.optimization;
  llvm::Expected<std::vector<std::string>> compiled = compileEntries(
      *entries, hostMachine(options), level, options.cache, info);
  if (!compiled)
    return compiled.takeError();
  for (const std::string &object : *compiled)
    if (llvm::Error error = objects.add(object))
      return error;
  log.note("entries");
  return llvm::Error::success();
}

/// "x86-64-v3, x86-64-v4 kernels: 39 compiled, 3 from the cache".
static void note(llvm::ArrayRef<KernelTarget> targets,
                 llvm::ArrayRef<CompiledKernels> kernels, StageLog &log) {
  std::string text;
  unsigned compiled = 0, found = 0;
  for (auto [target, made] : llvm::zip(targets, kernels)) {
    text += (text.empty() ? "" : ", ") + target.backend->name().str();
    compiled += made.compiled;
    found += made.found;
  }
  log.note(text + " kernels: " + std::to_string(compiled) + " compiled, " +
           std::to_string(found) + " from the cache");
}

/// Keeps functions of kernels for the runs of a step that are one kernel.
static EntryWords keepStepFunctions(ModuleOp program,
                                    const std::vector<KernelUnit> &units,
                                    const CompileOptions &options,
                                    std::vector<codegen::KernelCode> &codes) {
  if (options.stepKernel)
    return findStepRuns(program, units, codes);
  for (codegen::KernelCode &code : codes)
    code.function.clear();
  return {};
}

/// Code of all kernels by one backend.
static llvm::Expected<std::vector<codegen::KernelCode>>
compileAll(const std::vector<KernelUnit> &units,
           const codegen::Backend &backend, const CompileOptions &options,
           StageLog &log) {
  auto kernels =
      compileKernels(units, KernelTarget{&backend, options.optimization},
                     options.cache, [](llvm::ArrayRef<int64_t>) {});
  if (!kernels)
    return kernels.takeError();
  note(KernelTarget{&backend, options.optimization}, *kernels, log);
  options.cache.prune();
  return std::move(kernels->front().codes);
}

/// Machine code, unless it is in the cache: of the same text, by the same
/// assembler.
static llvm::Expected<std::string> assemble(const codegen::Backend &backend,
                                            llvm::StringRef text,
                                            const KernelCache &cache) {
  llvm::Expected<std::string> assembler = backend.assembler();
  if (!assembler)
    return assembler;
  std::string key = KernelCache::keyOf(
      text, ("machine code " + backend.name() + " by " + *assembler).str(),
      /*level=*/0);
  if (std::optional<codegen::KernelCode> known = cache.find(key))
    return std::move(known->image);
  codegen::KernelCode code;
  llvm::Expected<std::string> image = backend.assemble(text);
  if (!image)
    return image;
  code.image = *image;
  cache.store(key, code);
  return image;
}

/// One image of those that the backend's target runs; the others go to `left`.
static llvm::Expected<std::string>
joinKernels(const std::vector<KernelUnit> &units,
            const std::vector<codegen::KernelCode> &codes,
            const codegen::Backend &backend, const KernelCache &cache,
            std::vector<HostKernel> &left) {
  std::vector<codegen::NamedImage> images;
  for (auto [unit, code] : llvm::zip(units, codes)) {
    if (code.reason.empty())
      images.push_back({unit.name, code.image, code.function});
    else
      left.push_back({unit.name, code.reason});
  }
  llvm::Expected<std::string> joined = backend.join(images);
  return joined && backend.imageFormat().isBinary
             ? assemble(backend, *joined, cache)
             : std::move(joined);
}

/// The device's code of all kernels, before entries are compiled: these place
/// what scratch memory it takes.
static llvm::Error
generateDevice(ModuleOp program, const std::vector<KernelUnit> &units,
               const CompileOptions &options, abi::DescriptorInfo &info,
               llvm::function_ref<void(llvm::ArrayRef<int64_t>)> noteScratch,
               std::vector<HostKernel> &left, StageLog &log) {
  abi::DeviceInfo &device = info.device.emplace();
  device.name = "cuda";
  device.isDefault = options.isDeviceDefault;
  // Machine code is made of a text that is an image of its own, too.
  llvm::StringMap<std::vector<codegen::KernelCode>> known;
  for (const auto &backend : options.devices) {
    auto [found, isNew] = known.try_emplace(backend->name());
    std::vector<codegen::KernelCode> &codes = found->second;
    if (isNew) {
      auto compiled = compileAll(units, *backend, options, log);
      if (!compiled)
        return compiled.takeError();
      codes = std::move(*compiled);
      EntryWords words = keepStepFunctions(program, units, options, codes);
      if (known.size() == 1) // others differ in little
        for (auto &[entry, text] : words)
          info.deviceRemarks[entry].push_back(std::move(text));
    }
    std::vector<HostKernel> leftHere;
    llvm::Expected<std::string> joined =
        joinKernels(units, codes, *backend, options.cache, leftHere);
    if (!joined)
      return joined.takeError();
    if (backend->imageFormat().isBinary)
      log.note((backend->name() + " machine code").str());
    // Most stay for one reason, wherever they do.
    for (HostKernel &kernel : leftHere)
      if (!llvm::is_contained(left, kernel))
        left.push_back(std::move(kernel));
    abi::DeviceInfo::Image &image = device.images.emplace_back();
    image.arch = backend->name().str();
    image.format = backend->imageFormat();
    image.bytes = std::move(*joined);
    SmallVector<int64_t> scratch;
    unsigned functions = 0;
    for (auto [unit, code] : llvm::zip(units, codes)) {
      image.kernels.push_back(
          {code.reason.empty() ? backend->entryOf(unit.name) : "", code.facts,
           code.function.empty() ? 0 : ++functions});
      scratch.push_back(code.facts.scratchBytes);
    }
    image.hasStep = functions != 0;
    noteScratch(scratch);
  }
  return llvm::Error::success();
}

/// Who compiles the kernels. Beside a level with wider vectors, one of 128 bits
/// is for the few machines that have none: it is compiled in half the time, and
/// keeps most of its speed and each bit of its results.
static SmallVector<KernelTarget> targetsOf(const CompileOptions &options) {
  auto bits = [](const codegen::Backend &backend) {
    const llvmgen::Machine *machine = backend.hostMachine();
    return machine ? machine->vectorBits : 0;
  };
  SmallVector<KernelTarget> targets;
  for (const auto &backend : options.backends) {
    bool isSeldom =
        bits(*backend) == 128 && bits(*options.backends.back()) > 128;
    targets.push_back({backend.get(), isSeldom
                                          ? std::min(options.optimization, 1u)
                                          : options.optimization});
  }
  return targets;
}

/// By which plans kernels are compiled: those that were measured before, or are
/// measured now, for the highest level that this machine runs.
static void planKernels(const std::vector<KernelUnit> &units,
                        const CompileOptions &options,
                        llvm::MutableArrayRef<KernelTarget> targets,
                        StageLog &log) {
  for (KernelTarget &target : targets)
    target.plans = findPlans(units, target, options.cache);
  if (options.tuneSeconds <= 0)
    return;
  for (KernelTarget &target : llvm::reverse(targets)) {
    if (!target.backend->runsHere())
      continue;
    TuningResult result = tuneKernels(units, target, options.cache,
                                      options.tuneSeconds, target.plans);
    log.note("tuning: " + std::to_string(result.measured) +
             " kernels measured, " + std::to_string(result.changed) +
             " by another plan");
    return;
  }
}

llvm::Error generate(ModuleOp program, const CompileOptions &options,
                     abi::DescriptorInfo &info, ObjectFiles &objects,
                     std::vector<HostKernel> &left, StageLog &log) {
  std::vector<KernelUnit> units = cutKernels(program);
  for (const KernelUnit &unit : units)
    info.kernels.push_back({unit.name, {}});
  log.note("kernels cut");
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
  // Entries need to know of kernels what memory they take, and are compiled
  // beside them.
  llvm::Error entriesError = llvm::Error::success();
  auto compileEntries = [&](llvm::ArrayRef<int64_t> bytes) {
    note(bytes);
    entriesError = llvm::joinErrors(
        std::move(entriesError),
        generateEntries(program, scratch, options, info, objects, log));
  };
  SmallVector<KernelTarget> targets = targetsOf(options);
  planKernels(units, options, targets, log);
  auto kernels = compileKernels(units, targets, options.cache, compileEntries);
  if (!kernels)
    return llvm::joinErrors(kernels.takeError(), std::move(entriesError));
  if (entriesError)
    return entriesError;
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
  driver::note(targets, *kernels, log);
  options.cache.prune();
  return llvm::Error::success();
}

llvm::Expected<std::string> generateKernels(ModuleOp program,
                                            const CompileOptions &options,
                                            std::vector<HostKernel> &left,
                                            StageLog &log) {
  const codegen::Backend &backend = *options.backends.front();
  std::vector<KernelUnit> units = cutKernels(program);
  llvm::Expected<std::vector<codegen::KernelCode>> codes =
      compileAll(units, backend, options, log);
  if (!codes)
    return codes.takeError();
  keepStepFunctions(program, units, options, *codes);
  return joinKernels(units, *codes, backend, options.cache, left);
}

llvm::Error addDescriptor(ModuleOp program, const CompileOptions &options,
                          const abi::DescriptorInfo &info,
                          ObjectFiles &objects) {
  OwningOpRef<ModuleOp> descriptor = abi::buildDescriptor(program, info);
  const llvmgen::Machine &machine = hostMachine(options);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      llvmgen::translate(*descriptor, context, machine);
  if (!translated)
    return internalError("descriptor");
  // Tables only: nothing to optimize.
  llvm::Expected<std::string> object =
      llvmgen::emitObject(*translated, machine, /*level=*/0);
  return object ? objects.add(*object) : object.takeError();
}

/// All kernels in one module, for a backend's passes at once.
static OwningOpRef<ModuleOp> kernelsOf(ModuleOp program) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(program.getLoc());
  for (auto function : program.getOps<func::FuncOp>())
    if (function->hasAttr(host::kernelAttrName))
      module->push_back(function->clone());
  return module;
}

llvm::Expected<std::vector<StageText>>
generateStages(ModuleOp program, const CompileOptions &options) {
  std::vector<StageText> stages;
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
  OwningOpRef<ModuleOp> entries = cutEntries(program, scratch);
  if (failed(runEntryBufferStage(*entries)))
    return internalError("memref");
  stages.push_back({"entries.memref", entries->clone()});
  if (failed(runEntryLLVMStage(*entries)))
    return internalError("llvm");
  stages.push_back({"entries.llvm", std::move(entries)});
  return stages;
}

/// Kernels' or entries' LLVM IR, optimized; null where it could not be made.
static std::unique_ptr<llvm::Module>
optimizedStage(StageText &stage, llvm::LLVMContext &context,
               const llvmgen::Machine &machine, unsigned level) {
  bool isEntries = stage.name == "entries.llvm";
  std::unique_ptr<llvm::Module> translated =
      isEntries ? hostgen::translateEntries(*stage.module, context, machine)
                : llvmgen::translate(*stage.module, context, machine);
  if (!translated)
    return nullptr;
  if (isEntries)
    hostgen::leaveLongEntries(*translated);
  if (llvm::Error error = llvmgen::optimize(*translated, machine, level)) {
    llvm::consumeError(std::move(error));
    return nullptr;
  }
  return translated;
}

llvm::Error printLLVM(ModuleOp program, const CompileOptions &options,
                      llvm::raw_ostream &os) {
  llvm::Expected<std::vector<StageText>> stages =
      generateStages(program, options);
  if (!stages)
    return stages.takeError();
  const llvmgen::Machine &machine = hostMachine(options);
  std::string kernels = options.backends.front()->name().str() + ".llvm";
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> all;
  for (StageText &stage : *stages) {
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
