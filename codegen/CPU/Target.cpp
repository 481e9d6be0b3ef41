//===- Target.cpp - The CPUs that code is generated for -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/CPU/Target.h"

#include "codegen/LLVM/Targets.h"

using namespace ingot::cpu;

/// All CPU targets in ascending order: each target includes the instructions of
/// the targets before it. The columns are the fields of `Target`: name, bits of
/// a vector register, number of vector registers, whether it has FMA, whether
/// it has VDPBF16PS, and LLVM's names of the CPU and its features.
static constexpr Target targets[] = {
    {"x86-64-v2", 128, 16, false},
    {"x86-64-v3", 256, 16, true},
    {"x86-64-v4", 512, 32, true},
    {"x86-64-v4-bf16", 512, 32, true, true, "x86-64-v4", "+avx512bf16"},
};

llvm::ArrayRef<Target> ingot::cpu::allTargets() { return targets; }

const Target &ingot::cpu::nativeTarget() {
  if (__builtin_cpu_supports("x86-64-v4"))
    return targets[__builtin_cpu_supports("avx512bf16") ? 3 : 2];
  if (__builtin_cpu_supports("x86-64-v3"))
    return targets[1];
  return targets[0];
}

const Target *ingot::cpu::findTarget(llvm::StringRef name) {
  if (name == "native")
    return &nativeTarget();
  return ingot::llvmgen::findTarget(allTargets(), name);
}
