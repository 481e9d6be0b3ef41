//===- LowerToLinalg.cpp - Lowers kernels to linalg -----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/Patterns.h"

#include "dialects/Ingot/IR/ConstantOps.h"

#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace ingot::lower {
#define GEN_PASS_DEF_LOWERTOLINALGPASS
#include "compiler/Lower/Passes.h.inc"
} // namespace ingot::lower

using namespace mlir;
using namespace mlir::ingot;
using ::ingot::Rewrite;

/// Casts results to the kernel's result types, since a lowering may have made a
/// dynamic size of a result static.
static void castResults(func::FuncOp kernel) {
  Operation *terminator = kernel.getBody().front().getTerminator();
  OpBuilder builder(terminator);
  for (auto [index, type] : llvm::enumerate(kernel.getResultTypes()))
    if (Value value = terminator->getOperand(index); value.getType() != type)
      terminator->setOperand(
          index, tensor::CastOp::create(builder, kernel.getLoc(), type, value));
}

/// If `value` is the result of loops that update rows of a tensor in place,
/// returns the tensor before these loops; `value` itself otherwise.
static Value beforeLoops(Value value) {
  while (auto loop = value.getDefiningOp<scf::ForOp>())
    value = loop.getInitArgs()[cast<OpResult>(value).getResultNumber()];
  return value;
}

/// Lets results of the kernel accumulate in place. The destination of a result
/// is an argument of the kernel. If the op that computes the result also reads
/// this argument, element by element, makes the argument the op's `outs`. The
/// argument and the result then share one buffer. Returns the number of results
/// that accumulate in place.
static unsigned accumulateInPlace(func::FuncOp kernel) {
  unsigned numAccumulated = 0;
  Operation *end = kernel.getBody().front().getTerminator();
  unsigned first = kernel.getNumArguments() - end->getNumOperands();
  for (auto [index, result] : llvm::enumerate(end->getOperands())) {
    Value value = beforeLoops(result);
    auto last = value.getDefiningOp<linalg::GenericOp>();
    BlockArgument destination = kernel.getArgument(first + index);
    if (!last || !destination.hasOneUse() ||
        *destination.getUsers().begin() != last || !value.hasOneUse() ||
        last.getNumLoops() != last.getNumParallelLoops())
      continue;
    OpOperand &input = *destination.getUses().begin();
    OpOperand *output =
        last.getDpsInitOperand(cast<OpResult>(value).getResultNumber());
    if (last.isDpsInit(&input) || last.payloadUsesValueFromOperand(output) ||
        destination.getType() != value.getType() ||
        last.getMatchingIndexingMap(&input) !=
            last.getMatchingIndexingMap(output))
      continue;
    unsigned place = input.getOperandNumber();
    SmallVector<AffineMap> maps = last.getIndexingMapsArray();
    maps.erase(maps.begin() + place);
    Block *body = last.getBlock();
    last.getMatchingBlockArgument(&input).replaceAllUsesWith(
        last.getMatchingBlockArgument(output));
    output->set(destination);
    last.getInputsMutable().erase(place);
    body->eraseArgument(place);
    last.setIndexingMapsAttr(
        Builder(kernel.getContext()).getAffineMapArrayAttr(maps));
    ++numAccumulated;
  }
  return numAccumulated;
}

/// Returns a tensor type as it is shown to users, but with MLIR's names of
/// element types: "f32 [?, 3]".
static std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor) {
    os << type;
    return text;
  }
  os << tensor.getElementType() << " [";
  llvm::interleaveComma(tensor.getShape(), os, [&](int64_t dim) {
    if (ShapedType::isDynamic(dim))
      os << '?';
    else
      os << dim;
  });
  os << ']';
  return text;
}

namespace {
/// Collects ops without a lowering. Reports each of them, unless its lowering
/// has reported an error at the same node already.
class UnloweredOps {
public:
  explicit UnloweredOps(MLIRContext *context)
      : handler(context, [this](Diagnostic &said) {
          explained.insert(said.getLocation());
          // Return failure, so that the other diagnostic handlers print the
          // message.
          return failure();
        }) {}

  void refuse(Operation *op) {
    areThereAny = true;
    if (explained.contains(op->getLoc()))
      return;
    std::string operands;
    for (Type type : op->getOperandTypes())
      operands += (operands.empty() ? "" : ", ") + textOf(type);
    op->emitError("this op has no lowering for operands of these types: ")
        << operands;
  }
  bool any() const { return areThereAny; }

private:
  bool areThereAny = false;
  llvm::DenseSet<Location> explained;
  ScopedDiagnosticHandler handler;
};

struct LowerToLinalg
    : ::ingot::lower::impl::LowerToLinalgPassBase<LowerToLinalg> {
  using LowerToLinalgPassBase::LowerToLinalgPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    ::ingot::lower::populateBroadcastPatterns(patterns);
    ::ingot::lower::populateElementwisePatterns(patterns);
    ::ingot::lower::populateOptimizerPatterns(patterns);
    ::ingot::lower::populateCastPatterns(patterns);
    ::ingot::lower::populateComplexPatterns(patterns);
    ::ingot::lower::populatePointwisePatterns(patterns);
    ::ingot::lower::populateBesselPatterns(patterns);
    ::ingot::lower::populateGammaPatterns(patterns);
    ::ingot::lower::populateNdtriPatterns(patterns);
    ::ingot::lower::populateFakeQuantPatterns(patterns);
    ::ingot::lower::populateActivationPatterns(patterns);
    ::ingot::lower::populateReductionPatterns(patterns);
    ::ingot::lower::populateArrayPatterns(patterns);
    ::ingot::lower::populateIndexingPatterns(patterns);
    ::ingot::lower::populateSegmentPatterns(patterns);
    ::ingot::lower::populateMatrixPatterns(patterns);
    ::ingot::lower::populateBlockPatterns(patterns);
    ::ingot::lower::populatePaddingPatterns(patterns);
    ::ingot::lower::populateRearrangePatterns(patterns);
    ::ingot::lower::populateShapePatterns(patterns);
    ::ingot::lower::populateNNPatterns(patterns);
    ::ingot::lower::populateConvolutionPatterns(patterns);
    if (policy.maxPaddedElements != 0 &&
        policy.rewrites.has(Rewrite::VectorizeDepthwiseConvolutions))
      ::ingot::lower::populateDepthwiseConvolutionPatterns(
          patterns, policy.maxPaddedElements, policy.maxBoundsCheckedTaps);
    // With --reference, too: these sums are chains of multiply-adds, those with
    // bounds checks are not.
    if (policy.maxPaddedElements != 0)
      ::ingot::lower::populateDepthwiseFilterGradientPatterns(patterns);
    ::ingot::lower::populatePhasePatterns(patterns);
    ::ingot::lower::populateNormalizationPatterns(patterns);
    ::ingot::lower::populatePoolingPatterns(patterns);
    ::ingot::lower::populateProductPatterns(patterns);
    ::ingot::lower::populateRandomPatterns(patterns);
    FrozenRewritePatternSet frozen(std::move(patterns));
    RewritePatternSet outer(&getContext());
    ::ingot::lower::populateScatterPatterns(outer);
    FrozenRewritePatternSet frozenOuter(std::move(outer));
    UnloweredOps unlowered(&getContext());
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(host::kernelAttrName))
        continue;
      walkAndApplyPatterns(kernel, frozen);
      // Lower ops with regions (row-sparse updates) only now, since the ops in
      // the regions must have been lowered before.
      walkAndApplyPatterns(kernel, frozenOuter);
      // Lower constants last, because the lowerings above read axes and shapes
      // from ingot.constant.
      kernel.walk([](ConstantOp constant) {
        if (constant->use_empty()) {
          constant.erase();
          return;
        }
        OpBuilder builder(constant);
        constant.replaceAllUsesWith(
            arith::ConstantOp::create(builder, constant.getLoc(),
                                      cast<TypedAttr>(constant.getValueAttr()))
                .getResult());
        constant.erase();
      });
      castResults(kernel);
      numAccumulated += accumulateInPlace(kernel);
      ++numKernels;
      kernel.walk([&](Operation *op) {
        if (isa<IngotDialect>(op->getDialect()))
          unlowered.refuse(op);
      });
    }
    if (unlowered.any())
      signalPassFailure();
  }
};
} // namespace
