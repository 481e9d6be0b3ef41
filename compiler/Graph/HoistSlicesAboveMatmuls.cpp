//===- HoistSlicesAboveMatmuls.cpp - Compute the used part of a matmul ----===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/Passes.h"

#include "dialects/Ingot/IR/ControlOps.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/NNOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/Debug.h"

namespace ingot::graph {
#define GEN_PASS_DEF_HOISTSLICESABOVEMATMULSPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

#define DEBUG_TYPE "ingot-hoist-slices-above-matmuls"

using namespace mlir;
using namespace mlir::ingot;

/// The number of multiply-adds that take about as long as copying one element.
static constexpr int64_t operationsOfCopy = 32;

namespace {

/// A matmul whose result is used only by a slice. The slice can be computed by
/// a narrower matmul of slices of the operands: (A B)[r, c] = A[r, :] B[:, c].
/// Each of its elements is the same sum as before, in the same order.
class SlicedMatmul {
public:
  SlicedMatmul(MatMulOp matmul, SliceOp slice) : matmul(matmul), slice(slice) {
    transposes[0] = matmul.getTransposeA();
    transposes[1] = matmul.getTransposeB();
  }

  /// Whether the slice and the operands that must be sliced have static shapes,
  /// and the narrow matmul saves more work than the copies of operands cost.
  bool isWorthwhile() {
    DenseIntElementsAttr begin;
    auto whole = dyn_cast<RankedTensorType>(matmul.getType());
    auto part = dyn_cast<RankedTensorType>(slice.getType());
    if (!whole || !part || !whole.hasStaticShape() || !part.hasStaticShape() ||
        !matchPattern(slice.getBegin(), m_Constant(&begin)))
      return false;
    int64_t copied = 0;
    for (auto [i, first] : llvm::enumerate(begin)) {
      begins[i] = first.getSExtValue();
      sizes[i] = part.getDimSize(i);
      isCut[i] = sizes[i] != whole.getDimSize(i);
      // The operand is sliced with constant sizes, so its own type must be
      // static.
      if (isCut[i] && !cast<RankedTensorType>(matmul->getOperand(i).getType())
                           .hasStaticShape())
        return false;
      if (isCut[i] && !outermostLoopWithout(matmul, matmul->getOperand(i)))
        copied += sizes[i];
    }
    // `saved` is the number of multiply-adds that the narrow matmul saves in
    // each step of K: one for each element of C that is not computed. `copied`
    // is the number of elements of A and B that are copied for each step of K,
    // to slice the operands.
    int64_t saved = whole.getNumElements() - part.getNumElements();
    LLVM_DEBUG(llvm::dbgs()
               << "slice of matmul at " << matmul.getLoc() << " saves " << saved
               << ", copies " << copied << " elements per unit of K\n");
    return saved > 0 && saved >= operationsOfCopy * copied;
  }

  void rewrite() {
    OpBuilder builder(matmul);
    SmallVector<Value> operands(matmul->getOperands());
    for (unsigned i : {0, 1})
      if (isCut[i])
        operands[i] = cut(builder, i);
    Value narrow = MatMulOp::create(builder, matmul.getLoc(), slice.getType(),
                                    operands, matmul->getAttrs());
    slice.replaceAllUsesWith(narrow);
    slice.erase();
    matmul.erase();
  }

private:
  /// Slices the rows of operand 0, or the columns of operand 1, to those that
  /// the slice of the result needs.
  Value cut(OpBuilder &builder, unsigned operand) {
    Value whole = matmul->getOperand(operand);
    auto type = cast<RankedTensorType>(whole.getType());
    unsigned dim = transposes[operand] ? 1 - operand : operand;
    SmallVector<int32_t> begin(2, 0), size(type.getShape());
    begin[dim] = static_cast<int32_t>(begins[operand]);
    size[dim] = static_cast<int32_t>(sizes[operand]);
    Location loc = slice.getLoc();
    return SliceOp::create(
        builder, loc,
        RankedTensorType::get({size[0], size[1]}, type.getElementType()), whole,
        createConstant(builder, loc, builder.getI32TensorAttr(begin)),
        createConstant(builder, loc, builder.getI32TensorAttr(size)));
  }

  MatMulOp matmul;
  SliceOp slice;
  // The slice of the matmul's result. Index 0 of these arrays is for its rows,
  // which are rows of operand 0 (A), and index 1 for its columns, which are
  // columns of operand 1 (B).
  int64_t begins[2], sizes[2];
  bool isCut[2], transposes[2];
};

struct HoistSlicesAboveMatmuls
    : ::ingot::graph::impl::HoistSlicesAboveMatmulsPassBase<
          HoistSlicesAboveMatmuls> {
  void runOnOperation() override {
    SmallVector<std::pair<MatMulOp, SliceOp>> sliced;
    getOperation().walk([&](MatMulOp matmul) {
      if (!matmul->hasOneUse())
        return;
      if (auto slice = dyn_cast<SliceOp>(*matmul->user_begin());
          slice && slice.getInput() == matmul.getResult())
        sliced.push_back({matmul, slice});
    });
    for (auto [matmul, slice] : sliced)
      if (SlicedMatmul product(matmul, slice); product.isWorthwhile()) {
        product.rewrite();
        ++numNarrowed;
      }
  }
};

} // namespace
