//===- OptNoneEntries.cpp - Skip optimizing long entries ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Host/OptNoneEntries.h"

#include "llvm/IR/Module.h"

namespace ingot::hostgen {

/// The maximum number of LLVM instructions of an entry point that LLVM
/// optimizes: `maxOptimized` in general, `maxOfSeldom` for an entry point that
/// does not run in each training step, where optimizing would save about a
/// microsecond per run.
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
