//===- LowerOptimizers.cpp - Steps of optimizers, element by element ------===//
//
// The variable and its slots are the destinations of one elementwise op, so
// that a step is computed in their place.
//
//===----------------------------------------------------------------------===//

#include "dialects/Ingot/OptimizerOps.h"

#include "compiler/Lower/Patterns.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

using Builder = ImplicitLocOpBuilder;

/// Arithmetic on numbers of one type, as formulas write it.
class Number {
public:
  Number(Builder &b, Value value) : b(&b), value(value) {}
  operator Value() const { return value; }

  Number like(double constant) const {
    return {*b, scalar(*b, value.getType(), constant)};
  }
  Number operator+(Number other) const {
    return {*b, arith::AddFOp::create(*b, value, other.value)};
  }
  Number operator-(Number other) const {
    return {*b, arith::SubFOp::create(*b, value, other.value)};
  }
  Number operator*(Number other) const {
    return {*b, arith::MulFOp::create(*b, value, other.value)};
  }
  Number operator/(Number other) const {
    return {*b, arith::DivFOp::create(*b, value, other.value)};
  }
  /// 1 - x.
  Number complement() const { return like(1) - *this; }
  Number square() const { return *this * *this; }
  Number sqrt() const { return {*b, math::SqrtOp::create(*b, value)}; }
  Number exp() const { return {*b, math::ExpOp::create(*b, value)}; }
  Number abs() const { return {*b, math::AbsFOp::create(*b, value)}; }
  Number negated() const { return {*b, arith::NegFOp::create(*b, value)}; }
  Number pow(Number exponent) const {
    return {*b, math::PowFOp::create(*b, value, exponent.value)};
  }
  Number max(Number other) const {
    return {*b, arith::MaximumFOp::create(*b, value, other.value)};
  }
  Value isAbove(Number other) const {
    return arith::CmpFOp::create(*b, arith::CmpFPredicate::OGT, value,
                                 other.value);
  }
  Number select(Value condition, Number otherwise) const {
    return {*b, arith::SelectOp::create(*b, condition, value, otherwise.value)};
  }
  /// -1, 0, 1 or NaN.
  Number sign() const {
    Number zero = like(0);
    Value isBelow =
        arith::CmpFOp::create(*b, arith::CmpFPredicate::OLT, value, zero);
    return like(1).select(isAbove(zero), like(-1).select(isBelow, *this));
  }

private:
  Builder *b;
  Value value;
};

using Numbers = SmallVector<Number>;

/// The proximal operator of l1 |x| + l2 / 2 x^2, scaled by `rate`.
Number proximal(Number x, Number rate, Number l1, Number l2) {
  Number zero = x.like(0);
  Number divisor = x.like(1) + l2 * rate;
  Number rest = x.abs() - rate * l1;
  Number shrunk = x.sign() * zero.select(zero.isAbove(rest), rest);
  return shrunk.select(l1.isAbove(zero), x) / divisor;
}

/// FTRL-proximal; `slope` is what moves the linear slot.
Numbers ftrl(Value lrPower, bool multiply, Number var, Number accum,
             Number linear, Number grad, Number slope, Number lr, Number l1,
             Number l2, Number power) {
  // What everybody uses needs no general power.
  FloatAttr constant;
  bool isRoot = matchPattern(lrPower, m_Constant(&constant)) &&
                constant.getValueAsDouble() == -0.5;
  DenseElementsAttr elements;
  if (matchPattern(lrPower, m_Constant(&elements)) && elements.isSplat())
    isRoot = elements.getSplatValue<APFloat>().convertToDouble() == -0.5;
  auto raised = [&](Number x) {
    return isRoot ? x.sqrt() : x.pow(power.negated());
  };
  Number newAccum = accum + grad.square();
  Number raisedNew = raised(newAccum);
  Number change = raisedNew - raised(accum);
  Number bound = multiply ? l1 * lr : l1;
  Number newLinear = multiply ? linear + (slope * lr - change * var)
                              : linear + (slope - change / lr * var);
  Number divisor = multiply ? raisedNew + l2.like(2) * l2 * lr
                            : raisedNew / lr + l2.like(2) * l2;
  Number moved = (bound * newLinear.sign() - newLinear) / divisor;
  Number newVar = moved.select(newLinear.abs().isAbove(bound), moved.like(0));
  return {newVar, newAccum, newLinear};
}

/// RMSProp's step, from the mean square less what it is centered by.
std::pair<Number, Number> rmsStep(Number var, Number mom, Number square,
                                  Number lr, Number momentum, Number epsilon,
                                  Number grad) {
  Number newMom = mom * momentum + grad * lr / (square + epsilon).sqrt();
  return {var - newMom, newMom};
}

/// The new values of the variable and its slots, by element: `x` are the
/// operands in the op's order.
Numbers compute(Operation *op, const Numbers &x) {
  return llvm::TypeSwitch<Operation *, Numbers>(op)
      .Case<ApplyRMSPropOp>([&](auto) -> Numbers {
        Number ms = x[1] + (x[7].square() - x[1]) * x[4].complement();
        auto [var, mom] = rmsStep(x[0], x[2], ms, x[3], x[5], x[6], x[7]);
        return {var, ms, mom};
      })
      .Case<ApplyCenteredRMSPropOp>([&](auto) -> Numbers {
        Number grad = x[8], rate = x[5].complement();
        Number ms = x[2] + (grad.square() - x[2]) * rate;
        Number mg = x[1] + (grad - x[1]) * rate;
        auto [var, mom] =
            rmsStep(x[0], x[3], ms - mg.square(), x[4], x[6], x[7], grad);
        return {var, mg, ms, mom};
      })
      .Case<ApplyAdagradOp>([&](ApplyAdagradOp step) -> Numbers {
        Number accum = step.getUpdateSlots() ? x[1] + x[3].square() : x[1];
        return {x[0] - x[3] * x[2] / accum.sqrt(), accum};
      })
      .Case<ApplyAdagradV2Op>([&](ApplyAdagradV2Op step) -> Numbers {
        Number accum = step.getUpdateSlots() ? x[1] + x[4].square() : x[1];
        return {x[0] - x[4] * x[2] / (accum.sqrt() + x[3]), accum};
      })
      .Case<ApplyAdadeltaOp>([&](auto) -> Numbers {
        Number rho = x[4], epsilon = x[5], grad = x[6];
        Number accum = x[1] * rho + grad.square() * rho.complement();
        Number update =
            (x[2] + epsilon).sqrt() / (accum + epsilon).sqrt() * grad;
        Number updates = x[2] * rho + update.square() * rho.complement();
        return {x[0] - update * x[3], accum, updates};
      })
      .Case<ApplyAdamWithAmsgradOp>([&](auto) -> Numbers {
        Number grad = x[10];
        Number alpha = x[6] * x[5].complement().sqrt() / x[4].complement();
        Number m = x[1] + (grad - x[1]) * x[7].complement();
        Number v = x[2] + (grad.square() - x[2]) * x[8].complement();
        Number vhat = x[3].max(v);
        return {x[0] - m * alpha / (vhat.sqrt() + x[9]), m, v, vhat};
      })
      .Case<ApplyAdaMaxOp>([&](auto) -> Numbers {
        Number grad = x[8];
        Number m = x[1] + (grad - x[1]) * x[5].complement();
        Number v = (x[6] * x[2]).max(grad.abs());
        Number rate = x[4] / x[3].complement();
        return {x[0] - rate * (m / (v + x[7])), m, v};
      })
      .Case<ApplyKerasMomentumOp>([&](ApplyKerasMomentumOp step) -> Numbers {
        Number descent = x[3] * x[2];
        Number accum = x[1] * x[4] - descent;
        return {step.getUseNesterov() ? x[0] + (accum * x[4] - descent)
                                      : x[0] + accum,
                accum};
      })
      .Case<ApplyFtrlOp>([&](ApplyFtrlOp step) {
        return ftrl(step.getLrPower(), step.getMultiplyLinearByLr(), x[0], x[1],
                    x[2], x[3], x[3], x[4], x[5], x[6], x[7]);
      })
      .Case<ApplyFtrlV2Op>([&](ApplyFtrlV2Op step) {
        Number slope = x[3] + x[7].like(2) * x[7] * x[0];
        return ftrl(step.getLrPower(), step.getMultiplyLinearByLr(), x[0], x[1],
                    x[2], x[3], slope, x[4], x[5], x[6], x[8]);
      })
      .Case<ApplyProximalGradientDescentOp>([&](auto) -> Numbers {
        return {proximal(x[0] - x[4] * x[1], x[1], x[2], x[3])};
      })
      .Case<ApplyProximalAdagradOp>([&](auto) -> Numbers {
        Number accum = x[1] + x[5].square();
        Number rate = x[2] / accum.sqrt();
        return {proximal(x[0] - x[5] * rate, rate, x[3], x[4]), accum};
      })
      .Case<ApplyAddSignOp>([&](auto) -> Numbers {
        Number grad = x[6];
        Number m = x[1] * x[5] + grad * x[5].complement();
        Number scale = x[3] + x[4] * (grad.sign() * m.sign());
        return {x[0] - x[2] * scale * grad, m};
      })
      .Case<ApplyPowerSignOp>([&](auto) -> Numbers {
        Number grad = x[6];
        Number m = x[1] * x[5] + grad * x[5].complement();
        Number scale = (x[3] * x[4] * (grad.sign() * m.sign())).exp();
        return {x[0] - x[2] * scale * grad, m};
      });
}

template <typename OpTy> struct LowerOptimizer : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    unsigned numStates = op->getNumResults();
    ValueRange states = op->getOperands().take_front(numStates);
    ValueRange rest = op->getOperands().drop_front(numStates);
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    auto update =
        elementwise(rewriter, op.getLoc(), type.getShape(), rest, states,
                    [&](Builder &b, ValueRange values) {
                      Numbers x;
                      for (Value value : values.drop_front(rest.size()))
                        x.push_back({b, value});
                      for (Value value : values.take_front(rest.size()))
                        x.push_back({b, value});
                      SmallVector<Value> results;
                      for (Number number : compute(op, x))
                        results.push_back(number);
                      return results;
                    });
    rewriter.replaceOp(op, update.getResults());
    return success();
  }
};

template <typename... OpTys> void add(RewritePatternSet &patterns) {
  patterns.add<LowerOptimizer<OpTys>...>(patterns.getContext());
}

} // namespace

void ::ingot::lower::populateOptimizerPatterns(RewritePatternSet &patterns) {
  add<ApplyRMSPropOp, ApplyCenteredRMSPropOp, ApplyAdagradOp, ApplyAdagradV2Op,
      ApplyAdadeltaOp, ApplyAdamWithAmsgradOp, ApplyAdaMaxOp,
      ApplyKerasMomentumOp, ApplyFtrlOp, ApplyFtrlV2Op,
      ApplyProximalGradientDescentOp, ApplyProximalAdagradOp, ApplyAddSignOp,
      ApplyPowerSignOp>(patterns);
}
