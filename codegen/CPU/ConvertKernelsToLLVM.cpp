//===- ConvertKernelsToLLVM.cpp - Kernels to the LLVM dialect -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/CPU/Passes.h"
#include "codegen/LLVM/LLVMLowering.h"
#include "codegen/LLVM/MemRefDescriptors.h"

namespace ingot::cpu {
#define GEN_PASS_DEF_CONVERTKERNELSTOLLVMPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

using namespace mlir;
using namespace ::ingot::llvmgen;

namespace {
struct ConvertKernelsToLLVM
    : ::ingot::cpu::impl::ConvertKernelsToLLVMPassBase<ConvertKernelsToLLVM> {
  // The conversion patterns are built once and shared by all runs of the pass.
  LogicalResult initialize(MLIRContext *context) override {
    lowering = std::make_shared<LLVMLowering>(context, populateBindPattern);
    return success();
  }

  void runOnOperation() override {
    if (failed(lowering->run(getOperation())))
      signalPassFailure();
  }

  std::shared_ptr<const LLVMLowering> lowering;
};
} // namespace
