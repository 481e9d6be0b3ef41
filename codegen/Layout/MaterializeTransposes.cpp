//===- MaterializeTransposes.cpp - Transposes as ops of their own ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Layout/Im2colGEMMs.h"
#include "codegen/Layout/Passes.h"
#include "codegen/Layout/RematerializeIm2col.h"

#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/ControlOps.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/Debug.h"

namespace ingot::layout {
#define GEN_PASS_DEF_MATERIALIZETRANSPOSESPASS
#include "codegen/Layout/Passes.h.inc"
} // namespace ingot::layout

#define DEBUG_TYPE "ingot-materialize-transposes"

using namespace mlir;
using namespace mlir::ingot;

/// The transposes made so far, keyed by tensor and block, as several GEMMs of a
/// block may read the same tensor transposed.
using Transposes = DenseMap<std::pair<Value, Block *>, Value>;

/// Returns the transpose of `operand`. Reuses one from `known` if possible.
/// Otherwise builds an ingot.transpose before the outermost loop around the
/// GEMM in which the operand is invariant (LICM), or right before the GEMM if
/// there is no such loop.
static Value transpose(MatMulOp matmul, Value operand, Transposes &known) {
  Operation *place = outermostLoopWithout(matmul, operand);
  if (!place)
    place = matmul;
  Value &transpose = known[{operand, place->getBlock()}];
  if (transpose)
    return transpose;
  auto type = cast<RankedTensorType>(operand.getType());
  OpBuilder builder(place);
  auto order = createConstant(builder, matmul.getLoc(),
                              builder.getI32TensorAttr({1, 0}));
  auto transposed = RankedTensorType::get(
      {type.getDimSize(1), type.getDimSize(0)}, type.getElementType());
  transpose =
      TransposeOp::create(builder, matmul.getLoc(), transposed, operand, order);
  return transpose;
}

/// Drops unit dimensions from a transpose, so that kernels see that it only
/// exchanges rows and columns. In a normalization of rows, the operands and
/// results of transposes have unit dimensions, such as 1 x rows x columns x 1.
static void dropUnitDimensions(TransposeOp op) {
  auto from = cast<RankedTensorType>(op.getInput().getType());
  auto to = cast<RankedTensorType>(op.getType());
  DenseIntElementsAttr order;
  if (!from.hasStaticShape() || !llvm::is_contained(from.getShape(), 1) ||
      !matchPattern(op.getPermutation(), m_Constant(&order)))
    return;
  // For each dimension, its index among the dimensions that are not unit
  // dimensions.
  SmallVector<int32_t> places(from.getRank()), left;
  SmallVector<int64_t> shape, target;
  for (auto [dim, size] : llvm::enumerate(from.getShape())) {
    places[dim] = static_cast<int32_t>(shape.size());
    if (size != 1)
      shape.push_back(size);
  }
  for (const APInt &dim : order)
    if (int64_t size = from.getDimSize(dim.getSExtValue()); size != 1) {
      left.push_back(places[dim.getSExtValue()]);
      target.push_back(size);
    }
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  Value value = ::ingot::layout::reshape(builder, op.getInput(), shape);
  if (!llvm::is_sorted(left))
    value = TransposeOp::create(
        builder, RankedTensorType::get(target, from.getElementType()), value,
        createConstant(builder, op.getLoc(), builder.getI32TensorAttr(left)));
  op.replaceAllUsesWith(
      ::ingot::layout::reshape(builder, value, to.getShape()));
  op.erase();
}

namespace {
struct MaterializeTransposes
    : ::ingot::layout::impl::MaterializeTransposesPassBase<
          MaterializeTransposes> {
  using MaterializeTransposesPassBase::MaterializeTransposesPassBase;

  void runOnOperation() override {
    SmallVector<TransposeOp> large;
    getOperation().walk([&](TransposeOp op) {
      auto type = dyn_cast<RankedTensorType>(op.getType());
      if (type && type.hasStaticShape() &&
          type.getNumElements() > policy.maxTransposedFirstElements)
        large.push_back(op);
    });
    llvm::for_each(large, dropUnitDimensions);
    Transposes known;
    getOperation().walk([&](MatMulOp matmul) {
      if (matmul.getTransposeB() && !packsSecond(matmul)) {
        LLVM_DEBUG(llvm::dbgs() << "transpose operand B of the GEMM at "
                                << matmul.getLoc() << '\n');
        matmul.getBMutable().assign(transpose(matmul, matmul.getB(), known));
        matmul.setTransposeB(false);
        ++numTransposes;
      }
      if (matmul.getTransposeA() &&
          !::ingot::layout::fusibleIm2colOf(matmul, policy) &&
          !::ingot::layout::readsTransposedFirst(matmul, policy)) {
        LLVM_DEBUG(llvm::dbgs() << "transpose operand A of the GEMM at "
                                << matmul.getLoc() << '\n');
        matmul.getAMutable().assign(transpose(matmul, matmul.getA(), known));
        matmul.setTransposeA(false);
        ++numTransposes;
      }
    });
  }

  /// Whether the GEMM's kernel packs panels of the transposed second operand
  /// itself, which needs static sizes and elements of f32 or f64. If the policy
  /// hoists transposes, a loop-invariant operand is not packed: one transpose
  /// before the loop costs less than packing in each iteration.
  bool packsSecond(MatMulOp matmul) const {
    if (policy.hoistsTransposes && outermostLoopWithout(matmul, matmul.getB()))
      return false;
    auto b = cast<RankedTensorType>(matmul.getB().getType());
    Type element = b.getElementType();
    return (element.isF32() || element.isF64()) && b.hasStaticShape() &&
           b.getDimSize(1) <= policy.maxTransposedSecondDepth;
  }
};
} // namespace
