//===- Passes.td - Math functions as arithmetic ------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_MATH_PASSES_TD
#define INGOT_CODEGEN_MATH_PASSES_TD

include "mlir/Pass/PassBase.td"

def ApproximateMathPass : Pass<"ingot-approximate-math", "::mlir::ModuleOp"> {
  let summary = "Expand math functions of floats and doubles into arithmetic";
  let description = [{
    Expands all functions of the math dialect: exponentials, logarithms, powers,
    error, trigonometric and hyperbolic functions, on vectors and scalars alike.
    Results are accurate to 2 ULP (erf of floats to 1.5). The frequent functions
    of floats (exp, expm1, log, log1p, tanh, erf, erfc) are minimax polynomials
    of floats, with Cephes's range reduction in exponentials. Other functions of
    floats are computed in doubles, mostly as fdlibm computes them, and rounded
    once (F64ArithmeticBuilder.h). Without FMA, a multiplication and an addition replace each
    FMA, or Dekker's exact product if the second rounding would matter (erfc of
    doubles is accurate to 2.25 ULP then).

    ```mlir
    // Before: an exponential and a power of floats
    %y = math.exp %x : vector<16xf32>
    %p = math.powf %a, %b : vector<16xf32>
    // After: a polynomial of floats; the power is computed in doubles
    %q = math.fma %c5, %r, %c4 : vector<16xf32>
    ...
    %d = arith.extf %a : vector<16xf32> to vector<16xf64>
    ... arithmetic on doubles
    %p = arith.truncf %e : vector<16xf64> to vector<16xf32>
    ```
  }];
  let options = [
    Option<"useFMA", "fma", "bool", "true", "The target has fused multiply-add">];
  let statistics = [Statistic<"numRewritten", "num-rewritten", "Number of math ops rewritten">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def Widen16BitFloatsPass : Pass<"ingot-widen-16-bit-floats", "::mlir::ModuleOp"> {
  let summary = "Compute arithmetic on 16-bit floats in f32";
  let description = [{
    Each op is computed in f32 and its result is rounded to 16 bits. Conversions
    of bfloat16 become integer arithmetic on bits, so that LLVM calls no library
    function for them.

    ```mlir
    // Before: an addition of halves
    %z = arith.addf %x, %y : vector<8xf16>
    // After: the same addition in f32, rounded to f16
    %a = arith.extf %x : vector<8xf16> to vector<8xf32>
    %b = arith.extf %y : vector<8xf16> to vector<8xf32>
    %c = arith.addf %a, %b : vector<8xf32>
    %z = arith.truncf %c : vector<8xf32> to vector<8xf16>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}

def StoreBfloat16AsBitsPass : Pass<"ingot-store-bfloat16-as-bits", "::mlir::ModuleOp"> {
  let summary = "Replace bfloat16 by 16-bit integers in loads, stores and selects";
  let description = [{
    At this point only moves and selects of bfloat16 are left, and no
    arithmetic. LLVM would lower a select of bfloat16 in f32, and call a library
    function to convert the result back.

    ```mlir
    // Before: a select of bfloat16 values
    %z = llvm.select %c, %x, %y : i1, bf16
    // After: a select of their bits
    %z = llvm.select %c, %x, %y : i1, i16
    ```
  }];
}

#endif // INGOT_CODEGEN_MATH_PASSES_TD
