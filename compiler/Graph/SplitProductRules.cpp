//===- SplitProductRules.cpp - Split rules for products, convolutions -----===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/BatchSplitRules.h"

#include "dialects/Ingot/IR/ConvolutionOps.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/PoolingOps.h"
#include "dialects/Ingot/IR/ProductOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

namespace {
/// A label for each dimension of a tensor, as in an einsum: dimensions with
/// equal labels have the same index.
using Labels = SmallVector<int64_t>;
} // namespace

/// The rule that splits contractions over slices of the batch. The result of a
/// contraction is a sum of products over all labels that the operands have but
/// the result lacks.
static std::optional<OpBatchSplit>
splitContraction(Operation *op, const OperandSplitDims &cuts,
                 ArrayRef<Labels> operands, const Labels &result) {
  int64_t label = -1, size = 0;
  for (auto [value, cut, labels] : llvm::zip(op->getOperands(), cuts, operands))
    if (label < 0 && cut != whole) {
      label = labels[cut];
      size = cuts.sizeOf(value, cut);
    }
  OpBatchSplit split;
  auto placeIn = [&](const Labels &labels) {
    const int64_t *place = llvm::find(labels, label);
    return place == labels.end() ? whole : int64_t(place - labels.begin());
  };
  for (auto [value, labels] : llvm::zip(op->getOperands(), operands)) {
    // If two dimensions of an operand have the label, the op reads the
    // operand's diagonal. A part that is split along only one of the two
    // dimensions would have another diagonal.
    if (llvm::count(labels, label) > 1)
      return std::nullopt;
    int64_t place = placeIn(labels);
    bool isBroadcast = place != whole && cuts.sizeOf(value, place) == 1;
    // A dynamic size may be 1 at run time. The dimension would then be
    // broadcast, and could not be split.
    if (place != whole && !isBroadcast && placeIn(result) != whole &&
        cuts.sizeOf(value, place) != size)
      return std::nullopt;
    split.cuts.push_back(isBroadcast ? whole : place);
  }
  split.results.push_back(placeIn(result));
  return split;
}

static std::optional<OpBatchSplit> splitMatMul(MatMulOp op,
                                               const OperandSplitDims &cuts) {
  // Labels: 0 is M, 1 is K, 2 is N.
  Labels a = op.getTransposeA() ? Labels{1, 0} : Labels{0, 1};
  Labels b = op.getTransposeB() ? Labels{2, 1} : Labels{1, 2};
  return splitContraction(op, cuts, {a, b}, {0, 2});
}

static std::optional<OpBatchSplit>
splitBatchMatMul(BatchMatMulOp op, const OperandSplitDims &cuts) {
  int64_t rank = rankOf(op.getOutput());
  // The label of an operand's dimension is the index of the corresponding
  // dimension of the result, or `rank` for K, the dimension that is summed
  // over.
  auto labelsOf = [&](Value value, int64_t row, int64_t column) {
    Labels labels;
    int64_t own = rankOf(value);
    for (int64_t dim = 0; dim < own - 2; ++dim)
      labels.push_back(dim + rank - own);
    labels.push_back(row);
    labels.push_back(column);
    return labels;
  };
  int64_t m = rank - 2, n = rank - 1, k = rank;
  Labels x =
      op.getAdjX() ? labelsOf(op.getX(), k, m) : labelsOf(op.getX(), m, k);
  Labels y =
      op.getAdjY() ? labelsOf(op.getY(), n, k) : labelsOf(op.getY(), k, n);
  Labels result(rank);
  std::iota(result.begin(), result.end(), 0);
  return splitContraction(op, cuts, {x, y}, result);
}

static std::optional<OpBatchSplit> splitEinsum(EinsumOp op,
                                               const OperandSplitDims &cuts) {
  SmallVector<Labels> terms;
  for (StringRef term : getEquationTerms(op.getEquation()))
    terms.emplace_back(term.begin(), term.end());
  if (terms.size() != op->getNumOperands() + 1)
    return std::nullopt;
  Labels result = terms.pop_back_val();
  return splitContraction(op, cuts, terms, result);
}

/// The rule that splits ops with windows, such as convolutions, over slices of
/// the batch. Images are independent of each other, so all operands can be
/// split along the first dimension.
static std::optional<OpBatchSplit> splitImages(Operation *op,
                                               const OperandSplitDims &cuts) {
  return cuts[0] == 0 && rankOf(op->getOperand(0)) == 4
             ? std::optional(splitOne(op, 0, 0, 0))
             : std::nullopt;
}

static std::optional<OpBatchSplit>
splitConvolution(Conv2DOp op, const OperandSplitDims &cuts) {
  return cuts[1] == whole ? splitImages(op, cuts) : std::nullopt;
}

static std::optional<OpBatchSplit>
splitInputGradient(Conv2DBackpropInputOp op, const OperandSplitDims &cuts) {
  if (cuts[2] != 0 || cuts[1] != whole || cuts[0] != whole)
    return std::nullopt;
  OpBatchSplit split = splitOne(op, 2, 0, 0);
  if (cuts.sizeOf(op.getInputSizes(), 0) == 4)
    split.shape = 0;
  return split;
}

static std::optional<OpBatchSplit>
splitFilterGradient(Conv2DBackpropFilterOp op, const OperandSplitDims &cuts) {
  if ((cuts[0] != 0 && cuts[2] != 0) || cuts[0] > 0 || cuts[2] > 0)
    return std::nullopt;
  OpBatchSplit split = splitOne(op, 0, 0, whole);
  split.cuts[2] = 0;
  return split;
}

static std::optional<OpBatchSplit>
splitMaxPoolPlaces(MaxPoolWithArgmaxOp op, const OperandSplitDims &cuts) {
  // With include_batch_in_index, an index includes the position of the image in
  // the whole batch, which a slice cannot compute.
  return op.getIncludeBatchInIndex() ? std::nullopt : splitImages(op, cuts);
}

static std::optional<OpBatchSplit>
splitMaxPoolGradient(MaxPoolGradOp op, const OperandSplitDims &cuts) {
  if (cuts[0] > 0 || cuts[1] > 0)
    return std::nullopt;
  OpBatchSplit split = splitOne(op, 0, 0, 0);
  split.cuts[1] = 0;
  return split;
}

static std::optional<OpBatchSplit>
splitAvgPoolGradient(AvgPoolGradOp op, const OperandSplitDims &cuts) {
  if (cuts[1] != 0)
    return std::nullopt;
  OpBatchSplit split = splitOne(op, 1, 0, 0);
  split.shape = 0;
  return split;
}

void addProductSplitRules(BatchSplitRules &rules) {
  rules.add<MatMulOp>(splitMatMul);
  rules.add<BatchMatMulOp>(splitBatchMatMul);
  rules.add<EinsumOp>(splitEinsum);
  rules.add<Conv2DOp>(splitConvolution);
  rules.add<Conv2DBackpropInputOp>(splitInputGradient);
  rules.add<Conv2DBackpropFilterOp>(splitFilterGradient);
  rules.add<MaxPoolGradOp>(splitMaxPoolGradient);
  rules.add<AvgPoolGradOp>(splitAvgPoolGradient);
  rules.add<MaxPoolWithArgmaxOp>(splitMaxPoolPlaces);
  rules.addForEach<MaxPoolOp, AvgPoolOp>(splitImages);
}

} // namespace ingot::graph
