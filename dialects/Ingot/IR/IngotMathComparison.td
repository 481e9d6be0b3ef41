//===- IngotMathComparison.td - Comparisons of two tensors -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Elementwise comparisons of two tensors, with TensorFlow's broadcasting.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_MATHCOMPARISON_TD
#define INGOT_DIALECTS_INGOT_MATHCOMPARISON_TD

include "dialects/Ingot/IR/IngotBase.td"

// An elementwise comparison, with boolean results.
class Ingot_CompareOp<string mnemonic>
    : Ingot_PureOp<mnemonic, [Ingot_Elementwise]> {
  let arguments = (ins Ingot_Tensor:$lhs, Ingot_Tensor:$rhs);
  let results = (outs Ingot_BoolTensor:$output);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Ingot_EqualOp : Ingot_CompareOp<"equal"> {
  let tensorFlowOps = [TF_Op<"Equal", [TF_Implied<"incompatible_shape_error">]>];
  let summary = "Equality, elementwise";
  let description = [{
    TensorFlow's `Equal`. Operands are broadcast against each other. If the graph
    allows incompatible shapes (Python's `==`), and the types prove that the shapes
    are incompatible, the importer creates the constant `false` instead.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) the operands' shapes can be broadcast against each other.

    ```mlir
    %y = ingot.equal %a, %b : (tensor<4xi64>, tensor<i64>) -> tensor<4xi1>
    ```
  }];
}

def Ingot_NotEqualOp : Ingot_CompareOp<"not_equal"> {
  let tensorFlowOps = [TF_Op<"NotEqual", [TF_Implied<"incompatible_shape_error">]>];
  let summary = "Inequality, elementwise";
  let description = [{
    TensorFlow's `NotEqual`. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) the operands' shapes can be broadcast against each other.

    ```mlir
    %y = ingot.not_equal %a, %b : (tensor<4xi64>, tensor<i64>) -> tensor<4xi1>
    ```
  }];
}

def Ingot_LessOp : Ingot_CompareOp<"less"> {
  let hasBuilders = 1;
  let tensorFlowOps = [TF_Op<"Less">];
  let summary = "Whether the first operand is less, elementwise";
  let description = [{
    TensorFlow's `Less`. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) the operands' shapes can be broadcast against each other.

    ```mlir
    %y = ingot.less %a, %b : (tensor<4xi64>, tensor<i64>) -> tensor<4xi1>
    ```
  }];
}

def Ingot_LessEqualOp : Ingot_CompareOp<"less_equal"> {
  let tensorFlowOps = [TF_Op<"LessEqual">];
  let summary = "Whether the first operand is less or equal, elementwise";
  let description = [{
    TensorFlow's `LessEqual`. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) the operands' shapes can be broadcast against each other.

    ```mlir
    %y = ingot.less_equal %a, %b : (tensor<4xi64>, tensor<i64>) -> tensor<4xi1>
    ```
  }];
}

def Ingot_GreaterOp : Ingot_CompareOp<"greater"> {
  let tensorFlowOps = [TF_Op<"Greater">];
  let summary = "Whether the first operand is greater, elementwise";
  let description = [{
    TensorFlow's `Greater`. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) the operands' shapes can be broadcast against each other.

    ```mlir
    %y = ingot.greater %a, %b : (tensor<4xi64>, tensor<i64>) -> tensor<4xi1>
    ```
  }];
}

def Ingot_GreaterEqualOp : Ingot_CompareOp<"greater_equal"> {
  let tensorFlowOps = [TF_Op<"GreaterEqual">];
  let summary = "Whether the first operand is greater or equal, elementwise";
  let description = [{
    TensorFlow's `GreaterEqual`. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) the operands' shapes can be broadcast against each other.

    ```mlir
    %y = ingot.greater_equal %a, %b : (tensor<4xi64>, tensor<i64>) -> tensor<4xi1>
    ```
  }];
}

#endif // INGOT_DIALECTS_INGOT_MATHCOMPARISON_TD
