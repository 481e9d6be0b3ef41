//===- LowerOptimizers.cpp - Optimizer updates as elementwise ops ---------===//
// SPDX-License-Identifier: Apache-2.0
//
// Lowers optimizer ops. The variable and its slots are destinations of one
// elementwise op, which updates them in place. Each update rule is an overload
// of `step`, which returns the new values in the order of the op's results.
//
//===----------------------------------------------------------------------===//

#include "dialects/Ingot/IR/OptimizerOps.h"
#include "dialects/Ingot/IR/ScatterOps.h"
#include "runtime/ABI/Mutants.h"

#include "compiler/Lower/Patterns.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

using Builder = ImplicitLocOpBuilder;

/// A scalar value of the update rule. The operators emit arithmetic ops, so
/// that update rules read like formulas.
class UpdateRuleScalar {
public:
  UpdateRuleScalar() = default; // an operand that the update rule does not use
  UpdateRuleScalar(Builder &b, Value value) : b(&b), value(value) {}
  operator Value() const { return value; }

  UpdateRuleScalar like(double constant) const {
    return {*b, scalar(*b, value.getType(), constant)};
  }
  UpdateRuleScalar operator+(UpdateRuleScalar other) const {
    return {*b, arith::AddFOp::create(*b, value, other.value)};
  }
  UpdateRuleScalar operator-(UpdateRuleScalar other) const {
    return {*b, arith::SubFOp::create(*b, value, other.value)};
  }
  UpdateRuleScalar operator*(UpdateRuleScalar other) const {
    return {*b, arith::MulFOp::create(*b, value, other.value)};
  }
  UpdateRuleScalar operator/(UpdateRuleScalar other) const {
    return {*b, arith::DivFOp::create(*b, value, other.value)};
  }
  UpdateRuleScalar complement() const { return like(1) - *this; }
  UpdateRuleScalar square() const { return *this * *this; }
  UpdateRuleScalar sqrt() const {
    return {*b, math::SqrtOp::create(*b, value)};
  }
  UpdateRuleScalar exp() const { return {*b, math::ExpOp::create(*b, value)}; }
  UpdateRuleScalar abs() const { return {*b, math::AbsFOp::create(*b, value)}; }
  UpdateRuleScalar negated() const {
    return {*b, arith::NegFOp::create(*b, value)};
  }
  UpdateRuleScalar pow(UpdateRuleScalar exponent) const {
    return {*b, math::PowFOp::create(*b, value, exponent.value)};
  }
  UpdateRuleScalar max(UpdateRuleScalar other) const {
    return {*b, arith::MaximumFOp::create(*b, value, other.value)};
  }
  Value isAbove(UpdateRuleScalar other) const {
    return arith::CmpFOp::create(*b, arith::CmpFPredicate::OGT, value,
                                 other.value);
  }
  UpdateRuleScalar select(Value condition, UpdateRuleScalar otherwise) const {
    return {*b, arith::SelectOp::create(*b, condition, value, otherwise.value)};
  }
  /// Returns -1, 0 or 1; NaN for NaN.
  UpdateRuleScalar sign() const {
    UpdateRuleScalar zero = like(0);
    Value isBelow =
        arith::CmpFOp::create(*b, arith::CmpFPredicate::OLT, value, zero);
    return like(1).select(isAbove(zero), like(-1).select(isBelow, *this));
  }

  /// Converts this integer to the float type of `other`. The conversion goes by
  /// way of float32, as in TensorFlow, so that the result is rounded as
  /// TensorFlow's is.
  UpdateRuleScalar asLike(UpdateRuleScalar other) const {
    Type single = b->getF32Type(), type = other.value.getType();
    Value number = arith::SIToFPOp::create(*b, single, value);
    if (type.getIntOrFloatBitWidth() > 32)
      number = arith::ExtFOp::create(*b, type, number);
    else if (type != single)
      number = arith::TruncFOp::create(*b, type, number);
    return {*b, number};
  }

private:
  Builder *b = nullptr;
  Value value;
};

using ScalarValues = SmallVector<UpdateRuleScalar>;

/// The operands of an optimizer op as numbers, with accessors by name.
template <typename OpTy>
using On = typename OpTy::template GenericAdaptor<ArrayRef<UpdateRuleScalar>>;

/// Applies the proximal operator of l1 |x| + l2 / 2 x^2, with step size `rate`,
/// to `x`. This shrinks x towards zero (Duchi and Singer 2009, FOBOS).
UpdateRuleScalar proximal(UpdateRuleScalar x, UpdateRuleScalar rate,
                          UpdateRuleScalar l1, UpdateRuleScalar l2) {
  UpdateRuleScalar zero = x.like(0);
  UpdateRuleScalar divisor = x.like(1) + l2 * rate;
  UpdateRuleScalar rest = x.abs() - rate * l1;
  UpdateRuleScalar shrunk = x.sign() * zero.select(zero.isAbove(rest), rest);
  return shrunk.select(l1.isAbove(zero), x) / divisor;
}

/// Returns the new variable, accumulator and linear slot of FTRL-proximal
/// (McMahan et al. 2013), of which TensorFlow has two versions. They differ
/// only in `slope`, the gradient that is added to the linear slot.
template <typename OpTy>
ScalarValues ftrl(OpTy op, On<OpTy> x, UpdateRuleScalar slope) {
  UpdateRuleScalar accum = x.getAccum(), lr = x.getLr(), l1 = x.getL1(),
                   l2 = x.getL2();
  // For the default power of -0.5, a square root replaces the power function.
  FloatAttr constant;
  bool isRoot = matchPattern(op.getLrPower(), m_Constant(&constant)) &&
                constant.getValueAsDouble() == -0.5;
  DenseElementsAttr elements;
  if (matchPattern(op.getLrPower(), m_Constant(&elements)) &&
      elements.isSplat())
    isRoot = elements.getSplatValue<APFloat>().convertToDouble() == -0.5;
  auto raised = [&](UpdateRuleScalar number) {
    return isRoot ? number.sqrt() : number.pow(x.getLrPower().negated());
  };
  bool multiply = op.getMultiplyLinearByLr();
  UpdateRuleScalar newAccum = accum + x.getGrad().square();
  UpdateRuleScalar raisedNew = raised(newAccum);
  UpdateRuleScalar change = raisedNew - raised(accum);
  UpdateRuleScalar bound = multiply ? l1 * lr : l1;
  UpdateRuleScalar newLinear =
      multiply ? x.getLinear() + (slope * lr - change * x.getVar())
               : x.getLinear() + (slope - change / lr * x.getVar());
  UpdateRuleScalar divisor = multiply ? raisedNew + l2.like(2) * l2 * lr
                                      : raisedNew / lr + l2.like(2) * l2;
  UpdateRuleScalar moved = (bound * newLinear.sign() - newLinear) / divisor;
  // If the linear slot is NaN, a dense update sets the variable to zero, and a
  // row-sparse one sets its row to NaN, as in TensorFlow's kernels.
  bool isRow = bool(op->template getParentOfType<UpdateRowsOp>());
  UpdateRuleScalar other =
      isRow ? (newLinear - newLinear) / divisor : moved.like(0);
  UpdateRuleScalar newVar = moved.select(newLinear.abs().isAbove(bound), other);
  return {newVar, newAccum, newLinear};
}

/// Returns the new variable and the new momentum of an RMSProp step. `square`
/// is the moving average of squared gradients, from which centered RMSProp has
/// subtracted the square of the gradients' moving average.
template <typename AdaptorT>
std::pair<UpdateRuleScalar, UpdateRuleScalar> rmsStep(AdaptorT x,
                                                      UpdateRuleScalar square) {
  UpdateRuleScalar mom =
      x.getMom() * x.getMomentum() +
      x.getGrad() * x.getLr() / (square + x.getEpsilon()).sqrt();
  return {x.getVar() - mom, mom};
}

/// Returns the new value of a moving average: average + (1 - decay) * (value -
/// average).
UpdateRuleScalar moved(UpdateRuleScalar average, UpdateRuleScalar value,
                       UpdateRuleScalar decay) {
  return average + (value - average) * decay.complement();
}

/// Returns Adam's learning rate, corrected for the bias of moments that start
/// at zero (Kingma and Ba 2015).
template <typename AdaptorT> UpdateRuleScalar adamRate(AdaptorT x) {
  return x.getLr() * x.getBeta2Power().complement().sqrt() /
         x.getBeta1Power().complement();
}

ScalarValues step(ApplyGradientDescentOp, On<ApplyGradientDescentOp> x) {
  return {x.getVar() - x.getDelta() * x.getAlpha()};
}

ScalarValues step(ApplyMomentumOp op, On<ApplyMomentumOp> x) {
  UpdateRuleScalar lr = x.getLr(), momentum = x.getMomentum();
  UpdateRuleScalar accum = x.getAccum() * momentum + x.getGrad();
  return {x.getVar() - (op.getUseNesterov()
                            ? x.getGrad() * lr + accum * momentum * lr
                            : accum * lr),
          accum};
}

ScalarValues step(ApplyKerasMomentumOp op, On<ApplyKerasMomentumOp> x) {
  UpdateRuleScalar descent = x.getGrad() * x.getLr();
  UpdateRuleScalar accum = x.getAccum() * x.getMomentum() - descent;
  return {op.getUseNesterov() ? x.getVar() + (accum * x.getMomentum() - descent)
                              : x.getVar() + accum,
          accum};
}

/// Returns Adam's bias-corrected learning rate. It is the same for all elements
/// of the variable, so it is computed only once, in an op of one element, and
/// passed to `step` as `rate`. This applies to every optimizer op with an
/// overload of `once`.
UpdateRuleScalar once(ApplyAdamOp, On<ApplyAdamOp> x) { return adamRate(x); }

ScalarValues step(ApplyAdamOp op, On<ApplyAdamOp> x, UpdateRuleScalar rate) {
  UpdateRuleScalar grad = x.getGrad();
  UpdateRuleScalar m = moved(x.getM(), grad, x.getBeta1());
  UpdateRuleScalar v = moved(x.getV(), grad.square(), x.getBeta2());
  UpdateRuleScalar direction =
      op.getUseNesterov() ? m * x.getBeta1() + grad * x.getBeta1().complement()
                          : m;
  if (INGOT_MUTANT("wrong_slot"))
    std::swap(m, v);
  return {x.getVar() - direction * rate / (v.sqrt() + x.getEpsilon()), m, v};
}

ScalarValues step(ApplyAdamWithAmsgradOp, On<ApplyAdamWithAmsgradOp> x) {
  UpdateRuleScalar grad = x.getGrad();
  UpdateRuleScalar rate = adamRate(x);
  UpdateRuleScalar m = moved(x.getM(), grad, x.getBeta1());
  UpdateRuleScalar v = moved(x.getV(), grad.square(), x.getBeta2());
  UpdateRuleScalar vhat = x.getVhat().max(v);
  return {x.getVar() - m * rate / (vhat.sqrt() + x.getEpsilon()), m, v, vhat};
}

ScalarValues step(ApplyAdaMaxOp, On<ApplyAdaMaxOp> x) {
  UpdateRuleScalar m = moved(x.getM(), x.getGrad(), x.getBeta1());
  UpdateRuleScalar v = (x.getBeta2() * x.getV()).max(x.getGrad().abs());
  UpdateRuleScalar rate = x.getLr() / x.getBeta1Power().complement();
  return {x.getVar() - rate * (m / (v + x.getEpsilon())), m, v};
}

ScalarValues step(ApplyRMSPropOp, On<ApplyRMSPropOp> x) {
  UpdateRuleScalar ms = moved(x.getMs(), x.getGrad().square(), x.getRho());
  auto [var, mom] = rmsStep(x, ms);
  return {var, ms, mom};
}

ScalarValues step(ApplyCenteredRMSPropOp, On<ApplyCenteredRMSPropOp> x) {
  UpdateRuleScalar ms = moved(x.getMs(), x.getGrad().square(), x.getRho());
  UpdateRuleScalar mg = moved(x.getMg(), x.getGrad(), x.getRho());
  auto [var, mom] = rmsStep(x, ms - mg.square());
  return {var, mg, ms, mom};
}

ScalarValues step(ApplyAdagradOp op, On<ApplyAdagradOp> x) {
  UpdateRuleScalar grad = x.getGrad();
  UpdateRuleScalar accum =
      op.getUpdateSlots() ? x.getAccum() + grad.square() : x.getAccum();
  return {x.getVar() - grad * x.getLr() / accum.sqrt(), accum};
}

ScalarValues step(ApplyAdagradV2Op op, On<ApplyAdagradV2Op> x) {
  UpdateRuleScalar grad = x.getGrad();
  UpdateRuleScalar accum =
      op.getUpdateSlots() ? x.getAccum() + grad.square() : x.getAccum();
  return {x.getVar() - grad * x.getLr() / (accum.sqrt() + x.getEpsilon()),
          accum};
}

ScalarValues step(ApplyAdagradDAOp, On<ApplyAdagradDAOp> x) {
  UpdateRuleScalar grad = x.getGrad(), lr = x.getLr(), l1 = x.getL1();
  UpdateRuleScalar sum = x.getGradientAccumulator() + grad;
  UpdateRuleScalar squares = x.getGradientSquaredAccumulator() + grad.square();
  UpdateRuleScalar number = x.getGlobalStep().asLike(lr), zero = lr.like(0);
  UpdateRuleScalar shrunk = sum.sign() * (sum.abs() - number * l1).max(zero);
  UpdateRuleScalar moved = lr.negated() * shrunk.select(l1.isAbove(zero), sum);
  UpdateRuleScalar divisor = x.getL2() * (number * lr) + squares.sqrt();
  return {moved / divisor, sum, squares};
}

ScalarValues step(ApplyAdadeltaOp, On<ApplyAdadeltaOp> x) {
  UpdateRuleScalar rho = x.getRho(), epsilon = x.getEpsilon(),
                   grad = x.getGrad();
  UpdateRuleScalar accum =
      x.getAccum() * rho + grad.square() * rho.complement();
  UpdateRuleScalar update =
      (x.getAccumUpdate() + epsilon).sqrt() / (accum + epsilon).sqrt() * grad;
  UpdateRuleScalar updates =
      x.getAccumUpdate() * rho + update.square() * rho.complement();
  return {x.getVar() - update * x.getLr(), accum, updates};
}

ScalarValues step(ApplyFtrlOp op, On<ApplyFtrlOp> x) {
  return ftrl(op, x, x.getGrad());
}

ScalarValues step(ApplyFtrlV2Op op, On<ApplyFtrlV2Op> x) {
  UpdateRuleScalar shrinkage = x.getL2Shrinkage();
  return ftrl(op, x, x.getGrad() + shrinkage.like(2) * shrinkage * x.getVar());
}

ScalarValues step(ApplyProximalGradientDescentOp,
                  On<ApplyProximalGradientDescentOp> x) {
  UpdateRuleScalar rate = x.getAlpha();
  return {
      proximal(x.getVar() - x.getDelta() * rate, rate, x.getL1(), x.getL2())};
}

ScalarValues step(ApplyProximalAdagradOp, On<ApplyProximalAdagradOp> x) {
  UpdateRuleScalar accum = x.getAccum() + x.getGrad().square();
  UpdateRuleScalar rate = x.getLr() / accum.sqrt();
  return {proximal(x.getVar() - x.getGrad() * rate, rate, x.getL1(), x.getL2()),
          accum};
}

ScalarValues step(ApplyAddSignOp, On<ApplyAddSignOp> x) {
  UpdateRuleScalar grad = x.getGrad(), beta = x.getBeta();
  UpdateRuleScalar m = x.getM() * beta + grad * beta.complement();
  UpdateRuleScalar scale =
      x.getAlpha() + x.getSignDecay() * (grad.sign() * m.sign());
  return {x.getVar() - x.getLr() * scale * grad, m};
}

ScalarValues step(ApplyPowerSignOp, On<ApplyPowerSignOp> x) {
  UpdateRuleScalar grad = x.getGrad(), beta = x.getBeta();
  UpdateRuleScalar m = x.getM() * beta + grad * beta.complement();
  UpdateRuleScalar scale =
      (x.getLogbase() * x.getSignDecay() * (grad.sign() * m.sign())).exp();
  return {x.getVar() - x.getLr() * scale * grad, m};
}

using Formula = llvm::function_ref<ScalarValues(const ScalarValues &x)>;

/// Returns, for each operand of `formula`, whether the formula uses it. `types`
/// are the operands' element types. Builds the formula in a temporary block and
/// looks for uses of the block's arguments.
SmallVector<bool> findUsed(Location loc, TypeRange types, Formula formula) {
  Block scratch;
  Builder b(loc, loc.getContext());
  b.setInsertionPointToStart(&scratch);
  ScalarValues x;
  for (Type type : types)
    x.emplace_back(b, scratch.addArgument(type, loc));
  formula(x);
  return llvm::map_to_vector(scratch.getArguments(), [](BlockArgument number) {
    return !number.use_empty();
  });
}

/// Builds one elementwise op over `shape` that computes `formula` on the
/// elements of `operands` and writes the results to `destinations`. The first
/// `numStates` operands are the old values of the destinations.
ResultRange compute(OpBuilder &builder, Location loc, ArrayRef<int64_t> shape,
                    ValueRange operands, size_t numStates,
                    ValueRange destinations, Formula formula) {
  SmallVector<Type> types =
      llvm::map_to_vector(operands.getTypes(),
                          [](Type type) { return getElementTypeOrSelf(type); });
  SmallVector<bool> used = findUsed(loc, types, formula);
  SmallVector<Value> inputs;
  for (size_t i = numStates; i < operands.size(); ++i)
    if (used[i])
      inputs.push_back(operands[i]);
  auto op = elementwise(
      builder, loc, shape, inputs, destinations,
      [&](Builder &b, ValueRange values) -> SmallVector<Value> {
        ValueRange old = values.drop_front(inputs.size());
        ScalarValues x;
        for (size_t i = 0, next = 0; i < operands.size(); ++i)
          if (i < numStates)
            x.emplace_back(b, old[i]);
          else
            x.push_back(used[i] ? UpdateRuleScalar(b, values[next++])
                                : UpdateRuleScalar());
        return llvm::map_to_vector(
            formula(x),
            [](UpdateRuleScalar number) -> Value { return number; });
      });
  return op.getResults();
}

template <typename OpTy>
constexpr bool hasOnce = requires(OpTy op, On<OpTy> x) { once(op, x); };

template <typename OpTy> struct LowerOptimizer : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    size_t numOperands = op->getNumOperands(), numStates = op->getNumResults();
    SmallVector<Value> operands(op->getOperands());
    if constexpr (hasOnce<OpTy>) {
      auto single = RankedTensorType::get({}, type.getElementType());
      operands.push_back(
          compute(rewriter, loc, {}, op->getOperands(), 0,
                  emptyTensor(rewriter, loc, single),
                  [&](const ScalarValues &x) -> ScalarValues {
                    return {
                        once(op, On<OpTy>(ArrayRef<UpdateRuleScalar>(x), op))};
                  })
              .front());
    }
    auto formula = [&](const ScalarValues &x) {
      On<OpTy> named(ArrayRef<UpdateRuleScalar>(x).take_front(numOperands), op);
      if constexpr (hasOnce<OpTy>)
        return step(op, named, x.back());
      else
        return step(op, named);
    };
    rewriter.replaceOp(
        op, compute(rewriter, loc, type.getShape(), operands, numStates,
                    op->getOperands().take_front(numStates), formula));
    return success();
  }
};

template <typename... OpTys> void add(RewritePatternSet &patterns) {
  patterns.add<LowerOptimizer<OpTys>...>(patterns.getContext());
}

} // namespace

void ::ingot::lower::populateOptimizerPatterns(RewritePatternSet &patterns) {
  add<
#define GET_OP_LIST
#include "dialects/Ingot/IngotOptimizerOps.cpp.inc"
      >(patterns);
}
