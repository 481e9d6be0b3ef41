//===- LowerKernelSignatures.cpp - Kernels' parameters on a device --------===//

#include "codegen/LLVM/Buffers.h"
#include "codegen/PTX/Passes.h"

namespace ingot::ptx {
#define GEN_PASS_DEF_LOWERKERNELSIGNATURESPASS
#include "codegen/PTX/Passes.h.inc"
} // namespace ingot::ptx

using namespace mlir;

/// Puts an address and sizes in the place of each buffer.
static void lowerSignature(func::FuncOp kernel,
                           const LLVMTypeConverter &converter) {
  Block &body = kernel.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  Location loc = kernel.getLoc();
  unsigned numBuffers = body.getNumArguments();
  for (unsigned index = 0; index < numBuffers; ++index) {
    BlockArgument buffer = body.getArgument(index);
    auto type = cast<MemRefType>(buffer.getType());
    Value address =
        body.addArgument(LLVM::LLVMPointerType::get(kernel.getContext()), loc);
    SmallVector<Value> sizes;
    for (size_t i = 0; i < type.getNumDynamicDims(); ++i)
      sizes.push_back(body.addArgument(builder.getI64Type(), loc));
    Value descriptor = ::ingot::llvmgen::describeBuffer(builder, loc, converter,
                                                        type, address, sizes);
    buffer.replaceAllUsesWith(
        UnrealizedConversionCastOp::create(builder, loc, type, descriptor)
            .getResult(0));
  }
  body.eraseArguments(0, numBuffers);
  kernel.setType(builder.getFunctionType(body.getArgumentTypes(), {}));
}

namespace {
struct LowerKernelSignatures
    : ::ingot::ptx::impl::LowerKernelSignaturesPassBase<LowerKernelSignatures> {
  void runOnOperation() override {
    LLVMTypeConverter converter(&getContext());
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (::ingot::ptx::isDeviceKernel(kernel))
        lowerSignature(kernel, converter);
  }
};
} // namespace
