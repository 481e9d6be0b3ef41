//===- LimitUnrolling.h - Choose unroll factors -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_LLVM_LIMITUNROLLING_H
#define INGOT_CODEGEN_LLVM_LIMITUNROLLING_H

#include "llvm/IR/PassManager.h"

namespace ingot::llvmgen {

/// Sets the unroll factor of each innermost loop. A loop is unrolled completely
/// if the result is short. Otherwise it is unrolled until an iteration has a
/// few dozen instructions, which amortize the loop's overhead. A loop whose
/// accumulators would need more registers than there are stays rolled. Once the
/// function has grown too much, further loops are not unrolled. A kernel is a
/// sequence of small loops: LLVM, which considers each loop by itself, would
/// unroll some to tens of kilobytes, and scheduling these would take a hundred
/// times as long.
struct LimitUnrollingPass : llvm::PassInfoMixin<LimitUnrollingPass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace ingot::llvmgen

#endif // INGOT_CODEGEN_LLVM_LIMITUNROLLING_H
