//===- BatchSplitRules.cpp - Rules to split ops into batch slices ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/BatchSplitRules.h"

#include "compiler/Graph/SymbolicShapes.h"

#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/Traits.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

int64_t rankOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank();
}

int64_t OperandSplitDims::sizeOf(Value value, int64_t dim) const {
  ArrayRef<int64_t> numbers = shapes ? (*shapes)[value] : ArrayRef<int64_t>();
  return numbers.empty()
             ? cast<RankedTensorType>(value.getType()).getDimSize(dim)
             : numbers[dim];
}

OpBatchSplit splitOne(Operation *op, unsigned operand, int64_t cut,
                      int64_t result) {
  OpBatchSplit split;
  split.cuts.assign(op->getNumOperands(), whole);
  split.cuts[operand] = cut;
  split.results.assign(op->getNumResults(), result);
  return split;
}

std::optional<OpBatchSplit> splitElementwise(Operation *op,
                                             const OperandSplitDims &cuts) {
  // A slice reads the whole bias of a bias_add, so the channel dimension of the
  // other operand must not be split. The channel dimension is dimension 1 in
  // NCHW, and otherwise the last dimension.
  auto bias = dyn_cast<BiasAddOp>(op);
  if (bias) {
    int64_t channel = bias.getDataFormat() == "NCHW" ? 1 : rankOf(bias) - 1;
    return cuts[0] != whole && cuts[0] != channel && cuts[1] == whole
               ? std::optional(splitOne(op, 0, cuts[0], cuts[0]))
               : std::nullopt;
  }
  int64_t rank = rankOf(op->getResult(0));
  const int64_t *first =
      llvm::find_if(cuts, [](int64_t cut) { return cut != whole; });
  Value leading = op->getOperand(first - cuts.begin());
  int64_t dim = *first + rank - rankOf(leading);
  int64_t size = cuts.sizeOf(op->getResult(0), dim);
  if (cuts.sizeOf(leading, *first) != size)
    return std::nullopt;
  OpBatchSplit split;
  for (Value operand : op->getOperands()) {
    int64_t place = dim - (rank - rankOf(operand));
    bool isCut = place >= 0 && cuts.sizeOf(operand, place) == size;
    // An operand that is not split must have the static size 1 in this
    // dimension. A dynamic size may be that of the whole batch at run time, if
    // the operand is computed from gathered tensors.
    if (place >= 0 && !isCut &&
        cast<RankedTensorType>(operand.getType()).getDimSize(place) != 1)
      return std::nullopt;
    split.cuts.push_back(isCut ? place : whole);
  }
  split.results.assign(op->getNumResults(), dim);
  return split;
}

BatchSplitRules::BatchSplitRules() {
  addProductSplitRules(*this);
  addReductionSplitRules(*this);
  addRowSplitRules(*this);
  addShapeSplitRules(*this);
  addIndexingSplitRules(*this);
}

std::optional<OpBatchSplit>
BatchSplitRules::apply(Operation *op, const OperandSplitDims &cuts) const {
  auto isRanked = [](Value value) {
    return isa<RankedTensorType>(value.getType());
  };
  if (!llvm::all_of(op->getOperands(), isRanked) ||
      !llvm::all_of(op->getResults(), isRanked))
    return std::nullopt;
  auto rule = rules.find(op->getName().getTypeID());
  if (rule != rules.end())
    return rule->second(op, cuts);
  return op->hasTrait<trait::Elementwise>() && op->getNumResults() == 1
             ? splitElementwise(op, cuts)
             : std::nullopt;
}

} // namespace ingot::graph
