//===- CompileKernels.h - Compiles kernels one by one -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Cuts kernels out of a program and has backends compile them in parallel,
// unless they are cached.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_COMPILEKERNELS_H
#define INGOT_COMPILER_DRIVER_COMPILEKERNELS_H

#include "compiler/Driver/KernelCache.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ingot::driver {

/// A kernel as a module of its own, in MLIR's bytecode: without its name and
/// without locations, so that identical kernels have identical bytes.
struct KernelUnit {
  std::string name;
  std::string bytecode;
};

/// A module as bytecode, without locations, which `module` loses: the key of a
/// cache.
std::string contentOf(mlir::ModuleOp module);

/// The kernels of a program after the linalg stage, in order.
std::vector<KernelUnit> cutKernels(mlir::ModuleOp program);

/// Whether the function is an entry that computes initial values, once.
bool isInitialization(mlir::func::FuncOp function);

/// Whether only the partial batch at an epoch's end reaches the op.
bool isForShortBatch(mlir::Operation *op);

/// By unit, whether all launches of it run once: in entries before training,
/// which compute initial values, or in the branch for the partial batch at the
/// end of an epoch.
std::vector<bool> findRunOnce(mlir::ModuleOp program,
                              const std::vector<KernelUnit> &units);

/// The backends, and the optimization level, except for kernels that run
/// rarely, whose loops are not unrolled; by unit the backend's plan
/// (KernelPlans.h), empty if all use the first one.
struct KernelTarget {
  const codegen::Backend *backend;
  unsigned level;
  std::vector<unsigned> plans = {};
  std::vector<bool> chosen = {}; // by unit; empty: all
  std::vector<bool> seldom = {}; // by unit; empty: none

  unsigned planOf(size_t unit) const { return plans.empty() ? 0 : plans[unit]; }
  bool takes(size_t unit) const { return chosen.empty() || chosen[unit]; }
  unsigned levelOf(size_t unit) const {
    return !seldom.empty() && seldom[unit] ? std::min(level, 1u) : level;
  }
};

/// A target's code for each unit that it takes, in order, with the numbers of
/// compiled and cached units.
struct CompiledKernels {
  std::vector<codegen::KernelCode> codes;
  unsigned compiled = 0, found = 0;
};

/// Code for each target; the targets share this machine's cores. `whenMeasured`
/// is called on this thread while others compile, as soon as the scratch bytes
/// of each unit are known for all targets.
llvm::Expected<std::vector<CompiledKernels>>
compileKernels(const std::vector<KernelUnit> &units,
               llvm::ArrayRef<KernelTarget> targets, const KernelCache &cache,
               llvm::function_ref<void(llvm::ArrayRef<int64_t>)> whenMeasured);

/// "x86-64-v3, x86-64-v4 kernels: 39 compiled, 3 from the cache".
std::string describe(llvm::ArrayRef<KernelTarget> targets,
                     llvm::ArrayRef<CompiledKernels> kernels);

/// Runs a backend's pipelines on the kernels of `module`, up to buffers or to
/// the LLVM dialect, and verifies the result.
mlir::LogicalResult runBufferStage(mlir::ModuleOp module,
                                   const codegen::Backend &backend);
mlir::LogicalResult runCodeStage(mlir::ModuleOp module,
                                 const codegen::Backend &backend);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_COMPILEKERNELS_H
