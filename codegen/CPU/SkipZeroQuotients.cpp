//===- SkipZeroQuotients.cpp - Branch around divisions of zeros -----------===//
// SPDX-License-Identifier: Apache-2.0
//
// In a kernel that updates some rows of a table and then computes all of them,
// as sparse Adam does, most rows may have had no gradient yet, or none for
// long: their moments are zeros. Such a row's quotient is the zero that is
// divided, with its sign, if the divisor is above zero. So no bit changes where
// a vector of zeros is not divided, and divisions and square roots are what the
// loop over all rows takes most of its time for.
//
//===----------------------------------------------------------------------===//

#include "codegen/CPU/Passes.h"
#include "codegen/Kernels/Passes.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::cpu {
#define GEN_PASS_DEF_SKIPZEROQUOTIENTSPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

using namespace mlir;

namespace {

using Builder = ImplicitLocOpBuilder;

Value compare(Builder &b, arith::CmpFPredicate predicate, Value value) {
  Value zero = arith::ConstantOp::create(
      b, cast<TypedAttr>(b.getZeroAttr(value.getType())));
  return arith::CmpFOp::create(b, predicate, value, zero);
}

/// Returns a vector of i1: for each lane, whether `divisor` is certainly above
/// zero, and no NaN. Computes no square root for that: the root of a number
/// that is at least 0 is at least 0, and a sum with a number above zero is
/// above zero. A comparison with a NaN is false.
Value isAboveZero(Builder &b, Value divisor) {
  auto sum = divisor.getDefiningOp<arith::AddFOp>();
  if (auto root = divisor.getDefiningOp<math::SqrtOp>())
    return isAboveZero(b, root.getOperand());
  for (unsigned side : {0, 1})
    if (auto root =
            sum ? sum->getOperand(side).getDefiningOp<math::SqrtOp>() : nullptr)
      return arith::AndIOp::create(
          b, compare(b, arith::CmpFPredicate::OGE, root.getOperand()),
          isAboveZero(b, sum->getOperand(1 - side)));
  return compare(b, arith::CmpFPredicate::OGT, divisor);
}

/// Whether `divisor` is a square root, or a sum with one.
bool needsRoot(Value divisor) {
  if (auto sum = divisor.getDefiningOp<arith::AddFOp>())
    return sum.getLhs().getDefiningOp<math::SqrtOp>() ||
           sum.getRhs().getDefiningOp<math::SqrtOp>();
  return divisor.getDefiningOp<math::SqrtOp>() != nullptr;
}

/// Returns an i1: whether all lanes of `number` are zeros. Compares bits, as a
/// thread that treats denormals as zeros would compare them as zeros, too.
Value areZeros(Builder &b, Value number, Value areDivisible) {
  auto type = cast<VectorType>(number.getType());
  auto bits = VectorType::get(type.getShape(),
                              b.getIntegerType(type.getElementTypeBitWidth()));
  Value magnitude = arith::ShLIOp::create(
      b, arith::BitcastOp::create(b, bits, number),
      arith::ConstantOp::create(
          b, DenseElementsAttr::get(
                 bits, b.getIntegerAttr(bits.getElementType(), 1))));
  Value zero =
      arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(bits)));
  Value isZero =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, magnitude, zero);
  return vector::ReductionOp::create(
      b, vector::CombiningKind::AND,
      arith::AndIOp::create(b, isZero, areDivisible));
}

/// Moves `value`'s definition to the beginning of `block`, which alone uses it,
/// and then the definitions of its operands.
void sink(Value value, Block &block) {
  Operation *op = value.getDefiningOp();
  if (!op || !isa<arith::AddFOp, math::SqrtOp>(op) ||
      op->getBlock() == &block ||
      !llvm::all_of(op->getUsers(), [&](Operation *user) {
        return user->getBlock() == &block;
      }))
    return;
  op->moveBefore(&block, block.begin());
  for (Value operand : op->getOperands())
    sink(operand, block);
}

void guard(arith::DivFOp division) {
  Builder b(division.getLoc(), division);
  Value number = division.getLhs();
  Value skips = areZeros(b, number, isAboveZero(b, division.getRhs()));
  auto branch = scf::IfOp::create(b, division.getType(), skips,
                                  /*withElseRegion=*/true);
  division.replaceAllUsesWith(branch.getResult(0));
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, number);
  b.setInsertionPointToStart(branch.elseBlock());
  division->moveBefore(branch.elseBlock(), branch.elseBlock()->end());
  b.setInsertionPointAfter(division);
  scf::YieldOp::create(b, division.getResult());
  sink(division.getRhs(), *branch.elseBlock());
}

/// Whether `division` is computed for all rows of a table: not in a branch,
/// such as that for the row that an index selects.
bool isForAllRows(arith::DivFOp division, scf::ForOp grid) {
  for (Operation *op = division->getParentOp(); op; op = op->getParentOp()) {
    if (op == grid)
      return true;
    if (!isa<scf::ForOp>(op))
      return false;
  }
  return false;
}

struct SkipZeroQuotients
    : ::ingot::cpu::impl::SkipZeroQuotientsPassBase<SkipZeroQuotients> {
  void runOnOperation() override {
    SmallVector<arith::DivFOp> divisions;
    getOperation().walk([&](scf::ForOp grid) {
      if (!grid->hasAttr(::ingot::kernels::gridRangeAttrName))
        return;
      grid.walk([&](arith::DivFOp division) {
        auto type = dyn_cast<VectorType>(division.getType());
        if (type &&
            (type.getElementType().isF32() || type.getElementType().isF64()) &&
            needsRoot(division.getRhs()) && isForAllRows(division, grid))
          divisions.push_back(division);
      });
    });
    llvm::for_each(divisions, guard);
    numGuarded += divisions.size();
  }
};

} // namespace
