//===- CPUBackend.h - Kernels as x86-64 machine code ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_CPU_CPUBACKEND_H
#define INGOT_CODEGEN_CPU_CPUBACKEND_H

#include "codegen/Backend.h"
#include "codegen/CPU/CacheHierarchy.h"

#include <memory>
#include <optional>
#include <vector>

namespace ingot::cpu {

/// Returns the names of all CPU targets, such as "x86-64-v3", the least
/// demanding first.
std::vector<llvm::StringRef> levelNames();

/// Creates the backend for the CPU target with the name `level`, or for the
/// machine that runs this code if the name is "native". Returns null for any
/// other name. With `sanitizesAddresses`, the generated code checks every
/// access to memory. Of the optional optimizations (rewrites), only those in
/// `rewrites` run. Kernels are planned for machines with such `caches`; if they
/// are not given, for this machine's if `level` is "native", else for those
/// that are usual at this level.
std::unique_ptr<codegen::Backend>
createBackend(llvm::StringRef level, bool sanitizesAddresses = false,
              const OptionalPassSet &rewrites = OptionalPassSet::all(),
              std::optional<CacheHierarchy> caches = std::nullopt);

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_CPUBACKEND_H
