//===- StepRuns.cpp - Which launches a device does as one kernel ----------===//
//
// What repeats is worth it: launches of training steps. Kernels that stay on
// the host cut a step's launches into runs; of each run all kernels have to be
// functions of the step's kernel, or none needs to be.
//
//===----------------------------------------------------------------------===//

#include "compiler/Driver/StepRuns.h"

#include "dialects/Host/HostAttributes.h"
#include "dialects/Host/HostDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace ingot::driver {

/// A kernel of more iterations takes much longer than a launch, and needs a
/// device's registers for itself.
static constexpr int64_t maxIterations = int64_t(1) << 27;

/// What a dynamic size is taken for: that of a batch.
static constexpr int64_t assumedSize = 128;

/// Of all loops of a kernel.
static int64_t countIterations(func::FuncOp kernel) {
  int64_t total = 0;
  kernel.walk([&](linalg::LinalgOp op) {
    int64_t iterations = 1;
    for (int64_t range : op.getStaticLoopRanges())
      iterations = llvm::SaturatingMultiply<uint64_t>(
          iterations, ShapedType::isDynamic(range) ? assumedSize : range);
    total = llvm::SaturatingAdd<uint64_t>(total, iterations);
  });
  return total;
}

namespace {

class StepRuns {
public:
  StepRuns(ModuleOp program, const std::vector<KernelUnit> &units,
           const std::vector<codegen::KernelCode> &codes)
      : program(program) {
    for (auto [unit, code] : llvm::zip(units, codes))
      known[unit.name] = &code;
  }

  void add(func::FuncOp function) {
    auto entry = function->getAttrOfType<host::EntryAttr>(host::entryAttrName);
    if (!entry || entry.getRole() != host::Role::step)
      return;
    function.walk([&](Block *block) {
      SmallVector<StringRef> run;
      for (auto launch : block->getOps<host::LaunchOp>()) {
        const codegen::KernelCode *code = known.lookup(launch.getKernel());
        if (code && code->reason.empty())
          run.push_back(launch.getKernel());
        else
          end(run, function.getName());
      }
      end(run, function.getName());
    });
  }

  llvm::StringSet<> needed;
  EntryWords words;

private:
  void end(SmallVectorImpl<StringRef> &run, StringRef entry) {
    if (run.size() > 1)
      take(run, entry);
    run.clear();
  }

  /// Why a kernel cannot be a part of one; "" where it can.
  std::string problemOf(StringRef kernel) {
    auto function = program.lookupSymbol<func::FuncOp>(kernel);
    if (int64_t count = countIterations(function); count > maxIterations)
      return "it has " + std::to_string(count) +
             " iterations, of which a launch is the least part";
    return known.lookup(kernel)->apart;
  }

  void take(ArrayRef<StringRef> run, StringRef entry) {
    std::string launches = std::to_string(run.size()) + " launches, from '" +
                           run.front().str() + "' to '" + run.back().str() +
                           "', ";
    for (StringRef kernel : run)
      if (std::string apart = problemOf(kernel); !apart.empty()) {
        words.emplace_back(entry, launches + "are launched each by itself: '" +
                                      kernel.str() +
                                      "' cannot be a part of "
                                      "one kernel, " +
                                      apart);
        return;
      }
    needed.insert_range(run);
    words.emplace_back(entry, launches + "can be one kernel");
  }

  ModuleOp program;
  llvm::StringMap<const codegen::KernelCode *> known;
};

} // namespace

EntryWords findStepRuns(ModuleOp program, const std::vector<KernelUnit> &units,
                        std::vector<codegen::KernelCode> &codes) {
  StepRuns runs(program, units, codes);
  for (auto function : program.getOps<func::FuncOp>())
    runs.add(function);
  for (auto [unit, code] : llvm::zip(units, codes))
    if (!runs.needed.contains(unit.name))
      code.function.clear();
  return std::move(runs.words);
}

} // namespace ingot::driver
