//===- IsomorphicOps.cpp - Isomorphic ops of networks side by side --------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/IsomorphicOps.h"

#include "dialects/Ingot/IR/EnsembleOps.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/NormalizationOps.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

/// Whether the op makes several passes over each row of its operand, as a
/// softmax does to compute the maximum, the sum and the quotients.
static bool goesOverRows(Operation *op) {
  return isa<ArgMaxOp, LogSoftmaxOp, SoftmaxCrossEntropyOp, SoftmaxOp,
             SparseSoftmaxCrossEntropyOp>(op);
}

IsomorphicOps::IsomorphicOps(Block &block) {
  llvm::MapVector<std::pair<OperationName, FunctionType>,
                  SmallVector<Operation *>>
      alike;
  SmallVector<Operation *> penalties;
  for (Operation &op : block) {
    if (goesOverRows(&op))
      alike[{op.getName(),
             FunctionType::get(op.getContext(), op.getOperandTypes(),
                               op.getResultTypes())}]
          .push_back(&op);
    if (isa<ComplexityPenaltyOp>(op))
      penalties.push_back(&op);
  }
  for (auto &[kind, ops] : alike)
    if (ops.size() > 1)
      isomorphic.insert(ops.begin(), ops.end());
  // Complexity penalties of several ensembles also count as isomorphic,
  // although their types differ: a penalty has an operand for each weight of
  // its ensemble.
  if (!isomorphic.empty() && penalties.size() > 1)
    isomorphic.insert(penalties.begin(), penalties.end());
}

bool IsomorphicOps::reachedFrom(
    Operation *op, llvm::function_ref<bool(Operation *)> isHere) const {
  SmallVector<Operation *> pending = {op};
  DenseSet<Operation *> seen;
  while (!pending.empty()) {
    Operation *next = pending.pop_back_val();
    SetVector<Value> values(next->operand_begin(), next->operand_end());
    getUsedValuesDefinedAbove(next->getRegions(), values);
    for (Value value : values) {
      Operation *producer = value.getDefiningOp();
      if (!producer || producer->getBlock() != op->getBlock() ||
          !seen.insert(producer).second)
        continue;
      if (!contains(producer))
        pending.push_back(producer);
      else if (!isHere(producer))
        return true;
    }
  }
  return false;
}

} // namespace ingot::graph
