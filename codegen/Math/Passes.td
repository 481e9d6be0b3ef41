//===- Passes.td - Functions of numbers as arithmetic ----------*- tablegen -*-===//
#ifndef INGOT_CODEGEN_MATH_PASSES_TD
#define INGOT_CODEGEN_MATH_PASSES_TD

include "mlir/Pass/PassBase.td"

def ApproximateMathPass : Pass<"ingot-approximate-math", "::mlir::ModuleOp"> {
  let summary = "Computes functions of floats and doubles as arithmetic";
  let description = [{
    All that the language has: exponentials, logarithms, powers, error, trigonometric and hyperbolic functions, accurate to two units in the last place
    (erf of floats to 1.5), on vectors as on numbers. What is wanted often (exp, expm1, log, log1p, tanh, erf, erfc) is a polynomial of floats; other functions of
    floats are computed in doubles and rounded once (Doubles.h). Where the target has no instruction that multiplies and adds, two take its place, or as
    many as it takes where their rounding would count (erfc of doubles is accurate to 2.25 there).

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
    Option<"useFMA", "fma", "bool", "true", "The target multiplies and adds in one instruction">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def WidenSmallFloatsPass : Pass<"ingot-widen-small-floats", "::mlir::ModuleOp"> {
  let summary = "Computes on floats of 16 bits in f32";
  let description = [{
    Each op rounds its result. Conversions of bfloat16 become arithmetic on
    bits: no library has to know them.

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
  let summary = "Makes bfloat16 an integer of 16 bits";
  let description = [{
    Nothing computes with them any more; what is left moves them or chooses
    between them. LLVM would choose in f32, and call a library for the way back.

    ```mlir
    // Before
    %z = llvm.select %c, %x, %y : i1, bf16
    // After
    %z = llvm.select %c, %x, %y : i1, i16
    ```
  }];
}

#endif // INGOT_CODEGEN_MATH_PASSES_TD
