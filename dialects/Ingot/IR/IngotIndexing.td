//===- IngotIndexing.td - Slices, gathers and scatters -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Ops that read and write parts of tensors. An index that is out of range at
// run time accesses no memory: reads yield zeros (or empty strings), writes are
// dropped.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_INDEXING_TD
#define INGOT_DIALECTS_INGOT_INDEXING_TD

include "dialects/Ingot/IR/IngotBase.td"

def Ingot_SliceOp : Ingot_PureOp<"slice"> {
  let hasBuilders = 1;
  let tensorFlowOps = [TF_Op<"Slice", [TF_Implied<"Index">]>];
  let summary = "A box cut out of a tensor";
  let description = [{
    TensorFlow's `Slice`: `size` elements from `begin` on in each dimension; a size
    of -1 means all elements up to the end. If `begin` and `size` are not constant
    and reach outside of the tensor, elements there are zero.

    Constraints:
    - (slice_c1) `begin` and `size` are vectors with an element for each of the
      input's dimensions.
    - (slice_c2) constant boxes lie within the input.

    ```mlir
    %0 = ingot.slice %x, %begin, %size : (tensor<4x3xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$input, Ingot_IntTensor:$begin, Ingot_IntTensor:$size);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "$input `,` $begin `,` $size attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

class Ingot_StridedOp<string mnemonic, dag leading, dag trailing> : Ingot_PureOp<mnemonic> {
  let arguments = !con(leading, (ins Ingot_NumericTensor:$begin, Ingot_NumericTensor:$end, Ingot_NumericTensor:$strides), trailing, (ins
    DefaultValuedAttr<I64Attr, "0">:$begin_mask, DefaultValuedAttr<I64Attr, "0">:$end_mask,
    DefaultValuedAttr<I64Attr, "0">:$ellipsis_mask, DefaultValuedAttr<I64Attr, "0">:$new_axis_mask,
    DefaultValuedAttr<I64Attr, "0">:$shrink_axis_mask));
  let results = (outs Ingot_Tensor:$output);
}

def Ingot_StridedSliceOp : Ingot_StridedOp<"strided_slice", (ins Ingot_Tensor:$input), (ins)> {
  let tensorFlowOps = [
    TF_Op<"StridedSlice", [TF_Implied<"Index">, TF_Int<"begin_mask">, TF_Int<"end_mask">, TF_Int<"ellipsis_mask">, TF_Int<"new_axis_mask">, TF_Int<"shrink_axis_mask">]>];
  let summary = "x[begin:end:stride, ...], as Python writes it";
  let description = [{
    TensorFlow's `StridedSlice`. Bit i of a mask applies to entry i of `begin`,
    `end` and `strides`: `begin_mask` or `end_mask`: `begin` or `end` is ignored;
    `ellipsis_mask`: the entry is `...`; `new_axis_mask`: it inserts a dimension of
    size 1; `shrink_axis_mask`: it selects the one element at `begin` and removes
    the dimension.

    Constraints:
    - (strided_slice_c1) `begin`, `end` and `strides` are vectors of one length,
      at most 32; one ellipsis at the most.
    - (strided_slice_c2) there are at most as many entries as dimensions.
    - (strided_slice_c3) constant strides are not 0; they are positive where an
      entry takes a single element.
    - (strided_slice_c4) if an entry takes a single element and its index is
      constant, the index lies within the dimension.

    ```mlir
    %0 = ingot.strided_slice %x, %b, %e, %s {shrink_axis_mask = 1 : i64} : (tensor<4x3xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xf32>
    ```
  }];
  let assemblyFormat = "$input `,` $begin `,` $end `,` $strides attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Ingot_StridedSliceUpdateOp : Ingot_StridedOp<"strided_slice_update", (ins Ingot_Tensor:$input), (ins Ingot_Tensor:$value)> {
  let tensorFlowOps = [
    TF_Op<"TensorStridedSliceUpdate", [TF_Implied<"Index">, TF_Int<"begin_mask">, TF_Int<"end_mask">, TF_Int<"ellipsis_mask">, TF_Int<"new_axis_mask">, TF_Int<"shrink_axis_mask">]>];
  let summary = "A tensor with new values in x[begin:end:stride, ...]";
  let description = [{
    TensorFlow's `TensorStridedSliceUpdate`, and `StridedSliceGrad` with zeros
    as the input; entries and masks are those of `strided_slice`.

    Constraints:
    - (strided_slice_update_c1) entries and masks make a slice of the input.
    - (strided_slice_update_c2) `value` has the slice's shape and the input's
      element type.

    ```mlir
    %0 = ingot.strided_slice_update %x, %b, %e, %s, %v : (tensor<4xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<?xf32>) -> tensor<4xf32>
    ```
  }];
  let assemblyFormat = "$input `,` $begin `,` $end `,` $strides `,` $value attr-dict `:` functional-type(operands, results)";
}

def Ingot_GatherOp : Ingot_PureOp<"gather"> {
  let tensorFlowOps = [
    TF_Op<"GatherV2", [TF_Implied<"Taxis">, TF_Implied<"Tindices">, TF_Implied<"Tparams">, TF_Int<"batch_dims">]>];
  let summary = "Slices of a tensor, picked by indices along an axis";
  let description = [{
    TensorFlow's `GatherV2` and `Gather`. The first `batch_dims` dimensions of
    operand and indices correspond to each other. An index outside of the axis
    yields zeros.

    Constraints:
    - (gather_c1) the axis is one number; a constant one lies within the
      operand's rank, `batch_dims` within the indices' and at most at the axis.
    - (gather_c2) the first `batch_dims` sizes of operand and indices are equal.

    ```mlir
    %axis = ingot.constant dense<0> : tensor<i32>
    %0 = ingot.gather %x, %i, %axis : (tensor<10x3xf32>, tensor<4xi32>, tensor<i32>) -> tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$input, Ingot_NumericTensor:$indices, Ingot_NumericTensor:$axis,
    DefaultValuedAttr<I64Attr, "0">:$batch_dims);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "$input `,` $indices `,` $axis attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Ingot_GatherNdOp : Ingot_PureOp<"gather_nd"> {
  let tensorFlowOps = [TF_Op<"GatherNd", [TF_Implied<"Tindices">, TF_Implied<"Tparams">]>];
  let summary = "Slices of a tensor, picked by rows of coordinates";
  let description = [{
    TensorFlow's `GatherNd`. The indices' last dimension holds coordinates in the
    operand's first dimensions. Coordinates outside of the operand yield zeros.

    Constraints:
    - (gather_nd_c1) indices are at least a vector, and a row has at most as
      many coordinates as the operand has dimensions.

    ```mlir
    %0 = ingot.gather_nd %x, %i : (tensor<10x3xf32>, tensor<4x2xi32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$input, Ingot_NumericTensor:$indices);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "$input `,` $indices attr-dict `:` functional-type(operands, results)";
}

def Ingot_TensorScatterOp : Ingot_PureOp<"tensor_scatter"> {
  let summary = "A tensor with slices updated, addressed by rows of coordinates";
  let description = [{
    TensorFlow's `TensorScatterUpdate`, `Add`, `Sub`, `Min` and `Max`, as
    `combine` says; with zeros as the input, `ScatterNd`. Updates are applied
    one after the other, in row-major order of the rows; one whose coordinates
    lie outside is dropped.

    Constraints:
    - (tensor_scatter_c1) indices are at least a vector, and a row has at most
      as many coordinates as the input has dimensions.
    - (tensor_scatter_c2) `updates` has the input's element type and a slice of
      it for each row of the indices.
    - (tensor_scatter_c3) `combine` is "update", "add", "sub", "min" or "max".

    ```mlir
    %0 = ingot.tensor_scatter %x, %i, %u {combine = "add"} : (tensor<10xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<10xf32>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$input, Ingot_NumericTensor:$indices, Ingot_Tensor:$updates, StrAttr:$combine);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "$input `,` $indices `,` $updates attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

#endif // INGOT_DIALECTS_INGOT_INDEXING_TD
