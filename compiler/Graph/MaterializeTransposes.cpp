//===- MaterializeTransposes.cpp - matmul(a, b') to matmul(a, t) ----------===//

#include "compiler/Graph/Passes.h"

#include "mlir/IR/Builders.h"

namespace ingot::graph {
#define GEN_PASS_DEF_MATERIALIZETRANSPOSESPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

using namespace mlir;
using namespace mlir::ingot;

namespace {
struct MaterializeTransposes
    : ::ingot::graph::impl::MaterializeTransposesPassBase<
          MaterializeTransposes> {
  void runOnOperation() override {
    getOperation().walk([](MatMulOp matmul) {
      auto type = dyn_cast<RankedTensorType>(matmul.getB().getType());
      if (!matmul.getTransposeB() || !type || type.getRank() != 2)
        return;
      OpBuilder builder(matmul);
      auto order = ConstantOp::create(builder, matmul.getLoc(),
                                      builder.getI32TensorAttr({1, 0}));
      auto transposed = RankedTensorType::get(
          {type.getDimSize(1), type.getDimSize(0)}, type.getElementType());
      matmul.getBMutable().assign(TransposeOp::create(
          builder, matmul.getLoc(), transposed, matmul.getB(), order));
      matmul.setTransposeB(false);
    });
  }
};
} // namespace
