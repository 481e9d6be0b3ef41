//===- CrashReport.h - Reports where the compiler crashed -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_DRIVER_CRASHREPORT_H
#define INGOT_COMPILER_DRIVER_CRASHREPORT_H

#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"

namespace ingot::driver {

/// The exit code of a crash (EX_SOFTWARE of sysexits.h).
inline constexpr int crashed = 70;

/// Installs a signal handler: a crash reports the current pass, kernel and node
/// in one line, as an error, and exits with `crashed`. Call this function
/// before other handlers are installed: LLVM calls handlers in the order in
/// which they were installed, and this handler ends the process before any
/// later one runs.
void reportCrashes();

/// Makes crash reports work after a stack overflow of the calling thread: gives
/// the crash handler a stack of its own for this thread. Not needed in the main
/// thread, which has such a stack already.
void reportCrashesOfThread();

/// Returns the name of the node at a location, or an empty string.
llvm::StringRef nodeAt(mlir::Location location);

/// Makes crash reports name the pass that runs in `context`, and the node of
/// the op that a rewrite pattern of this pass works on.
void followPasses(mlir::MLIRContext &context);

/// Records for crash reports the kernel that the calling thread compiles, and
/// its node, as long as this object lives. Locations in a kernel are erased, so
/// that only this object knows the node.
class CrashReportScope {
public:
  /// The names are not copied, so they must outlive this object.
  CrashReportScope(llvm::StringRef name, llvm::StringRef node);
  ~CrashReportScope();
};

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_CRASHREPORT_H
