//===- Target.h - The GPUs that code is generated for -----------*- C++ -*-===//
#ifndef INGOT_CODEGEN_PTX_TARGET_H
#define INGOT_CODEGEN_PTX_TARGET_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace ingot::ptx {

/// Who multiplies by tensor cores: warps (mma.sync); groups of four
/// (wgmma); or one thread, into tensor memory (tcgen05).
enum class TensorCores { Warp, Warpgroup, TensorMemory };

/// "warp", "warpgroup" or "tensor-memory".
llvm::StringRef nameOf(TensorCores cores);
std::optional<TensorCores> findTensorCores(llvm::StringRef name);

/// A generation of GPUs, and the lowest version of PTX that has its features:
/// drivers read what is not newer than they are.
struct Target {
  llvm::StringRef name;     // "sm_80"
  llvm::StringRef features; // "+ptx70"
  /// The compute capabilities (10 * major + minor) that its machine code runs
  /// on.
  unsigned firstCapability, lastCapability;
  TensorCores cores = TensorCores::Warp;

  /// Whether it has what no other generation has: not even its text is for
  /// later ones.
  bool isSpecific() const { return name.ends_with("a"); }
};

llvm::ArrayRef<Target> allTargets();

/// Of a specific target the latest other one whose code it runs; else null.
const Target *generalOf(const Target &target);

/// The target of that name, or null.
const Target *findTarget(llvm::StringRef name);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_TARGET_H
