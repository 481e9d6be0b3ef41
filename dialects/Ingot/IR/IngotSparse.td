//===- IngotSparse.td - Sparse tensors -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Ops on sparse tensors, which run in the runtime. A sparse tensor consists of
// three dense ones: the indices of its elements, one row of coordinates for
// each; the elements' values; and its shape.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_SPARSE_TD
#define INGOT_DIALECTS_INGOT_SPARSE_TD

include "dialects/Ingot/IR/IngotBase.td"

def Ingot_SparseReorderOp : Ingot_PureOp<"sparse_reorder", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"SparseReorder", [], ["output_indices", "output_values"]>];
  let summary = "A sparse tensor's elements in row-major order";
  let description = [{
    TensorFlow's `SparseReorder`.

    Constraints:
    - (sparse_reorder_c1) indices are a matrix; values and shape are vectors
      whose lengths fit it.

    ```mlir
    %i, %v = ingot.sparse_reorder %indices, %values, %shape : (tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>) -> (tensor<?x2xi64>, tensor<?xf32>)
    ```
  }];
  let arguments = (ins TensorOf<[I64]>:$indices, Ingot_Tensor:$values, TensorOf<[I64]>:$shape);
  let results = (outs TensorOf<[I64]>:$output_indices, Ingot_Tensor:$output_values);
  let assemblyFormat = "$indices `,` $values `,` $shape attr-dict `:` functional-type(operands, results)";
}

def Ingot_SparseToDenseOp : Ingot_PureOp<"sparse_to_dense", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"SparseToDense", [TF_Implied<"Tindices">, TF_Bool<"validate_indices">]>];
  let summary = "Converts a sparse tensor to a dense one";
  let description = [{
    TensorFlow's `SparseToDense`: a tensor of the given shape with the default value
    in all elements except for those at `indices` (a matrix of coordinates, or a
    vector or scalar of positions in a vector). A scalar `values` applies to all
    indices. With `validate_indices`, the indices must be in order and distinct.

    Constraints:
    - (sparse_to_dense_c1) the shape is a vector of as many elements as an index has.
    - (sparse_to_dense_c2) values are a vector or a scalar, with the default
      value's element type.
    - (sparse_to_dense_c3) the default value is a scalar.

    ```mlir
    %y = ingot.sparse_to_dense %indices, %shape, %values, %zero : (tensor<?x2xi64>, tensor<2xi64>, tensor<?xf32>, tensor<f32>) -> tensor<?x?xf32>
    ```
  }];
  let arguments = (ins Ingot_IntTensor:$indices, Ingot_IntTensor:$shape, Ingot_Tensor:$values, Ingot_Tensor:$default_value,
                   DefaultValuedAttr<BoolAttr, "true">:$validate_indices);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "$indices `,` $shape `,` $values `,` $default_value attr-dict `:` functional-type(operands, results)";
}

def Ingot_SparseReshapeOp : Ingot_PureOp<"sparse_reshape", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"SparseReshape", [], ["output_indices", "output_shape"]>];
  let summary = "Reshapes a sparse tensor";
  let description = [{
    TensorFlow's `SparseReshape`: the coordinates of the elements in the new
    shape, and that shape, in which one dimension may be given as -1.

    Constraints:
    - (sparse_reshape_c1) indices are a matrix, and the shape is a vector whose
      length fits it.
    - (sparse_reshape_c2) the new shape is a vector.

    ```mlir
    %i, %s = ingot.sparse_reshape %indices, %shape, %new : (tensor<?x3xi64>, tensor<3xi64>, tensor<2xi64>) -> (tensor<?x2xi64>, tensor<2xi64>)
    ```
  }];
  let arguments = (ins TensorOf<[I64]>:$indices, TensorOf<[I64]>:$shape, TensorOf<[I64]>:$new_shape);
  let results = (outs TensorOf<[I64]>:$output_indices, TensorOf<[I64]>:$output_shape);
  let assemblyFormat = "$indices `,` $shape `,` $new_shape attr-dict `:` functional-type(operands, results)";
}

def Ingot_SparseFillEmptyRowsOp : Ingot_PureOp<"sparse_fill_empty_rows", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [
    TF_Op<"SparseFillEmptyRows", [], ["output_indices", "output_values", "empty_row_indicator", "reverse_index_map"]>];
  let summary = "Fills empty rows of a sparse tensor with a default value";
  let description = [{
    TensorFlow's `SparseFillEmptyRows`: the elements sorted by rows, with the default
    value as the only element of each empty row; which rows were empty; and the
    new position of each element.

    Constraints:
    - (sparse_fill_empty_rows_c1) indices are a matrix; values and shape are
      vectors whose lengths fit it.
    - (sparse_fill_empty_rows_c2) the default value is a scalar of the values' element type.

    ```mlir
    %i, %v, %empty, %at = ingot.sparse_fill_empty_rows %indices, %values, %shape, %zero : (tensor<?x2xi64>, tensor<?xi64>, tensor<2xi64>, tensor<i64>) -> (tensor<?x2xi64>, tensor<?xi64>, tensor<?xi1>, tensor<?xi64>)
    ```
  }];
  let arguments = (ins TensorOf<[I64]>:$indices, Ingot_Tensor:$values, TensorOf<[I64]>:$shape, Ingot_Tensor:$default_value);
  let results = (outs TensorOf<[I64]>:$output_indices, Ingot_Tensor:$output_values, Ingot_BoolTensor:$empty_rows, TensorOf<[I64]>:$places);
  let assemblyFormat = "$indices `,` $values `,` $shape `,` $default_value attr-dict `:` functional-type(operands, results)";
}

def Ingot_SparseFillEmptyRowsGradOp : Ingot_PureOp<"sparse_fill_empty_rows_grad", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"SparseFillEmptyRowsGrad", [], ["d_values", "d_default_value"]>];
  let summary = "Gradient of sparse_fill_empty_rows";
  let description = [{
    TensorFlow's `SparseFillEmptyRowsGrad`: the gradients of the original elements,
    taken from their new positions, and the gradient of the default value, which is
    the sum of all others.

    Constraints:
    - (sparse_fill_empty_rows_grad_c1) places and gradients are vectors.

    ```mlir
    %d, %rest = ingot.sparse_fill_empty_rows_grad %places, %grad : (tensor<?xi64>, tensor<?xf32>) -> (tensor<?xf32>, tensor<f32>)
    ```
  }];
  let arguments = (ins TensorOf<[I64]>:$places, Ingot_NumericTensor:$gradients);
  let results = (outs Ingot_NumericTensor:$values, Ingot_NumericTensor:$default_value);
  let assemblyFormat = "$places `,` $gradients attr-dict `:` functional-type(operands, results)";
}

def Ingot_SparseSliceOp : Ingot_PureOp<"sparse_slice", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"SparseSlice", [], ["output_indices", "output_values", "output_shape"]>];
  let summary = "The part of a sparse tensor that lies in a box";
  let description = [{
    TensorFlow's `SparseSlice`: the elements in the box of size `size` that begins at
    `start`, with coordinates relative to `start`, and the shape of the box, clipped
    to the tensor.

    Constraints:
    - (sparse_slice_c1) indices are a matrix; values, shape, start and size are
      vectors whose lengths fit it.

    ```mlir
    %i, %v, %s = ingot.sparse_slice %indices, %values, %shape, %start, %size : (tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>)
    ```
  }];
  let arguments = (ins TensorOf<[I64]>:$indices, Ingot_Tensor:$values, TensorOf<[I64]>:$shape, TensorOf<[I64]>:$start, TensorOf<[I64]>:$size);
  let results = (outs TensorOf<[I64]>:$output_indices, Ingot_Tensor:$output_values, TensorOf<[I64]>:$output_shape);
  let assemblyFormat = "$indices `,` $values `,` $shape `,` $start `,` $size attr-dict `:` functional-type(operands, results)";
}

def Ingot_SerializeSparseOp : Ingot_PureOp<"serialize_sparse", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"SerializeSparse", [TF_Implied<"out_type">]>];
  let summary = "Serializes a sparse tensor to strings";
  let description = [{
    TensorFlow's `SerializeSparse` and, with `by_rows`, `SerializeManySparse`.
    The result is a vector of strings in the place of TensorFlow's three variants:
    the bytes of the indices, those of the values, and one string for each
    dimension, so that the rank is part of the type. With `by_rows`, there is such a
    vector for each row of the first dimension.

    Constraints:
    - (serialize_sparse_c1) indices are a matrix; values and shape are vectors
      whose lengths fit it.
    - (serialize_sparse_c2) the rank is known, and with `by_rows` at least 1.

    ```mlir
    %s = ingot.serialize_sparse %indices, %values, %shape : (tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>) -> tensor<4x!ingot.string>
    ```
  }];
  let arguments = (ins TensorOf<[I64]>:$indices, Ingot_Tensor:$values, TensorOf<[I64]>:$shape, DefaultValuedAttr<BoolAttr, "false">:$by_rows);
  let results = (outs Ingot_StringTensor:$serialized);
  let assemblyFormat = "$indices `,` $values `,` $shape attr-dict `:` functional-type(operands, results)";
}

def Ingot_DeserializeSparseOp : Ingot_PureOp<"deserialize_sparse", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [
    TF_Op<"DeserializeSparse", [TF_Implied<"Tserialized">, TF_Type<"dtype">], ["sparse_indices", "sparse_values", "sparse_shape"]>];
  let summary = "Deserializes and stacks sparse tensors";
  let description = [{
    TensorFlow's `DeserializeSparse`: the inverse of `serialize_sparse`. A batch of
    serialized tensors becomes one sparse tensor. Its shape is that of the batch,
    followed by the elementwise maximum of the serialized tensors' shapes.

    Constraints:
    - (deserialize_sparse_c1) the input's last dimension is known, and at least
      2.

    ```mlir
    %i, %v, %s = ingot.deserialize_sparse %serialized {dtype = f32} : (tensor<?x3x!ingot.string>) -> (tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>)
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$serialized, TypeAttr:$dtype);
  let results = (outs TensorOf<[I64]>:$indices, Ingot_Tensor:$values, TensorOf<[I64]>:$shape);
  let assemblyFormat = "$serialized attr-dict `:` functional-type(operands, results)";
}

def Ingot_SparseCrossOp : Ingot_PureOp<"sparse_cross", [Ingot_ComputedByRuntime]> {
  let summary = "Feature crosses, row by row";
  let description = [{
    TensorFlow's `SparseCross`, `SparseCrossV2` and `SparseCrossHashed`, of which
    crossed feature columns consist. `columns` are the indices of `count` sparse
    matrices, then their values, then their shapes, and after them dense matrices;
    elements are strings or int64. Each row of the result has every combination of
    one feature from each column, with the last column's feature changing fastest.
    With `hashed`, a combination is a number below `num_buckets` (0: any number),
    otherwise the features joined by `separator`. Hashes begin with `hash_key`, or
    with `hashes_first` with the first column's feature, in which case numbers of
    sparse columns are hashed as well.

    Constraints:
    - (sparse_cross_c1) there are `count` sparse matrices, of indices, values and shapes that fit.
    - (sparse_cross_c2) dense columns are matrices.
    - (sparse_cross_c3) features are strings or int64.

    ```mlir
    %i, %v, %s = ingot.sparse_cross %i0, %v0, %s0, %d {count = 1, hashed = true, num_buckets = 40, hash_key = 7} : (tensor<?x2xi64>, tensor<?x!ingot.string>, tensor<2xi64>, tensor<4x1xi64>) -> (tensor<?x2xi64>, tensor<?xi64>, tensor<2xi64>)
    ```
  }];
  let arguments = (ins Variadic<Ingot_Tensor>:$columns, I64Attr:$count, BoolAttr:$hashed, I64Attr:$num_buckets, I64Attr:$hash_key, DefaultValuedAttr<StrAttr, "\"_X_\"">:$separator, DefaultValuedAttr<BoolAttr, "false">:$hashes_first);
  let results = (outs TensorOf<[I64]>:$indices, Ingot_Tensor:$values, TensorOf<[I64]>:$shape);
  let assemblyFormat = "$columns attr-dict `:` functional-type(operands, results)";
}

def Ingot_RaggedToTensorOp : Ingot_PureOp<"ragged_to_tensor", [Ingot_ComputedByRuntime]> {
  let summary = "Converts ragged rows to a padded tensor";
  let description = [{
    TensorFlow's `RaggedTensorToTensor`. The partitions, outermost first, tell how
    values are divided into rows. `ROW_SPLITS` has the begin of each row and the end
    of the last one; `VALUE_ROWIDS` has the row of each value, and follows a
    `FIRST_DIM_SIZE`, the number of rows. A size of -1 in `shape` stands for the
    length of the longest row; a scalar -1 does so for each size. Shorter rows are
    padded with `default_value`, broadcast to the shape of a value.

    Constraints:
    - (ragged_to_tensor_c1) there are as many `types` as partitions: a first one that says how many rows there are, then `VALUE_ROWIDS` or `ROW_SPLITS`.
    - (ragged_to_tensor_c2) values have at least one dimension, and the default value's element type.
    - (ragged_to_tensor_c3) the shape is a scalar or has an element for each dimension of the result.

    ```mlir
    %y = ingot.ragged_to_tensor %shape, %values, %zero, %rows, %ids {types = ["FIRST_DIM_SIZE", "VALUE_ROWIDS"]} : (tensor<2xi64>, tensor<?xi64>, tensor<i64>, tensor<i64>, tensor<?xi64>) -> tensor<?x?xi64>
    ```
  }];
  let arguments = (ins Ingot_IntTensor:$shape, Ingot_Tensor:$values, Ingot_Tensor:$default_value, Variadic<Ingot_IntTensor>:$partitions, StrArrayAttr:$types);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Ingot_CTCLossOp : Ingot_PureOp<"ctc_loss", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [
    TF_Op<"CTCLoss", [TF_Bool<"preprocess_collapse_repeated">, TF_Bool<"ctc_merge_repeated">,
                      TF_Bool<"ignore_longer_outputs_than_inputs">], ["loss", "gradient"]>];
  let summary = "CTC loss: negative log-likelihood of unaligned labels";
  let description = [{
    TensorFlow's `CTCLoss`. `inputs` are logits [steps, batch, classes], of which the
    last class is the blank. The results are, for each example, minus the logarithm
    of the probability of its labels, and the gradient of this loss with respect to
    the inputs. Labels are a sparse matrix; `lengths` has the number of steps of each
    example. With `preprocess_collapse_repeated`, a label that equals the one before
    it is dropped; without `ctc_merge_repeated`, repeated outputs are not merged;
    with `ignore_longer_outputs_than_inputs`, an example with more labels than steps
    has loss 0, otherwise it stops the run.

    Constraints:
    - (ctc_loss_c1) inputs have three dimensions; lengths are a vector with an
      element for each example of the batch.
    - (ctc_loss_c2) the indices of the labels are rows of two numbers, and there
      is a value for each row.

    ```mlir
    %loss, %gradient = ingot.ctc_loss %x, %i, %v, %n {ctc_merge_repeated = true} : (tensor<20x8x30xf32>, tensor<?x2xi64>, tensor<?xi32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<20x8x30xf32>)
    ```
  }];
  let arguments = (ins TensorOf<[F32, F64]>:$inputs, TensorOf<[I64]>:$indices, TensorOf<[I32]>:$values, TensorOf<[I32]>:$lengths,
                       DefaultValuedAttr<BoolAttr, "false">:$preprocess_collapse_repeated, DefaultValuedAttr<BoolAttr, "true">:$ctc_merge_repeated,
                       DefaultValuedAttr<BoolAttr, "false">:$ignore_longer_outputs_than_inputs);
  let results = (outs TensorOf<[F32, F64]>:$loss, TensorOf<[F32, F64]>:$gradient);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Ingot_CTCGreedyDecoderOp : Ingot_PureOp<"ctc_greedy_decoder", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [
    TF_Op<"CTCGreedyDecoder", [TF_Bool<"merge_repeated">, TF_Int<"blank_index">],
          ["decoded_indices", "decoded_values", "decoded_shape", "log_probability"]>];
  let summary = "CTC greedy decoding";
  let description = [{
    TensorFlow's `CTCGreedyDecoder` of `inputs` [steps, batch, classes]: picks the
    largest input of each step. The results are a sparse matrix of the picked
    classes, without `blank_index` (if negative, counted from the end), and with
    `merge_repeated` without repetitions of the previous step's class; and a column
    with minus the sum of all picked inputs of each example.

    Constraints:
    - (ctc_greedy_decoder_c1) inputs have three dimensions; lengths are a vector
      with an element for each example of the batch.
    - (ctc_greedy_decoder_c2) `blank_index` is one of the classes.

    ```mlir
    %i, %v, %s, %log = ingot.ctc_greedy_decoder %x, %n {blank_index = -1 : i64} : (tensor<20x8x30xf32>, tensor<8xi32>) -> (tensor<?x2xi64>, tensor<?xi64>, tensor<2xi64>, tensor<8x1xf32>)
    ```
  }];
  let arguments = (ins TensorOf<[F32, F64]>:$inputs, TensorOf<[I32]>:$lengths, DefaultValuedAttr<BoolAttr, "false">:$merge_repeated,
                       DefaultValuedAttr<I64Attr, "-1">:$blank_index);
  let results = (outs TensorOf<[I64]>:$indices, TensorOf<[I64]>:$values, TensorOf<[I64]>:$shape, TensorOf<[F32, F64]>:$log_probability);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Ingot_SparseReduceOp : Ingot_PureOp<"sparse_reduce", [Ingot_ComputedByRuntime]> {
  let summary = "Reduces a sparse tensor along axes to a sparse tensor";
  let description = [{
    TensorFlow's `SparseReduceSumSparse` and `SparseReduceMaxSparse`. Elements whose
    coordinates are the same on all axes that are not reduced become one element,
    their `reduction`: "sum" or "max". The results are in row-major order. With
    `keep_dims`, reduced axes stay with size 1. If elements have NaNs among them,
    the maximum is that of the elements after the last NaN, or else NaN, which is
    the order of TensorFlow's scalar code.

    Constraints:
    - (sparse_reduce_c1) indices are a matrix; values and shape are vectors
      whose lengths fit it.
    - (sparse_reduce_c2) axes are a scalar or a vector; if they are constant, each
      is an axis of the tensor, where negative ones count from the last axis.
    - (sparse_reduce_c3) `reduction` is among the values above.

    ```mlir
    %i, %v, %s = ingot.sparse_reduce %indices, %values, %shape, %axes {reduction = "max"} : (tensor<?x3xi64>, tensor<?xf32>, tensor<3xi64>, tensor<2xi32>) -> (tensor<?x?xi64>, tensor<?xf32>, tensor<?xi64>)
    ```
  }];
  let arguments = (ins TensorOf<[I64]>:$indices, Ingot_NumericTensor:$values, TensorOf<[I64]>:$shape, TensorOf<[I32]>:$axes,
                   StrAttr:$reduction, DefaultValuedAttr<BoolAttr, "false">:$keep_dims);
  let results = (outs TensorOf<[I64]>:$output_indices, Ingot_NumericTensor:$output_values, TensorOf<[I64]>:$output_shape);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Ingot_SparseSoftmaxOp : Ingot_PureOp<"sparse_softmax", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"SparseSoftmax">];
  let summary = "Softmax of the elements in each row of a sparse tensor";
  let description = [{
    TensorFlow's `SparseSoftmax`: the softmax of the elements whose coordinates
    differ only on the last axis, without regard to elements that are not there.
    The results are in row-major order.

    Constraints:
    - (sparse_softmax_c1) indices are a matrix; values and shape are vectors
      whose lengths fit it.
    - (sparse_softmax_c2) the rank is at least 2.

    ```mlir
    %y = ingot.sparse_softmax %indices, %values, %shape : (tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>) -> tensor<?xf32>
    ```
  }];
  let arguments = (ins TensorOf<[I64]>:$indices, TensorOf<[F16, F32, F64]>:$values, TensorOf<[I64]>:$shape);
  let results = (outs TensorOf<[F16, F32, F64]>:$output);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Ingot_SparseAddOp : Ingot_PureOp<"sparse_add", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"SparseAdd", [TF_Implied<"Treal">], ["sum_indices", "sum_values", "sum_shape"]>];
  let summary = "Sum of two sparse tensors";
  let description = [{
    TensorFlow's `SparseAdd` of two sparse tensors of one shape, whose elements are
    in row-major order. A sum of two elements that is smaller than `threshold` in
    magnitude is left out. Elements that only one of the tensors has are copied.

    Constraints:
    - (sparse_add_c1) the indices of each tensor are a matrix; values and shape are
      vectors whose lengths fit it.
    - (sparse_add_c2) the tensors have one rank, at least 1, and one element type.
    - (sparse_add_c3) the threshold is a scalar of that type.

    ```mlir
    %i, %v, %s = ingot.sparse_add %ai, %av, %as, %bi, %bv, %bs, %t : (tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>, tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>, tensor<f32>) -> (tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>)
    ```
  }];
  let arguments = (ins TensorOf<[I64]>:$a_indices, TensorOf<[F32, F64, I8, I16, I32, I64]>:$a_values, TensorOf<[I64]>:$a_shape,
                       TensorOf<[I64]>:$b_indices, TensorOf<[F32, F64, I8, I16, I32, I64]>:$b_values, TensorOf<[I64]>:$b_shape,
                       TensorOf<[F32, F64, I8, I16, I32, I64]>:$threshold);
  let results = (outs TensorOf<[I64]>:$sum_indices, TensorOf<[F32, F64, I8, I16, I32, I64]>:$sum_values, TensorOf<[I64]>:$sum_shape);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Ingot_SparseAddGradOp : Ingot_PureOp<"sparse_add_grad", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"SparseAddGrad", [], ["a_val_grad", "b_val_grad"]>];
  let summary = "Gradients of the elements that sparse_add adds";
  let description = [{
    TensorFlow's `SparseAddGrad`: each element of the sum with the index of an
    element of a tensor gives it its gradient. Elements that are not in the sum have
    the gradient 0. All indices are in row-major order.

    Constraints:
    - (sparse_add_grad_c1) the gradient is a vector with an element for each row of
      the sum's indices.
    - (sparse_add_grad_c2) indices are matrices with the same number of columns.

    ```mlir
    %da, %db = ingot.sparse_add_grad %g, %ai, %bi, %si : (tensor<?xf32>, tensor<?x2xi64>, tensor<?x2xi64>, tensor<?x2xi64>) -> (tensor<?xf32>, tensor<?xf32>)
    ```
  }];
  let arguments = (ins TensorOf<[F32, F64, I8, I16, I32, I64]>:$gradient, TensorOf<[I64]>:$a_indices, TensorOf<[I64]>:$b_indices, TensorOf<[I64]>:$sum_indices);
  let results = (outs TensorOf<[F32, F64, I8, I16, I32, I64]>:$a_gradient, TensorOf<[F32, F64, I8, I16, I32, I64]>:$b_gradient);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Ingot_SparseCombineOp : Ingot_PureOp<"sparse_combine", [Ingot_ComputedByRuntime]> {
  let summary = "Elementwise maximum or minimum of two sparse tensors";
  let description = [{
    TensorFlow's `SparseSparseMaximum` and `SparseSparseMinimum` of two sparse
    tensors of one shape, whose elements are in row-major order. `combine` is "max"
    or "min". Elements that a tensor does not have count as 0.

    Constraints:
    - (sparse_combine_c1) the indices of each tensor are a matrix; values and shape
      are vectors whose lengths fit it.
    - (sparse_combine_c2) the tensors have one rank, at least 1, and one element type.
    - (sparse_combine_c3) `combine` is among the values above.

    ```mlir
    %i, %v = ingot.sparse_combine %ai, %av, %as, %bi, %bv, %bs {combine = "max"} : (tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>, tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>) -> (tensor<?x2xi64>, tensor<?xf32>)
    ```
  }];
  let arguments = (ins TensorOf<[I64]>:$a_indices, Ingot_NumericTensor:$a_values, TensorOf<[I64]>:$a_shape,
                       TensorOf<[I64]>:$b_indices, Ingot_NumericTensor:$b_values, TensorOf<[I64]>:$b_shape, StrAttr:$combine);
  let results = (outs TensorOf<[I64]>:$output_indices, Ingot_NumericTensor:$output_values);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Ingot_EditDistanceOp : Ingot_PureOp<"edit_distance", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"EditDistance", [TF_Bool<"normalize">]>];
  let summary = "Levenshtein distances of sequences";
  let description = [{
    TensorFlow's `EditDistance` of two sparse tensors, whose last axis is that of
    the sequences: how many elements have to be inserted, deleted or replaced to
    turn a sequence of the hypothesis into that of the truth. With `normalize`, it
    is divided by the length of the truth, and infinite if only the truth is empty.

    Constraints:
    - (edit_distance_c1) the indices of each tensor are a matrix; values and shape
      are vectors whose lengths fit it.
    - (edit_distance_c2) the tensors have one rank, which is known and at least 2,
      and one element type.

    ```mlir
    %y = ingot.edit_distance %hi, %hv, %hs, %ti, %tv, %ts {normalize = true} : (tensor<?x2xi64>, tensor<?xi64>, tensor<2xi64>, tensor<?x2xi64>, tensor<?xi64>, tensor<2xi64>) -> tensor<?xf32>
    ```
  }];
  let arguments = (ins TensorOf<[I64]>:$hypothesis_indices, Ingot_Tensor:$hypothesis_values, TensorOf<[I64]>:$hypothesis_shape,
                       TensorOf<[I64]>:$truth_indices, Ingot_Tensor:$truth_values, TensorOf<[I64]>:$truth_shape,
                       DefaultValuedAttr<BoolAttr, "true">:$normalize);
  let results = (outs TensorOf<[F32]>:$output);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

#endif // INGOT_DIALECTS_INGOT_SPARSE_TD
