//===- LongEntries.cpp - Entries of thousands of calls --------------------===//

#include "codegen/Host/LongEntries.h"

#include "llvm/IR/Module.h"

namespace ingot::hostgen {

/// The longest entry, in instructions, that is optimized.
static constexpr unsigned maxOptimized = 5000;

bool leaveLongEntries(llvm::Module &module) {
  bool isAny = false;
  for (llvm::Function &entry : module) {
    if (entry.isDeclaration() || entry.getInstructionCount() <= maxOptimized)
      continue;
    entry.addFnAttr(llvm::Attribute::OptimizeNone);
    entry.addFnAttr(llvm::Attribute::NoInline);
    isAny = true;
  }
  return isAny;
}

} // namespace ingot::hostgen
