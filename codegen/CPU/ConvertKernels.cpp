//===- ConvertKernels.cpp - Kernels to the LLVM dialect -------------------===//

#include "codegen/CPU/Passes.h"
#include "codegen/LLVM/Buffers.h"
#include "codegen/LLVM/LowerToLLVM.h"

namespace ingot::cpu {
#define GEN_PASS_DEF_CONVERTKERNELSPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

using namespace mlir;

namespace {
struct ConvertKernels
    : ::ingot::cpu::impl::ConvertKernelsPassBase<ConvertKernels> {
  void runOnOperation() override {
    if (failed(::ingot::llvmgen::lowerToLLVM(
            getOperation(), ::ingot::llvmgen::populateBindPattern)))
      signalPassFailure();
  }
};
} // namespace
