//===- TensorProducerOps.cpp - Ops that compute a tensor's elements -------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/TensorProducerOps.h"

#include "codegen/MemoryAccessTrace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace ingot::codegen {

/// Whether `read`, a bufferization.to_tensor, reads an argument of the function
/// that still has the contents that the caller passed: no op before `read`
/// accesses its buffer.
static bool isAsItCame(bufferization::ToTensorOp read) {
  auto argument = dyn_cast<BlockArgument>(read.getBuffer());
  return argument && isa<func::FuncOp>(argument.getOwner()->getParentOp()) &&
         llvm::all_of(argument.getUsers(), [&](Operation *user) {
           if (isa<bufferization::ToTensorOp>(user))
             return true;
           Operation *at = read->getBlock()->findAncestorOpInBlock(*user);
           return at && read->isBeforeInBlock(at);
         });
}

namespace {

/// Traces tensors to the ops that computed them, through loops and branches.
class ElementProducerFinder {
public:
  explicit ElementProducerFinder(ArrayRef<Value> tensors)
      : pending(tensors), seen(tensors.begin(), tensors.end()) {}

  TensorProducerOps run() {
    while (!pending.empty()) {
      Value tensor = pending.pop_back_val();
      if (auto result = dyn_cast<OpResult>(tensor))
        look(result);
      else
        look(cast<BlockArgument>(tensor));
    }
    return std::move(origins);
  }

private:
  void goTo(ArrayRef<Value> tensors) {
    for (Value tensor : tensors)
      if (seen.insert(tensor).second)
        pending.push_back(tensor);
  }

  /// If `argument` is a loop-carried value, continues the search with its
  /// initial value and with the value that the loop yields for it. Elements of
  /// the function's arguments have no producer. The producers of other block
  /// arguments are unknown.
  void look(BlockArgument argument) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      goTo({loop.getTiedLoopInit(argument)->get(),
            loop.getTiedLoopYieldedValue(argument)->get()});
    else
      origins.isKnown &= isa<func::FuncOp>(parent);
  }

  /// Continues the search with the operands of an op that only passes elements
  /// on. Ops whose elements are constant or undefined end the search. Any other
  /// op is one that computes elements: adds its number from `numberAccesses` to
  /// `origins`.
  void look(OpResult result) {
    Operation *op = result.getOwner();
    unsigned index = result.getResultNumber();
    if (auto copy = dyn_cast<bufferization::AllocTensorOp>(op);
        copy && copy.getCopy())
      return goTo(copy.getCopy());
    if (isa<tensor::EmptyOp, bufferization::AllocTensorOp, arith::ConstantOp>(
            op))
      return;
    if (isa<tensor::ExtractSliceOp, tensor::CastOp, tensor::ExpandShapeOp,
            tensor::CollapseShapeOp, tensor::ReshapeOp,
            bufferization::MaterializeInDestinationOp>(op))
      return goTo(op->getOperand(0));
    if (isa<tensor::InsertSliceOp>(op))
      return goTo({op->getOperand(0), op->getOperand(1)});
    if (auto insert = dyn_cast<tensor::InsertOp>(op))
      return goTo(insert.getDest());
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return goTo({loop.getInits()[index], loop.getYieldedValues()[index]});
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return goTo({branch.thenYield().getOperand(index),
                   branch.elseYield().getOperand(index)});
    if (auto read = dyn_cast<bufferization::ToTensorOp>(op)) {
      origins.isKnown &= isAsItCame(read);
      return;
    }
    int64_t number = numberOf(op);
    origins.isKnown &=
        number >= 0 && (op->getNumRegions() == 0 || isa<linalg::LinalgOp>(op));
    origins.ops.insert(number);
  }

  SmallVector<Value> pending;
  llvm::SmallDenseSet<Value> seen;
  TensorProducerOps origins;
};

} // namespace

TensorProducerOps producersOfElements(ArrayRef<Value> tensors) {
  return ElementProducerFinder(tensors).run();
}

} // namespace ingot::codegen
