//===- LimitUnrolling.h - Which loops are worth more code -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_LLVM_LIMITUNROLLING_H
#define INGOT_CODEGEN_LLVM_LIMITUNROLLING_H

#include "llvm/IR/PassManager.h"

namespace ingot::llvmgen {

/// Sets the unroll factor of each innermost loop: fully where that is little
/// code, else until a few dozen instructions amortize the loop's overhead, and
/// not at all once the function has grown too much. A kernel is a sequence of
/// small loops: LLVM, which considers each by itself, would unroll some to tens
/// of kilobytes, and take a hundred times as long to schedule them.
struct LimitUnrollingPass : llvm::PassInfoMixin<LimitUnrollingPass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace ingot::llvmgen

#endif // INGOT_CODEGEN_LLVM_LIMITUNROLLING_H
