//===- FormStepKernels.cpp - Forms step kernels ---------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// A step kernel is one GPU kernel that executes several launches. Step kernels
// are formed only in training steps, because these run many times. In this
// file, a "run" is a sequence of consecutive launches on the device. It becomes
// a step kernel only if all of its kernels can be called as device functions.
//
//===----------------------------------------------------------------------===//

#include "compiler/Driver/FormStepKernels.h"

#include "dialects/Host/HostAttributes.h"
#include "dialects/Host/HostDialect.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace ingot::driver {

/// The maximum number of loop iterations of a kernel that may be part of a step
/// kernel. For a larger kernel, the launch overhead is negligible, and a step
/// kernel's register allocation, which all of its kernels share, would slow it
/// down.
static constexpr int64_t maxIterations = int64_t(1) << 26;

/// The value that is assumed for a dynamic size, which is a batch size in most
/// cases.
static constexpr int64_t assumedSize = 128;

/// Returns the number of iterations of all loop nests of a kernel.
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

/// Returns the tensor whose buffer `value` will alias after bufferization:
/// follows views back to their sources, and results of launches back to the
/// corresponding `outs`.
static Value rootOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto launch = dyn_cast<host::LaunchOp>(op))
      value = launch.getTiedOpOperand(cast<OpResult>(value))->get();
    else if (isa<bufferization::ToTensorOp, tensor::CastOp,
                 tensor::CollapseShapeOp, tensor::ExpandShapeOp,
                 tensor::ExtractSliceOp>(op))
      value = op->getOperand(0);
    else
      break;
  }
  return value;
}

/// Returns the number of grid-wide barriers that the consecutive launches `run`
/// need in a step kernel, one GPU kernel that executes all of them. Launches
/// that do not depend on each other execute in the same phase, without a
/// barrier between them. Temporaries are assumed to have distinct addresses; if
/// they share memory, there are more barriers.
static size_t countGridBarriers(ArrayRef<host::LaunchOp> run) {
  // A launch runs in the first phase after all phases with conflicting
  // accesses. For each buffer, the map stores the first phase after the
  // buffer's last writer (`written`) and the first phase after its last reader
  // (`read`). A launch that reads the buffer runs in phase `written` or later;
  // a launch that overwrites it runs after both its last writer and its last
  // reader.
  DenseMap<Value, std::pair<size_t, size_t>> phases;
  size_t last = 0;
  for (host::LaunchOp launch : run) {
    auto type = cast<DestinationStyleOpInterface>(launch.getOperation());
    size_t phase = 0;
    for (OpOperand &operand : launch->getOpOperands()) {
      auto [written, read] = phases.lookup(rootOf(operand.get()));
      phase = std::max(phase, type.isDpsInit(&operand) ? std::max(written, read)
                                                       : written);
    }
    for (OpOperand &operand : launch->getOpOperands()) {
      auto &[written, read] = phases[rootOf(operand.get())];
      size_t &mine = type.isDpsInit(&operand) ? written : read;
      mine = std::max(mine, phase + 1);
    }
    last = std::max(last, phase);
  }
  return last;
}

namespace {

/// Finds the runs (sequences of consecutive launches) that can become step
/// kernels. Collects the names of their kernels, and a remark for each run. A
/// run does not cross MLIR blocks: launches in a branch or loop form runs of
/// their own.
class StepLaunchSequences {
public:
  StepLaunchSequences(ModuleOp program, const std::vector<KernelModule> &units,
                      const std::vector<codegen::CompiledKernelImage> &codes)
      : program(program) {
    for (auto [unit, code] : llvm::zip(units, codes))
      known[unit.name] = &code;
  }

  void add(func::FuncOp function) {
    auto entry = function->getAttrOfType<host::EntryAttr>(host::entryAttrName);
    if (!entry || entry.getRole() != host::Role::step)
      return;
    function.walk([&](Block *block) {
      SmallVector<host::LaunchOp> run;
      for (auto launch : block->getOps<host::LaunchOp>()) {
        const codegen::CompiledKernelImage *code =
            known.lookup(launch.getKernel());
        if (code && code->reason.empty())
          run.push_back(launch);
        else
          end(run, function.getName());
      }
      end(run, function.getName());
    });
  }

  llvm::StringSet<> needed;
  StepKernelRemarks words;

private:
  void end(SmallVectorImpl<host::LaunchOp> &run, StringRef entry) {
    if (run.size() > 1)
      take(run, entry);
    run.clear();
  }

  /// Returns why a kernel cannot be part of a step kernel (a GPU kernel that
  /// executes several launches), or "" if it can.
  std::string problemOf(StringRef kernel) {
    auto function = program.lookupSymbol<func::FuncOp>(kernel);
    if (int64_t count = countIterations(function); count > maxIterations)
      return "it has " + std::to_string(count) +
             " iterations, beside which the overhead of a launch is negligible";
    return known.lookup(kernel)->apart;
  }

  void take(ArrayRef<host::LaunchOp> run, StringRef entry) {
    auto nameOf = [](host::LaunchOp launch) {
      return "'" + launch.getKernel().str() + "'";
    };
    std::string launches = std::to_string(run.size()) + " launches, from " +
                           nameOf(run.front()) + " to " + nameOf(run.back()) +
                           ", ";
    for (host::LaunchOp launch : run)
      if (std::string apart = problemOf(launch.getKernel()); !apart.empty()) {
        words.emplace_back(
            entry, launches + "are launched separately: " + nameOf(launch) +
                       " cannot join a step kernel, as " + apart);
        return;
      }
    for (host::LaunchOp launch : run)
      needed.insert(launch.getKernel());
    words.emplace_back(entry, launches + "can form a step kernel with " +
                                  std::to_string(countGridBarriers(run)) +
                                  " grid barriers");
  }

  ModuleOp program;
  llvm::StringMap<const codegen::CompiledKernelImage *> known;
};

} // namespace

StepKernelRemarks
findStepRuns(ModuleOp program, const std::vector<KernelModule> &units,
             std::vector<codegen::CompiledKernelImage> &codes) {
  StepLaunchSequences runs(program, units, codes);
  for (auto function : program.getOps<func::FuncOp>())
    runs.add(function);
  for (auto [unit, code] : llvm::zip(units, codes))
    if (!runs.needed.contains(unit.name))
      code.function.clear();
  return std::move(runs.words);
}

} // namespace ingot::driver
