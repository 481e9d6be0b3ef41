//===- LowerElementwise.cpp - Arithmetic, element by element --------------===//

#include "compiler/Lower/Patterns.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

using Builder = ImplicitLocOpBuilder;

bool isFloat(Value value) { return isa<FloatType>(value.getType()); }

template <typename FloatOp, typename IntOp>
Value arithmetic(Builder &b, Value lhs, Value rhs) {
  if (isFloat(lhs))
    return FloatOp::create(b, lhs, rhs);
  return IntOp::create(b, lhs, rhs);
}

Value compare(Builder &b, arith::CmpFPredicate onFloats,
              arith::CmpIPredicate onInts, Value lhs, Value rhs) {
  if (isFloat(lhs))
    return arith::CmpFOp::create(b, onFloats, lhs, rhs);
  return arith::CmpIOp::create(b, onInts, lhs, rhs);
}

/// The larger (or smaller) one; a NaN on either side is the result.
Value extreme(Builder &b, Value lhs, Value rhs, bool larger) {
  if (!isFloat(lhs))
    return larger ? Value(arith::MaxSIOp::create(b, lhs, rhs))
                  : Value(arith::MinSIOp::create(b, lhs, rhs));
  return larger ? Value(arith::MaximumFOp::create(b, lhs, rhs))
                : Value(arith::MinimumFOp::create(b, lhs, rhs));
}

Value sign(Builder &b, Value x) {
  Value zero = scalar(b, x.getType(), 0);
  Value one = scalar(b, x.getType(), 1);
  Value minusOne = scalar(b, x.getType(), -1);
  Value above =
      compare(b, arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt, x, zero);
  Value below =
      compare(b, arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt, x, zero);
  // Adding +0 gives TensorFlow's +0 for -0 and leaves a NaN.
  Value rest = isFloat(x) ? Value(arith::AddFOp::create(b, x, zero)) : x;
  Value otherwise = arith::SelectOp::create(b, below, minusOne, rest);
  return arith::SelectOp::create(b, above, one, otherwise);
}

Value absolute(Builder &b, Value x) {
  if (isFloat(x))
    return math::AbsFOp::create(b, x);
  return math::AbsIOp::create(b, x);
}

/// Zero below zero; a comparison, so that a NaN passes.
Value relu(Builder &b, Value x) {
  Value zero = scalar(b, x.getType(), 0);
  Value below =
      compare(b, arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt, x, zero);
  return arith::SelectOp::create(b, below, zero, x);
}

Value castTo(Builder &b, Value x, Type to) {
  Type from = x.getType();
  if (from == to)
    return x;
  bool fromBool = from.isInteger(1);
  if (to.isInteger(1))
    return compare(b, arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne, x,
                   scalar(b, from, 0));
  if (isa<FloatType>(from) && isa<FloatType>(to))
    return from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth()
               ? Value(arith::ExtFOp::create(b, to, x))
               : Value(arith::TruncFOp::create(b, to, x));
  if (isa<FloatType>(from))
    return arith::FPToSIOp::create(b, to, x);
  if (isa<FloatType>(to))
    return fromBool ? Value(arith::UIToFPOp::create(b, to, x))
                    : Value(arith::SIToFPOp::create(b, to, x));
  if (from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth())
    return arith::TruncIOp::create(b, to, x);
  return fromBool ? Value(arith::ExtUIOp::create(b, to, x))
                  : Value(arith::ExtSIOp::create(b, to, x));
}

/// One element of the result of `op` from one of each operand.
Value compute(Builder &b, Operation *op, ValueRange x) {
  using FP = arith::CmpFPredicate;
  using IP = arith::CmpIPredicate;
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<AbsOp>([&](auto) { return absolute(b, x[0]); })
      .Case<NegOp>([&](auto) -> Value {
        if (isFloat(x[0]))
          return arith::NegFOp::create(b, x[0]);
        return arith::SubIOp::create(b, scalar(b, x[0].getType(), 0), x[0]);
      })
      .Case<SignOp>([&](auto) { return sign(b, x[0]); })
      .Case<SqrtOp>([&](auto) { return math::SqrtOp::create(b, x[0]); })
      .Case<SquareOp>([&](auto) {
        return arithmetic<arith::MulFOp, arith::MulIOp>(b, x[0], x[0]);
      })
      .Case<ExpOp>([&](auto) { return math::ExpOp::create(b, x[0]); })
      .Case<LogOp>([&](auto) { return math::LogOp::create(b, x[0]); })
      .Case<TanhOp>([&](auto) { return math::TanhOp::create(b, x[0]); })
      .Case<ReluOp>([&](auto) { return relu(b, x[0]); })
      .Case<LogicalNotOp>([&](auto) {
        return arith::XOrIOp::create(b, x[0], scalar(b, x[0].getType(), 1));
      })
      .Case<AddOp>([&](auto) {
        return arithmetic<arith::AddFOp, arith::AddIOp>(b, x[0], x[1]);
      })
      .Case<SubOp>([&](auto) {
        return arithmetic<arith::SubFOp, arith::SubIOp>(b, x[0], x[1]);
      })
      .Case<MulOp>([&](auto) {
        return arithmetic<arith::MulFOp, arith::MulIOp>(b, x[0], x[1]);
      })
      .Case<RealDivOp>(
          [&](auto) { return arith::DivFOp::create(b, x[0], x[1]); })
      .Case<DivNoNanOp>([&](auto) {
        Value zero = scalar(b, x[0].getType(), 0);
        Value isZero = arith::CmpFOp::create(b, FP::OEQ, x[1], zero);
        return arith::SelectOp::create(b, isZero, zero,
                                       arith::DivFOp::create(b, x[0], x[1]));
      })
      .Case<MaximumOp>([&](auto) { return extreme(b, x[0], x[1], true); })
      .Case<MinimumOp>([&](auto) { return extreme(b, x[0], x[1], false); })
      .Case<SquaredDifferenceOp>([&](auto) {
        Value d = arithmetic<arith::SubFOp, arith::SubIOp>(b, x[0], x[1]);
        return arithmetic<arith::MulFOp, arith::MulIOp>(b, d, d);
      })
      .Case<ReluGradOp>([&](auto) {
        Value zero = scalar(b, x[0].getType(), 0);
        Value above = compare(b, FP::OGT, IP::sgt, x[1], zero);
        // TensorFlow multiplies, so that infinite gradients and NaNs show.
        Value rest =
            isFloat(x[0]) ? Value(arith::MulFOp::create(b, x[0], zero)) : zero;
        return arith::SelectOp::create(b, above, x[0], rest);
      })
      .Case<LogicalAndOp>(
          [&](auto) { return arith::AndIOp::create(b, x[0], x[1]); })
      .Case<LogicalOrOp>(
          [&](auto) { return arith::OrIOp::create(b, x[0], x[1]); })
      .Case<EqualOp>(
          [&](auto) { return compare(b, FP::OEQ, IP::eq, x[0], x[1]); })
      .Case<NotEqualOp>(
          [&](auto) { return compare(b, FP::UNE, IP::ne, x[0], x[1]); })
      .Case<LessOp>(
          [&](auto) { return compare(b, FP::OLT, IP::slt, x[0], x[1]); })
      .Case<LessEqualOp>(
          [&](auto) { return compare(b, FP::OLE, IP::sle, x[0], x[1]); })
      .Case<GreaterOp>(
          [&](auto) { return compare(b, FP::OGT, IP::sgt, x[0], x[1]); })
      .Case<GreaterEqualOp>(
          [&](auto) { return compare(b, FP::OGE, IP::sge, x[0], x[1]); })
      .Case<SelectOp>(
          [&](auto) { return arith::SelectOp::create(b, x[0], x[1], x[2]); })
      .Case<CastOp>([&](CastOp cast) {
        return castTo(b, x[0], getElementTypeOrSelf(cast.getType()));
      })
      .Case<AddNOp>([&](AddNOp sum) {
        Value total = x[0];
        for (Value next : x.slice(1, sum.getInputs().size() - 1))
          total = arithmetic<arith::AddFOp, arith::AddIOp>(b, total, next);
        return total;
      });
}

template <typename OpTy> struct LowerElementwise : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    auto lowered =
        elementwise(rewriter, op.getLoc(), type.getShape(), op->getOperands(),
                    emptyTensor(rewriter, op.getLoc(),
                                broadcastSizes(rewriter, op.getLoc(), type,
                                               op->getOperands()),
                                type.getElementType()),
                    [&](Builder &b, ValueRange x) {
                      return SmallVector<Value>{compute(b, op, x)};
                    });
    rewriter.replaceOp(op, lowered.getResults());
    return success();
  }
};

template <typename... OpTys> void add(RewritePatternSet &patterns) {
  patterns.add<LowerElementwise<OpTys>...>(patterns.getContext());
}

} // namespace

void ::ingot::lower::populateElementwisePatterns(RewritePatternSet &patterns) {
  add<AbsOp, NegOp, SignOp, SqrtOp, SquareOp, ExpOp, LogOp, TanhOp, ReluOp,
      LogicalNotOp, AddOp, SubOp, MulOp, RealDivOp, DivNoNanOp, MaximumOp,
      MinimumOp, SquaredDifferenceOp, ReluGradOp, LogicalAndOp, LogicalOrOp,
      EqualOp, NotEqualOp, LessOp, LessEqualOp, GreaterOp, GreaterEqualOp,
      SelectOp, CastOp, AddNOp>(patterns);
}
