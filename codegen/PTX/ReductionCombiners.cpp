//===- ReductionCombiners.cpp - Combining partial reductions --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/PTX/ReductionCombiners.h"

#include "codegen/PTX/WarpShuffles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace ingot::ptx {

/// Returns for each result the op that combines its accumulator with an
/// element. Returns an empty vector if a result is not computed by a single
/// such op, or if the op is not commutative: in a butterfly shuffle, two lanes
/// combine the same two values in opposite orders, and must compute the same
/// bits.
static SmallVector<Operation *> findCombiners(linalg::GenericOp op) {
  SmallVector<Operation *> found;
  for (auto [argument, yielded] :
       llvm::zip(op.getRegionOutputArgs(),
                 op.getBlock()->getTerminator()->getOperands())) {
    Operation *combiner = yielded.getDefiningOp();
    if (!combiner || combiner->getNumOperands() != 2 || !argument.hasOneUse() ||
        *argument.getUsers().begin() != combiner || !yielded.hasOneUse() ||
        !combiner->hasTrait<OpTrait::IsCommutative>() ||
        !arith::getNeutralElement(combiner) || !canShuffle(yielded.getType()))
      return {};
    found.push_back(combiner);
  }
  return found;
}

/// Returns the comparison op in the body of an argmax or argmin, or null if
/// `op` is neither. Such a body replaces the accumulated value and index by the
/// element and its index if the element is strictly better.
static Operation *findArgComparison(linalg::GenericOp op) {
  if (op.getNumReductionLoops() != 1 || op.getNumDpsInits() != 2)
    return nullptr;
  Operation *yield = op.getBlock()->getTerminator();
  auto best = yield->getOperand(0).getDefiningOp<arith::SelectOp>();
  auto where = yield->getOperand(1).getDefiningOp<arith::SelectOp>();
  if (!best || !where || best.getCondition() != where.getCondition())
    return nullptr;
  Operation *compare = best.getCondition().getDefiningOp();
  Value held = op.getRegionOutputArgs()[0], place = op.getRegionOutputArgs()[1];
  auto index = where.getTrueValue().getDefiningOp<arith::IndexCastOp>();
  bool isArg =
      isa_and_nonnull<arith::CmpFOp, arith::CmpIOp>(compare) &&
      compare->getOperand(0) == best.getTrueValue() &&
      compare->getOperand(1) == held && best.getFalseValue() == held &&
      where.getFalseValue() == place && place.hasOneUse() &&
      llvm::hasNItems(held.getUses(), 2) && index &&
      isa_and_nonnull<linalg::IndexOp>(index.getIn().getDefiningOp()) &&
      held.getType().isIntOrFloat() && place.getType().isInteger() &&
      canShuffle(held.getType()) && canShuffle(place.getType());
  if (auto order = dyn_cast_or_null<arith::CmpFOp>(compare))
    isArg &= order.getPredicate() == arith::CmpFPredicate::OGT ||
             order.getPredicate() == arith::CmpFPredicate::OLT;
  else if (auto order = dyn_cast_or_null<arith::CmpIOp>(compare))
    isArg &= order.getPredicate() == arith::CmpIPredicate::ugt ||
             order.getPredicate() == arith::CmpIPredicate::sgt ||
             order.getPredicate() == arith::CmpIPredicate::ult ||
             order.getPredicate() == arith::CmpIPredicate::slt;
  return isArg ? compare : nullptr;
}

ReductionCombiners::ReductionCombiners(linalg::GenericOp op)
    : each(findCombiners(op)), comparison(findArgComparison(op)) {
  if (comparison)
    indexType = op.getRegionOutputArgs()[1].getType();
}

bool ReductionCombiners::addFloats() const {
  return llvm::any_of(each, llvm::IsaPred<arith::AddFOp>);
}

Value ReductionCombiners::combine(ImplicitLocOpBuilder &b, unsigned output,
                                  Value a, Value c) const {
  Operation *combiner = each[output];
  OperationState state(b.getLoc(), combiner->getName());
  state.addOperands({a, c});
  state.addTypes(combiner->getResultTypes());
  state.addAttributes(llvm::to_vector(combiner->getDiscardableAttrs()));
  state.propertiesAttr = combiner->getPropertiesAsAttribute();
  return b.create(state)->getResult(0);
}

SmallVector<Value> ReductionCombiners::combine(ImplicitLocOpBuilder &b,
                                               ValueRange a,
                                               ValueRange c) const {
  SmallVector<Value> results;
  if (!comparison) {
    for (auto [output, values] : llvm::enumerate(llvm::zip(a, c)))
      results.push_back(
          combine(b, output, std::get<0>(values), std::get<1>(values)));
    return results;
  }
  auto isBetter = [&](Value x, Value y) {
    IRMapping mapping;
    mapping.map(comparison->getOperand(0), x);
    mapping.map(comparison->getOperand(1), y);
    return b.clone(*comparison, mapping)->getResult(0);
  };
  // If both values are equal, the one with the smaller index is the result, as
  // if one thread compared all elements in order.
  Value isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, c[1], a[1]);
  Value no = arith::ConstantOp::create(b, b.getBoolAttr(false));
  Value takes = arith::SelectOp::create(
      b, isBetter(c[0], a[0]),
      arith::ConstantOp::create(b, b.getBoolAttr(true)),
      arith::SelectOp::create(b, isBetter(a[0], c[0]), no, isFirst));
  for (auto [x, y] : llvm::zip(a, c))
    results.push_back(arith::SelectOp::create(b, takes, y, x));
  return results;
}

/// Returns the initial value of an argmax or argmin of integers: the integer
/// that is worse than all others according to the comparison `order`.
static APInt worstInteger(arith::CmpIOp order) {
  unsigned width = order.getLhs().getType().getIntOrFloatBitWidth();
  switch (order.getPredicate()) {
  case arith::CmpIPredicate::ugt:
    return APInt::getZero(width);
  case arith::CmpIPredicate::ult:
    return APInt::getMaxValue(width);
  case arith::CmpIPredicate::sgt:
    return APInt::getSignedMinValue(width);
  default:
    return APInt::getSignedMaxValue(width);
  }
}

SmallVector<Value> ReductionCombiners::neutral(ImplicitLocOpBuilder &b) const {
  SmallVector<Value> values;
  if (comparison) { // start with the value that is worse than all others
    Type type = comparison->getOperand(1).getType();
    TypedAttr worst;
    if (auto order = dyn_cast<arith::CmpFOp>(comparison))
      worst = b.getFloatAttr(
          type,
          APFloat::getInf(cast<FloatType>(type).getFloatSemantics(),
                          order.getPredicate() == arith::CmpFPredicate::OGT));
    else
      worst =
          b.getIntegerAttr(type, worstInteger(cast<arith::CmpIOp>(comparison)));
    values.push_back(arith::ConstantOp::create(b, worst));
    values.push_back(arith::ConstantOp::create(b, b.getZeroAttr(indexType)));
    return values;
  }
  for (Operation *combiner : each)
    values.push_back(
        arith::ConstantOp::create(b, *arith::getNeutralElement(combiner)));
  return values;
}

} // namespace ingot::ptx
