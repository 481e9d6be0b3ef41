//===- IngotRagged.td - Ragged tensors -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Ops on ragged tensors, which run in the runtime. A ragged tensor consists of
// dense ones: row splits of each ragged dimension, the outermost first, and the
// values of all rows.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_RAGGED_TD
#define INGOT_DIALECTS_INGOT_RAGGED_TD

include "dialects/Ingot/IR/IngotBase.td"

def Ingot_SerializeRaggedOp : Ingot_PureOp<"serialize_ragged", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"RaggedTensorToVariant", [TF_Implied<"RAGGED_RANK">, TF_Implied<"Tvalues">, TF_Implied<"Tsplits">,
                                                       TF_Bool<"batched_input", "batched">]>];
  let summary = "Serializes a ragged tensor to strings";
  let description = [{
    TensorFlow's `RaggedTensorToVariant`. The result is a vector of strings in the
    place of TensorFlow's variant: the bytes of the row splits of each ragged
    dimension, those of the values, and one string for each of the values'
    dimensions, so that the values' rank follows from the type. With `batched`, there
    is such a vector for each row, which has one ragged dimension less.

    Constraints:
    - (serialize_ragged_c1) row splits are vectors.
    - (serialize_ragged_c2) the values' rank is known, and at least 1 if there are row splits.
    - (serialize_ragged_c3) with `batched`, there are row splits.

    ```mlir
    %s = ingot.serialize_ragged %splits, %values {batched = true} : (tensor<5xi64>, tensor<?x3xf32>) -> tensor<4x3x!ingot.string>
    ```
  }];
  let arguments = (ins Variadic<Ingot_IntTensor>:$nested_splits, Ingot_Tensor:$values, DefaultValuedAttr<BoolAttr, "false">:$batched);
  let results = (outs Ingot_StringTensor:$serialized);
  let hasFolder = 1;
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Ingot_DeserializeRaggedOp : Ingot_PureOp<"deserialize_ragged", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"RaggedTensorFromVariant", [TF_Int<"input_ragged_rank">, TF_Int<"output_ragged_rank">,
                                                         TF_Type<"Tvalues", "element_type">, TF_Type<"Tsplits", "splits_type", "DT_INT64">]>];
  let summary = "Deserializes and stacks ragged tensors";
  let description = [{
    TensorFlow's `RaggedTensorFromVariant`: the inverse of `serialize_ragged`. A batch
    of serialized tensors becomes one ragged tensor, with one more ragged dimension
    for each dimension of the batch. A serialized tensor of empty strings, which
    an element of a list is that was never set, has no rows.

    Constraints:
    - (deserialize_ragged_c1) the input's rank is known, and at least 1.
    - (deserialize_ragged_c2) the results' ragged rank is that of the serialized tensors plus the batch's rank.
    - (deserialize_ragged_c3) the input's last dimension is that of a serialized tensor of this ragged rank.

    ```mlir
    %splits, %values = ingot.deserialize_ragged %s {output_ragged_rank = 1, element_type = f32, splits_type = i64}
        : (tensor<4x3x!ingot.string>) -> (tensor<5xi64>, tensor<?x?xf32>)
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$serialized, DefaultValuedAttr<I64Attr, "-1">:$input_ragged_rank, I64Attr:$output_ragged_rank,
                       TypeAttr:$element_type, TypeAttr:$splits_type);
  let results = (outs Variadic<Ingot_IntTensor>:$nested_splits, Ingot_Tensor:$values);
  let assemblyFormat = "$serialized attr-dict `:` functional-type(operands, results)";
}

def Ingot_DeserializeRaggedGradientOp : Ingot_PureOp<"deserialize_ragged_gradient", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"RaggedTensorToVariantGradient", [TF_Type<"Tvalues", "element_type">, TF_Implied<"Tsplits">]>];
  let summary = "Gradient of serialize_ragged";
  let description = [{
    TensorFlow's `RaggedTensorToVariantGradient`: the values of all serialized rows,
    one after the other, as a tensor of the given shape. A row of empty strings has
    zeros, as many as the row splits say.

    Constraints:
    - (deserialize_ragged_gradient_c1) row splits are a scalar or a vector.
    - (deserialize_ragged_gradient_c2) the shape is a vector of known length.
    - (deserialize_ragged_gradient_c3) the input's rank is at least 1, and its last dimension at least one more than the values' rank.

    ```mlir
    %d = ingot.deserialize_ragged_gradient %s, %splits, %shape {element_type = f32} : (tensor<4x3x!ingot.string>, tensor<5xi64>, tensor<2xi32>) -> tensor<?x?xf32>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$serialized, Ingot_IntTensor:$splits, Ingot_IntTensor:$shape, TypeAttr:$element_type);
  let results = (outs Ingot_Tensor:$values);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Ingot_RaggedGatherOp : Ingot_PureOp<"ragged_gather", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"RaggedGather", [TF_Implied<"PARAMS_RAGGED_RANK">, TF_Int<"OUTPUT_RAGGED_RANK", "output_ragged_rank">,
                                              TF_Implied<"Tvalues">, TF_Implied<"Tindices">, TF_Implied<"Tsplits">]>];
  let summary = "Rows of a ragged tensor";
  let description = [{
    TensorFlow's `RaggedGather`: the rows of a ragged tensor that the indices select,
    as a ragged tensor. Its outermost dimensions are those of the indices.

    Constraints:
    - (ragged_gather_c1) there are row splits, which are vectors.
    - (ragged_gather_c2) values have at least one dimension.
    - (ragged_gather_c3) `output_ragged_rank` is the rank of the indices plus that of the rows.

    ```mlir
    %s, %y = ingot.ragged_gather %splits, %values, %i {output_ragged_rank = 1} : (tensor<5xi64>, tensor<?x3xf32>, tensor<2xi32>) -> (tensor<3xi64>, tensor<?x3xf32>)
    ```
  }];
  let arguments = (ins Variadic<Ingot_IntTensor>:$nested_splits, Ingot_Tensor:$values, Ingot_IntTensor:$indices, I64Attr:$output_ragged_rank);
  let results = (outs Variadic<Ingot_IntTensor>:$output_splits, Ingot_Tensor:$output_values);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Ingot_RaggedToSparseOp : Ingot_PureOp<"ragged_to_sparse", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"RaggedTensorToSparse", [TF_Implied<"RAGGED_RANK">, TF_Implied<"Tsplits">],
                             ["sparse_indices", "sparse_values", "sparse_dense_shape"]>];
  let summary = "Converts a ragged tensor to a sparse one";
  let description = [{
    TensorFlow's `RaggedTensorToSparse`: each element with its coordinates, and a
    shape in which a ragged dimension has the length of its longest row.

    Constraints:
    - (ragged_to_sparse_c1) there are row splits, which are vectors.
    - (ragged_to_sparse_c2) the values' rank is known, and at least 1.

    ```mlir
    %i, %v, %s = ingot.ragged_to_sparse %splits, %values : (tensor<5xi64>, tensor<?xf32>) -> (tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>)
    ```
  }];
  let arguments = (ins Variadic<Ingot_IntTensor>:$nested_splits, Ingot_Tensor:$values);
  let results = (outs TensorOf<[I64]>:$indices, Ingot_Tensor:$sparse_values, TensorOf<[I64]>:$shape);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

#endif // INGOT_DIALECTS_INGOT_RAGGED_TD
