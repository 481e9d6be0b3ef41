//===- IngotProduct.td - Products of batches of matrices -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Products of batches of matrices, and einsums.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_PRODUCT_TD
#define INGOT_DIALECTS_INGOT_PRODUCT_TD

include "dialects/Ingot/IR/IngotBase.td"

def Ingot_BatchMatMulOp : Ingot_PureOp<"batch_matmul"> {
  let tensorFlowOps = [
    TF_Op<"BatchMatMulV2", [TF_Bool<"adj_x">, TF_Bool<"adj_y">, TF_Implied<"grad_x">, TF_Implied<"grad_y">]>,
    TF_Op<"BatchMatMul", [TF_Bool<"adj_x">, TF_Bool<"adj_y">, TF_Implied<"grad_x">, TF_Implied<"grad_y">]>];
  let summary = "Batch matrix product";
  let description = [{
    TensorFlow's `BatchMatMul`, `V2` and `V3`: matrices are the last two
    dimensions, transposed (and conjugated) first if `adj_x` or `adj_y` is set; the
    dimensions before them are broadcast.

    Constraints:
    - (batch_matmul_c1) both operands have at least rank 2.
    - (batch_matmul_c2) the inner dimensions agree.
    - (batch_matmul_c3) the operands have one element type.

    ```mlir
    %c = ingot.batch_matmul %a, %b {adj_y = true} : (tensor<6x4x8xf32>, tensor<6x2x8xf32>) -> tensor<6x4x2xf32>
    ```
  }];
  let arguments = (ins Ingot_NumericOrComplexTensor:$x, Ingot_NumericOrComplexTensor:$y,
                       DefaultValuedAttr<BoolAttr, "false">:$adj_x,
                       DefaultValuedAttr<BoolAttr, "false">:$adj_y);
  let results = (outs Ingot_NumericOrComplexTensor:$output);
  let assemblyFormat = "$x `,` $y attr-dict `:` functional-type(operands, results)";
}

def Ingot_EinsumOp : Ingot_PureOp<"einsum"> {
  let summary = "Einsum: a contraction over named dimensions";
  let description = [{
    TensorFlow's `Einsum` of one or two tensors. Each letter of `equation` is a
    dimension; ellipses are written out, as digits for the dimensions that are
    broadcast. An element of the result is the sum over all letters that the result
    lacks. A letter that occurs twice in an operand stands for its diagonal.

    Constraints:
    - (einsum_c1) the equation has a list of letters for each operand and, after
      "->", one for the result; each letter of the result is one of the
      operands' letters and occurs only once there.
    - (einsum_c2) an operand has as many dimensions as letters.
    - (einsum_c3) dimensions with the same letter have the same size; those with the same digit may also be 1.
    - (einsum_c4) the operands have one element type.

    ```mlir
    %c = ingot.einsum "ij,jk->ik"(%a, %b) : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
    ```
  }];
  let arguments = (ins StrAttr:$equation, Variadic<Ingot_NumericOrComplexTensor>:$inputs);
  let results = (outs Ingot_NumericOrComplexTensor:$output);
  let assemblyFormat = "$equation `(` $inputs `)` attr-dict `:` functional-type(operands, results)";
}

#endif // INGOT_DIALECTS_INGOT_PRODUCT_TD
