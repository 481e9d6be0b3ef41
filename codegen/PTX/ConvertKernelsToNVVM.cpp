//===- ConvertKernelsToNVVM.cpp - Kernels to the LLVM and NVVM dialects ---===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Backend.h"
#include "codegen/LLVM/LLVMLowering.h"
#include "codegen/PTX/Passes.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

namespace ingot::ptx {
#define GEN_PASS_DEF_CONVERTKERNELSTONVVMPASS
#include "codegen/PTX/Passes.h.inc"
} // namespace ingot::ptx

using namespace mlir;

namespace {

/// Lowers an op of the gpu dialect that reads the index of a thread or block,
/// or the number of blocks, to a read of a special register. Only the x
/// dimension is supported, as kernels use no other one.
template <typename Op, typename Register>
struct LowerIndexOp : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value number = Register::create(rewriter, loc, rewriter.getI32Type());
    rewriter.replaceOpWithNewOp<LLVM::ZExtOp>(
        op, this->getTypeConverter()->getIndexType(), number);
    return success();
  }
};

struct LowerBarrier : ConvertOpToLLVMPattern<gpu::BarrierOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(gpu::BarrierOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::Barrier0Op>(op);
    return success();
  }
};

struct LowerShuffle : ConvertOpToLLVMPattern<gpu::ShuffleOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(gpu::ShuffleOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getMode() != gpu::ShuffleMode::XOR)
      return rewriter.notifyMatchFailure(op, "expected a shuffle of mode xor");
    Location loc = op.getLoc();
    Type i32 = rewriter.getI32Type();
    auto constant = [&](int32_t value) -> Value {
      return LLVM::ConstantOp::create(rewriter, loc, i32,
                                      rewriter.getI32IntegerAttr(value));
    };
    // The mask -1 means that all 32 lanes of the warp take part in the shuffle.
    Value shuffled = NVVM::ShflOp::create(
        rewriter, loc, op.getValue().getType(), constant(-1),
        adaptor.getValue(), adaptor.getOffset(), constant(31),
        NVVM::ShflKind::bfly, UnitAttr());
    Value valid = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI1Type(),
                                           rewriter.getBoolAttr(true));
    rewriter.replaceOp(op, {shuffled, valid});
    return success();
  }
};

/// Marks a function as a kernel in the device's module, and sets the attributes
/// that ptxas and the driver need.
void markEntry(LLVM::LLVMFuncOp kernel) {
  Builder builder(kernel.getContext());
  kernel->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                  builder.getUnitAttr());
  auto threads =
      kernel->getAttrOfType<IntegerAttr>(::ingot::codegen::threadsAttrName);
  if (threads)
    kernel->setAttr(
        NVVM::NVVMDialect::getReqntidAttrName(),
        builder.getDenseI32ArrayAttr({static_cast<int32_t>(threads.getInt())}));
  // A tensor map is a parameter that is passed by value. Without the attribute
  // `grid_constant` it would first be copied to local memory.
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    if (kernel.getArgAttr(i, LLVM::LLVMDialect::getByValAttrName()))
      kernel.setArgAttr(i, NVVM::NVVMDialect::getGridConstantAttrName(),
                        builder.getUnitAttr());
  // A persistent kernel has one block per multiprocessor. The attribute says
  // this to ptxas, which then divides all registers of a multiprocessor among
  // the threads of one block.
  if (kernel->hasAttr(::ingot::codegen::persistentAttrName))
    kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    builder.getI32IntegerAttr(1));
  kernel.setVisibility(SymbolTable::Visibility::Public);
  kernel.setLinkage(LLVM::Linkage::External);
}

struct ConvertKernelsToNVVM
    : ::ingot::ptx::impl::ConvertKernelsToNVVMPassBase<ConvertKernelsToNVVM> {
  LogicalResult initialize(MLIRContext *context) override {
    auto addPatterns = [](const LLVMTypeConverter &converter,
                          RewritePatternSet &patterns) {
      patterns.add<LowerIndexOp<gpu::ThreadIdOp, NVVM::ThreadIdXOp>,
                   LowerIndexOp<gpu::BlockIdOp, NVVM::BlockIdXOp>,
                   LowerIndexOp<gpu::GridDimOp, NVVM::GridDimXOp>, LowerBarrier,
                   LowerShuffle>(converter);
    };
    lowering = std::make_shared<::ingot::llvmgen::LLVMLowering>(
        context, addPatterns, "gpu");
    return success();
  }

  void runOnOperation() override {
    // A kernel that runs on the host instead has no body here, but its type may
    // still have tensors, which cannot be converted.
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (kernel->hasAttr(::ingot::codegen::reasonAttrName)) {
        kernel.setFunctionType(FunctionType::get(&getContext(), {}, {}));
        kernel.removeArgAttrsAttr();
        kernel.removeResAttrsAttr();
      }
    if (failed(lowering->run(getOperation())))
      return signalPassFailure();
    for (auto kernel : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (kernel->hasAttr(host::kernelAttrName) && !kernel.isExternal())
        markEntry(kernel);
  }

  std::shared_ptr<const ::ingot::llvmgen::LLVMLowering> lowering;
};

} // namespace
