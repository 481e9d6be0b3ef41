//===- ReverseModeAD.cpp - Differentiate a block in reverse ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/Gradients/ReverseModeAD.h"

#include "dialects/Ingot/Gradients/Gradients.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::ingot;

/// Returns the values that an op reads, itself or in its regions.
static SmallVector<Value> valuesOf(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  if (op->getNumRegions() > 0) {
    llvm::SetVector<Value> above;
    getUsedValuesDefinedAbove(op->getRegions(), above);
    llvm::append_range(values, above);
  }
  return values;
}

/// Whether the value consists of real or complex floats.
static bool isFloat(Value value) {
  auto type = dyn_cast<ShapedType>(value.getType());
  return type && isa<FloatType, ComplexType>(type.getElementType());
}

/// Returns `loc` with the name that TensorFlow gives to the gradient of the
/// node at `loc`: gradients/<node>_grad.
static Location gradientLoc(Location loc) {
  auto name = dyn_cast<NameLoc>(loc);
  if (!name)
    return loc;
  return NameLoc::get(StringAttr::get(
      loc.getContext(), "gradients/" + name.getName().getValue() + "_grad"));
}

namespace mlir::ingot {

/// Walks a block from outputs to inputs, op by op, and accumulates the
/// gradients of each op's operands (reverse-mode differentiation).
class ReverseModeAD {
public:
  ReverseModeAD(OpBuilder &builder, ValueRange outputs, ValueRange inputs,
                DerivativeKind derivative)
      : gradients(builder), block(builder.getInsertionBlock()), inputs(inputs) {
    if (derivative == DerivativeKind::partial)
      for (Value input : inputs)
        visited.insert(input.getDefiningOp());
    for (Value output : outputs)
      visit(output.getDefiningOp());
    gradients.wanted.insert(inputs.begin(), inputs.end());
    for (Operation *op : order)
      if (isOnTheWay(op))
        for (Value result : op->getResults())
          if (isFloat(result))
            gradients.wanted.insert(result);
  }

  void seed(Value output, Value weight) {
    gradients.sums[output].push_back(weight ? weight : gradients.ones(output));
  }

  FailureOr<SmallVector<Value>> run() {
    bool isGood = true;
    for (Operation *op : llvm::reverse(order))
      if (isOnTheWay(op) && llvm::any_of(op->getResults(), [&](Value result) {
            return gradients.reaches(result);
          }))
        isGood &= succeeded(passThrough(op));
    if (!isGood)
      return failure();
    SmallVector<Value> found;
    for (Value input : inputs)
      found.push_back(gradients.reaches(input) ? Value(gradients.of(input))
                                               : Value());
    return found;
  }

private:
  /// Appends `last` and the ops on which it depends to `order`, so that each op
  /// follows the ops that define its operands. This is a depth-first search
  /// with the explicit stack `open`, as deep graphs would overflow the call
  /// stack.
  void visit(Operation *last) {
    SmallVector<std::pair<Operation *, SmallVector<Value>>> open;
    auto enter = [&](Operation *op) {
      if (op && op->getBlock() == block && visited.insert(op).second)
        open.emplace_back(op, valuesOf(op));
    };
    enter(last);
    while (!open.empty()) {
      if (open.back().second.empty()) {
        order.push_back(open.pop_back_val().first);
        continue;
      }
      enter(open.back().second.pop_back_val().getDefiningOp());
    }
  }

  bool isOnTheWay(Operation *op) {
    return llvm::any_of(valuesOf(op),
                        [&](Value value) { return gradients.wants(value); });
  }

  /// Adds the gradients of an op's operands, at a location that names the
  /// gradient as in TensorFlow. Emits an error and fails if the op has no
  /// gradient.
  LogicalResult passThrough(Operation *op) {
    gradients.loc = gradientLoc(op->getLoc());
    auto differentiable = dyn_cast<DifferentiableOpInterface>(op);
    if (!differentiable)
      return emitError(op->getLoc())
             << op->getName().stripDialect()
             << " has no gradient: the loss must not depend on trained "
                "variables through this op";
    differentiable.addGradients(gradients);
    if (gradients.refusal.empty())
      return success();
    emitError(op->getLoc()) << op->getName().stripDialect()
                            << " has no gradient here: " << gradients.refusal;
    gradients.refusal.clear();
    return failure();
  }

  Gradients gradients;
  Block *block;
  ValueRange inputs;
  llvm::DenseSet<Operation *> visited;
  SmallVector<Operation *> order;
};

} // namespace mlir::ingot

/// Erases the unused ops that follow `before`, except for ops that define a
/// value in `kept`.
static void eraseUnused(OpBuilder &builder, Operation *before,
                        ArrayRef<Value> kept) {
  Block *block = builder.getInsertionBlock();
  llvm::DenseSet<Operation *> results;
  for (Value value : kept)
    if (value)
      results.insert(value.getDefiningOp());
  auto at = builder.getInsertionPoint();
  while (at != block->begin() && &*std::prev(at) != before) {
    Operation *op = &*std::prev(at);
    if (!results.contains(op) && isOpTriviallyDead(op))
      op->erase();
    else
      --at;
  }
}

FailureOr<SmallVector<Value>>
mlir::ingot::differentiateBlock(OpBuilder &builder, ValueRange outputs,
                                ValueRange weights, ValueRange inputs,
                                DerivativeKind derivative) {
  Block *block = builder.getInsertionBlock();
  auto at = builder.getInsertionPoint();
  Operation *before = at == block->begin() ? nullptr : &*std::prev(at);
  ReverseModeAD walk(builder, outputs, inputs, derivative);
  for (auto [i, output] : llvm::enumerate(outputs))
    walk.seed(output, weights.empty() ? Value() : weights[i]);
  FailureOr<SmallVector<Value>> found = walk.run();
  eraseUnused(builder, before,
              succeeded(found) ? ArrayRef<Value>(*found) : ArrayRef<Value>());
  return found;
}

void Gradients::addThrough(ValueRange outputs, ValueRange weights,
                           ValueRange inputs) {
  FailureOr<SmallVector<Value>> found = differentiateBlock(
      builder, outputs, weights, inputs, DerivativeKind::partial);
  if (failed(found))
    return refuse("one of the ops that it is decomposed into has no gradient");
  for (auto [input, gradient] : llvm::zip(inputs, *found))
    if (gradient)
      add(input, gradient);
}
