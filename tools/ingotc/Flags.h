//===- Flags.h - Flags that several parts of ingotc read --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_TOOLS_INGOTC_FLAGS_H
#define INGOT_TOOLS_INGOTC_FLAGS_H

#include "compiler/Driver/Compile.h"

#include "llvm/Support/CommandLine.h"

namespace ingot::command {

/// The values of --emit. PTX, Cubin and NVVM contain kernels only.
enum class EmitOption {
  Executable,
  Library,
  Shared,
  Object,
  LLVM,
  PTX,
  Cubin,
  NVVM,
  MLIR
};

extern llvm::cl::OptionCategory category;
extern llvm::cl::opt<std::string> input;
extern llvm::cl::opt<EmitOption> emit;
extern llvm::cl::opt<bool> reference;
extern llvm::cl::opt<bool> searchPlan;

/// Prints an error of the command line, and returns its exit code.
int usageError(const llvm::Twine &message);

/// Whether --sanitize instruments the compiled code.
bool isSanitized();

/// Returns the kind of artifact that --emit requests.
driver::OutputKind emitOf(EmitOption output);

/// Adds a backend for each level of --cpu, in ascending order. Returns the exit
/// code.
int addCPUs(driver::CompileOptions &options);

/// Adds the backends that --target, --cpu, --gpu-arch and --emit request.
/// `isTuned` says whether --tune is given, which is an error together with
/// --reference. Returns the exit code.
int addBackends(driver::CompileOptions &options, bool isTuned);

/// Prints the plan of an AdaNet search as JSON: when the search ends, and the
/// flags of its trainers. Returns the exit code.
int printSearchPlan();

/// If the input is an AdaNet search, replaces it by the program of the
/// requested iteration or by a predictor. Returns the exit code.
int readSearch(driver::CompileOptions &options);

} // namespace ingot::command

#endif // INGOT_TOOLS_INGOTC_FLAGS_H
