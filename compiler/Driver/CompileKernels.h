//===- CompileKernels.h - Compiles kernels in parallel ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Extracts the kernels of a program, and lets the backends compile in parallel
// those that are not cached.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_COMPILEKERNELS_H
#define INGOT_COMPILER_DRIVER_COMPILEKERNELS_H

#include "compiler/Driver/KernelCache.h"
#include "compiler/Driver/Progress.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ingot::driver {

/// A kernel in a module of its own (a *unit*), as MLIR's bytecode: without its
/// name and without locations, so that identical kernels have identical bytes.
struct KernelModule {
  std::string name;
  std::string bytecode;
  /// The name of the TensorFlow node that the kernel computes. If the kernel
  /// computes several nodes, the name of one of them. Empty if the node has no
  /// name.
  std::string node = {};
};

/// Returns `module` as bytecode without locations, to be used as the key of a
/// cache. Erases the locations in `module`.
std::string contentOf(mlir::ModuleOp module);

/// Splits a program that has passed the linalg stage into one module per
/// kernel, in the order of the program.
std::vector<KernelModule> cutKernels(mlir::ModuleOp program);

/// Returns whether the op runs only for the short batch at the end of an epoch:
/// it is in the else branch of an scf.if that tests for a full batch.
bool isForShortBatch(mlir::Operation *op);

/// Returns for each unit (kernel) whether it is launched only rarely: in
/// entries that compute initial values, or in the branch for the short batch at
/// the end of an epoch.
std::vector<bool> findRunOnce(mlir::ModuleOp program,
                              const std::vector<KernelModule> &units);

/// A backend, and the optimization level and plans with which it compiles
/// kernels. Each vector is empty or has one element per unit (KernelModule).
struct KernelCompilationSettings {
  const codegen::Backend *backend;
  unsigned level;
  std::vector<unsigned> plans = {};
  std::vector<bool> chosen = {}; // whether to compile a unit; if empty, all are
  // For each unit, whether it runs only rarely, so that its loops are not
  // unrolled. If the vector is empty, no unit runs rarely.
  std::vector<bool> seldom = {};

  unsigned planOf(size_t unit) const { return plans.empty() ? 0 : plans[unit]; }
  bool takes(size_t unit) const { return chosen.empty() || chosen[unit]; }
  unsigned levelOf(size_t unit) const {
    return !seldom.empty() && seldom[unit] ? std::min(level, 1u) : level;
  }
};

/// The results of compileKernels() for one target. `codes` has an element for
/// each unit: its code, or an empty CompiledKernelImage if the target does not
/// compile the unit (`KernelCompilationSettings::takes`). `compiled` and
/// `found` count the units that were compiled, and those that were found in the
/// cache.
struct CompiledKernels {
  std::vector<codegen::CompiledKernelImage> codes;
  unsigned compiled = 0, found = 0;
};

/// Compiles the units for all targets on the cores of this machine, or finds
/// their code in the cache. As soon as the size of every unit's scratch memory
/// is known, calls `whenMeasured` with these sizes, in bytes, on the calling
/// thread. The other threads continue to compile meanwhile. Counts the kernels
/// that are not in the cache in `progress`.
llvm::Expected<std::vector<CompiledKernels>>
compileKernels(const std::vector<KernelModule> &units,
               llvm::ArrayRef<KernelCompilationSettings> targets,
               const KernelCache &cache, Progress &progress,
               llvm::function_ref<void(llvm::ArrayRef<int64_t>)> whenMeasured);

/// Returns a summary such as "x86-64-v3, x86-64-v4 kernels: 39 compiled, 3 from
/// the cache".
std::string describe(llvm::ArrayRef<KernelCompilationSettings> targets,
                     llvm::ArrayRef<CompiledKernels> kernels);

/// Runs a backend's passes on the kernels of `module` and verifies the result.
/// The buffer stage ends with memrefs; the code stage turns them into the LLVM
/// dialect.
mlir::LogicalResult runBufferStage(mlir::ModuleOp module,
                                   const codegen::Backend &backend);
mlir::LogicalResult runCodeStage(mlir::ModuleOp module,
                                 const codegen::Backend &backend);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_COMPILEKERNELS_H
