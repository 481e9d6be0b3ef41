//===- Passes.td - Functions of numbers as arithmetic ----------*- tablegen -*-===//
#ifndef INGOT_CODEGEN_MATH_PASSES_TD
#define INGOT_CODEGEN_MATH_PASSES_TD

include "mlir/Pass/PassBase.td"

def ApproximateMathPass : Pass<"ingot-approximate-math", "::mlir::ModuleOp"> {
  let summary = "Computes exp, log and tanh of floats as polynomials";
  let description = [{
    Accurate to about two units in the last place, and as fast on a vector as
    on one number. Doubles go to the C library. Where the target has no
    instruction that multiplies and adds, two take its place.

    ```mlir
    // Before
    %y = math.exp %x : vector<16xf32>
    // After
    %p = math.fma %c5, %r, %c4 : vector<16xf32>
    ```
  }];
  let options = [
    Option<"useFMA", "fma", "bool", "true", "The target multiplies and adds in one instruction">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // INGOT_CODEGEN_MATH_PASSES_TD
