//===- LowerKernelSignatures.cpp - Kernels as the ABI has them ------------===//

#include "codegen/Backend.h"
#include "codegen/CPU/Passes.h"
#include "codegen/Kernels/KernelAccess.h"
#include "codegen/Kernels/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace ingot::cpu {
#define GEN_PASS_DEF_LOWERKERNELSIGNATURESPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

using namespace mlir;
using ::ingot::codegen::Grid;

/// Whether what the kernel does beside its grid is its own business: each
/// range does all of it.
static bool isOwnBusiness(Operation *op) {
  if (isMemoryEffectFree(op) || isa<memref::LoadOp, vector::LoadOp>(op) ||
      op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return true;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return false;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  return llvm::all_of(instances, [](MemoryEffects::EffectInstance &effect) {
    return !isa<MemoryEffects::Write>(effect.getEffect()) ||
           (effect.getValue() &&
            isa_and_nonnull<memref::AllocaOp, memref::AllocOp>(
                ::ingot::kernels::rootOf(effect.getValue()).getDefiningOp()));
  });
}

/// The loop whose iterations may run on several threads, or null.
static scf::ForOp gridLoop(func::FuncOp kernel) {
  scf::ForOp grid = ::ingot::kernels::gridLoopOf(kernel);
  if (!grid || grid.getNumResults() != 0)
    return {};
  WalkResult others =
      kernel.getBody().front().walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (op == grid.getOperation())
          return WalkResult::skip();
        return isOwnBusiness(op) || op->hasTrait<OpTrait::IsTerminator>()
                   ? WalkResult::advance()
                   : WalkResult::interrupt();
      });
  return others.wasInterrupted() ? scf::ForOp() : grid;
}

namespace {

/// Sizes of a kernel's arguments as linear expressions of slots of its argument
/// table.
class Sizes {
public:
  explicit Sizes(func::FuncOp kernel) {
    int64_t slot = 0;
    for (Type type : kernel.getArgumentTypes()) {
      firstSlot.push_back(slot);
      slot += 1 + cast<MemRefType>(type).getNumDynamicDims();
    }
  }

  /// Adds `factor * value` to `sum`; false where it is no such expression.
  bool add(Value value, int64_t factor, Grid &sum) const {
    IntegerAttr constant;
    if (matchPattern(value, m_Constant(&constant))) {
      sum.base += factor * constant.getInt();
      return true;
    }
    Operation *op = value.getDefiningOp();
    if (auto dim = dyn_cast_or_null<memref::DimOp>(op))
      return addSize(dim, factor, sum);
    if (auto apply = dyn_cast_or_null<affine::AffineApplyOp>(op))
      return addAffine(apply.getAffineMap().getResult(0), apply, factor, sum);
    if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op))
      return add(op->getOperand(0), factor, sum) &&
             add(op->getOperand(1), isa<arith::SubIOp>(op) ? -factor : factor,
                 sum);
    if (auto product = dyn_cast_or_null<arith::MulIOp>(op))
      for (unsigned side : {0u, 1u})
        if (matchPattern(product->getOperand(side), m_Constant(&constant)))
          return add(product->getOperand(1 - side), factor * constant.getInt(),
                     sum);
    return false;
  }

private:
  bool addSize(memref::DimOp dim, int64_t factor, Grid &sum) const {
    auto argument = dyn_cast<BlockArgument>(dim.getSource());
    std::optional<int64_t> index = dim.getConstantIndex();
    if (!argument || !index || !argument.getOwner()->isEntryBlock())
      return false;
    auto type = cast<MemRefType>(argument.getType());
    if (!type.isDynamicDim(*index)) {
      sum.base += factor * type.getDimSize(*index);
      return true;
    }
    int64_t slot = firstSlot[argument.getArgNumber()] + 1 +
                   type.getDynamicDimIndex(*index);
    sum.terms.push_back({slot, factor});
    return true;
  }

  bool addAffine(AffineExpr expression, affine::AffineApplyOp apply,
                 int64_t factor, Grid &sum) const {
    if (auto constant = dyn_cast<AffineConstantExpr>(expression)) {
      sum.base += factor * constant.getValue();
      return true;
    }
    if (auto dim = dyn_cast<AffineDimExpr>(expression))
      return add(apply.getOperand(dim.getPosition()), factor, sum);
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
      return add(apply.getOperand(apply.getAffineMap().getNumDims() +
                                  symbol.getPosition()),
                 factor, sum);
    auto binary = cast<AffineBinaryOpExpr>(expression);
    if (binary.getKind() == AffineExprKind::Add)
      return addAffine(binary.getLHS(), apply, factor, sum) &&
             addAffine(binary.getRHS(), apply, factor, sum);
    auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
    return binary.getKind() == AffineExprKind::Mul && constant &&
           addAffine(binary.getLHS(), apply, factor * constant.getValue(), sum);
  }

  SmallVector<int64_t> firstSlot;
};

} // namespace

/// How many iterations the loop has, where that is what a grid can say.
static std::optional<Grid> gridOf(scf::ForOp loop, const Sizes &sizes) {
  IntegerAttr step;
  Grid grid;
  grid.base = 0;
  if (!matchPattern(loop.getStep(), m_Constant(&step)) || step.getInt() <= 0 ||
      !sizes.add(loop.getUpperBound(), 1, grid) ||
      !sizes.add(loop.getLowerBound(), -1, grid))
    return std::nullopt;
  grid.step = step.getInt();
  return grid;
}

/// Has the loop run iterations [begin, end) of its own.
static void restrict(scf::ForOp loop, Value begin, Value end) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  auto bound = [&](Value iteration) -> Value {
    Value number = arith::IndexCastOp::create(
        builder, loc, builder.getIndexType(), iteration);
    Value distance =
        arith::MulIOp::create(builder, loc, number, loop.getStep());
    return arith::AddIOp::create(builder, loc, loop.getLowerBound(), distance);
  };
  Value from = bound(begin);
  Value to =
      arith::MinSIOp::create(builder, loc, bound(end), loop.getUpperBound());
  loop.setLowerBound(from);
  loop.setUpperBound(to);
}

/// Has the loop do all its iterations as one, whose block is as long as theirs.
static void widen(scf::ForOp loop) {
  IntegerAttr step;
  SmallVector<affine::AffineMinOp> sizes;
  if (!matchPattern(loop.getStep(), m_Constant(&step)))
    return;
  for (Operation *user : loop.getInductionVar().getUsers())
    if (auto min = dyn_cast<affine::AffineMinOp>(user);
        min && llvm::is_contained(
                   min.getMap().getResults(),
                   getAffineConstantExpr(step.getInt(), min.getContext())))
      sizes.push_back(min);
  if (sizes.empty())
    return;
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Value all = arith::SubIOp::create(builder, loc, loop.getUpperBound(),
                                    loop.getLowerBound());
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  for (affine::AffineMinOp size : sizes) {
    size.replaceAllUsesWith(all);
    size.erase();
  }
  loop.setStep(arith::MaxSIOp::create(builder, loc, all, one));
}

static void lowerKernel(func::FuncOp kernel) {
  MLIRContext *context = kernel.getContext();
  Block &body = kernel.getBody().front();
  Location loc = kernel.getLoc();
  Sizes sizes(kernel);
  unsigned numBuffers = body.getNumArguments();
  Value table = body.addArgument(LLVM::LLVMPointerType::get(context), loc);
  Type i64 = IntegerType::get(context, 64);
  Value begin = body.addArgument(i64, loc);
  Value end = body.addArgument(i64, loc);
  if (scf::ForOp loop = gridLoop(kernel))
    if (std::optional<Grid> grid = gridOf(loop, sizes)) {
      ::ingot::codegen::setGrid(kernel, *grid);
      restrict(loop, begin, end);
    }
  for (auto loop : body.getOps<scf::ForOp>())
    if (loop->hasAttr(::ingot::kernels::gridRangeAttrName))
      widen(loop);
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  int32_t slot = 0;
  for (unsigned index = 0; index < numBuffers; ++index) {
    BlockArgument argument = body.getArgument(index);
    auto type = cast<MemRefType>(argument.getType());
    argument.replaceAllUsesWith(host::BindOp::create(
        builder, loc, type, table, builder.getI32IntegerAttr(slot)));
    slot += 1 + static_cast<int32_t>(type.getNumDynamicDims());
  }
  body.eraseArguments(0, numBuffers);
  kernel.setType(builder.getFunctionType(body.getArgumentTypes(), {}));
}

namespace {
struct LowerKernelSignatures
    : ::ingot::cpu::impl::LowerKernelSignaturesPassBase<LowerKernelSignatures> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (kernel->hasAttr(host::kernelAttrName) && !kernel.isExternal())
        lowerKernel(kernel);
  }
};
} // namespace
