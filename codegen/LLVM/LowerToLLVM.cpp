//===- LowerToLLVM.cpp - Upstream's lowerings to the LLVM dialect ---------===//

#include "codegen/LLVM/LowerToLLVM.h"

#include "dialects/Host/HostDialect.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace ingot::llvmgen {

static RewritePatternSet patternsOf(MLIRContext *context,
                                    const LLVMTypeConverter &converter,
                                    LowerToLLVM::AddPatterns addPatterns) {
  RewritePatternSet patterns(context);
  addPatterns(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  index::populateIndexToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  // What the target has an instruction for calls no library.
  populateMathToLLVMConversionPatterns(converter, patterns,
                                       /*approximateLog1p=*/false,
                                       /*benefit=*/2);
  populateMathToLibmConversionPatterns(patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  return patterns;
}

LowerToLLVM::LowerToLLVM(MLIRContext *context, AddPatterns addPatterns,
                         llvm::StringRef ownDialect)
    : converter(context, LowerToLLVMOptions(context)),
      patterns(patternsOf(context, converter, addPatterns)), target(*context) {
  target.addLegalOp<ModuleOp>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  target.addIllegalDialect<arith::ArithDialect, cf::ControlFlowDialect,
                           func::FuncDialect, host::HostDialect,
                           math::MathDialect, memref::MemRefDialect,
                           vector::VectorDialect>();
  if (!ownDialect.empty())
    target.addIllegalDialect(ownDialect);
}

LogicalResult LowerToLLVM::run(ModuleOp module) const {
  return applyPartialConversion(module, target, patterns);
}

} // namespace ingot::llvmgen
