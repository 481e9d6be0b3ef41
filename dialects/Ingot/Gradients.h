//===- Gradients.h - What gradients of ops are written with -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Reverse differentiation asks each op what the gradients of its results make
// of those of its operands. <Family>Gradients.cpp says so for the ops of a
// family, a function `differentiate(OpTy, Gradients &)` each, in formulas:
//
//     static void differentiate(ExpOp op, Gradients &g) {
//       g.add(op.getInput(), g.of(op.getOutput()) * op.getOutput());
//     }
//
// Gradients are what TensorFlow's are: also in what they are where a function
// has no derivative, and in the ops that they are made of, which later passes
// know.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_GRADIENTS_H
#define INGOT_DIALECTS_INGOT_GRADIENTS_H

#include "dialects/Ingot/GradientOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <string>

namespace mlir::ingot {

class Gradients;

/// A value in a formula. Operators make ops, whose operands are broadcast; a
/// number is a scalar of the other operand's type.
class Term {
public:
  Term(Gradients &gradients, Value value)
      : gradients(&gradients), value(value) {}
  operator Value() const { return value; }

  Gradients &getGradients() const { return *gradients; }
  Type getElementType() const {
    return cast<ShapedType>(value.getType()).getElementType();
  }

private:
  Gradients *gradients;
  Value value;
};

Term operator+(Term a, Value b);
Term operator-(Term a, Value b);
Term operator*(Term a, Value b);
Term operator/(Term a, Value b);
Term operator-(Term a);
Term operator+(Term a, double b);
Term operator-(double a, Term b);
Term operator*(Term a, double b);
Term operator/(double a, Term b);

/// The gradients that are known so far, and helpers to build others.
class Gradients {
public:
  explicit Gradients(OpBuilder &builder) : builder(builder) {}

  /// The gradient of a result; zeros where nothing flows into it.
  Term of(Value result);
  /// Whether something flows into it.
  bool reaches(Value result) const { return sums.contains(result); }

  /// Whether the gradient of this operand is wanted; gradients added to others
  /// are dropped.
  bool wants(Value operand) const { return wanted.contains(operand); }
  /// Adds to the gradient of an operand, which has its shape.
  void add(Value operand, Value gradient);
  /// The same, summed over the dimensions that the operand was broadcast along.
  void addBroadcast(Value operand, Value gradient);

  /// Adds the gradients of the inputs from the weighted outputs, which are
  /// computed from them. Does not go past the inputs.
  void addThrough(ValueRange outputs, ValueRange weights, ValueRange inputs);

  /// Says that the op at hand has no gradient, and why.
  void refuse(const Twine &reason);

  /// An op by its operands and attributes, folded where that can be done.
  template <typename OpTy>
  Term make(ValueRange operands, ArrayRef<NamedAttribute> attributes = {}) {
    return Term(*this, make(OpTy::getOperationName(), operands, attributes)[0]);
  }
  template <typename OpTy>
  SmallVector<Value> makeAll(ValueRange operands,
                             ArrayRef<NamedAttribute> attributes = {}) {
    return make(OpTy::getOperationName(), operands, attributes);
  }
  NamedAttribute flag(StringRef name, bool value) {
    return builder.getNamedAttr(name, builder.getBoolAttr(value));
  }
  NamedAttribute text(StringRef name, StringRef value) {
    return builder.getNamedAttr(name, builder.getStringAttr(value));
  }

  Term term(Value value) { return Term(*this, value); }
  /// A scalar of an element type.
  Term number(Type elementType, double value);
  Term number(Value like, double value) {
    return number(cast<ShapedType>(like.getType()).getElementType(), value);
  }
  Term index(int32_t value);
  Term indices(ArrayRef<int32_t> values);
  Term zeros(Value like);
  Term ones(Value like);
  Term shape(Value tensor);
  Term reshape(Value tensor, Value shape);
  /// In the shape of another, which has as many elements.
  Term reshapeLike(Value tensor, Value like) {
    return reshape(tensor, shape(like));
  }
  Term cast(Value tensor, Type elementType);
  Term select(Value condition, Value yes, Value no);
  /// The sum of tensors of one shape.
  Term total(ArrayRef<Value> parts);
  Term sum(Value tensor, ArrayRef<int32_t> axes, bool keepsDims = false);
  Term expand(Value tensor, int32_t axis);
  Term transpose(Value tensor, ArrayRef<int32_t> permutation);
  Term broadcastLike(Value tensor, Value like);
  /// The sizes of a tensor's dimensions `from` up to before `to`, as a vector.
  Term dims(Value tensor, int32_t from, int32_t to);
  /// Elements `from` up to before `to` of a vector.
  Term slice(Value vector, int32_t from, int32_t to);
  /// Concatenates vectors of integers.
  Term join(ArrayRef<Value> vectors);
  /// The product of a vector's elements.
  Term product(Value vector);

  /// The rank, and axes within it from the first to the last; where the graph
  /// does not say them, the op is refused.
  std::optional<int32_t> rankOf(Value tensor);
  std::optional<SmallVector<int32_t>> axesOf(Value axes, int64_t rank);

  OpBuilder &getBuilder() { return builder; }
  Location getLoc() const { return loc; }

private:
  friend class ReverseWalk;

  SmallVector<Value> make(StringRef name, ValueRange operands,
                          ArrayRef<NamedAttribute> attributes);

  OpBuilder &builder;
  Location loc = UnknownLoc::get(builder.getContext());
  std::string refusal;
  llvm::DenseSet<Value> wanted;
  /// The gradients added so far, in order.
  llvm::DenseMap<Value, SmallVector<Value, 1>> sums;
};

/// Gives ops their interface: of all families, or of one.
void attachGradients(MLIRContext &context);
void attachActivationGradients(MLIRContext &context);
void attachArrayGradients(MLIRContext &context);
void attachControlGradients(MLIRContext &context);
void attachEnsembleGradients(MLIRContext &context);
void attachIndexingGradients(MLIRContext &context);
void attachMathGradients(MLIRContext &context);
void attachMatrixGradients(MLIRContext &context);
void attachNNGradients(MLIRContext &context);
void attachPointwiseGradients(MLIRContext &context);
void attachProductGradients(MLIRContext &context);
void attachRandomGradients(MLIRContext &context);
void attachRearrangeGradients(MLIRContext &context);
void attachReductionGradients(MLIRContext &context);
void attachReportGradients(MLIRContext &context);
void attachScanGradients(MLIRContext &context);
void attachSetGradients(MLIRContext &context);
void attachSparseGradients(MLIRContext &context);
void attachTensorGradients(MLIRContext &context);
void attachWindowGradients(MLIRContext &context);

/// The interface of an op, as a function `differentiate(OpTy, Gradients &)` of
/// this namespace says it.
template <typename OpTy>
struct GradientModel
    : DifferentiableOpInterface::ExternalModel<GradientModel<OpTy>, OpTy> {
  void addGradients(Operation *op, Gradients &gradients) const {
    differentiate(cast<OpTy>(op), gradients);
  }
};

/// The interface of an op through which no gradient flows.
template <typename OpTy>
struct NoGradientModel
    : DifferentiableOpInterface::ExternalModel<NoGradientModel<OpTy>, OpTy> {
  void addGradients(Operation *, Gradients &) const {}
};

template <typename... OpTys> void attachGradientsOf(MLIRContext &context) {
  (OpTys::template attachInterface<GradientModel<OpTys>>(context), ...);
}
/// The same of ops whose function only says why they have none.
template <typename... OpTys> void attachRefusals(MLIRContext &context) {
  attachGradientsOf<OpTys...>(context);
}
template <typename... OpTys> void attachNoGradients(MLIRContext &context) {
  (OpTys::template attachInterface<NoGradientModel<OpTys>>(context), ...);
}

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_GRADIENTS_H
