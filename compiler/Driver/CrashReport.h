//===- CrashReport.h - Reports where the compiler crashed -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_DRIVER_CRASHREPORT_H
#define INGOT_COMPILER_DRIVER_CRASHREPORT_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"

namespace ingot::driver {

/// The exit code of a crash (EX_SOFTWARE of sysexits.h).
inline constexpr int crashed = 70;

/// Installs a handler: a crash reports the current pass, kernel and node in one
/// line, as an error, and exits with `crashed`. Call it before other handlers
/// of signals are installed, which then do not run.
void reportCrashes();

/// Records for crash reports which pass runs in `context`, and which node its
/// pattern rewrites.
void followPasses(mlir::MLIRContext &context);

/// Records for crash reports the kernel that the calling thread compiles, as
/// long as this object lives.
class CompilingKernel {
public:
  /// `name` is not copied, so it must outlive this object.
  explicit CompilingKernel(llvm::StringRef name);
  ~CompilingKernel();
};

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_CRASHREPORT_H
