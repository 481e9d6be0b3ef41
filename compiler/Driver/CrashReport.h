//===- CrashReport.h - What the compiler was at when it crashed -*- C++ -*-===//
#ifndef INGOT_COMPILER_DRIVER_CRASHREPORT_H
#define INGOT_COMPILER_DRIVER_CRASHREPORT_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"

namespace ingot::driver {

/// What a crash exits with (EX_SOFTWARE of sysexits.h).
inline constexpr int crashed = 70;

/// A crash of the process says in one line, as an error, which pass, kernel and
/// node it was at, and exits with `crashed`. Called before other handlers of
/// signals are installed, whose turn does not come then.
void reportCrashes();

/// Notes which passes run in `context`, and the nodes of what their patterns
/// rewrite.
void followPasses(mlir::MLIRContext &context);

/// Notes which kernel the calling thread compiles.
class CompilingKernel {
public:
  /// `name` lives at least as long.
  explicit CompilingKernel(llvm::StringRef name);
  ~CompilingKernel();
};

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_CRASHREPORT_H
