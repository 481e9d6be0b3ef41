//===- OptNoneEntries.cpp - Skip optimizing long entries ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Host/OptNoneEntries.h"

#include "llvm/IR/Module.h"

namespace ingot::hostgen {

/// LLVM optimizes only entry points with at most this number of LLVM
/// instructions: `maxOptimized` in general, and `maxOfSeldom` for entry points
/// that do not run in each training step, in which optimizing would save about
/// a microsecond per run.
static constexpr unsigned maxOptimized = 5000, maxOfSeldom = 200;

bool markLongEntriesOptNone(llvm::Module &module) {
  bool isAny = false;
  for (llvm::Function &entry : module) {
    bool isSeldom = entry.hasFnAttribute(runsSeldomAttrName);
    entry.removeFnAttr(runsSeldomAttrName);
    unsigned length = entry.getInstructionCount();
    if (length <= (isSeldom ? maxOfSeldom : maxOptimized))
      continue;
    entry.addFnAttr(llvm::Attribute::OptimizeNone);
    entry.addFnAttr(llvm::Attribute::NoInline);
    isAny |= length > maxOptimized;
  }
  return isAny;
}

} // namespace ingot::hostgen
