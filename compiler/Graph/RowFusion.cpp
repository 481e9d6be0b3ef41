//===- RowFusion.cpp - Ops that compute rows in one kernel ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/RowFusion.h"

#include "compiler/Graph/Passes.h"

#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/NormalizationOps.h"
#include "dialects/Ingot/IR/ShapeInference.h"
#include "dialects/Ingot/IR/TensorOps.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

/// The minimum number of rows. A kernel has a block for each row, so fewer rows
/// would leave most of a GPU idle.
static constexpr int64_t minRows = 64;

/// Returns the shape of a ranked tensor of static shape; std::nullopt for other
/// values.
static std::optional<ArrayRef<int64_t>> staticShapeOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? std::optional(type.getShape())
                                       : std::nullopt;
}

namespace {

/// Checks whether a set of ops can be computed row by row.
class RowFusionLegality {
public:
  explicit RowFusionLegality(ArrayRef<Operation *> ops)
      : members(ops.begin(), ops.end()) {}

  /// Sets `shape` to the shape of the largest operand or result of the ops.
  /// Returns false if an operand or result has no static shape, if there are
  /// fewer than `minRows` rows, or if a row has more than `maxElements`
  /// elements.
  bool findShape(int64_t maxElements) {
    int64_t most = 0;
    auto measure = [&](Value value) {
      std::optional<ArrayRef<int64_t>> own = staticShapeOf(value);
      if (!own)
        return false;
      int64_t elements = 1;
      for (int64_t size : *own)
        elements *= size;
      if (elements > most) {
        most = elements;
        shape = *own;
      }
      return true;
    };
    for (Operation *op : members)
      if (!llvm::all_of(op->getResults(), measure) ||
          !llvm::all_of(op->getOperands(), measure))
        return false;
    return shape.size() >= 2 && shape.back() > 1 &&
           shape.back() <= maxElements && most / shape.back() >= minRows;
  }

  /// Whether `op` computes each row from the same row of its operands.
  bool contains(Operation *op) const {
    if (isa<SoftmaxOp, LogSoftmaxOp>(op))
      return isWhole(op->getResult(0));
    if (isa<SumOp, MeanOp, MaxOp, MinOp>(op))
      return isWhole(op->getOperand(0)) && isReduced(op->getResult(0)) &&
             reducesRow(op);
    if (isa<TileOp, BroadcastToOp>(op))
      return isWhole(op->getResult(0)) &&
             staticShapeOf(op->getOperand(0))->size() == shape.size() &&
             isReduced(op->getOperand(0));
    return isElementwise(op) && llvm::all_of(op->getResults(), [&](Value r) {
             return (isWhole(r) || isReduced(r)) &&
                    llvm::all_of(op->getOperands(), [&](Value operand) {
                      return isAligned(operand, r);
                    });
           });
  }

private:
  bool isWhole(Value value) const { return *staticShapeOf(value) == shape; }

  /// Whether `value` has one element for each row.
  bool isReduced(Value value) const {
    ArrayRef<int64_t> own = *staticShapeOf(value);
    return own == shape.drop_back() ||
           (own.size() == shape.size() && own.back() == 1 &&
            own.drop_back() == shape.drop_back());
  }

  bool reducesRow(Operation *op) const {
    std::optional<SmallVector<int64_t>> axes =
        getConstantInts(op->getOperand(1));
    int64_t last = static_cast<int64_t>(shape.size()) - 1;
    return axes && axes->size() == 1 &&
           (axes->front() == -1 || axes->front() == last);
  }

  /// Whether each row of `result` depends only on the same row of `operand`.
  /// Also returns true if another kernel computes `operand`, since all rows of
  /// the operand are then complete before this kernel begins.
  bool isAligned(Value operand, Value result) const {
    if (!members.contains(operand.getDefiningOp()))
      return true;
    ArrayRef<int64_t> own = *staticShapeOf(operand),
                      made = *staticShapeOf(result);
    return own == made || (isWhole(result) && isReduced(operand) &&
                           own.size() == shape.size());
  }

  llvm::SmallPtrSet<Operation *, 16> members;
  ArrayRef<int64_t> shape;
};

} // namespace

bool areRowsOfOneKernel(ArrayRef<Operation *> ops, int64_t maxElements) {
  RowFusionLegality rows(ops);
  return rows.findShape(maxElements) &&
         llvm::all_of(ops, [&](Operation *op) { return rows.contains(op); });
}

} // namespace ingot::graph
