//===- MaterializeTransposes.cpp - matmul(a, b') to matmul(a, t) ----------===//

#include "codegen/Layout/Passes.h"
#include "codegen/Layout/ReadPatches.h"

#include "dialects/Ingot/NNOps.h"
#include "dialects/Ingot/TensorOps.h"

#include "mlir/IR/Builders.h"

namespace ingot::layout {
#define GEN_PASS_DEF_MATERIALIZETRANSPOSESPASS
#include "codegen/Layout/Passes.h.inc"
} // namespace ingot::layout

using namespace mlir;
using namespace mlir::ingot;

/// Several products of a block may read one tensor across.
using Transposes = DenseMap<std::pair<Value, Block *>, Value>;

/// `operand`, transposed by an op of its own.
static Value transpose(MatMulOp matmul, Value operand, Transposes &known) {
  Value &transpose = known[{operand, matmul->getBlock()}];
  if (transpose)
    return transpose;
  auto type = cast<RankedTensorType>(operand.getType());
  OpBuilder builder(matmul);
  auto order = createConstant(builder, matmul.getLoc(),
                              builder.getI32TensorAttr({1, 0}));
  auto transposed = RankedTensorType::get(
      {type.getDimSize(1), type.getDimSize(0)}, type.getElementType());
  transpose =
      TransposeOp::create(builder, matmul.getLoc(), transposed, operand, order);
  return transpose;
}

namespace {
struct MaterializeTransposes
    : ::ingot::layout::impl::MaterializeTransposesPassBase<
          MaterializeTransposes> {
  using MaterializeTransposesPassBase::MaterializeTransposesPassBase;

  void runOnOperation() override {
    Transposes known;
    getOperation().walk([&](MatMulOp matmul) {
      auto a = cast<RankedTensorType>(matmul.getA().getType());
      if (matmul.getTransposeB() && !packsSecond(matmul)) {
        matmul.getBMutable().assign(transpose(matmul, matmul.getB(), known));
        matmul.setTransposeB(false);
      }
      if (matmul.getTransposeA() &&
          !::ingot::layout::patchesReadBy(matmul, maxPatchDepth,
                                          patchesOfUnknownSizes) &&
          (!a.hasStaticShape() || a.getNumElements() > maxFirstElements)) {
        matmul.getAMutable().assign(transpose(matmul, matmul.getA(), known));
        matmul.setTransposeA(false);
      }
    });
  }

  /// Whether the kernel transposes panels itself: tiles are of known sizes, and
  /// of floats.
  bool packsSecond(MatMulOp matmul) const {
    auto b = cast<RankedTensorType>(matmul.getB().getType());
    Type element = b.getElementType();
    return (element.isF32() || element.isF64()) && b.hasStaticShape() &&
           b.getDimSize(1) <= maxSecondDepth;
  }
};
} // namespace
