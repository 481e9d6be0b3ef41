//===- Passes.td - Functions of numbers as arithmetic ----------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_MATH_PASSES_TD
#define INGOT_CODEGEN_MATH_PASSES_TD

include "mlir/Pass/PassBase.td"

def ApproximateMathPass : Pass<"ingot-approximate-math", "::mlir::ModuleOp"> {
  let summary = "Expand math functions of floats and doubles into arithmetic";
  let description = [{
    All functions of the dialect: exponentials, logarithms, powers, error, trigonometric and hyperbolic functions, accurate to 2 ULP (erf of floats to 1.5),
    on vectors and scalars alike. The frequent ones (exp, expm1, log, log1p, tanh, erf, erfc) are minimax polynomials of floats, with Cephes's range reduction in
    exponentials; other functions of floats are computed in doubles, mostly as fdlibm has them, and rounded once (Doubles.h). Without FMA a multiplication and an
    addition take its place, or Dekker's exact product where the second rounding would count (erfc of doubles is accurate to 2.25 ULP there).

    ```mlir
    // Before
    %y = math.exp %x : vector<16xf32>
    %p = math.powf %a, %b : vector<16xf32>
    // After
    %q = math.fma %c5, %r, %c4 : vector<16xf32>
    ...
    %d = arith.extf %a : vector<16xf32> to vector<16xf64>
    ... arithmetic on doubles
    %p = arith.truncf %e : vector<16xf64> to vector<16xf32>
    ```
  }];
  let options = [
    Option<"useFMA", "fma", "bool", "true", "The target has fused multiply-add">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def WidenSmallFloatsPass : Pass<"ingot-widen-small-floats", "::mlir::ModuleOp"> {
  let summary = "Compute arithmetic on 16-bit floats in f32";
  let description = [{
    Each op rounds its result. Conversions of bfloat16 become integer arithmetic
    on bits, so that LLVM calls no library function for them.

    ```mlir
    // Before
    %z = arith.addf %x, %y : vector<8xf16>
    // After
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
    No arithmetic on bfloat16 is left here, only moves and selects. LLVM would
    lower a select in f32, and call a library function to convert back.

    ```mlir
    // Before
    %z = llvm.select %c, %x, %y : i1, bf16
    // After
    %z = llvm.select %c, %x, %y : i1, i16
    ```
  }];
}

#endif // INGOT_CODEGEN_MATH_PASSES_TD
