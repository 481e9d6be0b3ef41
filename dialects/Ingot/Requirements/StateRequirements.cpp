//===- StateRequirements.cpp - Sizes of values assigned to variables ------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/OptimizerOps.h"
#include "dialects/Ingot/IR/ScatterOps.h"
#include "dialects/Ingot/IR/StateOps.h"
#include "dialects/Ingot/IR/VariableOps.h"
#include "dialects/Ingot/Requirements/ShapeRequirementBuilder.h"

namespace mlir::ingot {

/// Returns the value that an imported AssignAdd or AssignSub adds to or
/// subtracts from the variable; null for a plain assignment.
static Value deltaOf(AssignOp op) {
  Operation *update = op.getValue().getDefiningOp();
  if (!isa_and_nonnull<AddOp, SubOp>(update) ||
      update->getLoc() != op->getLoc())
    return nullptr;
  auto read = update->getOperand(0).getDefiningOp<ReadOp>();
  return read && read.getVariableAttr() == op.getVariableAttr()
             ? update->getOperand(1)
             : nullptr;
}

static void require(AssignOp op, ShapeRequirementBuilder &r) {
  auto variable =
      dyn_cast_or_null<VariableOp>(r.lookup(op.getVariableAttr().getAttr()));
  auto type =
      variable ? dyn_cast<RankedTensorType>(variable.getType()) : nullptr;
  Value delta = deltaOf(op), value = delta ? delta : op.getValue();
  if (!type || !isRanked(value) || rankOf(value) != type.getRank())
    return;
  Number fits = r.number(1);
  SmallVector<Number> expected, found = r.sizes(value);
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    // A dynamic dimension of the variable accepts a value of any size, so
    // expect the value's own size.
    expected.push_back(ShapedType::isDynamic(size) ? found[dim]
                                                   : r.number(size));
    fits = r.both(fits, r.equal(expected.back(), found[dim]));
  }
  if (delta)
    r.require(
        fits,
        ((r.says() << "Cannot update variable with shape ").shape(expected)
         << " using a Tensor with shape " << value
         << ", shapes must be equal."));
  else
    r.require(fits, ((r.says() << "Trying to assign to variable with tensor "
                                  "with wrong shape. Expected ")
                         .shape(expected)
                     << " got " << value));
}

static void require(UpdateRowsOp op, ShapeRequirementBuilder &r) {
  Value indices = op.getIndices();
  Value table = op.getTables().front();
  if (!areRanked(op.getOperands()))
    return;
  // The shape of the updates is `leading` followed by the shape of a row of the
  // table. `leading` is the shape of the indices, without their last dimension
  // if `nd` is set. An index selects a row by the first `chosen` dimensions of
  // the table.
  SmallVector<Number> leading = r.sizes(indices);
  int64_t chosen = 1;
  if (op.getNd()) {
    chosen = cast<RankedTensorType>(indices.getType()).getShape().back();
    leading.pop_back();
  }
  for (Value other : op.getTables().drop_front())
    if (rankOf(other) == rankOf(table))
      r.require(r.sameSizes(r.sizes(table), r.sizes(other)),
                r.says() << "var and its slots do not have the same shape: "
                         << table << " vs. " << other);
  if (chosen < 0 || chosen > rankOf(table))
    return;
  SmallVector<Number> expected(leading);
  llvm::append_range(expected,
                     ArrayRef<Number>(r.sizes(table)).drop_front(chosen));
  // If there are no indices, only TensorFlow's ScatterNd ops (`nd`) check the
  // shape of the updates.
  Number isIdle =
      op.getNd() ? r.number(0) : r.equal(r.count(indices), r.number(0));
  for (Value rows : op.getRows())
    if (rankOf(rows) == static_cast<int64_t>(expected.size()))
      r.require(r.either(r.sameSizes(expected, r.sizes(rows)), isIdle),
                (r.says() << "updates of shape " << rows
                          << " do not match indices of shape " << indices
                          << " and a variable of shape " << table
                          << ": expected ")
                    .shape(expected));
}

// TensorFlow's kernels require slots and the gradient to have the variable's
// shape. The messages are those of these kernels.
void requireStep(Operation *op, const OptimizerInfo &info,
                 ShapeRequirementBuilder &r) {
  Value variable = op->getOperand(0);
  if (!areRanked(op->getOperands()))
    return;
  for (auto [i, operand] : llvm::enumerate(info.operands)) {
    Value other = op->getOperand(i);
    if (i == 0 || operand.kind == OptimizerOperand::Kind::Hyperparameter ||
        rankOf(other) != rankOf(variable))
      continue;
    bool isGradient = operand.kind == OptimizerOperand::Kind::Gradient;
    r.require(r.sameSizes(r.sizes(variable), r.sizes(other)),
              r.says() << (isGradient ? "var and grad" : "var and its slot")
                       << " do not have the same shape" << variable << " "
                       << other);
  }
}

void attachStateRequirements(MLIRContext &context) {
  attachModels<AssignOp, UpdateRowsOp>(context);
}

} // namespace mlir::ingot
