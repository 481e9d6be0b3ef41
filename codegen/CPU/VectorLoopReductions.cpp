//===- VectorLoopReductions.cpp - Parts of a reduction's loops ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/CPU/VectorLoopLowering.h"

using namespace mlir;

namespace ingot::cpu {

vector::CombiningKind VectorLoopLowering::kindOf(Operation *combiner) {
  using Kind = vector::CombiningKind;
  if (isa<arith::AddFOp, arith::AddIOp>(combiner))
    return Kind::ADD;
  if (isa<arith::MulFOp, arith::MulIOp>(combiner))
    return Kind::MUL;
  return isa<arith::MaximumFOp>(combiner) ? Kind::MAXIMUMF : Kind::MINIMUMF;
}

static arith::AtomicRMWKind kindOfAtomic(Operation *combiner) {
  using Kind = arith::AtomicRMWKind;
  if (isa<arith::AddFOp>(combiner))
    return Kind::addf;
  if (isa<arith::AddIOp>(combiner))
    return Kind::addi;
  if (isa<arith::MulFOp>(combiner))
    return Kind::mulf;
  if (isa<arith::MulIOp>(combiner))
    return Kind::muli;
  return isa<arith::MaximumFOp>(combiner) ? Kind::maximumf : Kind::minimumf;
}

bool VectorLoopLowering::isExtreme(Operation *combiner) {
  return isa<arith::MaximumFOp, arith::MinimumFOp>(combiner);
}

Value VectorLoopLowering::combined(Operation *combiner, Value a, Value b) {
  OperationState state(combiner->getLoc(), combiner->getName());
  state.operands = {a, b};
  state.types = {a.getType()};
  state.propertiesAttr = combiner->getPropertiesAsAttribute();
  return builder.create(state)->getResult(0);
}

Value VectorLoopLowering::neutralOf(Operation *combiner, Type type) {
  TypedAttr neutral = arith::getIdentityValueAttr(kindOfAtomic(combiner),
                                                  getElementTypeOrSelf(type),
                                                  builder, builder.getLoc());
  if (auto vector = dyn_cast<VectorType>(type))
    neutral = DenseElementsAttr::get(vector, Attribute(neutral));
  return arith::ConstantOp::create(builder, neutral);
}

/// Maps the bits of floats to integers in the order of the floats, and back: -0
/// is below +0, and a NaN is beyond an infinity of its sign.
static Value orderedBits(ImplicitLocOpBuilder &b, Value bits) {
  unsigned width = getElementTypeOrSelf(bits.getType()).getIntOrFloatBitWidth();
  auto number = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(
        b, bits.getType(),
        isa<VectorType>(bits.getType())
            ? TypedAttr(DenseElementsAttr::get(cast<ShapedType>(bits.getType()),
                                               value))
            : TypedAttr(b.getIntegerAttr(bits.getType(), value)));
  };
  Value signs =
      arith::ShRSIOp::create(b, bits, number(APInt(width, width - 1)));
  Value flips =
      arith::AndIOp::create(b, signs, number(APInt::getSignedMaxValue(width)));
  return arith::XOrIOp::create(b, bits, flips);
}

Value VectorLoopLowering::reduceLanes(Operation *combiner, Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type)
    return value;
  Type element = type.getElementType();
  unsigned width = element.getIntOrFloatBitWidth();
  constexpr unsigned wide = 32;
  if (width < wide) {
    Value start = vector::ExtractOp::create(builder, value, 0);
    return vector::ReductionOp::create(builder, kindOf(combiner), value, start);
  }
  // The lanes are compared as integers, as LLVM has one instruction for the
  // maximum of integers and six for that of floats, of which each step would
  // wait for the one before.
  bool isMax = isa<arith::MaximumFOp>(combiner);
  Type integers = type.clone(builder.getIntegerType(width));
  auto all = [&](const APInt &bits) {
    return arith::ConstantOp::create(
        builder, DenseElementsAttr::get(cast<ShapedType>(integers), bits));
  };
  Value bits = arith::BitcastOp::create(builder, integers, value);
  // A NaN with the sign of the extreme is beyond all numbers.
  Value isNaN =
      arith::CmpFOp::create(builder, arith::CmpFPredicate::UNO, value, value);
  Value beyond =
      isMax
          ? arith::AndIOp::create(builder, bits,
                                  all(APInt::getSignedMaxValue(width)))
                .getResult()
          : arith::OrIOp::create(builder, bits, all(APInt::getSignMask(width)))
                .getResult();
  bits = arith::SelectOp::create(builder, isNaN, beyond, bits);
  Value extreme = vector::ReductionOp::create(
      builder,
      isMax ? vector::CombiningKind::MAXSI : vector::CombiningKind::MINSI,
      orderedBits(builder, bits));
  return arith::BitcastOp::create(builder, element,
                                  orderedBits(builder, extreme));
}

/// Returns what `value`, an integer or index, was cast from, if it was.
static Value withoutCast(Value value) {
  auto cast = value.getDefiningOp<arith::IndexCastOp>();
  return cast ? cast.getIn() : value;
}

bool VectorLoopLowering::findPick() {
  // An integer of this size tells all indices of the row apart.
  constexpr unsigned leastBits = 32;
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 1 ||
      isDynamic(inner) || ranges[inner] > std::numeric_limits<int32_t>::max())
    return false;
  Value yielded = op.getBlock()->getTerminator()->getOperand(0);
  auto select = yielded.getDefiningOp<arith::SelectOp>();
  Value accumulated = op.getBlock()->getArguments().back();
  if (!select || select.getFalseValue() != accumulated ||
      !accumulated.hasOneUse())
    return false;
  auto isHere = select.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!isHere || isHere.getPredicate() != arith::CmpIPredicate::eq)
    return false;
  if (auto type = dyn_cast<IntegerType>(isHere.getLhs().getType());
      type && type.getWidth() < leastBits)
    return false;
  Value sides[] = {withoutCast(isHere.getLhs()), withoutCast(isHere.getRhs())};
  for (unsigned side : {0, 1}) {
    auto index = sides[side].getDefiningOp<linalg::IndexOp>();
    auto place = dyn_cast<BlockArgument>(sides[1 - side]);
    if (!index || static_cast<int64_t>(index.getDim()) != inner || !place ||
        place.getOwner() != op.getBlock())
      continue;
    OpOperand *operand = op.getMatchingOpOperand(place);
    if (!op.isDpsInput(operand) ||
        accessOf(*operand) != AccessPattern::Invariant)
      continue;
    picked = operand;
    return true;
  }
  return false;
}

void VectorLoopLowering::pick() {
  position[inner] = at(0);
  Value place = loadElement(*picked);
  if (!isa<IndexType>(place.getType()))
    place = arith::IndexCastOp::create(builder, builder.getIndexType(), place);
  // A negative place is a very large unsigned number.
  Value isInside = arith::CmpIOp::create(builder, arith::CmpIPredicate::ult,
                                         place, at(ranges[inner]));
  auto branch = scf::IfOp::create(builder, isInside, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  position[inner] = place;
  step(1);
}

} // namespace ingot::cpu
