//===- Target.h - The CPUs that code is generated for -----------*- C++ -*-===//
//
// Levels of the x86-64 psABI: what a machine must have to run the code, and
// the sizes that tiling and vectorization go by.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_TARGET_H
#define INGOT_CODEGEN_CPU_TARGET_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace ingot::cpu {

/// One level of CPU. `name` is what `--cpu` takes and what LLVM calls it.
struct Target {
  llvm::StringLiteral name;
  unsigned vectorBits;   // of a register
  unsigned numRegisters; // of that width
  bool hasFMA;
};

/// All levels, the least demanding first.
llvm::ArrayRef<Target> allTargets();

/// The level of that name, or of the machine this runs on for "native"; null
/// for any other.
const Target *findTarget(llvm::StringRef name);

/// The highest level that the machine this runs on supports.
const Target &nativeTarget();

/// The machine that all levels are of.
inline constexpr llvm::StringLiteral triple = "x86_64-unknown-linux-gnu";

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_TARGET_H
