//===- Targets.h - A backend's table of targets -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_LLVM_TARGETS_H
#define INGOT_CODEGEN_LLVM_TARGETS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <vector>

namespace ingot::llvmgen {

/// Returns the names of a table's targets, in the table's order.
template <typename Target>
std::vector<llvm::StringRef> namesOf(llvm::ArrayRef<Target> targets) {
  std::vector<llvm::StringRef> names;
  for (const Target &target : targets)
    names.push_back(target.name);
  return names;
}

/// Returns the target with name `name`, or null if there is no such target.
template <typename Target>
const Target *findTarget(llvm::ArrayRef<Target> targets, llvm::StringRef name) {
  const Target *found = llvm::find_if(
      targets, [&](const Target &target) { return target.name == name; });
  return found == targets.end() ? nullptr : found;
}

/// Makes a backend for a target from `arguments`; null if `target` is null.
template <typename Backend, typename Target, typename... Arguments>
std::unique_ptr<Backend> makeBackend(const Target *target,
                                     Arguments... arguments) {
  return target ? std::make_unique<Backend>(*target, arguments...) : nullptr;
}

} // namespace ingot::llvmgen

#endif // INGOT_CODEGEN_LLVM_TARGETS_H
