//===- Requirements.h - Requirements of ops on sizes ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Conditions on sizes, and on numbers that determine sizes. Known conditions
// are evaluated at once; others are passed to the derived class, which makes
// them checks of the program (ingot-insert-shape-checks). The requirements of
// ops are in <Family>Requirements.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_REQUIREMENTS_H
#define INGOT_DIALECTS_INGOT_REQUIREMENTS_H

#include "dialects/Ingot/RequireOps.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/DenseSet.h"

#include <string>

namespace mlir::ingot {

struct OptimizerInfo;

/// A number or a condition: an attribute where it is known.
using Number = OpFoldResult;

/// Operations on numbers. The first ones result in numbers, those from `equal`
/// on in conditions.
enum class Arithmetic {
  add,
  subtract,
  multiply,
  divide,    // of what is not negative, by what is positive
  remainder, // likewise
  larger,
  equal,
  less,
  atMost,
  both,
  either
};

class Requirements {
public:
  explicit Requirements(MLIRContext *context) : builder(context) {}
  virtual ~Requirements() = default;

  /// The words of a refusal: text, numbers, and tensors, which stand for their
  /// shapes.
  class Message {
  public:
    explicit Message(Requirements &requirements) : r(requirements) {}
    Message &operator<<(const Twine &words);
    Message &operator<<(Number number);
    Message &operator<<(Value tensor);
    /// The shape of the tensor less its first `count` dimensions.
    Message &shapeFrom(Value tensor, int64_t count);
    /// Numbers as a shape.
    Message &shape(ArrayRef<Number> sizes);

    StringRef getText() const { return text; }
    ArrayRef<Number> getNumbers() const { return numbers; }

  private:
    Requirements &r;
    std::string text;
    SmallVector<Number> numbers;
  };
  Message says() { return Message(*this); }

  /// The size of a dimension of a tensor of known rank.
  virtual Number size(Value tensor, int64_t dim) = 0;
  /// An element of a tensor of integers whose shape is known.
  virtual Number element(Value tensor, int64_t position = 0) = 0;

  /// A number that stands for this one: equal products of such numbers are
  /// products of equal numbers. Nothing where nothing is known of it.
  virtual std::optional<int64_t> standIn(Number number) = 0;
  /// The same for a product.
  std::optional<APInt> standInOf(ArrayRef<Number> factors);

  /// One of two numbers by a condition.
  Number choose(Number condition, Number yes, Number no);

  /// Whether `part` and others have been broadcast to `whole`.
  virtual bool covers(Number whole, Number part) = 0;

  /// Whether one scalar is less than another, both floats; a null value is 0.
  Number isLess(Value a, Value b) { return compareFloats(a, b, false); }
  /// Or equal.
  Number isAtMost(Value a, Value b) { return compareFloats(a, b, true); }

  SmallVector<Number> sizes(Value tensor);
  /// The elements of a vector whose length is known.
  SmallVector<Number> elements(Value vector);
  /// How many elements there are.
  Number count(Value tensor);
  Number product(ArrayRef<Number> numbers);

  Number number(int64_t value) { return builder.getIndexAttr(value); }
  static std::optional<int64_t> known(Number number) {
    return getConstantIntValue(number);
  }

  Number add(Number a, Number b) { return compute(Arithmetic::add, a, b); }
  Number subtract(Number a, Number b) {
    return compute(Arithmetic::subtract, a, b);
  }
  Number multiply(Number a, Number b) {
    return compute(Arithmetic::multiply, a, b);
  }
  Number divide(Number a, Number b) {
    return compute(Arithmetic::divide, a, b);
  }
  Number remainder(Number a, Number b) {
    return compute(Arithmetic::remainder, a, b);
  }
  Number larger(Number a, Number b) {
    return compute(Arithmetic::larger, a, b);
  }
  Number equal(Number a, Number b) { return compute(Arithmetic::equal, a, b); }
  Number less(Number a, Number b) { return compute(Arithmetic::less, a, b); }
  Number atMost(Number a, Number b) {
    return compute(Arithmetic::atMost, a, b);
  }
  Number both(Number a, Number b) { return compute(Arithmetic::both, a, b); }
  Number either(Number a, Number b) {
    return compute(Arithmetic::either, a, b);
  }
  Number isNot(Number condition);
  Number smaller(Number a, Number b) {
    return subtract(add(a, b), larger(a, b));
  }
  Number isNegative(Number a) { return less(a, number(0)); }
  Number isNatural(Number a) { return atMost(number(0), a); }
  /// low <= x <= high.
  Number within(Number low, Number x, Number high) {
    return both(atMost(low, x), atMost(x, high));
  }

  /// Whether all sizes are the same; the ranks must be.
  Number sameSizes(ArrayRef<Number> a, ArrayRef<Number> b);
  /// Whether the shapes can be broadcast against each other.
  Number broadcastable(ArrayRef<Number> a, ArrayRef<Number> b);

  /// Requires of each element of a vector that it can be a size.
  void requireSizes(Value vector);

  /// Stops the run with this message where the condition does not hold.
  virtual void require(Number condition, const Message &message) = 0;

protected:
  virtual Number compareFloats(Value a, Value b, bool orEqual) = 0;
  /// Computes at run time.
  virtual Number emitNot(Number condition) = 0;
  virtual Number emitChoice(Number condition, Number yes, Number no) = 0;
  virtual Number emit(Arithmetic what, Number a, Number b) = 0;

  /// Notes that a number which is computed is not negative.
  void noteNatural(Value number) { naturals.insert(number); }

  Builder builder;

private:
  /// Whether the number is known not to be negative.
  bool isKnownNatural(Number number) const;
  std::optional<Number> simplify(Arithmetic what, Number a, Number b);
  Number compute(Arithmetic what, Number a, Number b);

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

/// The axis in [0, rank) that a constant operand states; nothing where it is
/// not a constant or lies outside.
std::optional<int64_t> axisOf(Value axis, int64_t rank);

/// Whether the tensor is a list of dimensions or the like, so that its elements
/// can be asked for.
bool hasElements(Value tensor);

/// Adds the requirements of `op`; most have none.
void addRequirements(Operation *op, Requirements &requirements);

/// Adds the requirements of an optimizer's step.
void requireStep(Operation *op, const OptimizerInfo &info, Requirements &r);

/// Adds the family's ops.
void addRequireOps(IngotDialect &dialect);

/// Gives ops their interface: of all families, or of one.
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

/// The interface of an op, as a function `require(OpTy, Requirements &)` of
/// this namespace says it.
template <typename OpTy>
struct RequirementsModel
    : RequirementsOpInterface::ExternalModel<RequirementsModel<OpTy>, OpTy> {
  void addRequirements(Operation *op, Requirements &requirements) const {
    require(cast<OpTy>(op), requirements);
  }
};

template <typename... OpTys> void attachModels(MLIRContext &context) {
  (OpTys::template attachInterface<RequirementsModel<OpTys>>(context), ...);
}

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_REQUIREMENTS_H
