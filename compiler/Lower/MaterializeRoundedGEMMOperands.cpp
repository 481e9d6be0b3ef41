//===- MaterializeRoundedGEMMOperands.cpp - Rounds factors of GEMMs once --===//
// SPDX-License-Identifier: Apache-2.0
//
// With a precision of 16 bits, a GEMM on tensor cores rounds its f32 factors to
// 16 bits. Without this pass, each tile of the GEMM rounds the elements that it
// loads: an element is rounded once per tile that loads it, and has to be
// loaded through registers. For a large GEMM, this pass creates kernels that
// round each factor once. The GEMM then copies the 16-bit factors to shared
// memory as they are. Each element is rounded to nearest even either way, so
// the bits of the result are the same.
//
// Only kernels that codegen/PTX/KernelGEMM.cpp is sure to match are changed:
// any other GEMM computes with the f32 factors, and would compute other bits
// with rounded ones.
//
//===----------------------------------------------------------------------===//

#include "compiler/Lower/KernelSplitter.h"
#include "compiler/Lower/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/Debug.h"

namespace ingot::lower {
#define GEN_PASS_DEF_MATERIALIZEROUNDEDGEMMOPERANDSPASS
#include "compiler/Lower/Passes.h.inc"
} // namespace ingot::lower

#define DEBUG_TYPE "ingot-materialize-rounded-gemm-operands"

using namespace mlir;
using namespace ::ingot::lower;
using ::ingot::TargetPolicy;

/// Bulk copies load tensors of rank 2 to `maxRank`, whose rows have a multiple
/// of `rowMultiple` 16-bit elements, that is, of 16 bytes.
static constexpr int64_t maxRank = 5, rowMultiple = 8;

namespace {

//===----------------------------------------------------------------------===//
// Recognition of GEMMs whose factors are worth rounding
//===----------------------------------------------------------------------===//

/// Returns the kernel's argument that `operand` is, or is a reshape of. Returns
/// null if another op computes the operand.
BlockArgument argumentOf(Value operand) {
  while (Operation *view = operand.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(view))
      return nullptr;
    operand = view->getOperand(0);
  }
  return cast<BlockArgument>(operand);
}

/// Whether an operand is indexed by single loops and constants only.
bool isIndexedByLoops(AffineMap map) {
  return llvm::all_of(map.getResults(),
                      llvm::IsaPred<AffineDimExpr, AffineConstantExpr>);
}

/// Whether the op's body adds the product of both f32 factors to the f32
/// accumulator.
bool addsOneProduct(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return false;
  Block *body = op.getBlock();
  if (!llvm::all_of(body->getArgumentTypes(),
                    [](Type type) { return type.isF32(); }))
    return false;
  auto add =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add || add.getLhs() != body->getArgument(2) ||
      !body->getArgument(2).hasOneUse())
    return false;
  auto multiply = add.getRhs().getDefiningOp<arith::MulFOp>();
  return multiply && body->getArgument(0).hasOneUse() &&
         body->getArgument(1).hasOneUse() &&
         llvm::equal(multiply->getOperands(),
                     body->getArguments().take_front(2));
}

/// Whether the op is a (batched) GEMM of static size, with one reduction loop,
/// over factors in memory.
bool isGEMM(linalg::GenericOp op) {
  return op.getNumReductionLoops() == 1 && addsOneProduct(op) &&
         !llvm::is_contained(op.getStaticLoopRanges(), ShapedType::kDynamic) &&
         llvm::all_of(op.getIndexingMapsArray(), isIndexedByLoops) &&
         op.getIndexingMapsArray()[2].isProjectedPermutation() &&
         op.getIndexingMapsArray()[2].getNumResults() ==
             op.getNumParallelLoops() &&
         llvm::all_of(op.getInputs(),
                      [](Value factor) { return argumentOf(factor); });
}

/// Returns the size of the largest parallel loop that indexes factor `factor`
/// but not the other one: M or N. Returns 1 if there is no such loop. Other
/// loops are batch dimensions.
int64_t sideOf(linalg::GenericOp op, unsigned factor) {
  int64_t side = 1;
  for (auto [loop, size] : llvm::enumerate(op.getStaticLoopRanges()))
    if (linalg::isParallelIterator(op.getIteratorTypesArray()[loop]) &&
        op.getIndexingMapsArray()[factor].isFunctionOfDim(loop) &&
        !op.getIndexingMapsArray()[1 - factor].isFunctionOfDim(loop))
      side = std::max(side, size);
  return side;
}

/// Whether a bulk copy could load the factor if its elements had 16 bits. The
/// innermost dimension must be K, or the largest of the dimensions that make up
/// M (or N), and its size in bytes must be a multiple of 16.
bool canCopy(linalg::GenericOp op, unsigned factor, unsigned sum) {
  auto type = cast<RankedTensorType>(op.getInputs()[factor].getType());
  if (type.getRank() < 2 || type.getRank() > maxRank ||
      type.getShape().back() % rowMultiple != 0)
    return false;
  AffineMap map = op.getIndexingMapsArray()[factor];
  auto inner = dyn_cast<AffineDimExpr>(map.getResults().back());
  if (!inner)
    return false;
  unsigned loop = inner.getPosition();
  return loop == sum ||
         (!op.getIndexingMapsArray()[1 - factor].isFunctionOfDim(loop) &&
          op.getStaticLoopRanges()[loop] == sideOf(op, factor));
}

/// Whether it is profitable to round the GEMM's factors in kernels that run
/// before the GEMM.
bool isLarge(linalg::GenericOp op, const TargetPolicy &policy) {
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  unsigned sum = reduced.front();
  int64_t multiplications = 1;
  for (int64_t size : op.getStaticLoopRanges())
    multiplications *= size;
  return multiplications >= policy.roundedGEMMOperands.minMultiplications &&
         std::min(
             {sideOf(op, 0), sideOf(op, 1), op.getStaticLoopRanges()[sum]}) >=
             policy.roundedGEMMOperands.minSide &&
         canCopy(op, 0, sum) && canCopy(op, 1, sum);
}

//===----------------------------------------------------------------------===//
// Recognition of kernels with one GEMM and its epilogue
//===----------------------------------------------------------------------===//

/// Checks whether a kernel consists of one GEMM and its elementwise epilogue.
class GEMMKernelMatcher {
public:
  explicit GEMMKernelMatcher(func::FuncOp kernel)
      : body(kernel.getBody().front()),
        numInputs(kernel.getNumArguments() - kernel.getNumResults()) {}

  /// Returns the kernel's GEMM; null if the kernel contains an op that belongs
  /// neither to the GEMM nor to an elementwise epilogue.
  linalg::GenericOp match() {
    for (Operation &op : body.without_terminator())
      if (!take(op)) {
        LLVM_DEBUG(if (gemm) llvm::dbgs() << "the factors at " << gemm.getLoc()
                                          << " stay f32: " << op.getName()
                                          << " is not part of an epilogue\n");
        return nullptr;
      }
    bool returnsMade =
        llvm::all_of(body.getTerminator()->getOperands(),
                     [&](Value result) { return made.contains(result); });
    return returnsMade ? gemm : nullptr;
  }

private:
  /// Records `op` if it is the GEMM or an op of the epilogue. Returns false if
  /// such a kernel must not contain `op`.
  bool take(Operation &op) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (generic && !gemm && isGEMM(generic)) {
      gemm = generic;
      made.insert(generic.getResult(0));
      return isStart(generic.getDpsInits()[0]) &&
             llvm::none_of(generic.getInputs(), [&](Value factor) {
               return isMade(argumentOf(factor));
             });
    }
    if (generic && gemm && isElementwise(generic)) {
      made.insert_range(generic.getResults());
      return true;
    }
    if (isa<linalg::FillOp>(op))
      return initializesGEMM(op);
    // No other op may read results of the GEMM or of its epilogue, since other
    // threads compute elements of these results.
    if (llvm::any_of(op.getOperands(),
                     [&](Value value) { return isMade(value); }))
      return false;
    if (generic)
      return generic.getNumLoops() == 0 &&
             llvm::all_of(generic.getDpsInits(), isEmpty);
    return isMemoryEffectFree(&op) && op.getNumRegions() == 0 &&
           (!isa<tensor::TensorDialect>(op.getDialect()) ||
            isa<tensor::EmptyOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
                tensor::ExtractOp>(op));
  }

  static bool isEmpty(Value value) {
    return isa_and_nonnull<tensor::EmptyOp>(value.getDefiningOp());
  }

  /// Whether accumulators may start from `init`: a scalar, or the elements of
  /// an argument.
  static bool isStart(Value init) {
    return isa<BlockArgument>(init) ||
           isa_and_nonnull<linalg::FillOp>(init.getDefiningOp());
  }

  /// Whether the only use of a fill is to initialize the GEMM's accumulators.
  static bool initializesGEMM(Operation &fill) {
    if (!fill.hasOneUse())
      return false;
    OpOperand &use = *fill.getResult(0).use_begin();
    auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
    return user && user.isDpsInit(&use) && isGEMM(user);
  }

  /// Whether `value` is a result of the GEMM or of its epilogue, or a
  /// destination, whose memory may be that of such a result.
  bool isMade(Value value) const {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument ? argument.getArgNumber() >= numInputs
                    : made.contains(value);
  }

  /// Whether `op` reads only element i of results and destinations for element
  /// i of its own results.
  bool isElementwise(linalg::GenericOp op) const {
    unsigned rank = linalg::GenericOp(gemm).getNumParallelLoops();
    if (op.getNumLoops() != rank || op.getNumParallelLoops() != rank)
      return false;
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      bool isOwn = op.isDpsInit(&operand) || isMade(operand.get());
      if (isOwn ? !map.isIdentity() : !isIndexedByLoops(map))
        return false;
    }
    return !op.getBlock()
                ->walk(
                    [](tensor::ExtractOp) { return WalkResult::interrupt(); })
                .wasInterrupted();
  }

  Block &body;
  unsigned numInputs;
  linalg::GenericOp gemm;
  llvm::DenseSet<Value> made; // results of the GEMM and of its epilogue
};

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

/// Builds an op that rounds all elements of `value`, right after the definition
/// of `value`.
Value roundElements(Value value, FloatType type) {
  auto source = cast<RankedTensorType>(value.getType());
  ImplicitLocOpBuilder b(value.getLoc(), value.getContext());
  b.setInsertionPointAfterValue(value);
  Value rounded = tensor::EmptyOp::create(b, source.getShape(), type);
  AffineMap identity = b.getMultiDimIdentityMap(source.getRank());
  SmallVector<utils::IteratorType> loops(source.getRank(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, rounded.getType(), value, rounded,
             ArrayRef<AffineMap>{identity, identity}, loops,
             [&](OpBuilder &nested, Location loc, ValueRange elements) {
               linalg::YieldOp::create(
                   nested, loc,
                   Value(arith::TruncFOp::create(nested, loc, type,
                                                 elements.front())));
             })
      .getResult(0);
}

/// Returns `rounded` in the shape in which the GEMM reads the argument: through
/// the same reshapes as `factor`.
Value reshapeAs(Value factor, Value rounded) {
  Operation *view = factor.getDefiningOp();
  if (!view)
    return rounded;
  IRMapping mapping;
  mapping.map(view->getOperand(0), reshapeAs(view->getOperand(0), rounded));
  OpBuilder builder(view);
  Operation *reshaped = builder.clone(*view, mapping);
  reshaped->getResult(0).setType(
      cast<RankedTensorType>(factor.getType())
          .clone(getElementTypeOrSelf(rounded.getType())));
  return reshaped->getResult(0);
}

/// Makes the GEMM's body extend 16-bit elements to f32 before it multiplies
/// them. The products are exact.
void widenFactors(linalg::GenericOp gemm, FloatType type) {
  OpBuilder builder = OpBuilder::atBlockBegin(gemm.getBlock());
  for (BlockArgument factor : gemm.getRegionInputArgs()) {
    factor.setType(type);
    auto widened = arith::ExtFOp::create(builder, gemm.getLoc(),
                                         builder.getF32Type(), factor);
    factor.replaceAllUsesExcept(widened, widened);
  }
}

struct MaterializeRoundedGEMMOperands
    : ::ingot::lower::impl::MaterializeRoundedGEMMOperandsPassBase<
          MaterializeRoundedGEMMOperands> {
  using MaterializeRoundedGEMMOperandsPassBase::
      MaterializeRoundedGEMMOperandsPassBase;

  void runOnOperation() override {
    divideKernels(getOperation(), [&](KernelSplitter &parts) {
      linalg::GenericOp gemm = GEMMKernelMatcher(parts.kernel()).match();
      if (!gemm || !isLarge(gemm, policy))
        return;
      LLVM_DEBUG(llvm::dbgs() << "round the factors of "
                              << parts.kernel().getName() << '\n');
      ++numGEMMs;
      for (OpOperand *factor : gemm.getDpsInputOperands())
        roundFactor(parts, *factor);
      widenFactors(gemm, roundedType());
    });
    roundedValues.clear();
  }

private:
  FloatType roundedType() {
    return policy.roundedGEMMOperands.isF16
               ? FloatType(Float16Type::get(&getContext()))
               : BFloat16Type::get(&getContext());
  }

  /// Replaces a factor of the kernel's GEMM by its rounded elements. They come
  /// from a new launch, or from the launch that has rounded the same value for
  /// an earlier kernel.
  void roundFactor(KernelSplitter &parts, OpOperand &factor) {
    BlockArgument argument = argumentOf(factor.get());
    host::LaunchOp launch = parts.getLaunch();
    Value source = launch->getOperand(argument.getArgNumber());
    Value rounded = roundElements(argument, roundedType());
    factor.set(reshapeAs(factor.get(), rounded));
    // Values of one variable before and after an update are different SSA
    // values, so an SSA value identifies what was rounded. Launches are visited
    // in program order, so an earlier launch in the same block dominates this
    // one, and its result can be used here.
    Value &known = roundedValues[{launch->getBlock(), source}];
    if (known) {
      parts.receive(rounded, known);
      return;
    }
    ++numRounded;
    known = parts.launchBefore(rounded, "_rounded");
  }

  /// Maps an operand of launches in a block to the result of the launch that
  /// rounds it.
  DenseMap<std::pair<Block *, Value>, Value> roundedValues;
};

} // namespace
