//===- SplitRowRules.cpp - Split rules for ops on rows --------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Split rules of ops that compute each row, or each matrix, of a tensor
// independently of all other rows or matrices.
//
//===----------------------------------------------------------------------===//

#include "compiler/Graph/BatchSplitRules.h"

#include "dialects/Ingot/IR/GradientOps.h"
#include "dialects/Ingot/IR/MatrixOps.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/NormalizationOps.h"
#include "dialects/Ingot/IR/ReductionOps.h"
#include "dialects/Ingot/IR/ReportOps.h"
#include "dialects/Ingot/IR/RequireValuesOps.h"
#include "dialects/Ingot/IR/StringOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

/// Returns the rule that splits ops which compute separately on each element
/// (`inner` is 0), each row (1) or each matrix (2) of their first operand. The
/// last `inner` dimensions, those of a row or matrix, cannot be split. Each
/// slice of the batch reads all operands except the first one as a whole.
static BatchSplitRule rowsOf(int64_t inner) {
  return [inner](Operation *op,
                 const OperandSplitDims &cuts) -> std::optional<OpBatchSplit> {
    if (cuts[0] == whole || cuts[0] >= rankOf(op->getOperand(0)) - inner)
      return std::nullopt;
    return splitOne(op, 0, cuts[0], cuts[0]);
  };
}

/// Returns the rule that splits ops on several operands which have the same
/// sizes in all dimensions before the last `inner` ones: all operands are split
/// along the same dimension.
static BatchSplitRule pairsOf(int64_t inner) {
  return [inner](Operation *op,
                 const OperandSplitDims &cuts) -> std::optional<OpBatchSplit> {
    int64_t cut = *llvm::max_element(cuts);
    OpBatchSplit split = splitOne(op, 0, cut, cut);
    for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
      if (cut >= rankOf(operand) - inner ||
          cuts.sizeOf(operand, cut) != cuts.sizeOf(op->getOperand(0), cut))
        return std::nullopt;
      split.cuts[index] = cut;
    }
    return split;
  };
}

static std::optional<OpBatchSplit>
splitSparseCrossEntropy(SparseSoftmaxCrossEntropyOp op,
                        const OperandSplitDims &cuts) {
  int64_t cut = std::max(cuts[0], cuts[1]);
  if (cut >= rankOf(op.getLabels()))
    return std::nullopt;
  OpBatchSplit split = splitOne(op, 0, cut, cut);
  split.cuts[1] = cut;
  return split;
}

static std::optional<OpBatchSplit> splitInTopK(InTopKOp op,
                                               const OperandSplitDims &cuts) {
  if (cuts[0] > 0 || cuts[1] > 0)
    return std::nullopt;
  OpBatchSplit split = splitOne(op, 0, 0, 0);
  split.cuts[1] = 0;
  return split;
}

void addRowSplitRules(BatchSplitRules &rules) {
  rules.addForEach<ZerosLikeOp, StopGradientOp, CheckNumericsOp,
                   RequireIndicesOp>(rowsOf(0));
  rules.addForEach<StringToHashBucketOp, StringLengthOp, StringToNumberOp>(
      rowsOf(0));
  rules.addForEach<SoftmaxOp, LogSoftmaxOp, TopKOp>(rowsOf(1));
  rules.addForEach<MatrixBandPartOp, CholeskyOp, MatrixInverseOp, QROp,
                   MatrixDeterminantOp>(rowsOf(2));
  rules.addForEach<SoftmaxCrossEntropyOp>(pairsOf(1));
  rules.addForEach<MatrixSolveOp, TriangularSolveOp>(pairsOf(2));
  rules.add<SparseSoftmaxCrossEntropyOp>(splitSparseCrossEntropy);
  rules.add<InTopKOp>(splitInTopK);
}

} // namespace ingot::graph
