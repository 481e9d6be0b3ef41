//===- Target.cpp - The GPUs that code is generated for -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/PTX/Target.h"

#include "codegen/LLVM/Targets.h"

namespace ingot::ptx {

/// All targets, the oldest first. The columns are the fields of `Target`: name,
/// PTX version, first and last compute capability, and the unit of matrix
/// multiplications if it is not a warp.
static constexpr Target targets[] = {
    {"sm_80", "+ptx70", 80, 89},
    {"sm_86", "+ptx71", 86, 89},
    {"sm_89", "+ptx78", 89, 89},
    {"sm_90", "+ptx78", 90, 99},
    {"sm_90a", "+ptx80", 90, 90, TensorCoreKind::Warpgroup},
    {"sm_100a", "+ptx86", 100, 100, TensorCoreKind::TensorMemory},
    {"sm_120", "+ptx87", 120, 129},
};

/// The names of the values of TensorCoreKind, in their order.
static constexpr llvm::StringLiteral coresNames[] = {"warp", "warpgroup",
                                                     "tensor-memory"};

llvm::StringRef nameOf(TensorCoreKind cores) {
  return coresNames[static_cast<unsigned>(cores)];
}

std::optional<TensorCoreKind> findTensorCores(llvm::StringRef name) {
  const auto *found = llvm::find(coresNames, name);
  if (found == std::end(coresNames))
    return std::nullopt;
  return static_cast<TensorCoreKind>(found - std::begin(coresNames));
}

llvm::ArrayRef<Target> allTargets() { return targets; }

const Target *generalOf(const Target &target) {
  const Target *latest = nullptr;
  for (const Target &other : targets)
    if (target.isSpecific() && !other.isSpecific() &&
        other.firstCapability <= target.firstCapability)
      latest = &other;
  return latest;
}

const Target *findTarget(llvm::StringRef name) {
  return llvmgen::findTarget(allTargets(), name);
}

} // namespace ingot::ptx
