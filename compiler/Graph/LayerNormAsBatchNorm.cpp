//===- LayerNormAsBatchNorm.cpp - Layer norm as transposed batch norm -----===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/LayerNormAsBatchNorm.h"

#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/NormalizationOps.h"
#include "dialects/Ingot/IR/RearrangeOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Whether the op is a batch normalization, or the gradient of one, whose
/// operand is a matrix reshaped to [1, rows, 1, columns]. Such an op normalizes
/// each column of the matrix.
static bool normalizes(Operation *op) {
  if (!isa<FusedBatchNormOp, FusedBatchNormGradOp>(op))
    return false;
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  return type.hasStaticShape() && type.getRank() == 4 &&
         type.getDimSize(0) == 1 && type.getDimSize(2) == 1;
}

/// Whether the op transposes a matrix.
static bool turns(Operation *op) {
  auto transpose = dyn_cast<TransposeOp>(op);
  return transpose && shapeOf(transpose.getInput()).size() == 2 &&
         shapeOf(transpose.getInput()) != shapeOf(transpose.getOutput());
}

/// Whether the reshape reads the result of a matrix transpose, and a batch
/// normalization reads the result of the reshape.
static bool leadsThere(ReshapeOp reshape) {
  Operation *from = reshape.getInput().getDefiningOp();
  return from && turns(from) && llvm::any_of(reshape->getUsers(), normalizes);
}

/// Whether the reshape is the only user of a batch normalization's result, and
/// a transpose is the only user of the reshape.
static bool leadsBack(ReshapeOp reshape) {
  auto result = dyn_cast<OpResult>(reshape.getInput());
  return result && result.getResultNumber() == 0 &&
         normalizes(result.getOwner()) && result.hasOneUse() &&
         reshape->hasOneUse() && turns(*reshape->user_begin());
}

bool isPartOfRowNormalization(Operation *op) {
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return leadsThere(reshape) || leadsBack(reshape);
  if (!turns(op))
    return normalizes(op);
  if (auto back = op->getOperand(0).getDefiningOp<ReshapeOp>();
      back && leadsBack(back))
    return true;
  return llvm::any_of(op->getUsers(), [](Operation *user) {
    auto reshape = dyn_cast<ReshapeOp>(user);
    return reshape && leadsThere(reshape);
  });
}

void transposeForEach(Block &block) {
  for (ReshapeOp reshape : llvm::to_vector(block.getOps<ReshapeOp>())) {
    if (!leadsThere(reshape))
      continue;
    Operation *transpose = reshape.getInput().getDefiningOp();
    bool isFirst = true;
    for (OpOperand &use : llvm::make_early_inc_range(reshape->getUses())) {
      Operation *user = use.getOwner();
      if (user->getBlock() != &block || !normalizes(user) ||
          std::exchange(isFirst, false))
        continue;
      OpBuilder builder(user);
      IRMapping copies;
      builder.clone(*transpose, copies);
      use.set(builder.clone(*reshape, copies)->getResult(0));
    }
  }
}

bool isOneNormalization(ArrayRef<Operation *> some,
                        ArrayRef<Operation *> others) {
  return llvm::all_of(some, isPartOfRowNormalization) &&
         llvm::all_of(others, isPartOfRowNormalization) &&
         llvm::count_if(some, normalizes) +
                 llvm::count_if(others, normalizes) <=
             1;
}

} // namespace ingot::graph
