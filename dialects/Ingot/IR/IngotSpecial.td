//===- IngotSpecial.td - Special functions -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Bessel functions, special integrals, incomplete gamma and beta functions, zeta
// and polygamma functions of each element, which the runtime computes.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_SPECIAL_TD
#define INGOT_DIALECTS_INGOT_SPECIAL_TD

include "dialects/Ingot/IR/IngotBase.td"

// `infer` is C++ code that calls the op's shape function.
class Ingot_SpecialOp<string mnemonic, string tensorFlow, string infer>
    : Ingot_PureOp<mnemonic, [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<tensorFlow>];
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() {
      return ::mlir::ingot::verifyConstraints(getOperation());
    }
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> loc,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return }] # infer # [{;
    }
  }];
}

class Ingot_SpecialUnaryOp<string mnemonic, string tensorFlow, list<Type> types, string what, string more = "">
    : Ingot_SpecialOp<mnemonic, tensorFlow, "::mlir::ingot::inferUnary(adaptor.getInput(), types)"> {
  let summary = what;
  let description = "TensorFlow's `" # tensorFlow # "`. " # more # "\n\n```mlir\n%y = ingot." # mnemonic #
      " %x : (tensor<4xf32>) -> tensor<4xf32>\n```\n";
  let arguments = (ins TensorOf<types>:$input);
  let results = (outs TensorOf<types>:$output);
}

class Ingot_BesselOp<string mnemonic, string tensorFlow, string what>
    : Ingot_SpecialUnaryOp<mnemonic, tensorFlow, [F16, F32, F64], what>;

def Ingot_BesselI0Op : Ingot_BesselOp<"bessel_i0", "BesselI0", "Modified Bessel function of the first kind, order 0">;
def Ingot_BesselI1Op : Ingot_BesselOp<"bessel_i1", "BesselI1", "Modified Bessel function of the first kind, order 1">;
def Ingot_BesselJ0Op : Ingot_BesselOp<"bessel_j0", "BesselJ0", "Bessel function of the first kind, order 0">;
def Ingot_BesselJ1Op : Ingot_BesselOp<"bessel_j1", "BesselJ1", "Bessel function of the first kind, order 1">;
def Ingot_BesselK0Op : Ingot_BesselOp<"bessel_k0", "BesselK0", "Modified Bessel function of the second kind, order 0">;
def Ingot_BesselK0eOp : Ingot_BesselOp<"bessel_k0e", "BesselK0e", "exp(x) times bessel_k0">;
def Ingot_BesselK1Op : Ingot_BesselOp<"bessel_k1", "BesselK1", "Modified Bessel function of the second kind, order 1">;
def Ingot_BesselK1eOp : Ingot_BesselOp<"bessel_k1e", "BesselK1e", "exp(x) times bessel_k1">;
def Ingot_BesselY0Op : Ingot_BesselOp<"bessel_y0", "BesselY0", "Bessel function of the second kind, order 0">;
def Ingot_BesselY1Op : Ingot_BesselOp<"bessel_y1", "BesselY1", "Bessel function of the second kind, order 1">;

// A special function that is defined by an integral, such as Dawson's. The
// approximations are those of the Cephes library, in the operand's type.
class Ingot_SpecialIntegralOp<string mnemonic, string tensorFlow, string what, string more>
    : Ingot_SpecialUnaryOp<mnemonic, tensorFlow, [F32, F64], what, more>;

def Ingot_DawsnOp
    : Ingot_SpecialIntegralOp<"dawsn", "Dawsn", "Dawson's integral", "exp(-x^2) times the integral of exp(t^2) from 0 to x.">;
def Ingot_ExpintOp
    : Ingot_SpecialIntegralOp<"expint", "Expint", "Exponential integral Ei(x)", "NaN for negative x, as in TensorFlow.">;
def Ingot_FresnelCosOp
    : Ingot_SpecialIntegralOp<"fresnel_cos", "FresnelCos", "Fresnel cosine integral", "The integral of cos(pi t^2 / 2) from 0 to x.">;
def Ingot_FresnelSinOp
    : Ingot_SpecialIntegralOp<"fresnel_sin", "FresnelSin", "Fresnel sine integral", "The integral of sin(pi t^2 / 2) from 0 to x.">;
def Ingot_SpenceOp
    : Ingot_SpecialIntegralOp<"spence", "Spence", "Dilogarithm of 1 - x", "The integral of log(t) / (1 - t) from 1 to x; NaN for negative x.">;

// A function of two operands, which are broadcast against each other.
class Ingot_SpecialBinaryOp<string mnemonic, string tensorFlow, string what, string more = "">
    : Ingot_SpecialOp<mnemonic, tensorFlow, [{
          ::mlir::ingot::inferBinary(loc, adaptor.getLhs(), adaptor.getRhs(), ::mlir::Type(), types)}]> {
  let summary = what;
  let description = "TensorFlow's `" # tensorFlow # "`. " # more # [{Operands are broadcast against each other.

Constraints:
- (binary_c1) the operands have one element type.
- (binary_c2) the operands' shapes can be broadcast against each other.

```mlir
%y = ingot.}] # mnemonic # " %a, %x : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>\n```\n";
  let arguments = (ins TensorOf<[F32, F64]>:$lhs, TensorOf<[F32, F64]>:$rhs);
  let results = (outs TensorOf<[F32, F64]>:$output);
}

def Ingot_IgammaOp : Ingot_SpecialBinaryOp<"igamma", "Igamma", "Lower regularized incomplete gamma function P(a, x)">;
def Ingot_IgammacOp : Ingot_SpecialBinaryOp<"igammac", "Igammac", "Upper regularized incomplete gamma function, 1 - P(a, x)">;
def Ingot_IgammaGradAOp : Ingot_SpecialBinaryOp<"igamma_grad_a", "IgammaGradA", "Derivative of igamma with respect to a">;
def Ingot_PolygammaOp
    : Ingot_SpecialBinaryOp<"polygamma", "Polygamma", "Derivative of order `lhs` of digamma",
                            "The order must be a natural number; the result is NaN otherwise. ">;
def Ingot_ZetaOp
    : Ingot_SpecialBinaryOp<"zeta", "Zeta", "Hurwitz zeta function", "The sum of (q + n)^-x over all n from 0 on. ">;

def Ingot_BetaincOp
    : Ingot_SpecialOp<"betainc", "Betainc",
                      "::mlir::ingot::inferBetainc(loc, adaptor.getA(), adaptor.getB(), adaptor.getX(), types)"> {
  let summary = "Regularized incomplete beta function";
  let description = [{
    TensorFlow's `Betainc`. An operand that is a scalar holds for all elements of
    the others.

    Constraints:
    - (betainc_c1) the operands have one element type.
    - (betainc_c2) all operands that are not scalars have the same shape.

    ```mlir
    %y = ingot.betainc %a, %b, %x : (tensor<4xf32>, tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins TensorOf<[F32, F64]>:$a, TensorOf<[F32, F64]>:$b, TensorOf<[F32, F64]>:$x);
  let results = (outs TensorOf<[F32, F64]>:$output);
}

#endif // INGOT_DIALECTS_INGOT_SPECIAL_TD
