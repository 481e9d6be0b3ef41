//===- LongEntries.cpp - Entries of thousands of calls --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Host/LongEntries.h"

#include "llvm/IR/Module.h"

namespace ingot::hostgen {

/// The longest entry, in instructions, that is optimized, and the longest one
/// outside of the training loop, where a run would gain a microsecond.
static constexpr unsigned maxOptimized = 5000, maxOfSeldom = 200;

bool leaveLongEntries(llvm::Module &module) {
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
