//===- FourierGradients.cpp - Gradients of Fourier transforms -------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Only the inverse transform divides by N, the number of transformed elements.
// So the gradient of a forward transform is N times the inverse transform of
// the result's gradient. The gradient of an inverse transform is 1 / N times
// the forward transform of the result's gradient.
//
//===----------------------------------------------------------------------===//

#include "dialects/Ingot/Gradients/Gradients.h"
#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/ComplexOps.h"
#include "dialects/Ingot/IR/FourierOps.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"
#include "dialects/Ingot/IR/RearrangeOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

namespace mlir::ingot {

/// Adds the gradient of a transform from complex to complex elements.
template <typename InverseT, typename OpTy>
static void differentiateComplex(OpTy op, bool isInverse, Gradients &g) {
  std::optional<int32_t> rank = g.rankOf(op.getInput());
  if (!rank)
    return;
  GradientExpression dy = g.of(op);
  GradientExpression dx = g.make<InverseT>({dy});
  auto transformed = static_cast<int32_t>(OpTy::rank);
  GradientExpression count =
      g.cast(g.product(g.dims(op.getInput(), *rank - transformed, *rank)),
             dy.getElementType());
  g.add(op.getInput(), isInverse ? dx / count : dx * count);
}

/// Returns the number of elements of a transform with the sizes `lengths`.
static GradientExpression countOf(Value lengths, Type type, Gradients &g) {
  return g.cast(g.product(lengths), type);
}

/// Returns a weight for each element of the last dimension of a half spectrum.
/// The weight is `both` if the element also represents its conjugate in the
/// other half. It is 1 for elements that are their own conjugates: the first
/// one, and element n / 2 of an even n.
static GradientExpression weights(Value spectrum, int32_t rank,
                                  GradientExpression lengths,
                                  int32_t transformed, double both,
                                  Gradients &g) {
  GradientExpression count =
      g.reshape(g.dims(spectrum, rank - 1, rank), g.indices({}));
  GradientExpression n =
      g.reshape(g.slice(lengths, transformed - 1, transformed), g.indices({}));
  GradientExpression k = g.make<RangeOp>({g.index(0), count, g.index(1)});
  GradientExpression isOwn = g.make<LogicalOrOp>(
      {g.make<EqualOp>({k, g.index(0)}), g.make<EqualOp>({k + k, n})});
  Type part =
      getPartType(cast<ShapedType>(spectrum.getType()).getElementType());
  return g.select(isOwn, g.number(part, 1.0), g.number(part, both));
}

/// Returns `dx` padded to the size of `input`, with zeros where the transform
/// has cropped it.
static GradientExpression uncropped(GradientExpression dx, Value input,
                                    int32_t rank, int32_t transformed,
                                    Gradients &g) {
  Value value = dx;
  auto type = dyn_cast<RankedTensorType>(input.getType());
  if (type && type.hasStaticShape() && type == value.getType())
    return dx;
  SmallVector<Value> after;
  GradientExpression missing = g.dims(input, rank - transformed, rank) -
                               g.dims(dx, rank - transformed, rank);
  SmallVector<int32_t> none(rank - transformed, 0);
  GradientExpression ends =
      none.empty() ? missing : g.join({g.indices(none), missing});
  SmallVector<int32_t> zeros(rank, 0);
  GradientExpression paddings = g.transpose(
      g.reshape(g.join({g.indices(zeros), ends}), g.indices({2, rank})),
      {1, 0});
  return g.make<PadOp>({dx, paddings, g.number(dx, 0.0)});
}

/// Adds the gradient of a transform from real elements to half of their
/// spectrum. The inverse counts each element of the half spectrum twice, for
/// itself and for its conjugate in the other half, unless the element is its
/// own conjugate; weights of 0.5 undo this.
template <typename InverseT, typename OpTy>
static void differentiateToSpectrum(OpTy op, Gradients &g) {
  std::optional<int32_t> rank = g.rankOf(op.getInput());
  if (!rank)
    return;
  auto transformed = static_cast<int32_t>(OpTy::rank);
  GradientExpression lengths = g.term(op.getFftLength());
  GradientExpression once =
      weights(op.getOutput(), *rank, lengths, transformed, 0.5, g);
  GradientExpression dy = g.of(op);
  GradientExpression dx =
      g.make<InverseT>({dy * g.cast(once, dy.getElementType()), lengths});
  g.add(op.getInput(), uncropped(dx * countOf(lengths, dx.getElementType(), g),
                                 op.getInput(), *rank, transformed, g));
}

/// Adds the gradient of a transform from half a spectrum to real elements.
template <typename InverseT, typename OpTy>
static void differentiateToNumbers(OpTy op, Gradients &g) {
  std::optional<int32_t> rank = g.rankOf(op.getInput());
  if (!rank)
    return;
  auto transformed = static_cast<int32_t>(OpTy::rank);
  GradientExpression lengths = g.term(op.getFftLength());
  GradientExpression dx = g.make<InverseT>({g.of(op), lengths});
  GradientExpression twice = weights(dx, *rank, lengths, transformed, 2.0, g);
  GradientExpression share =
      twice / countOf(lengths, twice.getElementType(), g);
  g.add(op.getInput(), uncropped(dx * g.cast(share, dx.getElementType()),
                                 op.getInput(), *rank, transformed, g));
}

#define INGOT_COMPLEX_GRADIENTS(suffix)                                        \
  static void differentiate(FFT##suffix##Op op, Gradients &g) {                \
    differentiateComplex<IFFT##suffix##Op>(op, /*isInverse=*/false, g);        \
  }                                                                            \
  static void differentiate(IFFT##suffix##Op op, Gradients &g) {               \
    differentiateComplex<FFT##suffix##Op>(op, /*isInverse=*/true, g);          \
  }
#define INGOT_REAL_GRADIENTS(suffix)                                           \
  static void differentiate(RFFT##suffix##Op op, Gradients &g) {               \
    differentiateToSpectrum<IRFFT##suffix##Op>(op, g);                         \
  }                                                                            \
  static void differentiate(IRFFT##suffix##Op op, Gradients &g) {              \
    differentiateToNumbers<RFFT##suffix##Op>(op, g);                           \
  }
INGOT_COMPLEX_GRADIENTS()
INGOT_COMPLEX_GRADIENTS(2D)
INGOT_COMPLEX_GRADIENTS(3D)
INGOT_REAL_GRADIENTS()
INGOT_REAL_GRADIENTS(2D)
#undef INGOT_COMPLEX_GRADIENTS
#undef INGOT_REAL_GRADIENTS

void attachFourierGradients(MLIRContext &context) {
  // TensorFlow has no gradients of RFFT3D and IRFFT3D.
  attachGradientsOf<FFTOp, FFT2DOp, FFT3DOp, IFFTOp, IFFT2DOp, IFFT3DOp, RFFTOp,
                    RFFT2DOp, IRFFTOp, IRFFT2DOp>(context);
}

} // namespace mlir::ingot
