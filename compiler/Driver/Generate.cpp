//===- Generate.cpp - From linalg to objects ------------------------------===//

#include "compiler/Driver/Generate.h"

#include "codegen/Host/EmitEntries.h"
#include "codegen/Host/HostMemory.h"
#include "codegen/Host/LongEntries.h"
#include "codegen/Host/Passes.h"
#include "codegen/LLVM/EmitObject.h"
#include "compiler/Driver/CompileEntries.h"
#include "compiler/Driver/CompileKernels.h"
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

/// Code of all kernels by one backend.
static llvm::Expected<std::vector<codegen::KernelCode>>
compileAll(const std::vector<KernelUnit> &units,
           const codegen::Backend &backend, const CompileOptions &options,
           StageLog &log) {
  KernelCounts counts;
  llvm::Expected<std::vector<codegen::KernelCode>> codes =
      compileKernels(units, backend, options.optimization, options.cache,
                     counts, [](llvm::ArrayRef<int64_t>) {});
  if (codes)
    log.note((backend.name() + " kernels: " + std::to_string(counts.compiled) +
              " compiled, " + std::to_string(counts.found) + " from the cache")
                 .str());
  options.cache.prune();
  return codes;
}

/// One image of those that the backend's target runs; the others go to `left`.
static llvm::Expected<std::string>
joinKernels(const std::vector<KernelUnit> &units,
            const std::vector<codegen::KernelCode> &codes,
            const codegen::Backend &backend, std::vector<HostKernel> &left) {
  std::vector<codegen::NamedImage> images;
  for (auto [unit, code] : llvm::zip(units, codes)) {
    if (code.reason.empty())
      images.push_back({unit.name, code.image});
    else
      left.push_back({unit.name, code.reason});
  }
  return backend.join(images);
}

/// The device's code of all kernels, before entries are compiled: these place
/// what scratch memory it takes.
static llvm::Error
generateDevice(const std::vector<KernelUnit> &units,
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
    }
    std::vector<HostKernel> leftHere;
    llvm::Expected<std::string> joined =
        joinKernels(units, codes, *backend, leftHere);
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
    for (auto [unit, code] : llvm::zip(units, codes)) {
      image.kernels.push_back(
          {code.reason.empty() ? backend->entryOf(unit.name) : "", code.facts});
      scratch.push_back(code.facts.scratchBytes);
    }
    noteScratch(scratch);
  }
  return llvm::Error::success();
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
            generateDevice(units, options, info, note, left, log))
      return error;
  llvm::Error entriesError = llvm::Error::success();
  for (const auto &backend : options.backends) {
    KernelCounts counts;
    // Entries need to know of kernels what memory they take, and are compiled
    // beside them.
    auto compileEntries = [&](llvm::ArrayRef<int64_t> bytes) {
      note(bytes);
      if (&backend == &options.backends.back())
        entriesError = llvm::joinErrors(
            std::move(entriesError),
            generateEntries(program, scratch, options, info, objects, log));
    };
    llvm::Expected<std::vector<codegen::KernelCode>> codes =
        compileKernels(units, *backend, options.optimization, options.cache,
                       counts, compileEntries);
    if (!codes)
      return llvm::joinErrors(codes.takeError(), std::move(entriesError));
    for (auto [kernel, code] : llvm::zip(info.kernels, *codes)) {
      if (llvm::Error error = objects.addKernel(
              code.image, abi::kernelSymbol(kernel.name, backend->name())))
        return llvm::joinErrors(std::move(error), std::move(entriesError));
      kernel.facts.push_back(code.facts);
    }
    info.targets.push_back(backend->name().str());
    log.note((backend->name() + " kernels: " + std::to_string(counts.compiled) +
              " compiled, " + std::to_string(counts.found) + " from the cache")
                 .str());
  }
  if (entriesError)
    return entriesError;
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
  return joinKernels(units, *codes, backend, left);
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
