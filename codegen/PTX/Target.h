//===- Target.h - The GPUs that code is generated for -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The generations of NVIDIA's GPUs that code is generated for.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_TARGET_H
#define INGOT_CODEGEN_PTX_TARGET_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace ingot::ptx {

/// The unit that issues matrix multiplications: warps (mma.sync), warpgroups
/// (wgmma), or one thread into tensor memory (tcgen05).
enum class TensorCoreKind { Warp, Warpgroup, TensorMemory };

/// Returns "warp", "warpgroup" or "tensor-memory".
llvm::StringRef nameOf(TensorCoreKind cores);
/// Returns the unit with the name `name`, or std::nullopt for any other name.
std::optional<TensorCoreKind> findTensorCores(llvm::StringRef name);

/// A generation of GPUs that code is generated for. `features` is the lowest
/// version of PTX that supports it, so that older drivers accept the code, too.
struct Target {
  llvm::StringRef name;     // "sm_80"
  llvm::StringRef features; // "+ptx70"
  /// The first and the last compute capability (10 * major + minor) of the GPUs
  /// that run machine code for this target.
  unsigned firstCapability, lastCapability;
  TensorCoreKind cores = TensorCoreKind::Warp;

  /// Whether the target has architecture-specific features (its name ends with
  /// "a"). Later generations of GPUs run neither its machine code nor its PTX.
  bool isSpecific() const { return name.ends_with("a"); }
};

/// Returns all targets, the oldest generation first.
llvm::ArrayRef<Target> allTargets();

/// Returns the latest target without architecture-specific features whose code
/// the GPUs of `target` run, too. Returns null if `target` itself has no such
/// features.
const Target *generalOf(const Target &target);

/// Returns the target with the name `name`, or null.
const Target *findTarget(llvm::StringRef name);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_TARGET_H
