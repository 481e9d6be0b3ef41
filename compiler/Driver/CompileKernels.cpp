//===- CompileKernels.cpp - Compiles kernels in parallel ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Driver/CompileKernels.h"
#include "compiler/Driver/Autotuning.h"
#include "compiler/Driver/CrashReport.h"

#include "codegen/BufferVerifier.h"
#include "codegen/Host/SplitEntryModule.h"
#include "codegen/Statistics/PhaseTime.h"
#include "dialects/Host/HostAttributes.h"
#include "dialects/Host/HostDialect.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/ThreadPool.h"

#include <atomic>
#include <latch>
#include <map>

using namespace mlir;

namespace ingot::driver {

static Phase setup("kernels: contexts and pass managers"),
    buffers("kernels: lowering to buffers"),
    code("kernels: lowering to the LLVM dialect");

/// Replaces all locations by unknown locations, so that identical kernels of
/// different nodes have identical bytecode.
static void dropLocations(Operation *op) {
  auto unknown = UnknownLoc::get(op->getContext());
  op->walk([&](Operation *inner) {
    inner->setLoc(unknown);
    for (Region &region : inner->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setLoc(unknown);
  });
}

std::string contentOf(ModuleOp module) {
  dropLocations(module);
  std::string bytecode;
  llvm::raw_string_ostream stream(bytecode);
  (void)writeBytecodeToFile(module, stream);
  return bytecode;
}

std::vector<KernelModule> cutKernels(ModuleOp program) {
  std::vector<KernelModule> units;
  for (auto kernel : program.getOps<func::FuncOp>()) {
    if (!kernel->hasAttr(host::kernelAttrName))
      continue;
    OwningOpRef<ModuleOp> module =
        ModuleOp::create(UnknownLoc::get(program.getContext()));
    auto alone = cast<func::FuncOp>(kernel->clone());
    alone.setName(codegen::kernelSymbol);
    module->push_back(alone);
    units.push_back({kernel.getName().str(), contentOf(*module),
                     nodeAt(kernel.getLoc()).str()});
  }
  return units;
}

bool isForShortBatch(Operation *op) {
  return host::isInBranchOf(op, host::fullBatchAttrName, /*isElse=*/true);
}

std::vector<bool> findRunOnce(ModuleOp program,
                              const std::vector<KernelModule> &units) {
  llvm::StringSet<> once, more;
  for (auto function : program.getOps<func::FuncOp>()) {
    bool isInit = hostgen::isInitialization(function);
    function.walk([&](host::LaunchOp launch) {
      (isInit || isForShortBatch(launch) ? once : more)
          .insert(launch.getKernel());
    });
  }
  std::vector<bool> runOnce(units.size());
  for (auto [unit, runsOnce] : llvm::zip(units, runOnce))
    runsOnce = once.contains(unit.name) && !more.contains(unit.name);
  return runOnce;
}

/// Runs the passes of a stage, and verifies the module once at the end. The
/// verifier does not run after each pass, which would slow down every
/// compilation; only the tests of the passes run it after each pass.
static LogicalResult runStage(PassManager &stage, ModuleOp module) {
  return success(succeeded(stage.run(module)) && succeeded(verify(module)));
}

LogicalResult runBufferStage(ModuleOp module, const codegen::Backend &backend) {
  PassManager stage(module.getContext());
  stage.enableVerifier(false);
  backend.buildBufferPipeline(stage);
  std::shared_ptr<bool> isWrong = codegen::verifyBuffers(stage);
  return success(succeeded(runStage(stage, module)) && !*isWrong);
}

LogicalResult runCodeStage(ModuleOp module, const codegen::Backend &backend) {
  PassManager stage(module.getContext());
  stage.enableVerifier(false);
  backend.buildCodePipeline(stage);
  return runStage(stage, module);
}

namespace {

/// The MLIR context and pass managers of one thread for one backend and plan.
/// Threads do not share them. They are created only once, because creating them
/// takes longer than running the passes on a small kernel.
class PerThreadPassManagers {
public:
  PerThreadPassManagers(const codegen::Backend &planned, unsigned plan)
      : own(plan == 0 ? nullptr : planned.withPlan(plan)),
        backend(own ? *own : planned),
        context(registryOf(backend), MLIRContext::Threading::DISABLED),
        bufferStage(&context), codeStage(&context) {
    PhaseTimer timer(setup);
    context.loadAllAvailableDialects();
    followPasses(context);
    bufferStage.enableVerifier(false);
    backend.buildBufferPipeline(bufferStage);
    areBuffersWrong = codegen::verifyBuffers(bufferStage);
    codeStage.enableVerifier(false);
    backend.buildCodePipeline(codeStage);
  }

  /// Lowers unit `number` (a module with one kernel) to buffers and keeps the
  /// module for `compile`. Returns how many bytes of scratch memory the kernel
  /// needs, or std::nullopt on failure.
  std::optional<int64_t> measure(size_t number, const KernelModule &unit) {
    CrashReportScope at(unit.name, unit.node);
    PhaseTimer timer(buffers);
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(unit.bytecode, &context);
    if (!module || failed(runStage(bufferStage, *module)) ||
        std::exchange(*areBuffersWrong, false))
      return std::nullopt;
    int64_t bytes = 0;
    for (auto kernel : module->getOps<func::FuncOp>())
      bytes = std::max(bytes, codegen::factsOf(kernel).scratchBytes);
    measured[number] = std::move(module);
    return bytes;
  }

  llvm::Expected<codegen::CompiledKernelImage>
  compile(size_t number, const KernelModule &unit, unsigned level) {
    // If another thread has lowered this unit to buffers, the resulting module
    // is in that thread's MLIR context and cannot be used here, so lower the
    // unit again.
    bool isMeasured = measured.contains(number) || measure(number, unit);
    CrashReportScope at(unit.name, unit.node);
    if (!isMeasured || failed(lower(*measured[number])))
      return llvm::createStringError(
          "kernel '" + unit.name + "'" +
          (unit.node.empty() ? "" : " of node '" + unit.node + "'") +
          " could not be compiled: this is a bug in Ingot, not in the graph");
    auto code = backend.emit(*measured[number], level);
    measured.erase(number);
    return code;
  }

private:
  LogicalResult lower(ModuleOp module) {
    PhaseTimer timer(ingot::driver::code);
    return runStage(codeStage, module);
  }

  static DialectRegistry registryOf(const codegen::Backend &backend) {
    DialectRegistry registry;
    backend.registerDialects(registry);
    return registry;
  }

  std::unique_ptr<codegen::Backend> own;
  const codegen::Backend &backend;
  MLIRContext context;
  PassManager bufferStage, codeStage;
  std::shared_ptr<bool> areBuffersWrong;
  llvm::DenseMap<size_t, OwningOpRef<ModuleOp>> measured;
};

} // namespace

namespace {

/// A kernel whose code for a target is not in the cache: the indices of the
/// target and of the kernel's module (`unit`), and the key under which the code
/// will be stored.
struct UncachedKernel {
  size_t target, unit;
  std::string key;
};

/// The state that all compiling threads share: the kernels, as one module (a
/// unit) each, the targets to compile them for, and the resulting code.
class ParallelKernelCompilation {
public:
  ParallelKernelCompilation(const std::vector<KernelModule> &units,
                            llvm::ArrayRef<KernelCompilationSettings> targets,
                            const KernelCache &cache, Progress &progress)
      : units(units), targets(targets), cache(cache), progress(progress),
        done(targets.size()), scratch(units.size()) {
    for (size_t target = 0; target < targets.size(); ++target)
      look(target);
    // Compile large units first, so that at the end no thread still compiles a
    // large unit while the other threads are idle.
    llvm::stable_sort(
        missing, [&](const UncachedKernel &a, const UncachedKernel &b) {
          return units[a.unit].bytecode.size() > units[b.unit].bytecode.size();
        });
    problems.resize(missing.size());
    sizes.resize(missing.size());
    isTaken = std::vector<std::atomic<bool>>(missing.size());
  }

  llvm::Expected<std::vector<CompiledKernels>>
  run(llvm::function_ref<void(llvm::ArrayRef<int64_t>)> whenMeasured) {
    progress.begin("compiling kernels", missing.size());
    llvm::DefaultThreadPool pool(llvm::hardware_concurrency());
    size_t threads = std::min<size_t>(pool.getMaxConcurrency(), missing.size());
    std::latch allMeasured(static_cast<ptrdiff_t>(threads));
    for (size_t i = 0; i < threads; ++i)
      pool.async([&] { work(allMeasured); });
    allMeasured.wait();
    for (auto [task, size] : llvm::zip(missing, sizes))
      scratch[task.unit] = std::max(scratch[task.unit], size);
    whenMeasured(scratch);
    pool.wait();
    llvm::erase_if(problems,
                   [](const std::string &text) { return text.empty(); });
    if (!problems.empty())
      return llvm::createStringError(llvm::join(problems, "\n"));
    return std::move(done);
  }

private:
  /// Looks up in the cache each kernel that the target at index `target`
  /// compiles. Stores the code of cached kernels in `done`, and adds all other
  /// kernels to `missing`.
  void look(size_t target) {
    const KernelCompilationSettings &by = targets[target];
    done[target].codes.resize(units.size());
    for (size_t i = 0; i < units.size(); ++i) {
      if (!by.takes(i))
        continue;
      std::string key = KernelCache::keyOf(units[i].bytecode,
                                           planName(*by.backend, by.planOf(i)),
                                           by.levelOf(i));
      if (std::optional<codegen::CompiledKernelImage> code = cache.find(key)) {
        scratch[i] = std::max(scratch[i], code->facts.scratchBytes);
        done[target].codes[i] = std::move(*code);
        ++done[target].found;
      } else {
        missing.push_back({target, i, std::move(key)});
        ++done[target].compiled;
      }
    }
  }

  /// Runs in each thread, in two phases. In the first phase, the threads lower
  /// the missing units to buffers, which tells how much scratch memory each
  /// unit needs, and count down `allMeasured`. In the second phase, they turn
  /// the buffers into code, while the thread that called `run` compiles the
  /// entries.
  void work(std::latch &allMeasured) {
    reportCrashesOfThread();
    std::map<std::pair<size_t, unsigned>,
             std::unique_ptr<PerThreadPassManagers>>
        workers;
    auto workerOf = [&](const UncachedKernel &task) -> PerThreadPassManagers & {
      const KernelCompilationSettings &target = targets[task.target];
      unsigned plan = target.planOf(task.unit);
      std::unique_ptr<PerThreadPassManagers> &worker =
          workers[{task.target, plan}];
      if (!worker)
        worker = std::make_unique<PerThreadPassManagers>(*target.backend, plan);
      return *worker;
    };
    std::vector<size_t> own;
    for (size_t i = next++; i < missing.size(); i = next++) {
      sizes[i] = workerOf(missing[i])
                     .measure(missing[i].unit, units[missing[i].unit])
                     .value_or(0);
      own.push_back(i);
    }
    allMeasured.count_down();
    auto compile = [&](size_t i) {
      if (isTaken[i].exchange(true))
        return;
      const UncachedKernel &task = missing[i];
      llvm::Expected<codegen::CompiledKernelImage> code =
          workerOf(task).compile(task.unit, units[task.unit],
                                 targets[task.target].levelOf(task.unit));
      if (!code) {
        problems[i] = llvm::toString(code.takeError());
        return;
      }
      cache.store(task.key, *code);
      done[task.target].codes[task.unit] = std::move(*code);
      progress.advance();
    };
    llvm::for_each(own, compile);
    // When a thread has compiled all units (kernels) that it has measured
    // itself, it continues with units that other threads have measured. It
    // skips units that another thread has started to compile (`isTaken`).
    for (size_t i = 0; i < missing.size(); ++i)
      compile(i);
  }

  const std::vector<KernelModule> &units;
  llvm::ArrayRef<KernelCompilationSettings> targets;
  const KernelCache &cache;
  Progress &progress;
  std::vector<CompiledKernels> done;
  std::vector<UncachedKernel> missing;
  /// For each kernel, at its index in `units`: the number of bytes of scratch
  /// memory that it needs on any target (the maximum over all targets).
  std::vector<int64_t> scratch;
  /// For each element of `missing`, at the same index: the number of bytes of
  /// scratch memory that the kernel needs (`sizes`), the error message if it
  /// does not compile (`problems`), and whether a thread has started to compile
  /// it (`isTaken`).
  std::vector<int64_t> sizes;
  std::vector<std::string> problems;
  std::atomic<size_t> next = 0;
  std::vector<std::atomic<bool>> isTaken;
};

} // namespace

llvm::Expected<std::vector<CompiledKernels>>
compileKernels(const std::vector<KernelModule> &units,
               llvm::ArrayRef<KernelCompilationSettings> targets,
               const KernelCache &cache, Progress &progress,
               llvm::function_ref<void(llvm::ArrayRef<int64_t>)> whenMeasured) {
  return ParallelKernelCompilation(units, targets, cache, progress)
      .run(whenMeasured);
}

std::string describe(llvm::ArrayRef<KernelCompilationSettings> targets,
                     llvm::ArrayRef<CompiledKernels> kernels) {
  std::string text;
  unsigned compiled = 0, found = 0;
  for (auto [target, made] : llvm::zip(targets, kernels)) {
    text += (text.empty() ? "" : ", ") + target.backend->name().str();
    compiled += made.compiled;
    found += made.found;
  }
  return text + " kernels: " + std::to_string(compiled) + " compiled, " +
         std::to_string(found) + " from the cache";
}

} // namespace ingot::driver
