//===- LowerViews.cpp - Reshapes between kernels --------------------------===//

#include "compiler/Lower/Patterns.h"

#include "dialects/Ingot/Reshapes.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <numeric>

namespace ingot::lower {
#define GEN_PASS_DEF_LOWERVIEWSPASS
#include "compiler/Lower/Passes.h.inc"
} // namespace ingot::lower

using namespace mlir;
using namespace mlir::ingot;

/// `value` with another shape of which one size is not known: as many as its
/// elements leave.
static Value reshapedToUnknown(OpBuilder &builder, Location loc, Value value,
                               RankedTensorType to) {
  ImplicitLocOpBuilder b(loc, builder);
  auto from = cast<RankedTensorType>(value.getType());
  auto known = [](RankedTensorType type) {
    int64_t elements = 1;
    for (int64_t size : type.getShape())
      elements *= ShapedType::isDynamic(size) ? 1 : size;
    return elements;
  };
  auto unknown = [](RankedTensorType type) -> int64_t {
    return llvm::find_if(type.getShape(), ShapedType::isDynamic) -
           type.getShape().begin();
  };
  Value size = tensor::DimOp::create(b, value, unknown(from));
  if (known(from) != known(to)) {
    int64_t common = std::gcd(known(from), known(to));
    auto number = [&](int64_t elements) {
      return arith::ConstantIndexOp::create(b, elements / common);
    };
    size = arith::DivUIOp::create(
        b, arith::MulIOp::create(b, size, number(known(from))),
        number(known(to)));
  }
  auto all = [](int64_t rank) {
    return SmallVector<ReassociationIndices>{
        llvm::to_vector<2>(llvm::seq<int64_t>(0, rank))};
  };
  if (from.getRank() > 1)
    value = tensor::CollapseShapeOp::create(
        b, RankedTensorType::get({ShapedType::kDynamic}, from.getElementType()),
        value, all(from.getRank()));
  if (to.getRank() == 1)
    return value;
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(b.getContext(), to.getShape());
  sizes[unknown(to)] = size;
  return tensor::ExpandShapeOp::create(b, to, value, all(to.getRank()), sizes);
}

namespace {
struct LowerViews : ::ingot::lower::impl::LowerViewsPassBase<LowerViews> {
  void runOnOperation() override {
    SmallVector<Operation *> reshapes;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto function = dyn_cast<func::FuncOp>(op);
          function && function->hasAttr(host::kernelAttrName))
        return WalkResult::skip();
      if (isReshape(op))
        reshapes.push_back(op);
      return WalkResult::advance();
    });
    for (Operation *op : reshapes) {
      OpBuilder builder(op);
      auto type = cast<RankedTensorType>(op->getResult(0).getType());
      Value view =
          type.hasStaticShape()
              ? ::ingot::lower::reshaped(builder, op->getLoc(),
                                         op->getOperand(0), type.getShape())
              : reshapedToUnknown(builder, op->getLoc(), op->getOperand(0),
                                  type);
      op->getResult(0).replaceAllUsesWith(view);
      op->erase();
    }
  }
};
} // namespace
