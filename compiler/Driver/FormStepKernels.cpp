//===- FormStepKernels.cpp - Forms step kernels ---------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Only launches of training steps, which repeat, are worth it. Kernels that
// stay on the host cut a step's launches into runs; all kernels of a run must
// be functions of the step kernel, or none.
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

/// For a kernel with more iterations, launch overhead is negligible, and it
/// needs a device's registers for itself.
static constexpr int64_t maxIterations = int64_t(1) << 26;

/// The assumed value of a dynamic size: a batch size.
static constexpr int64_t assumedSize = 128;

/// The iterations of all loops of a kernel.
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

/// The buffer of a tensor: a variable's, or the root of its views.
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

/// The number of grid barriers in a run's launches: launches without a
/// dependence run side by side. If temporaries share addresses, there are more.
static size_t countMeetings(ArrayRef<host::LaunchOp> run) {
  // By buffer: the phase of its writer plus one, and that of its last reader.
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
      SmallVector<host::LaunchOp> run;
      for (auto launch : block->getOps<host::LaunchOp>()) {
        const codegen::KernelCode *code = known.lookup(launch.getKernel());
        if (code && code->reason.empty())
          run.push_back(launch);
        else
          end(run, function.getName());
      }
      end(run, function.getName());
    });
  }

  llvm::StringSet<> needed;
  EntryWords words;

private:
  void end(SmallVectorImpl<host::LaunchOp> &run, StringRef entry) {
    if (run.size() > 1)
      take(run, entry);
    run.clear();
  }

  /// Why a kernel cannot be part of a step kernel; "" if it can.
  std::string problemOf(StringRef kernel) {
    auto function = program.lookupSymbol<func::FuncOp>(kernel);
    if (int64_t count = countIterations(function); count > maxIterations)
      return "it has " + std::to_string(count) +
             " iterations, so that launch overhead is negligible";
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
                       " cannot join a step kernel, " + apart);
        return;
      }
    for (host::LaunchOp launch : run)
      needed.insert(launch.getKernel());
    words.emplace_back(
        entry, launches + "can form a step kernel with grid barriers: " +
                   std::to_string(countMeetings(run)) + " times");
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
