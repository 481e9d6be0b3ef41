//===- ShapeRequirementBuilder.cpp - Requirements of ops on sizes ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/Requirements/ShapeRequirementBuilder.h"

#include "dialects/Ingot/IR/OptimizerOps.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ingot;

using FailureMessage = ShapeRequirementBuilder::FailureMessage;

FailureMessage &FailureMessage::operator<<(const Twine &words) {
  text += words.str();
  return *this;
}

FailureMessage &FailureMessage::operator<<(Number number) {
  if (std::optional<int64_t> known = ShapeRequirementBuilder::known(number))
    return *this << Twine(*known);
  text += "{}";
  numbers.push_back(number);
  return *this;
}

FailureMessage &FailureMessage::operator<<(Value tensor) {
  return shapeFrom(tensor, 0);
}

FailureMessage &FailureMessage::shapeFrom(Value tensor, int64_t count) {
  return shape(ArrayRef<Number>(r.sizes(tensor)).drop_front(count));
}

FailureMessage &FailureMessage::shape(ArrayRef<Number> sizes) {
  text += '[';
  llvm::interleave(
      sizes, [&](Number size) { *this << size; }, [&] { text += ','; });
  text += ']';
  return *this;
}

Number ShapeRequirementBuilder::isNot(Number condition) {
  if (std::optional<int64_t> holds = known(condition))
    return number(!*holds);
  return emitNot(condition);
}

Number ShapeRequirementBuilder::choose(Number condition, Number yes,
                                       Number no) {
  if (std::optional<int64_t> holds = known(condition))
    return *holds ? yes : no;
  Number choice = yes == no ? yes : emitChoice(condition, yes, no);
  if (isKnownNatural(yes) && isKnownNatural(no) && isa<Value>(choice))
    naturals.insert(cast<Value>(choice));
  return choice;
}

SmallVector<Number> ShapeRequirementBuilder::sizes(Value tensor) {
  SmallVector<Number> numbers;
  for (int64_t dim = 0; dim < rankOf(tensor); ++dim)
    numbers.push_back(size(tensor, dim));
  return numbers;
}

SmallVector<Number> ShapeRequirementBuilder::elements(Value vector) {
  SmallVector<Number> numbers;
  int64_t count = cast<RankedTensorType>(vector.getType()).getNumElements();
  for (int64_t i = 0; i < count; ++i)
    numbers.push_back(element(vector, i));
  return numbers;
}

std::optional<APInt>
ShapeRequirementBuilder::standInOf(ArrayRef<Number> factors) {
  // 512 bits hold a product of up to eight 64-bit factors.
  constexpr unsigned bits = 512;
  if (factors.size() > 8)
    return std::nullopt;
  APInt product(bits, 1);
  for (Number each : factors) {
    std::optional<int64_t> number = standIn(each);
    if (!number || *number < 0)
      return std::nullopt;
    product *= APInt(bits, *number);
  }
  return product;
}

Number ShapeRequirementBuilder::count(Value tensor) {
  return product(sizes(tensor));
}

Number ShapeRequirementBuilder::product(ArrayRef<Number> numbers) {
  Number all = number(1);
  for (Number each : numbers)
    all = multiply(all, each);
  return all;
}

void ShapeRequirementBuilder::requireSizes(Value vector) {
  if (!hasElements(vector))
    return;
  for (Number each : elements(vector))
    require(isNatural(each), says() << "Dimension " << each << " must be >= 0");
}

Number ShapeRequirementBuilder::sameSizes(ArrayRef<Number> a,
                                          ArrayRef<Number> b) {
  Number all = number(1);
  for (auto [x, y] : llvm::zip_equal(a, b))
    all = both(all, equal(x, y));
  return all;
}

Number ShapeRequirementBuilder::broadcastable(ArrayRef<Number> a,
                                              ArrayRef<Number> b) {
  size_t common = std::min(a.size(), b.size());
  Number all = number(1), one = number(1);
  for (auto [x, y] : llvm::zip_equal(a.take_back(common), b.take_back(common)))
    all = both(all, either(equal(x, y), either(equal(x, one), equal(y, one))));
  return all;
}

/// Returns the result of the operation `what` on constants, or std::nullopt if
/// it overflows.
static std::optional<int64_t> fold(ArithmeticOpKind what, int64_t a,
                                   int64_t b) {
  int64_t result = 0;
  switch (what) {
  case ArithmeticOpKind::add:
    return llvm::AddOverflow(a, b, result) ? std::nullopt
                                           : std::optional(result);
  case ArithmeticOpKind::subtract:
    return llvm::SubOverflow(a, b, result) ? std::nullopt
                                           : std::optional(result);
  case ArithmeticOpKind::multiply:
    return llvm::MulOverflow(a, b, result) ? std::nullopt
                                           : std::optional(result);
  case ArithmeticOpKind::divide:
    return b > 0 ? std::optional(a / b) : std::nullopt;
  case ArithmeticOpKind::remainder:
    return b > 0 ? std::optional(a % b) : std::nullopt;
  case ArithmeticOpKind::larger:
    return std::max(a, b);
  case ArithmeticOpKind::equal:
    return a == b;
  case ArithmeticOpKind::less:
    return a < b;
  case ArithmeticOpKind::atMost:
    return a <= b;
  case ArithmeticOpKind::both:
    return a && b;
  case ArithmeticOpKind::either:
    return a || b;
  }
  return std::nullopt;
}

bool ShapeRequirementBuilder::isKnownNatural(Number number) const {
  if (std::optional<int64_t> value = known(number))
    return *value >= 0;
  return naturals.contains(cast<Value>(number));
}

/// Returns the result of the operation `what` if it follows from a constant
/// operand or from the equality of both operands; otherwise std::nullopt.
std::optional<Number> ShapeRequirementBuilder::simplify(ArithmeticOpKind what,
                                                        Number a, Number b) {
  std::optional<int64_t> x = ShapeRequirementBuilder::known(a);
  std::optional<int64_t> y = ShapeRequirementBuilder::known(b);
  Number yes = number(1), no = number(0);
  // `isAbove` is true if `a` is a constant <= 0 and `b` is known to be >= 0, so
  // that `b` is at least `a`. `isBelow` is the same condition with `a` and `b`
  // exchanged.
  bool isAbove = isKnownNatural(b) && x && *x <= 0;
  bool isBelow = isKnownNatural(a) && y && *y <= 0;
  switch (what) {
  case ArithmeticOpKind::add:
    return x == 0 ? std::optional(b) : y == 0 ? std::optional(a) : std::nullopt;
  case ArithmeticOpKind::multiply:
    return x == 1 ? std::optional(b) : y == 1 ? std::optional(a) : std::nullopt;
  case ArithmeticOpKind::subtract:
    return y == 0 ? std::optional(a) : std::nullopt;
  case ArithmeticOpKind::divide:
    return y == 1 ? std::optional(a) : std::nullopt;
  case ArithmeticOpKind::remainder:
    return y == 1 ? std::optional(no) : std::nullopt;
  case ArithmeticOpKind::larger:
    return a == b || isBelow ? std::optional(a)
           : isAbove         ? std::optional(b)
                             : std::nullopt;
  case ArithmeticOpKind::equal:
    if ((isAbove && *x < 0) || (isBelow && *y < 0))
      return no;
    return a == b ? std::optional(yes) : std::nullopt;
  case ArithmeticOpKind::atMost:
    return a == b || isAbove ? std::optional(yes) : std::nullopt;
  case ArithmeticOpKind::less:
    if (isAbove && *x < 0)
      return yes;
    return a == b || isBelow ? std::optional(no) : std::nullopt;
  case ArithmeticOpKind::both:
    if (x || y)
      return x ? (*x ? b : no) : (*y ? a : no);
    return a == b ? std::optional(a) : std::nullopt;
  case ArithmeticOpKind::either:
    if (x || y)
      return x ? (*x ? yes : b) : (*y ? yes : a);
    return a == b ? std::optional(a) : std::nullopt;
  }
  return std::nullopt;
}

Number ShapeRequirementBuilder::compute(ArithmeticOpKind what, Number a,
                                        Number b) {
  std::optional<int64_t> x = known(a), y = known(b);
  if (x && y)
    if (std::optional<int64_t> result = fold(what, *x, *y))
      return number(*result);
  if (std::optional<Number> result = simplify(what, a, b))
    return *result;
  Number result = emit(what, a, b);
  bool isNatural =
      isKnownNatural(a) && isKnownNatural(b) &&
      (what == ArithmeticOpKind::add || what == ArithmeticOpKind::multiply ||
       what == ArithmeticOpKind::divide);
  if (isNatural || what == ArithmeticOpKind::remainder ||
      (what == ArithmeticOpKind::larger &&
       (isKnownNatural(a) || isKnownNatural(b))))
    naturals.insert(cast<Value>(result));
  return result;
}

std::optional<int64_t> mlir::ingot::axisOf(Value axis, int64_t rank) {
  std::optional<int64_t> known = getConstantInt(axis);
  if (!known || *known < -rank || *known >= rank)
    return std::nullopt;
  return *known < 0 ? *known + rank : *known;
}

bool mlir::ingot::hasElements(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  return type && type.hasStaticShape() && type.getNumElements() <= kMaxRank &&
         (type.getElementType().isSignlessInteger(32) ||
          type.getElementType().isSignlessInteger(64));
}

/// Requires that the shapes of an op's operands can be broadcast against each
/// other.
static void requireBroadcastable(Operation *op, ShapeRequirementBuilder &r) {
  if (!areRanked(op->getOperands()))
    return;
  for (auto [i, a] : llvm::enumerate(op->getOperands()))
    for (Value b : op->getOperands().drop_front(i + 1))
      r.require(r.broadcastable(r.sizes(a), r.sizes(b)),
                r.says() << "Incompatible shapes: " << a << " vs. " << b);
}

void mlir::ingot::addRequirements(Operation *op, ShapeRequirementBuilder &r) {
  if (const OptimizerInfo *step = getOptimizer(op))
    requireStep(op, *step, r);
  else if (auto requiring = dyn_cast<RequirementsOpInterface>(op))
    requiring.addRequirements(r);
  else if (op->hasTrait<trait::Elementwise>() && op->getNumOperands() > 1)
    requireBroadcastable(op, r);
}

void mlir::ingot::attachRequirements(MLIRContext &context) {
  attachArrayRequirements(context);
  attachEnsembleRequirements(context);
  attachIndexingRequirements(context);
  attachMatrixRequirements(context);
  attachProductRequirements(context);
  attachRandomRequirements(context);
  attachRearrangeRequirements(context);
  attachReductionRequirements(context);
  attachStateRequirements(context);
  attachTensorRequirements(context);
  attachWindowRequirements(context);
}
