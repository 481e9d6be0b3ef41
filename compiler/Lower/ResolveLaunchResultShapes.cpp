//===- ResolveLaunchResultShapes.cpp - Dynamic result shapes of launches --===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"

namespace ingot::lower {
#define GEN_PASS_DEF_RESOLVELAUNCHRESULTSHAPESPASS
#include "compiler/Lower/Passes.h.inc"
} // namespace ingot::lower

using namespace mlir;

namespace {

/// Clones ops from a kernel to its caller, before the launch. The launch's
/// operands replace the kernel's arguments.
class KernelShapeComputationCloner {
public:
  KernelShapeComputationCloner(host::LaunchOp launch, func::FuncOp kernel)
      : builder(launch) {
    mapping.map(kernel.getArguments(), launch->getOperands());
  }

  /// Clones the ops that compute `value`, and returns the clone of `value`.
  /// Returns null if one of these ops has side effects.
  Value compute(Value value) {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    if (!op || !isMemoryEffectFree(op))
      return {};
    SetVector<Value> needed(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), needed);
    for (Value other : needed)
      if (!compute(other))
        return {};
    builder.clone(*op, mapping);
    return mapping.lookup(value);
  }

private:
  OpBuilder builder;
  IRMapping mapping;
};

/// Whether `value` is known to have the shape of `start`: it is computed from
/// `start` by destination-passing ops, loops and branches only, none of which
/// changes the shape.
bool keepsSizes(Value value, Value start) {
  if (value == start)
    return true;
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return false;
  Operation *op = result.getOwner();
  unsigned number = result.getResultNumber();
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return keepsSizes(insert.getDest(), start);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return keepsSizes(branch.thenYield().getOperand(number), start) &&
           keepsSizes(branch.elseYield().getOperand(number), start);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return keepsSizes(loop.getInitArgs()[number], start) &&
           keepsSizes(loop.getYieldedValues()[number],
                      loop.getRegionIterArg(number));
  if (auto destinations = dyn_cast<DestinationStyleOpInterface>(op))
    return keepsSizes(destinations.getTiedOpOperand(result)->get(), start);
  return false;
}

/// Replaces the size of a loop's result by the size of its initial value if the
/// loop only updates elements of the tensor. The updates may be in branches,
/// into which MLIR's pattern for this does not look.
struct FoldDimOfUpdatedLoopResult : OpRewritePattern<tensor::DimOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::DimOp dim,
                                PatternRewriter &rewriter) const override {
    auto loop = dim.getSource().getDefiningOp<scf::ForOp>();
    if (!loop)
      return rewriter.notifyMatchFailure(
          dim, "expected the size of a loop's result");
    unsigned number = cast<OpResult>(dim.getSource()).getResultNumber();
    Value init = loop.getInitArgs()[number];
    if (!keepsSizes(dim.getSource(), init))
      return rewriter.notifyMatchFailure(dim, "the loop may change the size");
    rewriter.modifyOpInPlace(dim, [&] { dim.getSourceMutable().assign(init); });
    return success();
  }
};

/// Adds patterns that compute a tensor's shape without computing its elements.
void populateShapePatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  tensor::DimOp::getCanonicalizationPatterns(patterns, context);
  tensor::ExtractOp::getCanonicalizationPatterns(patterns, context);
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  memref::populateResolveShapedTypeResultDimsPatterns(patterns);
  scf::populateSCFForLoopCanonicalizationPatterns(patterns);
  patterns.add<FoldDimOfUpdatedLoopResult>(context);
}

/// Appends the sizes of all dynamic result dimensions to the kernel's results,
/// so that the caller can clone their computation. Simplifies the ops that
/// compute the sizes, so that these depend on the kernel's arguments only, if
/// possible.
LogicalResult appendSizes(func::FuncOp kernel,
                          const FrozenRewritePatternSet &patterns) {
  Operation *terminator = kernel.getBody().front().getTerminator();
  OpBuilder builder(terminator);
  SmallVector<Value> returned(terminator->getOperands());
  for (Value value : terminator->getOperands()) {
    auto type = cast<RankedTensorType>(value.getType());
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        returned.push_back(
            tensor::DimOp::create(builder, kernel.getLoc(), value, dim));
  }
  terminator->setOperands(returned);
  return applyPatternsGreedily(kernel, patterns);
}

LogicalResult resolve(host::LaunchOp launch, func::FuncOp kernel,
                      ValueRange sizes) {
  KernelShapeComputationCloner caller(launch, kernel);
  unsigned next = 0;
  unsigned numInputs = launch.getInputs().size();
  for (auto [index, type] : llvm::enumerate(launch.getResultTypes())) {
    auto tensor = cast<RankedTensorType>(type);
    if (tensor.hasStaticShape())
      continue;
    SmallVector<Value> dynamic;
    for (size_t i = 0; i < tensor.getNumDynamicDims(); ++i) {
      dynamic.push_back(caller.compute(sizes[next++]));
      if (!dynamic.back())
        return launch.emitError(
            "the shape of the result must be known before the op runs, but "
            "depends on values that the op computes");
    }
    OpBuilder builder(launch);
    launch->setOperand(
        numInputs + index,
        tensor::EmptyOp::create(builder, launch.getLoc(), tensor.getShape(),
                                tensor.getElementType(), dynamic));
  }
  return success();
}

struct ResolveLaunchResultShapes
    : ::ingot::lower::impl::ResolveLaunchResultShapesPassBase<
          ResolveLaunchResultShapes> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateShapePatterns(patterns);
    FrozenRewritePatternSet frozen(std::move(patterns));
    SymbolTable symbols(getOperation());
    WalkResult result = getOperation().walk([&](host::LaunchOp launch) {
      bool isStatic = llvm::all_of(launch.getResultTypes(), [](Type type) {
        return cast<ShapedType>(type).hasStaticShape();
      });
      if (isStatic)
        return WalkResult::advance();
      auto kernel = symbols.lookup<func::FuncOp>(launch.getKernel());
      if (failed(appendSizes(kernel, frozen)))
        return WalkResult::interrupt();
      Operation *terminator = kernel.getBody().front().getTerminator();
      unsigned numResults = launch.getNumResults();
      ValueRange returned = terminator->getOperands();
      LogicalResult resolved =
          resolve(launch, kernel, returned.drop_front(numResults));
      terminator->setOperands(
          SmallVector<Value>(returned.take_front(numResults)));
      if (failed(resolved))
        return WalkResult::interrupt();
      ++numResolved;
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
