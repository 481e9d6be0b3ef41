//===- ConvertEntriesToLLVM.cpp - Lower entries to the LLVM dialect -------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Host/BuildRuntimeCalls.h"
#include "codegen/Host/HostToLLVM.h"
#include "codegen/Host/Passes.h"
#include "codegen/LLVM/LLVMLowering.h"

namespace ingot::hostgen {
#define GEN_PASS_DEF_CONVERTENTRIESTOLLVMPASS
#include "codegen/Host/Passes.h.inc"
} // namespace ingot::hostgen

using namespace mlir;

namespace {
struct ConvertEntriesToLLVM
    : ::ingot::hostgen::impl::ConvertEntriesToLLVMPassBase<
          ConvertEntriesToLLVM> {
  void runOnOperation() override {
    ::ingot::hostgen::lowerLaunchTables(getOperation());
    ::ingot::llvmgen::LLVMLowering lowering(
        &getContext(), ::ingot::hostgen::populateHostToLLVMPatterns);
    if (failed(lowering.run(getOperation())))
      return signalPassFailure();
    ::ingot::hostgen::expandReturns(getOperation());
  }
};
} // namespace
