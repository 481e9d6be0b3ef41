//===- Target.h - The GPUs that code is generated for -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_PTX_TARGET_H
#define INGOT_CODEGEN_PTX_TARGET_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace ingot::ptx {

/// The unit that issues matrix multiplications: warps (mma.sync), warpgroups
/// (wgmma), or one thread into tensor memory (tcgen05).
enum class TensorCores { Warp, Warpgroup, TensorMemory };

/// "warp", "warpgroup" or "tensor-memory".
llvm::StringRef nameOf(TensorCores cores);
std::optional<TensorCores> findTensorCores(llvm::StringRef name);

/// A generation of GPUs, and the lowest version of PTX with its features, so
/// that older drivers accept it.
struct Target {
  llvm::StringRef name;     // "sm_80"
  llvm::StringRef features; // "+ptx70"
  /// The compute capabilities (10 * major + minor) that its machine code runs
  /// on.
  unsigned firstCapability, lastCapability;
  TensorCores cores = TensorCores::Warp;

  /// Whether it has architecture-specific features ("a"): not even its PTX runs
  /// on later generations.
  bool isSpecific() const { return name.ends_with("a"); }
};

llvm::ArrayRef<Target> allTargets();

/// The latest general target whose code an architecture-specific one runs; null
/// for other targets.
const Target *generalOf(const Target &target);

/// The target of that name, or null.
const Target *findTarget(llvm::StringRef name);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_TARGET_H
