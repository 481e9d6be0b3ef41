//===- IngotMath.td - Elementwise ops -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic on tensors. The files IngotMath*.td together are one family of
// ops.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_MATH_TD
#define INGOT_DIALECTS_INGOT_MATH_TD

include "dialects/Ingot/IR/IngotBase.td"
include "dialects/Ingot/IR/IngotMathUnary.td"
include "dialects/Ingot/IR/IngotMathBinary.td"
include "dialects/Ingot/IR/IngotMathComparison.td"

def Ingot_SelectOp : Ingot_PureOp<"select", [Ingot_Elementwise]> {
  let hasBuilders = 1;
  let tensorFlowOps = [TF_Op<"SelectV2">];
  let summary = "One of two values by a condition, elementwise";
  let description = [{
    TensorFlow's `SelectV2`: all three operands are broadcast against each other.
    (A `Select` whose condition is a vector that selects rows is imported as this
    op with the condition reshaped.)

    Constraints:
    - (select_c1) both values have one element type.
    - (select_c2) the shapes can be broadcast against each other.

    ```mlir
    %y = ingot.select %c, %a, %b : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Ingot_BoolTensor:$condition, Ingot_Tensor:$then_value, Ingot_Tensor:$else_value);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "$condition `,` $then_value `,` $else_value attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Ingot_AddNOp : Ingot_PureOp<"add_n", [Ingot_Elementwise]> {
  let tensorFlowOps = [
    TF_Op<"AddN", [TF_Implied<"N">]>,
    TF_Op<"AccumulateNV2", [TF_Implied<"N">, TF_Implied<"shape">]>];
  let summary = "Sum of several tensors of one type";
  let description = [{
    TensorFlow's `AddN`, summed from the first operand to the last.

    Constraints:
    - (add_n_c1) there is at least one operand.
    - (add_n_c2) all operands have compatible shapes and one element type.

    ```mlir
    %y = ingot.add_n %a, %b, %c : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Variadic<Ingot_NumericOrComplexTensor>:$inputs);
  let results = (outs Ingot_NumericOrComplexTensor:$output);
  let assemblyFormat = "$inputs attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

#endif // INGOT_DIALECTS_INGOT_MATH_TD
