//===- IngotMathReduction.td - Reductions over axes -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Reductions of a tensor along some of its dimensions, such as sums.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_MATHREDUCTION_TD
#define INGOT_DIALECTS_INGOT_MATHREDUCTION_TD

include "dialects/Ingot/IR/IngotBase.td"

// A reduction over the axes that an operand lists.
class Ingot_ReduceOp<string mnemonic> : Ingot_PureOp<mnemonic> {
  let arguments = (ins Ingot_NumericOrComplexTensor:$input, Ingot_IntTensor:$axes,
                       DefaultValuedAttr<BoolAttr, "false">:$keep_dims);
  let results = (outs Ingot_NumericOrComplexTensor:$output);
  let assemblyFormat = "$input `,` $axes attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Ingot_SumOp : Ingot_ReduceOp<"sum"> {
  let hasBuilders = 1;
  let tensorFlowOps = [TF_Op<"Sum", [TF_Implied<"Tidx">, TF_Bool<"keep_dims">]>];
  let summary = "Sum over axes";
  let description = [{
    TensorFlow's `Sum`. Negative axes count from the end; without axes, the
    result is the input; with `keep_dims`, reduced dimensions stay with size 1.
    The order of the reduction is fixed at compile time.

    Constraints:
    - (reduce_c1) constant axes lie within the input's rank.
    - (reduce_c2) no axis is listed twice.
    - (reduce_c3) `axes` is a scalar or a vector.

    ```mlir
    %axes = ingot.constant dense<0> : tensor<1xi32>
    %y = ingot.sum %x, %axes : (tensor<4x8xf32>, tensor<1xi32>) -> tensor<8xf32>
    ```
  }];
}

def Ingot_MeanOp : Ingot_ReduceOp<"mean"> {
  let tensorFlowOps = [TF_Op<"Mean", [TF_Implied<"Tidx">, TF_Bool<"keep_dims">]>];
  let summary = "Mean over axes";
  let description = [{
    TensorFlow's `Mean`. Negative axes count from the end; without axes, the
    result is the input; with `keep_dims`, reduced dimensions stay with size 1.
    The order of the reduction is fixed at compile time.

    Constraints:
    - (reduce_c1) constant axes lie within the input's rank.
    - (reduce_c2) no axis is listed twice.
    - (reduce_c3) `axes` is a scalar or a vector.

    ```mlir
    %axes = ingot.constant dense<0> : tensor<1xi32>
    %y = ingot.mean %x, %axes : (tensor<4x8xf32>, tensor<1xi32>) -> tensor<8xf32>
    ```
  }];
}

def Ingot_ProdOp : Ingot_ReduceOp<"prod"> {
  let tensorFlowOps = [TF_Op<"Prod", [TF_Implied<"Tidx">, TF_Bool<"keep_dims">]>];
  let summary = "Product over axes";
  let description = [{
    TensorFlow's `Prod`. Negative axes count from the end; without axes, the
    result is the input; with `keep_dims`, reduced dimensions stay with size 1.
    The order of the reduction is fixed at compile time.

    Constraints:
    - (reduce_c1) constant axes lie within the input's rank.
    - (reduce_c2) no axis is listed twice.
    - (reduce_c3) `axes` is a scalar or a vector.

    ```mlir
    %axes = ingot.constant dense<0> : tensor<1xi32>
    %y = ingot.prod %x, %axes : (tensor<4x8xf32>, tensor<1xi32>) -> tensor<8xf32>
    ```
  }];
}

def Ingot_MaxOp : Ingot_ReduceOp<"max"> {
  let tensorFlowOps = [
    TF_Op<"Max", [TF_Implied<"Tidx">, TF_Bool<"keep_dims">]>,
    TF_Op<"Any", [TF_Implied<"Tidx">, TF_Bool<"keep_dims">]>];
  let summary = "Maximum over axes";
  let description = [{
    TensorFlow's `Max`. Negative axes count from the end; without axes, the
    result is the input; with `keep_dims`, reduced dimensions stay with size 1.
    The order of the reduction is fixed at compile time.

    Constraints:
    - (reduce_c1) constant axes lie within the input's rank.
    - (reduce_c2) no axis is listed twice.
    - (reduce_c3) `axes` is a scalar or a vector.

    ```mlir
    %axes = ingot.constant dense<0> : tensor<1xi32>
    %y = ingot.max %x, %axes : (tensor<4x8xf32>, tensor<1xi32>) -> tensor<8xf32>
    ```
  }];
}

def Ingot_MinOp : Ingot_ReduceOp<"min"> {
  let tensorFlowOps = [
    TF_Op<"Min", [TF_Implied<"Tidx">, TF_Bool<"keep_dims">]>,
    TF_Op<"All", [TF_Implied<"Tidx">, TF_Bool<"keep_dims">]>];
  let summary = "Minimum over axes";
  let description = [{
    TensorFlow's `Min`. Negative axes count from the end; without axes, the
    result is the input; with `keep_dims`, reduced dimensions stay with size 1.
    The order of the reduction is fixed at compile time.

    Constraints:
    - (reduce_c1) constant axes lie within the input's rank.
    - (reduce_c2) no axis is listed twice.
    - (reduce_c3) `axes` is a scalar or a vector.

    ```mlir
    %axes = ingot.constant dense<0> : tensor<1xi32>
    %y = ingot.min %x, %axes : (tensor<4x8xf32>, tensor<1xi32>) -> tensor<8xf32>
    ```
  }];
}

def Ingot_ArgMaxOp : Ingot_PureOp<"arg_max"> {
  let tensorFlowOps = [
    TF_Op<"ArgMax", [TF_Implied<"Tidx">, TF_Type<"output_type", "output_type", "DT_INT64">]>];
  let summary = "Index of the largest element along an axis";
  let description = [{
    TensorFlow's `ArgMax`. If several elements are largest, the index of the
    first one.

    Constraints:
    - (arg_max_c1) a constant axis lies within the input's rank.
    - (arg_max_c2) the axis is a scalar.
    - (arg_max_c3) `output_type` is i32 or i64.

    ```mlir
    %axis = ingot.constant dense<1> : tensor<i32>
    %y = ingot.arg_max %x, %axis {output_type = i64} : (tensor<4x8xf32>, tensor<i32>) -> tensor<4xi64>
    ```
  }];
  let arguments = (ins Ingot_NumericTensor:$input, Ingot_IntTensor:$axis, TypeAttr:$output_type);
  let results = (outs Ingot_IntTensor:$output);
  let assemblyFormat = "$input `,` $axis attr-dict `:` functional-type(operands, results)";
}

#endif // INGOT_DIALECTS_INGOT_MATHREDUCTION_TD
