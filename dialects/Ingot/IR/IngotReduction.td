//===- IngotReduction.td - Segments, scans and top_k -------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Reductions other than those along whole axes: segment reductions (rows
// grouped by ids), cumulative sums and products, and top-k.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_REDUCTION_TD
#define INGOT_DIALECTS_INGOT_REDUCTION_TD

include "dialects/Ingot/IR/IngotBase.td"

def Ingot_SegmentReduceOp : Ingot_PureOp<"segment_reduce"> {
  let summary = "Segment reduction of rows";
  let description = [{
    Row i of the data, or with `indices` row `indices`[i], is combined into row
    `segment_ids`[i] of the result, which has `num_segments` rows. Rows whose id is
    outside of the result are dropped. Rows are combined in their order.
    `reduction` is sum, prod, min, max, mean (the sum divided by the number of
    rows) or sqrtn (the sum divided by the square root of this number). A segment
    without rows is the identity of the reduction, or with `zero_empty` zeros.

    TensorFlow's `UnsortedSegmentSum` and its like; `SegmentSum` and its like
    with the number of segments computed; with `indices` `SparseSegmentSum` and
    its like, and their gradients; `Bincount`.

    Constraints:
    - (segment_c1) without `indices` the data's first dimensions are those of the ids.
    - (segment_c2) the number of segments is a scalar; if it is constant, it is
      not negative.
    - (segment_c3) `reduction` is among the values above.
    - (segment_c4) with `indices`, these and the ids are vectors of one length,
      and the data has at least rank 1.

    ```mlir
    %y = ingot.segment_reduce %x, %ids, %n {reduction = "sum"}
        : (tensor<16x8xf32>, tensor<16xi64>, tensor<i32>) -> tensor<?x8xf32>
    ```
  }];
  let arguments = (ins Ingot_NumericOrComplexTensor:$data, Ingot_IntTensor:$segment_ids,
                       Ingot_IntTensor:$num_segments, Optional<Ingot_IntTensor>:$indices,
                       StrAttr:$reduction, UnitAttr:$zero_empty);
  let results = (outs Ingot_NumericOrComplexTensor:$output);
  let assemblyFormat = [{
    $data `,` $segment_ids `,` $num_segments (`at` $indices^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Ingot_CumulativeOp : Ingot_PureOp<"cumulative"> {
  let summary = "Cumulative sums or products along an axis";
  let description = [{
    TensorFlow's `Cumsum`, `Cumprod` and `CumulativeLogsumexp`: `kind` is sum,
    prod or logsumexp. Each element of the result combines the elements up to the
    same position, or with `reverse` from this position on; with `exclusive`,
    without the element at the position itself.

    Constraints:
    - (cumulative_c1) the axis is a constant scalar within the input's rank.
    - (cumulative_c2) `kind` is sum, prod or logsumexp.

    ```mlir
    %axis = ingot.constant dense<1> : tensor<i32>
    %y = ingot.cumulative %x, %axis {kind = "sum"} : (tensor<4x8xf32>, tensor<i32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Ingot_NumericOrComplexTensor:$input, Ingot_IntTensor:$axis, StrAttr:$kind,
                       DefaultValuedAttr<BoolAttr, "false">:$exclusive,
                       DefaultValuedAttr<BoolAttr, "false">:$reverse);
  let results = (outs Ingot_NumericOrComplexTensor:$output);
  let assemblyFormat = "$input `,` $axis attr-dict `:` functional-type(operands, results)";
}

def Ingot_InTopKOp : Ingot_PureOp<"in_top_k"> {
  let summary = "Whether the prediction for the target is among the k largest";
  let description = [{
    TensorFlow's `InTopKV2`: true where fewer than k predictions of the row are
    larger than the target's. False where a prediction of the row is not finite
    or the target is no class.

    Constraints:
    - (in_top_k_c1) predictions are [batch, classes], targets [batch], k a scalar.

    ```mlir
    %y = ingot.in_top_k %p, %t, %k : (tensor<64x10xf32>, tensor<64xi32>, tensor<i32>) -> tensor<64xi1>
    ```
  }];
  let arguments = (ins Ingot_FloatTensor:$predictions, Ingot_IntTensor:$targets, Ingot_IntTensor:$k);
  let results = (outs Ingot_BoolTensor:$output);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Ingot_TopKOp : Ingot_PureOp<"top_k", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [
    TF_Op<"TopKV2", [TF_Bool<"sorted">, TF_Implied<"Tk">, TF_Type<"index_type", "index_type", "DT_INT32">],
          ["values", "indices"]>];
  let summary = "The k largest elements along the last dimension, and where they are";
  let description = [{
    TensorFlow's `TopKV2`: in descending order; of equal elements, the one with the
    smaller index comes first. If `sorted` is false and k is less than the number
    of elements, they are in the order of the heap in which TensorFlow's CPU kernel
    collects them, because weights may have been trained with this order.

    Constraints:
    - (top_k_c1) the input has at least rank 1, and k is a scalar.
    - (top_k_c2) a constant k is not negative and at most the last dimension.
    - (top_k_c3) `index_type` is i32 or i64.

    ```mlir
    %v, %i = ingot.top_k %x, %k {index_type = i32} : (tensor<4x8xf32>, tensor<i32>) -> (tensor<4x?xf32>, tensor<4x?xi32>)
    ```
  }];
  let arguments = (ins Ingot_NumericTensor:$input, Ingot_IntTensor:$k, TypeAttr:$index_type,
                       DefaultValuedAttr<BoolAttr, "true">:$sorted);
  let results = (outs Ingot_NumericTensor:$values, Ingot_IntTensor:$indices);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

#endif // INGOT_DIALECTS_INGOT_REDUCTION_TD
