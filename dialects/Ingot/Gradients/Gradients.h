//===- Gradients.h - Helpers to write gradients of ops ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// For reverse differentiation, each op defines how the gradients of its
// operands follow from those of its results: <Family>Gradients.cpp has a
// function `differentiate(OpTy, Gradients &)` for each op of a family, written
// as formulas:
//
//     static void differentiate(ExpOp op, Gradients &g) {
//       g.add(op.getInput(), g.of(op.getOutput()) * op.getOutput());
//     }
//
// Gradients equal TensorFlow's, also where a function has no derivative. They
// consist of the same ops as TensorFlow's, which later passes recognize.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_GRADIENTS_GRADIENTS_H
#define INGOT_DIALECTS_INGOT_GRADIENTS_GRADIENTS_H

#include "dialects/Ingot/IR/GradientOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <string>

namespace mlir::ingot {

class Gradients;

/// A value in a formula for a gradient. Operators such as * create ops, whose
/// operands are broadcast. A number becomes a scalar of the other operand's
/// type.
class GradientExpression {
public:
  GradientExpression(Gradients &gradients, Value value)
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

GradientExpression operator+(GradientExpression a, Value b);
GradientExpression operator-(GradientExpression a, Value b);
GradientExpression operator*(GradientExpression a, Value b);
GradientExpression operator/(GradientExpression a, Value b);
GradientExpression operator-(GradientExpression a);
GradientExpression operator+(GradientExpression a, double b);
GradientExpression operator-(double a, GradientExpression b);
GradientExpression operator*(GradientExpression a, double b);
GradientExpression operator/(double a, GradientExpression b);

/// Holds the gradients that a walk from outputs to inputs has computed so far,
/// and creates the ops that compute further ones.
class Gradients {
public:
  explicit Gradients(OpBuilder &builder) : builder(builder) {}

  /// Returns the gradient of a result; zeros if no gradient flows into it.
  GradientExpression of(Value result);
  /// Whether a gradient flows into the result, that is, whether any term of its
  /// gradient has been added.
  bool reaches(Value result) const { return sums.contains(result); }

  /// Whether the operand's gradient is needed: the operand is one of the inputs
  /// with respect to which outputs are differentiated, or a float that depends
  /// on one. add() drops the gradients of all other operands.
  bool wants(Value operand) const { return wanted.contains(operand); }
  /// Adds `gradient`, which has the operand's shape, to the gradient of an
  /// operand.
  void add(Value operand, Value gradient);
  /// Adds `gradient` to the gradient of `operand`, after summing it over the
  /// dimensions along which `operand` was broadcast.
  void addBroadcast(Value operand, Value gradient);

  /// Differentiates the sum of `outputs`, weighted by `weights`, with respect
  /// to `inputs`, and adds the derivatives to the inputs' gradients. The ops
  /// that compute `inputs` are not differentiated.
  void addThrough(ValueRange outputs, ValueRange weights, ValueRange inputs);

  /// Reports that the op being differentiated has no gradient, for `reason`.
  void refuse(const Twine &reason);

  /// Creates an op from operands and attributes, and returns its first result;
  /// folds it if possible.
  template <typename OpTy>
  GradientExpression make(ValueRange operands,
                          ArrayRef<NamedAttribute> attributes = {}) {
    return GradientExpression(
        *this, make(OpTy::getOperationName(), operands, attributes)[0]);
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

  GradientExpression term(Value value) {
    return GradientExpression(*this, value);
  }
  /// Makes a scalar constant of an element type.
  GradientExpression number(Type elementType, double value);
  GradientExpression number(Value like, double value) {
    return number(cast<ShapedType>(like.getType()).getElementType(), value);
  }
  /// Returns the complex conjugates of the tensor's elements; returns a real
  /// tensor unchanged. As in TensorFlow, the gradient of a complex number z is
  /// d/d real(z) + i d/d imag(z), so derivatives of analytic functions are
  /// conjugated.
  GradientExpression conj(Value tensor);
  GradientExpression index(int32_t value);
  GradientExpression indices(ArrayRef<int32_t> values);
  GradientExpression zeros(Value like);
  GradientExpression ones(Value like);
  GradientExpression shape(Value tensor);
  GradientExpression reshape(Value tensor, Value shape);
  /// Reshapes `tensor` to the shape of `like`, which has as many elements.
  GradientExpression reshapeLike(Value tensor, Value like) {
    return reshape(tensor, shape(like));
  }
  GradientExpression cast(Value tensor, Type elementType);
  GradientExpression select(Value condition, Value yes, Value no);
  /// Makes the sum of tensors that have the same shape.
  GradientExpression total(ArrayRef<Value> parts);
  GradientExpression sum(Value tensor, ArrayRef<int32_t> axes,
                         bool keepsDims = false);
  GradientExpression expand(Value tensor, int32_t axis);
  GradientExpression transpose(Value tensor, ArrayRef<int32_t> permutation);
  GradientExpression broadcastLike(Value tensor, Value like);
  /// Makes a vector of the sizes of a tensor's dimensions from `from` up to,
  /// but without, `to`.
  GradientExpression dims(Value tensor, int32_t from, int32_t to);
  /// Makes a slice of a vector from element `from` up to, but without, `to`.
  GradientExpression slice(Value vector, int32_t from, int32_t to);
  /// Makes the concatenation of vectors of integers.
  GradientExpression join(ArrayRef<Value> vectors);
  /// Makes the product of a vector's elements.
  GradientExpression product(Value vector);

  /// Return the rank of a tensor, and the elements of `axes`, a constant list
  /// of axes, in ascending order and in [0, rank). If the rank is unknown or
  /// `axes` is not constant, these functions call refuse() and return
  /// std::nullopt.
  std::optional<int32_t> rankOf(Value tensor);
  std::optional<SmallVector<int32_t>> axesOf(Value axes, int64_t rank);

  OpBuilder &getBuilder() { return builder; }
  Location getLoc() const { return loc; }

private:
  friend class ReverseModeAD;

  SmallVector<Value> make(StringRef name, ValueRange operands,
                          ArrayRef<NamedAttribute> attributes);

  OpBuilder &builder;
  Location loc = UnknownLoc::get(builder.getContext());
  std::string refusal;
  llvm::DenseSet<Value> wanted;
  /// For each value, the gradients added so far, in order.
  llvm::DenseMap<Value, SmallVector<Value, 1>> sums;
};

/// Attach DifferentiableOpInterface to the ops of all families
/// (attachGradients), or of one family.
void attachGradients(MLIRContext &context);
void attachActivationGradients(MLIRContext &context);
void attachArrayGradients(MLIRContext &context);
void attachComplexGradients(MLIRContext &context);
void attachControlGradients(MLIRContext &context);
void attachEnsembleGradients(MLIRContext &context);
void attachFourierGradients(MLIRContext &context);
void attachIndexingGradients(MLIRContext &context);
void attachMathGradients(MLIRContext &context);
void attachMatrixGradients(MLIRContext &context);
void attachNNGradients(MLIRContext &context);
void attachPointwiseGradients(MLIRContext &context);
void attachProductGradients(MLIRContext &context);
void attachRaggedGradients(MLIRContext &context);
void attachRandomGradients(MLIRContext &context);
void attachRearrangeGradients(MLIRContext &context);
void attachReductionGradients(MLIRContext &context);
void attachReportGradients(MLIRContext &context);
void attachScanGradients(MLIRContext &context);
void attachSetGradients(MLIRContext &context);
void attachSparseGradients(MLIRContext &context);
void attachSpecialGradients(MLIRContext &context);
void attachSpectralGradients(MLIRContext &context);
void attachTensorGradients(MLIRContext &context);
void attachWindowGradients(MLIRContext &context);

/// Implements DifferentiableOpInterface by the function `differentiate(OpTy,
/// Gradients &)` of this namespace.
template <typename OpTy>
struct DifferentiableOpInterfaceModel
    : DifferentiableOpInterface::ExternalModel<
          DifferentiableOpInterfaceModel<OpTy>, OpTy> {
  void addGradients(Operation *op, Gradients &gradients) const {
    differentiate(cast<OpTy>(op), gradients);
  }
};

/// Implements DifferentiableOpInterface for an op through which no gradient
/// flows.
template <typename OpTy>
struct NoGradientOpInterfaceModel
    : DifferentiableOpInterface::ExternalModel<NoGradientOpInterfaceModel<OpTy>,
                                               OpTy> {
  void addGradients(Operation *, Gradients &) const {}
};

template <typename... OpTys> void attachGradientsOf(MLIRContext &context) {
  (OpTys::template attachInterface<DifferentiableOpInterfaceModel<OpTys>>(
       context),
   ...);
}
/// Attaches the interface to ops that have no gradient: their function
/// `differentiate` only reports why.
template <typename... OpTys> void attachRefusals(MLIRContext &context) {
  attachGradientsOf<OpTys...>(context);
}
template <typename... OpTys> void attachNoGradients(MLIRContext &context) {
  (OpTys::template attachInterface<NoGradientOpInterfaceModel<OpTys>>(context),
   ...);
}

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_GRADIENTS_GRADIENTS_H
