//===- LimitUnrolling.h - Which loops are worth more code -------*- C++ -*-===//
#ifndef INGOT_CODEGEN_LLVM_LIMITUNROLLING_H
#define INGOT_CODEGEN_LLVM_LIMITUNROLLING_H

#include "llvm/IR/PassManager.h"

namespace ingot::llvmgen {

/// Says for each innermost loop how often LLVM unrolls it: as a whole where
/// that is little code, else until a few dozen instructions hide what the loop
/// itself takes, and not at all once the function has grown by a good deal. A
/// kernel is a row of small loops one behind the other: LLVM, which looks at
/// each by itself, would make tens of kilobytes of some, and take a hundred
/// times as long to order their instructions.
struct LimitUnrollingPass : llvm::PassInfoMixin<LimitUnrollingPass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace ingot::llvmgen

#endif // INGOT_CODEGEN_LLVM_LIMITUNROLLING_H
