//===- IngotMathUnary.td - Functions of one tensor -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Elementwise functions of one tensor, with results of the same type.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_MATHUNARY_TD
#define INGOT_DIALECTS_INGOT_MATHUNARY_TD

include "dialects/Ingot/IR/IngotBase.td"

// An elementwise op on one operand, which has the result's type.
class Ingot_UnaryOp<string mnemonic, Type type>
    : Ingot_PureOp<mnemonic, [Ingot_Elementwise]> {
  let arguments = (ins type:$input);
  let results = (outs type:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Ingot_AbsOp : Ingot_UnaryOp<"abs", Ingot_NumericTensor> {
  let hasBuilders = 1;
  let tensorFlowOps = [TF_Op<"Abs">];
  let summary = "Absolute value";
  let description = [{
    TensorFlow's `Abs`.

    ```mlir
    %y = ingot.abs %x : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_NegOp : Ingot_UnaryOp<"neg", Ingot_NumericOrComplexTensor> {
  let tensorFlowOps = [TF_Op<"Neg">];
  let summary = "Negation";
  let description = [{
    TensorFlow's `Neg`.

    ```mlir
    %y = ingot.neg %x : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_SignOp : Ingot_UnaryOp<"sign", Ingot_NumericOrComplexTensor> {
  let tensorFlowOps = [TF_Op<"Sign">];
  let summary = "Sign: -1, 0 or 1";
  let description = [{
    TensorFlow's `Sign`; a NaN stays a NaN. Of a complex number z: z / |z|, or 0.

    ```mlir
    %y = ingot.sign %x : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_SqrtOp : Ingot_UnaryOp<"sqrt", Ingot_FloatOrComplexTensor> {
  let tensorFlowOps = [TF_Op<"Sqrt">];
  let summary = "Square root";
  let description = [{
    TensorFlow's `Sqrt`.

    ```mlir
    %y = ingot.sqrt %x : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_SquareOp : Ingot_UnaryOp<"square", Ingot_NumericOrComplexTensor> {
  let tensorFlowOps = [TF_Op<"Square">];
  let summary = "Square";
  let description = [{
    TensorFlow's `Square`.

    ```mlir
    %y = ingot.square %x : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_ExpOp : Ingot_UnaryOp<"exp", Ingot_FloatOrComplexTensor> {
  let tensorFlowOps = [TF_Op<"Exp">];
  let summary = "Exponential";
  let description = [{
    TensorFlow's `Exp`.

    ```mlir
    %y = ingot.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_LogOp : Ingot_UnaryOp<"log", Ingot_FloatOrComplexTensor> {
  let tensorFlowOps = [TF_Op<"Log">];
  let summary = "Natural logarithm";
  let description = [{
    TensorFlow's `Log`.

    ```mlir
    %y = ingot.log %x : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_TanhOp : Ingot_UnaryOp<"tanh", Ingot_FloatOrComplexTensor> {
  let tensorFlowOps = [TF_Op<"Tanh">];
  let summary = "Hyperbolic tangent";
  let description = [{
    TensorFlow's `Tanh`.

    ```mlir
    %y = ingot.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_ReluOp : Ingot_UnaryOp<"relu", Ingot_NumericTensor> {
  let tensorFlowOps = [TF_Op<"Relu">];
  let summary = "max(x, 0)";
  let description = [{
    TensorFlow's `Relu`; a NaN stays a NaN.

    ```mlir
    %y = ingot.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_LogicalNotOp : Ingot_UnaryOp<"logical_not", Ingot_BoolTensor> {
  let tensorFlowOps = [TF_Op<"LogicalNot">];
  let summary = "Logical negation";
  let description = [{
    TensorFlow's `LogicalNot`.

    ```mlir
    %y = ingot.logical_not %x : (tensor<4xi1>) -> tensor<4xi1>
    ```
  }];
}

#endif // INGOT_DIALECTS_INGOT_MATHUNARY_TD
