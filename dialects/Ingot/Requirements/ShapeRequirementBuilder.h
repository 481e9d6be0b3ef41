//===- ShapeRequirementBuilder.h - Requirements of ops on sizes -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The requirements of ops: conditions on sizes, and on numbers that determine
// sizes. A condition whose operands are constant is evaluated at once. Any
// other condition is passed to the derived class, which turns it into a check
// at run time (ingot-insert-shape-checks). The requirements of ops are in
// <Family>Requirements.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_REQUIREMENTS_SHAPEREQUIREMENTBUILDER_H
#define INGOT_DIALECTS_INGOT_REQUIREMENTS_SHAPEREQUIREMENTBUILDER_H

#include "dialects/Ingot/IR/RequireOps.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/DenseSet.h"

#include <string>

namespace mlir::ingot {

struct OptimizerInfo;

/// A number or a condition: an attribute if it is known at compile time,
/// otherwise an SSA value.
using Number = OpFoldResult;

/// Operations on numbers. The operations listed before `equal` result in
/// numbers; `equal` and those listed after it result in conditions.
enum class ArithmeticOpKind {
  add,
  subtract,
  multiply,
  /// Quotient of a dividend that is not negative by a positive divisor.
  divide,
  /// Remainder of a dividend that is not negative by a positive divisor.
  remainder,
  larger,
  equal,
  less,
  atMost,
  both,
  either
};

class ShapeRequirementBuilder {
public:
  explicit ShapeRequirementBuilder(MLIRContext *context) : builder(context) {}
  virtual ~ShapeRequirementBuilder() = default;

  /// Returns the op that defines a symbol of the program, or null.
  virtual Operation *lookup(StringAttr symbol) = 0;

  /// The error message of a requirement that does not hold. It consists of
  /// text, numbers, and tensors, which are printed as their shapes.
  class FailureMessage {
  public:
    explicit FailureMessage(ShapeRequirementBuilder &requirements)
        : r(requirements) {}
    FailureMessage &operator<<(const Twine &words);
    FailureMessage &operator<<(Number number);
    FailureMessage &operator<<(Value tensor);
    /// Adds the shape of a tensor without its first `count` dimensions.
    FailureMessage &shapeFrom(Value tensor, int64_t count);
    /// Appends `sizes` to the message in the form of a shape, "[2,3]".
    FailureMessage &shape(ArrayRef<Number> sizes);

    StringRef getText() const { return text; }
    ArrayRef<Number> getNumbers() const { return numbers; }

  private:
    ShapeRequirementBuilder &r;
    std::string text;
    SmallVector<Number> numbers;
  };
  FailureMessage says() { return FailureMessage(*this); }

  /// Returns the size of dimension `dim` of a tensor whose rank is known.
  virtual Number size(Value tensor, int64_t dim) = 0;
  /// Returns the element at `position`, in row-major order, of a tensor of
  /// integers whose shape is known.
  virtual Number element(Value tensor, int64_t position = 0) = 0;

  /// Returns a constant that represents `number` in comparisons of products: if
  /// two products of such constants are equal, the products of the numbers that
  /// they represent are equal, too. Returns std::nullopt if nothing is known of
  /// the number.
  virtual std::optional<int64_t> standIn(Number number) = 0;
  /// Returns the product of the constants that represent the factors
  /// (`standIn`), or std::nullopt if nothing is known of a factor.
  std::optional<APInt> standInOf(ArrayRef<Number> factors);

  /// Returns `yes` if `condition` is true, otherwise `no`.
  Number choose(Number condition, Number yes, Number no);

  /// Whether the size `whole` is known to be the result of broadcasting the
  /// size `part` with other sizes.
  virtual bool covers(Number whole, Number part) = 0;

  /// Returns the condition `a` < `b` for two scalar floats. A null value stands
  /// for 0.
  Number isLess(Value a, Value b) { return compareFloats(a, b, false); }
  /// Returns the condition `a` <= `b` for two scalar floats. A null value
  /// stands for 0.
  Number isAtMost(Value a, Value b) { return compareFloats(a, b, true); }

  SmallVector<Number> sizes(Value tensor);
  /// Returns the elements of a vector whose length is known.
  SmallVector<Number> elements(Value vector);
  /// Returns the number of elements of a tensor.
  Number count(Value tensor);
  Number product(ArrayRef<Number> numbers);

  Number number(int64_t value) { return builder.getIndexAttr(value); }
  static std::optional<int64_t> known(Number number) {
    return getConstantIntValue(number);
  }

  Number add(Number a, Number b) {
    return compute(ArithmeticOpKind::add, a, b);
  }
  Number subtract(Number a, Number b) {
    return compute(ArithmeticOpKind::subtract, a, b);
  }
  Number multiply(Number a, Number b) {
    return compute(ArithmeticOpKind::multiply, a, b);
  }
  Number divide(Number a, Number b) {
    return compute(ArithmeticOpKind::divide, a, b);
  }
  Number remainder(Number a, Number b) {
    return compute(ArithmeticOpKind::remainder, a, b);
  }
  Number larger(Number a, Number b) {
    return compute(ArithmeticOpKind::larger, a, b);
  }
  Number equal(Number a, Number b) {
    return compute(ArithmeticOpKind::equal, a, b);
  }
  Number less(Number a, Number b) {
    return compute(ArithmeticOpKind::less, a, b);
  }
  Number atMost(Number a, Number b) {
    return compute(ArithmeticOpKind::atMost, a, b);
  }
  Number both(Number a, Number b) {
    return compute(ArithmeticOpKind::both, a, b);
  }
  Number either(Number a, Number b) {
    return compute(ArithmeticOpKind::either, a, b);
  }
  Number isNot(Number condition);
  Number smaller(Number a, Number b) {
    return subtract(add(a, b), larger(a, b));
  }
  Number isNegative(Number a) { return less(a, number(0)); }
  Number isNatural(Number a) { return atMost(number(0), a); }
  /// Returns the condition low <= x <= high.
  Number within(Number low, Number x, Number high) {
    return both(atMost(low, x), atMost(x, high));
  }

  /// Returns the condition that all sizes of two shapes of the same rank are
  /// equal.
  Number sameSizes(ArrayRef<Number> a, ArrayRef<Number> b);
  /// Returns the condition that two shapes can be broadcast against each other.
  Number broadcastable(ArrayRef<Number> a, ArrayRef<Number> b);

  /// Requires each element of a vector to be a valid size, that is, not
  /// negative.
  void requireSizes(Value vector);

  /// Requires `condition`: if it is false, the run stops with this message.
  virtual void require(Number condition, const FailureMessage &message) = 0;

protected:
  virtual Number compareFloats(Value a, Value b, bool orEqual) = 0;
  /// Emit ops that compute a number or condition at run time.
  virtual Number emitNot(Number condition) = 0;
  virtual Number emitChoice(Number condition, Number yes, Number no) = 0;
  virtual Number emit(ArithmeticOpKind what, Number a, Number b) = 0;

  /// Records that a number which is computed at run time is not negative.
  void noteNatural(Value number) { naturals.insert(number); }

  Builder builder;

private:
  /// Whether the number is known not to be negative.
  bool isKnownNatural(Number number) const;
  std::optional<Number> simplify(ArithmeticOpKind what, Number a, Number b);
  Number compute(ArithmeticOpKind what, Number a, Number b);

  llvm::DenseSet<Value> naturals;
};

/// Whether the tensor's rank is known.
inline bool isRanked(Value tensor) {
  return isa<RankedTensorType>(tensor.getType());
}
inline bool areRanked(ValueRange tensors) {
  return llvm::all_of(tensors, isRanked);
}
inline int64_t rankOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getRank();
}

/// Returns the value of the operand `axis`, converted to [0, rank) if it is
/// negative; std::nullopt if it is not constant or is out of range.
std::optional<int64_t> axisOf(Value axis, int64_t rank);

/// Whether the tensor is a short list of integers, such as dimensions, whose
/// shape is static, so that element() can read its elements.
bool hasElements(Value tensor);

/// Calls `requirements.require` for each condition on sizes that `op` needs at
/// run time, such as that two operands can be broadcast against each other.
/// Does nothing for an op without such conditions.
void addRequirements(Operation *op, ShapeRequirementBuilder &requirements);

/// Adds the requirements of the optimizer's op `op` on sizes, such as that a
/// variable, its slots and its gradient have the same shape.
void requireStep(Operation *op, const OptimizerInfo &info,
                 ShapeRequirementBuilder &r);

/// Adds the ops ingot.require_* to the dialect.
void addRequireOps(IngotDialect &dialect);

/// Attach RequirementsOpInterface to the ops of all families
/// (attachRequirements), or of one family.
void attachRequirements(MLIRContext &context);
void attachArrayRequirements(MLIRContext &context);
void attachEnsembleRequirements(MLIRContext &context);
void attachIndexingRequirements(MLIRContext &context);
void attachMatrixRequirements(MLIRContext &context);
void attachProductRequirements(MLIRContext &context);
void attachRandomRequirements(MLIRContext &context);
void attachRearrangeRequirements(MLIRContext &context);
void attachReductionRequirements(MLIRContext &context);
void attachStateRequirements(MLIRContext &context);
void attachTensorRequirements(MLIRContext &context);
void attachWindowRequirements(MLIRContext &context);

/// Implements RequirementsOpInterface by the function `require(OpTy,
/// ShapeRequirementBuilder &)` of this namespace.
template <typename OpTy>
struct RequirementsOpInterfaceModel
    : RequirementsOpInterface::ExternalModel<RequirementsOpInterfaceModel<OpTy>,
                                             OpTy> {
  void addRequirements(Operation *op,
                       ShapeRequirementBuilder &requirements) const {
    require(cast<OpTy>(op), requirements);
  }
};

template <typename... OpTys> void attachModels(MLIRContext &context) {
  (OpTys::template attachInterface<RequirementsOpInterfaceModel<OpTys>>(
       context),
   ...);
}

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_REQUIREMENTS_SHAPEREQUIREMENTBUILDER_H
