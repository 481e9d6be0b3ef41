//===- SwapThinGEMMOperands.cpp - GEMMs with few columns ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Layout/Im2colGEMMs.h"
#include "codegen/Layout/Passes.h"
#include "codegen/Layout/RematerializeIm2col.h"

#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/Debug.h"

namespace ingot::layout {
#define GEN_PASS_DEF_SWAPTHINGEMMOPERANDSPASS
#include "codegen/Layout/Passes.h.inc"
} // namespace ingot::layout

#define DEBUG_TYPE "ingot-swap-thin-gemm-operands"

using namespace mlir;
using namespace mlir::ingot;
using ::ingot::layout::reshape;
using ::ingot::layout::typeOf;

/// The result must have this many times as many rows as columns: the rows
/// become vectors.
static constexpr int64_t minRatio = 8;

/// Replaces A^T B by the transpose of B^T A. A matrix of one column is a matrix
/// of one row in memory, so that its transpose is a view.
static void swapOperands(MatMulOp matmul) {
  ImplicitLocOpBuilder builder(matmul.getLoc(), matmul);
  Value a = matmul.getA(), b = matmul.getB();
  auto type = cast<RankedTensorType>(matmul.getType());
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  bool isVector = columns == 1;
  if (isVector)
    b = reshape(builder, b, {1, typeOf(b).getDimSize(0)});
  auto product = MatMulOp::create(
      builder, RankedTensorType::get({columns, rows}, type.getElementType()), b,
      a, /*transpose_a=*/!isVector, /*transpose_b=*/false,
      matmul.getSumBlockAttr());
  product->setDiscardableAttrs(matmul->getDiscardableAttrDictionary());
  Value result = product;
  if (isVector)
    result = reshape(builder, product, {rows, 1});
  else
    result =
        TransposeOp::create(builder, type, product,
                            createConstant(builder, matmul.getLoc(),
                                           builder.getI32TensorAttr({1, 0})));
  matmul.replaceAllUsesWith(result);
  matmul.erase();
}

namespace {
struct SwapThinGEMMOperands
    : ::ingot::layout::impl::SwapThinGEMMOperandsPassBase<
          SwapThinGEMMOperands> {
  using SwapThinGEMMOperandsPassBase::SwapThinGEMMOperandsPassBase;

  void runOnOperation() override {
    SmallVector<MatMulOp> thin;
    getOperation().walk([&](MatMulOp matmul) {
      if (isThin(matmul))
        thin.push_back(matmul);
    });
    for (MatMulOp matmul : thin) {
      LLVM_DEBUG(llvm::dbgs() << "swap the operands of the GEMM at "
                              << matmul.getLoc() << '\n');
      swapOperands(matmul);
      ++numSwapped;
    }
  }

  /// Whether the GEMM has few columns and many rows, and an op of its own would
  /// transpose its first operand. Otherwise its kernel may fuse an epilogue,
  /// which is worth more than full vectors.
  bool isThin(MatMulOp matmul) const {
    auto type = cast<RankedTensorType>(matmul.getType());
    Type element = type.getElementType();
    if (!matmul.getTransposeA() || matmul.getTransposeB() ||
        !type.hasStaticShape() || !(element.isF32() || element.isF64()))
      return false;
    int64_t columns = type.getDimSize(1);
    return columns > 0 && columns <= policy.maxThinColumns &&
           type.getDimSize(0) >= minRatio * columns &&
           !::ingot::layout::fusibleIm2colOf(matmul, policy) &&
           !::ingot::layout::readsTransposedFirst(matmul, policy);
  }
};
} // namespace
