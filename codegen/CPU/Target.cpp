//===- Target.cpp - The CPUs that code is generated for -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/CPU/Target.h"

#include "codegen/LLVM/Targets.h"
#include "runtime/ABI/CPULevels.h"

using namespace ingot::cpu;

static constexpr int64_t kibi = 1024, mebi = 1024 * kibi;

/// Typical caches of the machines that have one target and no higher one: of
/// Zen 3, for example, all AMD CPUs since Zen 2 that lack AVX-512. Intel's have
/// 256 KiB to 2 MiB of L2.
static constexpr CacheHierarchy
    westmere = {{32 * kibi, 8}, {256 * kibi, 8}, 12 * mebi},
    zen3 = {{32 * kibi, 8}, {512 * kibi, 8}, 32 * mebi},
    zen4 = {{32 * kibi, 8}, {1 * mebi, 8}, 32 * mebi};

/// All CPU targets in ascending order: each target includes the instructions of
/// the targets before it. The columns are the fields of `Target`: name, bits of
/// a vector register, number of vector registers, whether it has FMA, its
/// caches, whether it has VDPBF16PS, whether it halves vectors, and LLVM's
/// names of the CPU and its features.
static constexpr Target targets[] = {
    {"x86-64-v2", 128, 16, false, westmere},
    {"x86-64-v3", 256, 16, true, zen3},
    {"x86-64-v4", 512, 32, true, zen4},
    {"x86-64-v4-bf16", 512, 32, true, zen4, true, false, "x86-64-v4",
     "+avx512bf16"},
    {"x86-64-v4-fp256", 512, 32, true, zen4, true, true, "x86-64-v4",
     "+avx512bf16"},
};

llvm::ArrayRef<Target> ingot::cpu::allTargets() { return targets; }

const Target &ingot::cpu::nativeTarget() {
  for (const Target &target : llvm::reverse(targets))
    if (hasCPULevel(target.name))
      return target;
  return targets[0];
}

const Target *ingot::cpu::findTarget(llvm::StringRef name) {
  if (name == "native")
    return &nativeTarget();
  return ingot::llvmgen::findTarget(allTargets(), name);
}
