//===- DecomposeComplexArithmetic.cpp - Complex ops as real ops -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/DecomposeComplexFunctions.h"
#include "compiler/Graph/Passes.h"

#include "dialects/Ingot/IR/ActivationOps.h"
#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/ComplexOps.h"
#include "dialects/Ingot/IR/GradientOps.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"
#include "dialects/Ingot/IR/ProductOps.h"
#include "dialects/Ingot/IR/ReductionOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

namespace ingot::graph {
#define GEN_PASS_DEF_DECOMPOSECOMPLEXARITHMETICPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::graph;

static bool isComplex(Value value) {
  return isa<ComplexType>(getElementTypeOrSelf(value.getType()));
}

static bool hasComplex(Operation *op) {
  return llvm::any_of(op->getOperands(), isComplex) ||
         llvm::any_of(op->getResults(), isComplex);
}

/// The ops on complex tensors that are not decomposed, because they only move
/// elements or the runtime executes them.
static const llvm::StringLiteral keepingOps[] = {
    // Real and imaginary parts, and Fourier transforms.
    "complex", "real", "imag", "fft", "fft2d", "fft3d", "ifft", "ifft2d",
    "ifft3d", "rfft", "rfft2d", "rfft3d", "irfft", "irfft2d", "irfft3d", "eig",
    "lu", "matrix_solve", "matrix_square_root", "matrix_exponential",
    "matrix_logarithm",
    // Constants, variables and inputs.
    "assign", "constant", "is_initialized", "iterator_next",
    "optional_from_value", "optional_get_value", "padded_batch_dataset", "read",
    "tensor_dataset", "tensor_slice_dataset",
    // Shapes.
    "ensure_shape", "expand_dims", "require_same_shape", "reshape", "shape",
    "squeeze",
    // Ops that move elements.
    "batch_to_space", "broadcast_to", "concat", "depth_to_space",
    "dynamic_partition", "dynamic_stitch", "fill", "gather", "gather_nd",
    "matrix_band_part", "matrix_diag", "matrix_diag_part", "matrix_set_diag",
    "mirror_pad", "one_hot", "pad", "reverse", "reverse_sequence", "roll",
    "select", "slice", "space_to_batch", "space_to_depth", "split",
    "strided_slice", "strided_slice_update", "tile", "transpose", "zeros_like",
    // Stacks, TensorArrays and TensorLists.
    "stack_pop", "stack_push", "tensor_array_concat", "tensor_array_gather",
    "tensor_array_read", "tensor_array_scatter", "tensor_array_split",
    "tensor_array_write", "tensor_list_concat", "tensor_list_from_tensor",
    "tensor_list_gather", "tensor_list_get_item", "tensor_list_pop_back",
    "tensor_list_push_back", "tensor_list_push_back_batch",
    "tensor_list_scatter", "tensor_list_scatter_into", "tensor_list_set_item",
    "tensor_list_split", "tensor_list_stack"};

static bool keepsComplex(Operation *op) {
  if (!isa<IngotDialect>(op->getDialect()) ||
      op->hasTrait<OpTrait::IsTerminator>() || op->getNumRegions() > 0)
    return true;
  if (auto scatter = dyn_cast<TensorScatterOp>(op))
    return scatter.getCombine() == "update";
  return llvm::is_contained(keepingOps, op->getName().stripDialect());
}

namespace {

/// Replaces ops on complex tensors by ops on their real and imaginary parts. An
/// op must be decomposed after the ops that compute its operands.
class ComplexDecomposition {
public:
  explicit ComplexDecomposition(MLIRContext *context)
      : b(UnknownLoc::get(context), context), f(b) {}

  /// Replaces the results of the op by those of real ops. Returns false if
  /// there is no decomposition for the op.
  bool decompose(Operation *op);
  /// If the op takes the real or imaginary part of the result of a decomposed
  /// op, replaces it by the value that computes this part.
  void forwardPart(Operation *op);
  /// Erases the ops that are dead after decomposition.
  void eraseDead(ModuleOp module);

private:
  /// Returns the real and imaginary parts of a complex value.
  ComplexTensorExpression parts(Value value);
  SmallVector<ComplexTensorExpression> partsOf(ValueRange values) {
    return llvm::map_to_vector(values,
                               [&](Value value) { return parts(value); });
  }

  std::optional<ComplexTensorExpression> arithmetic(Operation *op);
  std::optional<ComplexTensorExpression> function(Operation *op);
  std::optional<ComplexTensorExpression> gradient(Operation *op);
  std::optional<ComplexTensorExpression> byParts(Operation *op);
  std::optional<ComplexTensorExpression> product(Operation *op);
  Value realResult(Operation *op);
  ComplexTensorExpression fromCast(CastOp op);

  RealTensorExpression real(Value value) { return {&f, value}; }
  /// Creates an op with the name and attributes of `op` and with the operands
  /// `operands`.
  RealTensorExpression like(Operation *op, ValueRange operands) {
    return real(f.make(op->getName().getStringRef(), operands,
                       llvm::to_vector(op->getAttrs())));
  }
  Value cast(Value value, Type element) {
    if (getElementTypeOrSelf(value.getType()) == element)
      return value;
    return f.make(CastOp::getOperationName(), value,
                  b.getNamedAttr("dst", TypeAttr::get(element)));
  }
  /// Replaces the result of `op` by `value`. If a size is static in the type of
  /// the result but dynamic in that of `value`, makes it static in `value`,
  /// too.
  void replace(Operation *op, Value value);

  ImplicitLocOpBuilder b;
  FoldingOpBuilder f;
  DenseMap<Value, ComplexTensorExpression> known;
  SmallVector<Operation *> replaced;
};

} // namespace

ComplexTensorExpression ComplexDecomposition::parts(Value value) {
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  return {real(f.make<RealOp>(value)), real(f.make<ImagOp>(value))};
}

std::optional<ComplexTensorExpression>
ComplexDecomposition::arithmetic(Operation *op) {
  SmallVector<ComplexTensorExpression> x;
  if (isa<NegOp, AddOp, SubOp, MulOp, RealDivOp, DivNoNanOp, SquareOp, AddNOp,
          ConjOp, ReciprocalOp, SquaredDifferenceOp, PowOp>(op))
    x = partsOf(op->getOperands());
  return llvm::TypeSwitch<Operation *, std::optional<ComplexTensorExpression>>(
             op)
      .Case<NegOp>([&](auto) { return -x[0]; })
      .Case<AddOp>([&](auto) { return x[0] + x[1]; })
      .Case<SubOp>([&](auto) { return x[0] - x[1]; })
      .Case<MulOp>([&](auto) { return x[0] * x[1]; })
      .Case<RealDivOp>([&](auto) { return x[0] / x[1]; })
      .Case<DivNoNanOp>([&](auto) {
        ComplexTensorExpression quotient = x[0] / x[1];
        return select(isZero(x[1]), zeros(quotient), quotient);
      })
      .Case<SquareOp>([&](auto) { return x[0] * x[0]; })
      .Case<AddNOp>([&](auto) {
        ComplexTensorExpression total = x[0];
        for (ComplexTensorExpression next : ArrayRef(x).drop_front())
          total = total + next;
        return total;
      })
      .Case<ConjOp>([&](auto) { return conj(x[0]); })
      .Case<ReciprocalOp>([&](auto) { return reciprocal(x[0]); })
      .Case<SquaredDifferenceOp>([&](auto) {
        ComplexTensorExpression difference = x[0] - x[1];
        return conj(difference) * difference;
      })
      .Case<PowOp>([&](auto) { return pow(x[0], x[1]); })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<ComplexTensorExpression>
ComplexDecomposition::function(Operation *op) {
  ComplexTensorExpression (*function)(ComplexTensorExpression) =
      llvm::TypeSwitch<Operation *,
                       ComplexTensorExpression (*)(ComplexTensorExpression)>(op)
          .Case<SqrtOp>([](auto) { return ::ingot::graph::sqrt; })
          .Case<RsqrtOp>([](auto) {
            return
                [](ComplexTensorExpression x) { return reciprocal(sqrt(x)); };
          })
          .Case<ExpOp>([](auto) { return ::ingot::graph::exp; })
          .Case<LogOp>([](auto) { return ::ingot::graph::log; })
          .Case<SinOp>([](auto) { return ::ingot::graph::sin; })
          .Case<CosOp>([](auto) { return ::ingot::graph::cos; })
          .Case<TanOp>([](auto) { return ::ingot::graph::tan; })
          .Case<SinhOp>([](auto) { return ::ingot::graph::sinh; })
          .Case<CoshOp>([](auto) { return ::ingot::graph::cosh; })
          .Case<TanhOp>([](auto) { return ::ingot::graph::tanh; })
          .Case<SigmoidOp>([](auto) {
            return [](ComplexTensorExpression x) {
              ComplexTensorExpression power = exp(-x);
              return reciprocal(
                  {power.real + power.real.number(1), power.imag});
            };
          })
          .Case<SignOp>([](auto) {
            return [](ComplexTensorExpression x) {
              RealTensorExpression size = abs(x);
              return ComplexTensorExpression{
                  size.to<DivNoNanOp>({x.real.value, size.value}),
                  size.to<DivNoNanOp>({x.imag.value, size.value})};
            };
          })
          .Default([](Operation *) { return nullptr; });
  if (!function)
    return std::nullopt;
  return function(parts(op->getOperand(0)));
}

/// Decomposes gradients of elementwise functions. As in TensorFlow, the
/// gradients of roots and reciprocals use the conjugate of the function's
/// result y. The gradients of tanh and sigmoid receive an operand y that is
/// conjugated already.
std::optional<ComplexTensorExpression>
ComplexDecomposition::gradient(Operation *op) {
  if (!isa<SqrtGradOp, RsqrtGradOp, ReciprocalGradOp, TanhGradOp,
           SigmoidGradOp>(op))
    return std::nullopt;
  ComplexTensorExpression y = parts(op->getOperand(0)),
                          dy = parts(op->getOperand(1));
  if (isa<TanhGradOp>(op))
    return dy * (1.0 - y * y);
  if (isa<SigmoidGradOp>(op))
    return dy * y * (1.0 - y);
  ComplexTensorExpression turned = conj(y);
  ComplexTensorExpression dx = isa<SqrtGradOp>(op) ? dy * 0.5 / turned
                               : isa<RsqrtGradOp>(op)
                                   ? (dy * turned) * (turned * turned) * -0.5
                                   : -(turned * dy * turned);
  return select(isZero(dy), zeros(dx), dx);
}

/// Decomposes ops that can be applied to the real and the imaginary part
/// separately, such as sums.
std::optional<ComplexTensorExpression>
ComplexDecomposition::byParts(Operation *op) {
  bool isSeparate =
      llvm::TypeSwitch<Operation *, bool>(op)
          .Case<SumOp, MeanOp, SumToShapeOp, StopGradientOp>(
              [](auto) { return true; })
          .Case<CumulativeOp>([](auto sums) { return sums.getKind() == "sum"; })
          .Case<SegmentReduceOp>([](auto sums) {
            return llvm::is_contained({"sum", "mean", "sqrtn"},
                                      sums.getReduction());
          })
          .Case<TensorScatterOp>([](auto scatter) {
            return llvm::is_contained({"add", "sub"}, scatter.getCombine());
          })
          .Default([](Operation *) { return false; });
  if (!isSeparate)
    return std::nullopt;
  SmallVector<Value> reals, imags;
  for (Value operand : op->getOperands()) {
    if (isComplex(operand)) {
      ComplexTensorExpression split = parts(operand);
      reals.push_back(split.real.value);
      imags.push_back(split.imag.value);
    } else {
      reals.push_back(operand);
      imags.push_back(operand);
    }
  }
  return ComplexTensorExpression{like(op, reals), like(op, imags)};
}

/// Decomposes a complex matrix product into four real matrix products. The
/// attributes adj_x and adj_y of a batch_matmul also conjugate the operands,
/// not only transpose them.
std::optional<ComplexTensorExpression>
ComplexDecomposition::product(Operation *op) {
  if (!isa<MatMulOp, BatchMatMulOp, EinsumOp>(op))
    return std::nullopt;
  SmallVector<ComplexTensorExpression> x = partsOf(op->getOperands());
  if (auto batch = dyn_cast<BatchMatMulOp>(op)) {
    if (batch.getAdjX())
      x[0] = conj(x[0]);
    if (batch.getAdjY())
      x[1] = conj(x[1]);
  }
  if (x.size() == 1)
    return ComplexTensorExpression{like(op, x[0].real.value),
                                   like(op, x[0].imag.value)};
  if (x.size() != 2)
    return std::nullopt;
  auto times = [&](RealTensorExpression left, RealTensorExpression right) {
    return like(op, {left.value, right.value});
  };
  return ComplexTensorExpression{
      times(x[0].real, x[1].real) - times(x[0].imag, x[1].imag),
      times(x[0].real, x[1].imag) + times(x[0].imag, x[1].real)};
}

ComplexTensorExpression ComplexDecomposition::fromCast(CastOp op) {
  Type element = ::cast<ComplexType>(op.getDst()).getElementType();
  if (!isComplex(op.getInput())) {
    Value converted = cast(op.getInput(), element);
    return {real(converted), real(f.make<ZerosLikeOp>(converted))};
  }
  ComplexTensorExpression x = parts(op.getInput());
  return {real(cast(x.real.value, element)), real(cast(x.imag.value, element))};
}

/// If `op` computes a real tensor from complex ones, returns the real value
/// that replaces its result. Returns null for other ops.
Value ComplexDecomposition::realResult(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<ComplexAbsOp>([&](auto abs) {
        return ::ingot::graph::abs(parts(abs.getInput())).value;
      })
      .Case<AngleOp>([&](auto angle) {
        return ::ingot::graph::angle(parts(angle.getInput())).value;
      })
      .Case<CastOp>([&](auto to) {
        return cast(parts(to.getInput()).real.value, to.getDst());
      })
      .Case<EqualOp, NotEqualOp>([&](auto) {
        ComplexTensorExpression x = parts(op->getOperand(0)),
                                y = parts(op->getOperand(1));
        Value reals = like(op, {x.real.value, y.real.value}).value;
        Value imags = like(op, {x.imag.value, y.imag.value}).value;
        return isa<EqualOp>(op) ? f.make<LogicalAndOp>({reals, imags})
                                : f.make<LogicalOrOp>({reals, imags});
      })
      .Default([](Operation *) { return Value(); });
}

void ComplexDecomposition::replace(Operation *op, Value value) {
  Type type = op->getResult(0).getType();
  if (value.getType() != type && isa<OpResult>(value)) {
    // Other ops may also use `value`. They stay valid if the type of `value`
    // gets more static sizes.
    auto shape =
        refineShape(getTensorShape(value.getType()), getTensorShape(type));
    value.setType(getTensorType(shape, getElementTypeOrSelf(type)));
  }
  op->getResult(0).replaceAllUsesWith(value);
}

void ComplexDecomposition::forwardPart(Operation *op) {
  if (!isa<RealOp, ImagOp>(op))
    return;
  auto found = known.find(op->getOperand(0));
  if (found == known.end())
    return;
  const ComplexTensorExpression &x = found->second;
  replace(op, isa<RealOp>(op) ? x.real.value : x.imag.value);
}

bool ComplexDecomposition::decompose(Operation *op) {
  if (op->getNumResults() != 1)
    return false;
  b.setInsertionPoint(op);
  b.setLoc(op->getLoc());
  Value result = op->getResult(0);
  if (!isComplex(result)) {
    Value value = realResult(op);
    if (!value)
      return false;
    replace(op, value);
    replaced.push_back(op);
    return true;
  }
  std::optional<ComplexTensorExpression> x;
  if (auto to = dyn_cast<CastOp>(op)) {
    x = fromCast(to);
  } else if (isa<OnesLikeOp>(op)) {
    Value parts = f.make<RealOp>(op->getOperand(0));
    x = {real(f.make<OnesLikeOp>(parts)), real(f.make<ZerosLikeOp>(parts))};
  } else {
    for (auto attempt :
         {&ComplexDecomposition::arithmetic, &ComplexDecomposition::function,
          &ComplexDecomposition::gradient, &ComplexDecomposition::byParts,
          &ComplexDecomposition::product})
      if (!x)
        x = (this->*attempt)(op);
  }
  if (!x)
    return false;
  auto joined =
      ComplexOp::create(b, result.getType(), x->real.value, x->imag.value);
  known[joined] = *x;
  result.replaceAllUsesWith(joined);
  replaced.push_back(op);
  return true;
}

void ComplexDecomposition::eraseDead(ModuleOp module) {
  if (replaced.empty())
    return;
  module.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}

namespace {
struct DecomposeComplexArithmetic
    : ::ingot::graph::impl::DecomposeComplexArithmeticPassBase<
          DecomposeComplexArithmetic> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (hasComplex(op))
        ops.push_back(op);
    });
    ComplexDecomposition decomposition(&getContext());
    bool isRefused = false;
    for (Operation *op : ops) {
      decomposition.forwardPart(op);
      if (keepsComplex(op))
        continue;
      if (decomposition.decompose(op)) {
        ++numDecomposed;
        continue;
      }
      op->emitError()
          << "'" << op->getName()
          << "' does not take complex numbers: apply it to the real "
             "and imaginary parts instead";
      isRefused = true;
    }
    if (isRefused)
      return signalPassFailure();
    decomposition.eraseDead(getOperation());
  }
};
} // namespace
