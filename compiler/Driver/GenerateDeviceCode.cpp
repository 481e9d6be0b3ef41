//===- GenerateDeviceCode.cpp - Compiles kernels for devices --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Driver/GenerateDeviceCode.h"

#include "compiler/Driver/FormStepKernels.h"
#include "dialects/Host/HostDialect.h"
#include "runtime/ABI/SliceReductions.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/ThreadPool.h"

using namespace mlir;

namespace ingot::driver {

/// Assembles PTX to machine code, or takes the result from the cache if the
/// same assembler has assembled the same text before.
static llvm::Expected<std::string> assemble(const codegen::Backend &backend,
                                            llvm::StringRef text,
                                            llvm::StringRef assembler,
                                            const KernelCache &cache) {
  std::string key = KernelCache::keyOf(
      text, ("machine code " + backend.name() + " by " + assembler).str(),
      /*level=*/0);
  if (std::optional<codegen::CompiledKernelImage> known = cache.find(key))
    return std::move(known->image);
  codegen::CompiledKernelImage code;
  llvm::Expected<std::string> image = backend.assemble(text);
  if (!image)
    return image;
  code.image = *image;
  cache.store(key, code);
  return image;
}

/// Returns the ways in which the program combines the values of slices.
static std::vector<codegen::SliceReduction> reductionsOf(ModuleOp program) {
  std::vector<codegen::SliceReduction> reductions;
  program.walk([&](host::CallOp call) {
    if (!call.getCallee().starts_with("ingot_op_exchange_finish"))
      return;
    auto kind = call.getOptions().getAs<IntegerAttr>("kind");
    bool isInPlace = call.getOutputDtypes().empty();
    codegen::SliceReduction reduction = {
        isInPlace ? call.getInputDtypes().back()
                  : call.getOutputDtypes().front(),
        static_cast<ingot_exchange_kind>(kind ? kind.getInt() : 0)};
    if (!sliceReductionKernel(reduction.dtype, reduction.kind).empty() &&
        !llvm::is_contained(reductions, reduction))
      reductions.push_back(reduction);
  });
  return reductions;
}

namespace {

/// An image of device code that is being built.
struct DeviceImage {
  const codegen::Backend *backend;
  std::vector<codegen::CompiledKernelImage> codes; // one for each of `units`
  std::string bytes;
};

/// Compiles the kernels for a GPU and joins them into images of device code. If
/// several images use the same code of a kernel, it is compiled once; all
/// kernels compile in parallel.
class DeviceCodeCompiler {
public:
  DeviceCodeCompiler(ModuleOp program, const std::vector<KernelModule> &units,
                     const CompileOptions &options, StageInstrumentation &log)
      : program(program), units(units), options(options), log(log) {}

  /// Adds an image of device code for `target`. If `isShared`, adds an image
  /// for a more general target instead, which more devices can load. Such an
  /// image must be PTX, and its kernels must not need a feature that only
  /// `target` has.
  void add(const codegen::Backend &target, bool isShared);
  /// Compiles the kernels, joins the kernels of each image, and assembles those
  /// images that contain machine code instead of PTX.
  llvm::Error make();

  std::vector<DeviceImage> images;
  std::vector<HostFallbackKernel> left;
  // Remarks about the step kernels of the first image. Remarks about other
  // images are dropped, because they would mostly be the same.
  StepKernelRemarks words;

private:
  const codegen::Backend &compilerOf(const KernelModule &unit,
                                     const codegen::Backend &target) {
    return target.compilerOf(program.lookupSymbol(unit.name));
  }
  llvm::Error compile();
  llvm::Error join(DeviceImage &image);
  llvm::Error assembleAll();
  /// Keeps the device functions only of those kernels in `image` that a step
  /// kernel (one GPU kernel that executes several launches) calls: clears
  /// `function` of all others. Without step kernels, clears it of all kernels.
  void keepStepFunctions(DeviceImage &image);

  ModuleOp program;
  const std::vector<KernelModule> &units;
  const CompileOptions &options;
  StageInstrumentation &log;
};

} // namespace

/// Returns whether a device that can run both images should load `a`. An image
/// whose oldest device generation is later, or that is for fewer generations,
/// may use more of the device's instructions. Machine code is preferred to PTX,
/// as the driver need not compile it at load time.
static bool isPreferred(const DeviceImage &a, const DeviceImage &b) {
  auto rank = [](const DeviceImage &image) {
    codegen::DeviceImageFormat format = image.backend->imageFormat();
    return std::tuple(~format.firstCapability, format.lastCapability,
                      !format.isBinary);
  };
  return rank(a) < rank(b);
}

void DeviceCodeCompiler::add(const codegen::Backend &target, bool isShared) {
  const codegen::Backend *chosen = &target;
  bool isBinary = target.imageFormat().isBinary;
  auto isOther = [&](const KernelModule &unit) {
    return &compilerOf(unit, target) != &target;
  };
  if (isShared && !isBinary && !units.empty() && llvm::all_of(units, isOther))
    chosen = &compilerOf(units.front(), target);
  auto isThere = [&](const DeviceImage &image) {
    return image.backend->name() == chosen->name() &&
           image.backend->imageFormat().isBinary == isBinary;
  };
  if (llvm::none_of(images, isThere))
    images.push_back({chosen, {}, ""});
}

/// Compiles each kernel with every backend that an image uses for this kernel,
/// but only once with the same backend.
llvm::Error DeviceCodeCompiler::compile() {
  std::vector<KernelCompilationSettings> targets;
  // Maps the name of each backend that compiles kernels to its index in
  // `targets`. The backends for PTX and for machine code have the same name,
  // because machine code is assembled from the same PTX.
  llvm::StringMap<size_t> known;
  auto targetOf = [&](const codegen::Backend &compiler) {
    auto [found, isNew] = known.try_emplace(compiler.name(), targets.size());
    if (isNew)
      targets.push_back({&compiler,
                         options.optimization,
                         {},
                         std::vector<bool>(units.size(), false)});
    return found->second;
  };
  for (const DeviceImage &image : images)
    for (auto [i, unit] : llvm::enumerate(units))
      targets[targetOf(compilerOf(unit, *image.backend))].chosen[i] = true;
  auto compiled = compileKernels(units, targets, options.cache, log.progress,
                                 [](llvm::ArrayRef<int64_t>) {});
  if (!compiled)
    return compiled.takeError();
  for (auto [target, kernels] : llvm::zip(targets, *compiled))
    log.note(describe(target, kernels));
  options.cache.prune();
  for (DeviceImage &image : images)
    for (auto [i, unit] : llvm::enumerate(units))
      image.codes.push_back(
          (*compiled)[targetOf(compilerOf(unit, *image.backend))].codes[i]);
  return llvm::Error::success();
}

void DeviceCodeCompiler::keepStepFunctions(DeviceImage &image) {
  if (options.stepKernel) {
    StepKernelRemarks said = findStepRuns(program, units, image.codes);
    if (&image == &images.front())
      words = std::move(said);
    return;
  }
  for (codegen::CompiledKernelImage &code : image.codes)
    code.function.clear();
}

llvm::Error DeviceCodeCompiler::join(DeviceImage &image) {
  std::vector<codegen::KernelImage> kernels;
  for (auto [unit, code] : llvm::zip(units, image.codes)) {
    if (code.reason.empty()) {
      kernels.push_back({unit.name, code.image, code.function});
      continue;
    }
    // A kernel usually stays on the host for the same reason in all images.
    // List it only once for each distinct reason.
    HostFallbackKernel kernel = {unit.name, code.reason};
    if (!llvm::is_contained(left, kernel))
      left.push_back(std::move(kernel));
  }
  llvm::Expected<std::string> joined =
      image.backend->join(kernels, reductionsOf(program));
  if (!joined)
    return joined.takeError();
  image.bytes = std::move(*joined);
  return llvm::Error::success();
}

/// Assembles the images in parallel, because each run of the assembler takes
/// seconds on one core.
llvm::Error DeviceCodeCompiler::assembleAll() {
  std::vector<DeviceImage *> binaries;
  for (DeviceImage &image : images)
    if (image.backend->imageFormat().isBinary)
      binaries.push_back(&image);
  if (binaries.empty())
    return llvm::Error::success();
  llvm::Expected<std::string> assembler =
      binaries.front()->backend->assembler();
  if (!assembler)
    return assembler.takeError();
  std::vector<std::string> problems(binaries.size());
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency());
  for (auto [image, problem] : llvm::zip(binaries, problems))
    pool.async([&, image = image, problem = &problem] {
      auto made =
          assemble(*image->backend, image->bytes, *assembler, options.cache);
      if (made)
        image->bytes = std::move(*made);
      else
        *problem = llvm::toString(made.takeError());
    });
  pool.wait();
  log.note("machine code by ptxas");
  llvm::erase_if(problems,
                 [](const std::string &text) { return text.empty(); });
  if (problems.empty())
    return llvm::Error::success();
  return llvm::createStringError(llvm::join(problems, "\n"));
}

llvm::Error DeviceCodeCompiler::make() {
  llvm::stable_sort(images, isPreferred);
  if (llvm::Error error = compile())
    return error;
  for (DeviceImage &image : images) {
    keepStepFunctions(image);
    if (llvm::Error error = join(image))
      return error;
  }
  return assembleAll();
}

llvm::Error generateDevice(
    ModuleOp program, const std::vector<KernelModule> &units,
    const CompileOptions &options, abi::ProgramDescriptorContents &info,
    llvm::function_ref<void(llvm::ArrayRef<int64_t>)> noteScratch,
    std::vector<HostFallbackKernel> &left, StageInstrumentation &log) {
  abi::DeviceCodeInfo &device = info.device.emplace();
  device.name = "cuda";
  device.isDefault = options.isDeviceDefault;
  DeviceCodeCompiler code(program, units, options, log);
  for (const auto &backend : options.devices)
    code.add(*backend, /*isShared=*/true);
  if (llvm::Error error = code.make())
    return error;
  for (auto &[entry, text] : code.words)
    info.deviceRemarks[entry].push_back(std::move(text));
  left = std::move(code.left);
  for (DeviceImage &made : code.images) {
    abi::DeviceCodeInfo::DeviceImage &image = device.images.emplace_back();
    image.arch = made.backend->name().str();
    image.format = made.backend->imageFormat();
    image.bytes = std::move(made.bytes);
    SmallVector<int64_t> scratch;
    unsigned functions = 0;
    for (auto [unit, kernel] : llvm::zip(units, made.codes)) {
      image.kernels.push_back(
          {kernel.reason.empty() ? made.backend->entryOf(unit.name) : "",
           kernel.facts, kernel.function.empty() ? 0 : ++functions});
      scratch.push_back(kernel.facts.scratchBytes);
    }
    image.hasStep = functions != 0;
    noteScratch(scratch);
  }
  return llvm::Error::success();
}

llvm::Expected<std::string>
generateKernels(ModuleOp program, const CompileOptions &options,
                std::vector<HostFallbackKernel> &left,
                StageInstrumentation &log) {
  std::vector<KernelModule> units = cutKernels(program);
  DeviceCodeCompiler code(program, units, options, log);
  code.add(*options.backends.front(), /*isShared=*/false);
  if (llvm::Error error = code.make())
    return error;
  left = std::move(code.left);
  return std::move(code.images.front().bytes);
}

} // namespace ingot::driver
