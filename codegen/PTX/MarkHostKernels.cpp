//===- MarkHostKernels.cpp - Leave kernels on strings to the host ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Backend.h"
#include "codegen/PTX/Passes.h"

#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "ingot-ptx-mark-host-kernels"

namespace ingot::ptx {
#define GEN_PASS_DEF_MARKHOSTKERNELSPASS
#include "codegen/PTX/Passes.h.inc"

std::string mapName(llvm::StringRef kernel, size_t number) {
  return (kernel + "_map" + llvm::Twine(number)).str();
}

bool isDeviceKernel(mlir::func::FuncOp function) {
  return function->hasAttr(mlir::host::kernelAttrName) &&
         !function.isExternal();
}

void leaveToHost(mlir::func::FuncOp kernel, const llvm::Twine &reason) {
  LLVM_DEBUG(llvm::dbgs() << "leave " << kernel.getName()
                          << " to the host: " << reason << '\n');
  kernel.getBody().dropAllReferences();
  kernel.getBody().getBlocks().clear();
  kernel.setPrivate();
  kernel->setAttr(codegen::reasonAttrName,
                  mlir::StringAttr::get(kernel.getContext(), reason));
}
} // namespace ingot::ptx

using namespace mlir;

/// Whether the type's elements are stored as i128: strings, each an address and
/// a size, or values of complex128.
static bool isString(Type type) {
  return getElementTypeOrSelf(type).isInteger(128);
}

static bool computesOnStrings(func::FuncOp kernel) {
  return kernel
      .walk([](Operation *op) {
        bool found = llvm::any_of(op->getOperandTypes(), isString) ||
                     llvm::any_of(op->getResultTypes(), isString);
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
struct MarkHostKernels
    : ::ingot::ptx::impl::MarkHostKernelsPassBase<MarkHostKernels> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (::ingot::ptx::isDeviceKernel(kernel) && computesOnStrings(kernel)) {
        ::ingot::ptx::leaveToHost(kernel,
                                  "it computes on strings or complex128");
        ++numLeft;
      }
  }
};
} // namespace
