//===- Autotuning.cpp - Autotuning of kernels' plans ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Driver/Autotuning.h"
#include "compiler/Driver/LoadedKernel.h"

#include "codegen/KernelGrid.h"
#include "codegen/Kernels/KernelAccess.h"
#include "dialects/Host/HostDialect.h"
#include "runtime/ABI/Mutants.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <chrono>
#include <limits>

using namespace mlir;

namespace ingot::driver {

std::string planName(const codegen::Backend &backend, unsigned plan) {
  std::string name = backend.name().str();
  if (OptionalPassSet rewrites = backend.policy().rewrites;
      !rewrites.areAll() && !INGOT_MUTANT("cached_without_rewrites"))
    name += " rewrites " + rewrites.key();
  if (std::string variant = backend.variant(); !variant.empty())
    name += " " + variant;
  return plan == 0 ? name : name + " plan " + std::to_string(plan);
}

/// Returns the key under which the cache stores the index of a kernel's fastest
/// plan. A plan is one of the ways to compile the kernel. The cache also stores
/// the code of the kernel, under other keys.
static std::string keyOfChoice(const KernelModule &unit,
                               const KernelCompilationSettings &target) {
  return KernelCache::keyOf(
      unit.bytecode,
      ("plan of " + target.backend->name() + " " + target.backend->variant())
          .str(),
      target.level);
}

/// Returns the key under which the cache stores the generation of its plans.
static std::string keyOfGeneration() {
  return KernelCache::keyOf("", "generation of plans", 0);
}

std::string planGeneration(const KernelCache &cache) {
  std::optional<codegen::CompiledKernelImage> kept =
      cache.find(keyOfGeneration());
  return kept ? kept->reason : "";
}

/// Stores a kernel's plan, and a new generation: a hash of the earlier one and
/// of the plan.
static void storePlan(const KernelModule &unit,
                      const KernelCompilationSettings &target,
                      const KernelCache &cache, unsigned plan) {
  codegen::CompiledKernelImage choice, generation;
  choice.reason = std::to_string(plan);
  std::string key = keyOfChoice(unit, target);
  cache.store(key, choice);
  generation.reason = KernelCache::keyOf(planGeneration(cache) + key,
                                         "plan " + choice.reason, 0);
  cache.store(keyOfGeneration(), generation);
}

KernelPlans findPlans(const std::vector<KernelModule> &units,
                      const KernelCompilationSettings &target,
                      const KernelCache &cache) {
  unsigned count = target.backend->numPlans();
  KernelPlans plans;
  if (count < 2 || !target.backend->runsHere())
    return plans;
  for (const KernelModule &unit : units) {
    unsigned plan = 0;
    std::optional<codegen::CompiledKernelImage> kept =
        cache.find(keyOfChoice(unit, target));
    if (!kept || llvm::StringRef(kept->reason).getAsInteger(10, plan) ||
        plan >= count)
      plan = 0;
    plans.push_back(plan);
  }
  return plans;
}

namespace {

using Clock = std::chrono::steady_clock;

/// A kernel with fewer operations than this, over all iterations of its grid,
/// runs too briefly to be measured with the clock.
constexpr int64_t minOperations = 1 << 20;
constexpr int64_t maxBytes = int64_t(1) << 30;
constexpr unsigned minRounds = 5, maxRounds = 25;
constexpr double secondsOfKernel = 0.25;
/// A plan is chosen instead of plan 0, the default, only if it makes the kernel
/// at least this much faster. A smaller speedup may be noise.
constexpr double minGain = 1.02;

/// A kernel that can be measured: its index in the vector of all kernels
/// (`units`), the types of its buffers, and the number of its operations over
/// all iterations of its grid.
struct TunableKernel {
  size_t unit;
  SmallVector<MemRefType> arguments;
  int64_t operations;
};

int64_t bytesOf(MemRefType type) {
  return type.getNumElements() *
         llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

/// Memory for a kernel's arguments. Buffers of floats are filled with small
/// numbers, so that no value overflows. Buffers of integers are filled with 0,
/// because the integers may be indices.
class KernelArguments {
public:
  explicit KernelArguments(ArrayRef<MemRefType> types) {
    for (MemRefType type : types) {
      constexpr size_t line = 64;
      size_t words = bytesOf(type) / line + 2;
      auto &memory = memories.emplace_back(words * line, 0);
      auto address = llvm::alignTo(reinterpret_cast<uintptr_t>(memory.data()),
                                   llvm::Align(line));
      addresses.push_back(reinterpret_cast<void *>(address));
      if (type.getElementType().isF32())
        fill(reinterpret_cast<float *>(address), type.getNumElements());
      else if (type.getElementType().isF64())
        fill(reinterpret_cast<double *>(address), type.getNumElements());
    }
  }

  void *const *table() const { return addresses.data(); }

private:
  template <typename Number> static void fill(Number *numbers, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      numbers[i] = Number(0.25) + Number(i % 13) / 16;
  }

  std::vector<std::vector<uint8_t>> memories;
  std::vector<void *> addresses;
};

/// Measures the kernels of one target, until `seconds` have passed.
class KernelTuner {
public:
  KernelTuner(const std::vector<KernelModule> &units,
              const KernelCompilationSettings &target, const KernelCache &cache,
              double seconds)
      : units(units), target(target), cache(cache),
        end(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                               std::chrono::duration<double>(seconds))),
        context(registryOf(*target.backend), MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
  }

  TuningResult run(KernelPlans &plans) {
    TuningResult result;
    for (const TunableKernel &candidate : candidates()) {
      if (isOver())
        break;
      std::optional<unsigned> best = bestPlan(candidate);
      if (!best)
        continue;
      ++result.measured;
      result.changed += plans[candidate.unit] != *best;
      plans[candidate.unit] = *best;
      storePlan(units[candidate.unit], target, cache, *best);
    }
    return result;
  }

private:
  static DialectRegistry registryOf(const codegen::Backend &backend) {
    DialectRegistry registry;
    backend.registerDialects(registry);
    return registry;
  }

  bool isOver() const { return Clock::now() >= end; }

  /// Returns the kernels that can be measured on this machine, those with the
  /// most operations first.
  std::vector<TunableKernel> candidates() {
    std::vector<TunableKernel> found;
    for (size_t i = 0; i < units.size() && !isOver(); ++i) {
      if (!target.takes(i))
        continue;
      OwningOpRef<ModuleOp> module = buffered(units[i], *target.backend);
      if (!module)
        continue;
      for (auto kernel : module->getOps<func::FuncOp>())
        if (std::optional<TunableKernel> candidate = candidateOf(i, kernel))
          found.push_back(std::move(*candidate));
    }
    llvm::stable_sort(found,
                      [](const TunableKernel &a, const TunableKernel &b) {
                        return a.operations > b.operations;
                      });
    return found;
  }

  std::optional<TunableKernel> candidateOf(size_t unit, func::FuncOp kernel) {
    if (!kernel->hasAttr(host::kernelAttrName) || kernel.isExternal())
      return std::nullopt;
    TunableKernel candidate{unit, {}, codegen::factsOf(kernel).flops};
    int64_t bytes = 0;
    for (Type type : kernel.getArgumentTypes()) {
      auto buffer = dyn_cast<MemRefType>(type);
      if (!buffer || !buffer.hasStaticShape() ||
          !buffer.getElementType().isIntOrFloat() ||
          (bytes += bytesOf(buffer)) > maxBytes)
        return std::nullopt;
      candidate.arguments.push_back(buffer);
    }
    if (scf::ForOp loop = kernels::gridLoopOf(kernel))
      if (std::optional<codegen::Grid> grid = codegen::gridOf(loop))
        candidate.operations *= iterationsOf(*grid);
    return candidate.operations < minOperations ? std::nullopt
                                                : std::optional(candidate);
  }

  OwningOpRef<ModuleOp> buffered(const KernelModule &unit,
                                 const codegen::Backend &backend) {
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(unit.bytecode, &context);
    if (module && failed(runBufferStage(*module, backend)))
      return nullptr;
    return module;
  }

  std::optional<codegen::CompiledKernelImage> compile(const KernelModule &unit,
                                                      unsigned plan) {
    std::unique_ptr<codegen::Backend> other =
        plan == 0 ? nullptr : target.backend->withPlan(plan);
    const codegen::Backend &backend = other ? *other : *target.backend;
    OwningOpRef<ModuleOp> module = buffered(unit, backend);
    if (!module || failed(runCodeStage(*module, backend)))
      return std::nullopt;
    auto code = backend.emit(*module, target.level);
    if (code)
      return std::move(*code);
    llvm::consumeError(code.takeError());
    return std::nullopt;
  }

  /// The code of a kernel compiled under one plan, and the shortest time that
  /// it has taken so far.
  struct KernelTuningCandidate {
    unsigned plan;
    codegen::CompiledKernelImage code;
    std::unique_ptr<LoadedKernel> kernel;
    double seconds = std::numeric_limits<double>::infinity();
  };

  /// Compiles the kernel under each plan, and returns one variant for each
  /// distinct code. Plans with the same code as an earlier plan are skipped.
  std::vector<KernelTuningCandidate> variantsOf(const KernelModule &unit) {
    std::vector<KernelTuningCandidate> variants;
    for (unsigned plan = 0; plan < target.backend->numPlans(); ++plan) {
      if (plan != 0 && isOver())
        break;
      std::optional<codegen::CompiledKernelImage> code = compile(unit, plan);
      if (!code || !code->facts.grid.terms.empty())
        return {};
      if (llvm::any_of(variants, [&](const KernelTuningCandidate &other) {
            return other.code.image == code->image;
          }))
        continue;
      KernelTuningCandidate variant{plan, std::move(*code), nullptr};
      variant.kernel = LoadedKernel::load(variant.code.image);
      if (!variant.kernel)
        return {};
      variants.push_back(std::move(variant));
    }
    return variants;
  }

  static int64_t iterationsOf(const codegen::Grid &grid) {
    return llvm::divideCeilSigned(grid.base, grid.step);
  }

  /// Measures the kernel under all plans, and returns the index of the fastest
  /// one. Returns std::nullopt if all plans have the same code, or if the time
  /// for tuning is used up before the kernel can be measured.
  std::optional<unsigned> bestPlan(const TunableKernel &candidate) {
    std::vector<KernelTuningCandidate> variants =
        variantsOf(units[candidate.unit]);
    if (variants.size() < 2)
      return std::nullopt;
    KernelArguments arguments(candidate.arguments);
    auto start = Clock::now();
    for (unsigned round = 0; round < maxRounds; ++round) {
      // Run the variants in turn, so that other load on the machine slows all
      // of them alike.
      for (KernelTuningCandidate &variant : variants) {
        auto before = Clock::now();
        variant.kernel->run(arguments.table(),
                            iterationsOf(variant.code.facts.grid));
        std::chrono::duration<double> taken = Clock::now() - before;
        variant.seconds = std::min(variant.seconds, taken.count());
      }
      std::chrono::duration<double> spent = Clock::now() - start;
      if (round + 1 >= minRounds &&
          (spent.count() > secondsOfKernel || isOver()))
        break;
    }
    auto best = llvm::min_element(variants, [](const auto &a, const auto &b) {
      return a.seconds < b.seconds;
    });
    return variants.front().seconds < minGain * best->seconds ? 0 : best->plan;
  }

  const std::vector<KernelModule> &units;
  const KernelCompilationSettings &target;
  const KernelCache &cache;
  Clock::time_point end;
  MLIRContext context;
};

} // namespace

TuningResult tuneKernels(const std::vector<KernelModule> &units,
                         const KernelCompilationSettings &target,
                         const KernelCache &cache, double seconds,
                         KernelPlans &plans) {
  plans.resize(units.size());
  return KernelTuner(units, target, cache, seconds).run(plans);
}

} // namespace ingot::driver
