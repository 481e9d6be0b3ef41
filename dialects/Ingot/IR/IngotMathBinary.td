//===- IngotMathBinary.td - Arithmetic of two tensors -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Elementwise arithmetic of two tensors, with TensorFlow's broadcasting.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_MATHBINARY_TD
#define INGOT_DIALECTS_INGOT_MATHBINARY_TD

include "dialects/Ingot/IR/IngotBase.td"

// An elementwise op on two operands of the same element type, which are
// broadcast against each other as in TensorFlow.
class Ingot_BinaryOp<string mnemonic, Type type>
    : Ingot_PureOp<mnemonic, [Ingot_Elementwise]> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$output);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Ingot_AddOp : Ingot_BinaryOp<"add", Ingot_NumericOrComplexTensor> {
  let hasBuilders = 1;
  let tensorFlowOps = [TF_Op<"AddV2">, TF_Op<"Add">];
  let summary = "Elementwise sum of two tensors";
  let description = [{
    TensorFlow's `Add` and `AddV2` on numbers. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) the operands' shapes can be broadcast against each other.

    ```mlir
    %y = ingot.add %a, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_SubOp : Ingot_BinaryOp<"sub", Ingot_NumericOrComplexTensor> {
  let hasBuilders = 1;
  let tensorFlowOps = [TF_Op<"Sub">];
  let summary = "Elementwise difference of two tensors";
  let description = [{
    TensorFlow's `Sub`. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) the operands' shapes can be broadcast against each other.

    ```mlir
    %y = ingot.sub %a, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_MulOp : Ingot_BinaryOp<"mul", Ingot_NumericOrComplexTensor> {
  let hasBuilders = 1;
  let tensorFlowOps = [TF_Op<"Mul">];
  let summary = "Elementwise product of two tensors";
  let description = [{
    TensorFlow's `Mul`. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) the operands' shapes can be broadcast against each other.

    ```mlir
    %y = ingot.mul %a, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_RealDivOp : Ingot_BinaryOp<"real_div", Ingot_FloatOrComplexTensor> {
  let hasBuilders = 1;
  let tensorFlowOps = [TF_Op<"RealDiv">];
  let summary = "Elementwise quotient of two tensors";
  let description = [{
    TensorFlow's `RealDiv`. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) the operands' shapes can be broadcast against each other.

    ```mlir
    %y = ingot.real_div %a, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_DivNoNanOp : Ingot_BinaryOp<"div_no_nan", Ingot_FloatOrComplexTensor> {
  let tensorFlowOps = [TF_Op<"DivNoNan">];
  let summary = "Elementwise quotient, or zero where the divisor is zero";
  let description = [{
    TensorFlow's `DivNoNan`. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) the operands' shapes can be broadcast against each other.

    ```mlir
    %y = ingot.div_no_nan %a, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_MaximumOp : Ingot_BinaryOp<"maximum", Ingot_NumericTensor> {
  let tensorFlowOps = [TF_Op<"Maximum">];
  let summary = "Elementwise maximum of two tensors";
  let description = [{
    TensorFlow's `Maximum`. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) the operands' shapes can be broadcast against each other.

    ```mlir
    %y = ingot.maximum %a, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_MinimumOp : Ingot_BinaryOp<"minimum", Ingot_NumericTensor> {
  let tensorFlowOps = [TF_Op<"Minimum">];
  let summary = "Elementwise minimum of two tensors";
  let description = [{
    TensorFlow's `Minimum`. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) the operands' shapes can be broadcast against each other.

    ```mlir
    %y = ingot.minimum %a, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_SquaredDifferenceOp : Ingot_BinaryOp<"squared_difference", Ingot_NumericOrComplexTensor> {
  let tensorFlowOps = [TF_Op<"SquaredDifference">];
  let summary = "(a - b)^2, elementwise";
  let description = [{
    TensorFlow's `SquaredDifference`; of complex numbers, |a - b|^2. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) the operands' shapes can be broadcast against each other.

    ```mlir
    %y = ingot.squared_difference %a, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_ReluGradOp : Ingot_BinaryOp<"relu_grad", Ingot_NumericTensor> {
  let tensorFlowOps = [TF_Op<"ReluGrad">];
  let summary = "Gradient of relu";
  let description = [{
    TensorFlow's `ReluGrad`: the gradient (first) where the features (second)
    are above zero, elsewhere the gradient times zero, which is NaN for an
    infinite gradient. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) the operands' shapes can be broadcast against each other.

    ```mlir
    %y = ingot.relu_grad %a, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_LogicalAndOp : Ingot_BinaryOp<"logical_and", Ingot_BoolTensor> {
  let tensorFlowOps = [TF_Op<"LogicalAnd">];
  let summary = "Logical and of two tensors, elementwise";
  let description = [{
    TensorFlow's `LogicalAnd`. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) the operands' shapes can be broadcast against each other.

    ```mlir
    %y = ingot.logical_and %a, %b : (tensor<4xi1>, tensor<i1>) -> tensor<4xi1>
    ```
  }];
}

def Ingot_LogicalOrOp : Ingot_BinaryOp<"logical_or", Ingot_BoolTensor> {
  let hasBuilders = 1;
  let tensorFlowOps = [TF_Op<"LogicalOr">];
  let summary = "Logical or of two tensors, elementwise";
  let description = [{
    TensorFlow's `LogicalOr`. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) the operands' shapes can be broadcast against each other.

    ```mlir
    %y = ingot.logical_or %a, %b : (tensor<4xi1>, tensor<i1>) -> tensor<4xi1>
    ```
  }];
}

#endif // INGOT_DIALECTS_INGOT_MATHBINARY_TD
