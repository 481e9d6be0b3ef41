//===- LLVMLowering.cpp - MLIR's lowerings to the LLVM dialect ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/LLVM/LLVMLowering.h"

#include "dialects/Host/HostDialect.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace ingot::llvmgen {

/// Returns the patterns that lower all dialects, except for views and loops,
/// which are lowered earlier.
static RewritePatternSet patternsOf(MLIRContext *context,
                                    const LLVMTypeConverter &converter,
                                    LLVMLowering::AddPatterns addPatterns) {
  RewritePatternSet patterns(context);
  addPatterns(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  index::populateIndexToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  // Math functions that are single instructions of the target, such as sqrt,
  // become LLVM intrinsics, and not calls of a math library.
  populateMathToLLVMConversionPatterns(converter, patterns,
                                       /*approximateLog1p=*/false,
                                       /*benefit=*/2);
  populateMathToLibmConversionPatterns(patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  return patterns;
}

/// Returns patterns that expand views into address arithmetic on their buffers'
/// strided metadata.
static RewritePatternSet viewPatternsOf(MLIRContext *context) {
  RewritePatternSet patterns(context);
  memref::populateExpandStridedMetadataPatterns(patterns);
  return patterns;
}

/// Returns patterns that lower structured control flow and affine ops to
/// branches between blocks.
namespace {

/// Lowers an scf.for with constant bounds, and at least one iteration, to a
/// loop that tests at its end whether there is another iteration. MLIR's own
/// pattern tests at the beginning, and LLVM would then have to rotate the loop.
struct LowerCountedFor : OpRewritePattern<scf::ForOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::ForOp loop,
                                PatternRewriter &rewriter) const override {
    std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                           upper = getConstantIntValue(loop.getUpperBound());
    if (!lower || !upper || *lower >= *upper || loop.getUnsignedCmp())
      return rewriter.notifyMatchFailure(loop, "may have no iteration");
    Location loc = loop.getLoc();
    Block *before = rewriter.getInsertionBlock();
    Block *after = rewriter.splitBlock(before, rewriter.getInsertionPoint());
    Block *body = loop.getBody();
    Operation *yield = body->getTerminator();
    SmallVector<Value> results(yield->getOperands());
    rewriter.inlineRegionBefore(loop.getRegion(), after);
    rewriter.setInsertionPoint(yield);
    Value next = arith::AddIOp::create(rewriter, loc, body->getArgument(0),
                                       loop.getStep());
    Value isMore = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::slt, next, loop.getUpperBound());
    SmallVector<Value> carried = {next};
    carried.append(results);
    cf::CondBranchOp::create(rewriter, loc, isMore, body, carried, after,
                             ValueRange());
    rewriter.eraseOp(yield);
    SmallVector<Value> initial = {loop.getLowerBound()};
    initial.append(loop.getInitArgs().begin(), loop.getInitArgs().end());
    rewriter.setInsertionPointToEnd(before);
    cf::BranchOp::create(rewriter, loc, body, initial);
    rewriter.replaceOp(loop, results);
    return success();
  }
};

} // namespace

static RewritePatternSet loopPatternsOf(MLIRContext *context) {
  RewritePatternSet patterns(context);
  patterns.add<LowerCountedFor>(context, /*benefit=*/2);
  populateAffineToStdConversionPatterns(patterns);
  populateAffineToVectorConversionPatterns(patterns);
  populateSCFToControlFlowConversionPatterns(patterns);
  return patterns;
}

static ConversionTarget loopTargetOf(MLIRContext *context) {
  ConversionTarget target(*context);
  target.addIllegalDialect<affine::AffineDialect, scf::SCFDialect>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  return target;
}

LLVMLowering::LLVMLowering(MLIRContext *context, AddPatterns addPatterns,
                           llvm::StringRef ownDialect)
    : converter(context, LowerToLLVMOptions(context)),
      viewPatterns(viewPatternsOf(context)),
      loopPatterns(loopPatternsOf(context)), loopTarget(loopTargetOf(context)),
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

/// Expands views into address arithmetic. Visits only ops for which there are
/// patterns, as most kernels have few views.
static LogicalResult expandViews(ModuleOp module,
                                 const FrozenRewritePatternSet &patterns) {
  const auto &roots = patterns.getOpSpecificNativePatterns();
  SmallVector<Operation *> views;
  module.walk([&](Operation *op) {
    if (roots.contains(op->getName()))
      views.push_back(op);
  });
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  return applyOpPatternsGreedily(views, patterns, config);
}

/// Gives vector accesses without an alignment the alignment of one element.
/// Otherwise MLIR's lowering would compute the alignment with LLVM's data
/// layout, and create a new LLVMContext for each access.
static void stateAlignments(ModuleOp module) {
  auto state = [](auto access) {
    Type element = access.getVectorType().getElementType();
    if (!access.getAlignment() && element.isIntOrFloat() &&
        element.getIntOrFloatBitWidth() % 8 == 0)
      access.setAlignment(element.getIntOrFloatBitWidth() / 8);
  };
  module.walk([&](Operation *op) {
    if (auto load = dyn_cast<vector::LoadOp>(op))
      state(load);
    else if (auto store = dyn_cast<vector::StoreOp>(op))
      state(store);
  });
}

LogicalResult LLVMLowering::run(ModuleOp module) const {
  // Do not fold ops before patterns are applied: LLVM folds what remains, and
  // the attempts take a sixth of the conversion's time.
  ConversionConfig config;
  config.foldingMode = DialectConversionFoldingMode::Never;
  if (failed(expandViews(module, viewPatterns)) ||
      failed(applyPartialConversion(module, loopTarget, loopPatterns, config)))
    return failure();
  stateAlignments(module);
  return applyPartialConversion(module, target, patterns, config);
}

} // namespace ingot::llvmgen
