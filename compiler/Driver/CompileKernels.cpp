//===- CompileKernels.cpp - A program's kernels, each by itself -----------===//

#include "compiler/Driver/CompileKernels.h"

#include "dialects/Host/HostDialect.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ThreadPool.h"

#include <atomic>
#include <latch>

using namespace mlir;

namespace ingot::driver {

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

std::vector<KernelUnit> cutKernels(ModuleOp program) {
  std::vector<KernelUnit> units;
  for (auto kernel : program.getOps<func::FuncOp>()) {
    if (!kernel->hasAttr(host::kernelAttrName))
      continue;
    OwningOpRef<ModuleOp> module =
        ModuleOp::create(UnknownLoc::get(program.getContext()));
    auto alone = cast<func::FuncOp>(kernel->clone());
    alone.setName(codegen::kernelSymbol);
    module->push_back(alone);
    units.push_back({kernel.getName().str(), contentOf(*module)});
  }
  return units;
}

/// Each pass is verified by its tests, what a stage leaves here.
static LogicalResult runStage(PassManager &stage, ModuleOp module) {
  return success(succeeded(stage.run(module)) && succeeded(verify(module)));
}

LogicalResult runBufferStage(ModuleOp module, const codegen::Backend &backend) {
  PassManager stage(module.getContext());
  stage.enableVerifier(false);
  backend.buildBufferPipeline(stage);
  return runStage(stage, module);
}

LogicalResult runCodeStage(ModuleOp module, const codegen::Backend &backend) {
  PassManager stage(module.getContext());
  stage.enableVerifier(false);
  backend.buildCodePipeline(stage);
  return runStage(stage, module);
}

namespace {

/// What one thread compiles with: nothing of it is shared. The stages' passes
/// are set up once, which takes longer than to run them on a small kernel.
class Worker {
public:
  Worker(const codegen::Backend &backend, unsigned level)
      : backend(backend), level(level),
        context(registryOf(backend), MLIRContext::Threading::DISABLED),
        bufferStage(&context), codeStage(&context) {
    context.loadAllAvailableDialects();
    bufferStage.enableVerifier(false);
    backend.buildBufferPipeline(bufferStage);
    codeStage.enableVerifier(false);
    backend.buildCodePipeline(codeStage);
  }

  /// Kernel `number` up to its buffers, which say how much scratch memory it
  /// takes; nothing where that fails.
  std::optional<int64_t> measure(size_t number, const KernelUnit &unit) {
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(unit.bytecode, &context);
    if (!module || failed(runStage(bufferStage, *module)))
      return std::nullopt;
    int64_t bytes = 0;
    for (auto kernel : module->getOps<func::FuncOp>())
      bytes = std::max(bytes, codegen::factsOf(kernel).scratchBytes);
    measured[number] = std::move(module);
    return bytes;
  }

  llvm::Expected<codegen::KernelCode> compile(size_t number,
                                              const KernelUnit &unit) {
    // What another thread has measured is in that one's context.
    if ((!measured.contains(number) && !measure(number, unit)) ||
        failed(runStage(codeStage, *measured[number])))
      return llvm::createStringError(
          "kernel '%s' could not be compiled; this is a bug in Ingot, not in "
          "the graph",
          unit.name.c_str());
    auto code = backend.emit(*measured[number], level);
    measured.erase(number);
    return code;
  }

private:
  static DialectRegistry registryOf(const codegen::Backend &backend) {
    DialectRegistry registry;
    backend.registerDialects(registry);
    return registry;
  }

  const codegen::Backend &backend;
  unsigned level;
  MLIRContext context;
  PassManager bufferStage, codeStage;
  llvm::DenseMap<size_t, OwningOpRef<ModuleOp>> measured;
};

} // namespace

llvm::Expected<std::vector<codegen::KernelCode>>
compileKernels(const std::vector<KernelUnit> &units,
               const codegen::Backend &backend, unsigned level,
               const KernelCache &cache, KernelCounts &counts,
               llvm::function_ref<void(llvm::ArrayRef<int64_t>)> whenMeasured) {
  std::vector<codegen::KernelCode> codes(units.size());
  std::vector<std::string> keys(units.size());
  std::vector<size_t> missing;
  for (size_t i = 0; i < units.size(); ++i) {
    keys[i] = KernelCache::keyOf(units[i].bytecode, backend.name(), level);
    if (std::optional<codegen::KernelCode> code = cache.find(keys[i]))
      codes[i] = std::move(*code);
    else
      missing.push_back(i);
  }
  // The largest first: no thread starts with one when all others are done.
  llvm::stable_sort(missing, [&](size_t a, size_t b) {
    return units[a].bytecode.size() > units[b].bytecode.size();
  });
  counts.found += units.size() - missing.size();
  counts.compiled += missing.size();

  std::vector<int64_t> scratch(units.size());
  for (size_t i = 0; i < units.size(); ++i)
    scratch[i] = codes[i].facts.scratchBytes;
  std::vector<std::string> problems(missing.size());
  std::atomic<size_t> next = 0, nextToMeasure = 0;
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency());
  size_t threads = std::min<size_t>(pool.getMaxConcurrency(), missing.size());
  std::latch allMeasured(static_cast<ptrdiff_t>(threads));
  auto work = [&] {
    std::unique_ptr<Worker> worker;
    auto own = [&]() -> Worker & {
      if (!worker)
        worker = std::make_unique<Worker>(backend, level);
      return *worker;
    };
    for (size_t i = nextToMeasure++; i < missing.size(); i = nextToMeasure++)
      scratch[missing[i]] =
          own().measure(missing[i], units[missing[i]]).value_or(0);
    allMeasured.count_down();
    for (size_t i = next++; i < missing.size(); i = next++) {
      llvm::Expected<codegen::KernelCode> code =
          own().compile(missing[i], units[missing[i]]);
      if (!code) {
        problems[i] = llvm::toString(code.takeError());
        continue;
      }
      cache.store(keys[missing[i]], *code);
      codes[missing[i]] = std::move(*code);
    }
  };
  for (size_t i = 0; i < threads; ++i)
    pool.async(work);
  allMeasured.wait();
  whenMeasured(scratch);
  pool.wait();
  llvm::erase_if(problems,
                 [](const std::string &text) { return text.empty(); });
  if (!problems.empty())
    return llvm::createStringError(llvm::join(problems, "\n"));
  return codes;
}

} // namespace ingot::driver
