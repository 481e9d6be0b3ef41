// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (sparse_reorder_c1)
func.func @sparse_reorder_c1(%i: tensor<?x2xi64>, %v: tensor<?xf32>, %s: tensor<3xi64>) {
  // expected-error @+1 {{expected shapes [n, rank] of the indices, [n] of the values and [rank] of the dense shape of a sparse tensor, but got [?, 2], [?], [3]}}
  %a, %b = ingot.sparse_reorder %i, %v, %s : (tensor<?x2xi64>, tensor<?xf32>, tensor<3xi64>) -> (tensor<?x2xi64>, tensor<?xf32>)
  return
}

// -----

// (sparse_to_dense_c1)
func.func @sparse_to_dense_c1(%i: tensor<?x2xi64>, %v: tensor<?xf32>, %s: tensor<3xi64>, %d: tensor<f32>) {
  // expected-error @+1 {{expected indices of at most 2 dimensions and a vector 'shape' with one element for each coordinate of an index, but got shapes [?, 2] and [3]}}
  %a = ingot.sparse_to_dense %i, %s, %v, %d : (tensor<?x2xi64>, tensor<3xi64>, tensor<?xf32>, tensor<f32>) -> tensor<?x?xf32>
  return
}

// -----

// (sparse_to_dense_c2)
func.func @sparse_to_dense_c2(%i: tensor<?x2xi64>, %v: tensor<?xf32>, %s: tensor<2xi64>, %d: tensor<f64>) {
  // expected-error @+1 {{the values must be a scalar or a vector of 'f64', the element type of the default value, but are 'tensor<?xf32>'}}
  %a = ingot.sparse_to_dense %i, %s, %v, %d : (tensor<?x2xi64>, tensor<2xi64>, tensor<?xf32>, tensor<f64>) -> tensor<?x?xf32>
  return
}

// -----

// (sparse_to_dense_c3)
func.func @sparse_to_dense_c3(%i: tensor<?x2xi64>, %v: tensor<?xf32>, %s: tensor<2xi64>, %d: tensor<1xf32>) {
  // expected-error @+1 {{the default value must be a scalar, but has shape [1]}}
  %a = ingot.sparse_to_dense %i, %s, %v, %d : (tensor<?x2xi64>, tensor<2xi64>, tensor<?xf32>, tensor<1xf32>) -> tensor<?x?xf32>
  return
}

// -----

// (sparse_reshape_c1)
func.func @sparse_reshape_c1(%i: tensor<?x2xi64>, %s: tensor<2x1xi64>) {
  // expected-error @+1 {{of the dense shape of a sparse tensor, but got [?, 2], [2, 1]}}
  %a, %b = ingot.sparse_reshape %i, %s, %s : (tensor<?x2xi64>, tensor<2x1xi64>, tensor<2x1xi64>) -> (tensor<?x2xi64>, tensor<2xi64>)
  return
}

// -----

// (sparse_reshape_c2)
func.func @sparse_reshape_c2(%i: tensor<?x2xi64>, %s: tensor<2xi64>, %n: tensor<i64>) {
  // expected-error @+1 {{the new shape must be a vector, but has shape []}}
  %a, %b = ingot.sparse_reshape %i, %s, %n : (tensor<?x2xi64>, tensor<2xi64>, tensor<i64>) -> (tensor<?x2xi64>, tensor<2xi64>)
  return
}

// -----

// (sparse_fill_empty_rows_c1)
func.func @sparse_fill_empty_rows_c1(%i: tensor<4x2xi64>, %v: tensor<3xf32>, %s: tensor<2xi64>, %d: tensor<f32>) {
  // expected-error @+1 {{of the dense shape of a sparse tensor, but got [4, 2], [3], [2]}}
  %a, %b, %c, %e = ingot.sparse_fill_empty_rows %i, %v, %s, %d : (tensor<4x2xi64>, tensor<3xf32>, tensor<2xi64>, tensor<f32>) -> (tensor<?x2xi64>, tensor<?xf32>, tensor<?xi1>, tensor<4xi64>)
  return
}

// -----

// (sparse_fill_empty_rows_c2)
func.func @sparse_fill_empty_rows_c2(%i: tensor<?x2xi64>, %v: tensor<?xf32>, %s: tensor<2xi64>, %d: tensor<i64>) {
  // expected-error @+1 {{the default value must be a scalar of 'f32'}}
  %a, %b, %c, %e = ingot.sparse_fill_empty_rows %i, %v, %s, %d : (tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>, tensor<i64>) -> (tensor<?x2xi64>, tensor<?xf32>, tensor<?xi1>, tensor<?xi64>)
  return
}

// -----

// (sparse_fill_empty_rows_grad_c1)
func.func @sparse_fill_empty_rows_grad_c1(%p: tensor<?xi64>, %g: tensor<2x?xf32>) {
  // expected-error @+1 {{the inputs must be vectors, but the indices have shape [?] and the gradients [2, ?]}}
  %a, %b = ingot.sparse_fill_empty_rows_grad %p, %g : (tensor<?xi64>, tensor<2x?xf32>) -> (tensor<?xf32>, tensor<f32>)
  return
}

// -----

// (sparse_slice_c1)
func.func @sparse_slice_c1(%i: tensor<?x2xi64>, %v: tensor<?xf32>, %s: tensor<2xi64>, %n: tensor<3xi64>) {
  // expected-error @+1 {{of the dense shape of a sparse tensor, but got [?, 2], [?], [2], [2], [3]}}
  %a, %b, %c = ingot.sparse_slice %i, %v, %s, %s, %n : (tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>, tensor<2xi64>, tensor<3xi64>) -> (tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>)
  return
}

// -----

// (serialize_sparse_c1)
func.func @serialize_sparse_c1(%i: tensor<4x2xi64>, %v: tensor<3xf32>, %s: tensor<2xi64>) {
  // expected-error @+1 {{of the dense shape of a sparse tensor, but got [4, 2], [3], [2]}}
  %t = ingot.serialize_sparse %i, %v, %s : (tensor<4x2xi64>, tensor<3xf32>, tensor<2xi64>) -> tensor<4x!ingot.string>
  return
}

// -----

// (serialize_sparse_c2)
func.func @serialize_sparse_c2(%i: tensor<?x?xi64>, %v: tensor<?xf32>, %s: tensor<?xi64>) {
  // expected-error @+1 {{the rank of the sparse tensor must be known}}
  %t = ingot.serialize_sparse %i, %v, %s : (tensor<?x?xi64>, tensor<?xf32>, tensor<?xi64>) -> tensor<?x!ingot.string>
  return
}

// -----

// (serialize_sparse_c2)
func.func @serialize_sparse_by_rows(%i: tensor<1x0xi64>, %v: tensor<1xf32>, %s: tensor<0xi64>) {
  // expected-error @+1 {{the rank of the sparse tensor must not be 0, as a scalar has no rows}}
  %t = ingot.serialize_sparse %i, %v, %s {by_rows = true} : (tensor<1x0xi64>, tensor<1xf32>, tensor<0xi64>) -> tensor<?x2x!ingot.string>
  return
}

// -----

// (deserialize_sparse_c1)
func.func @deserialize_sparse_c1(%t: tensor<?x?x!ingot.string>) {
  // expected-error @+1 {{the last dimension of the input must be known and at least 2, but the shape is}}
  %i, %v, %s = ingot.deserialize_sparse %t {dtype = f32} : (tensor<?x?x!ingot.string>) -> (tensor<?x?xi64>, tensor<?xf32>, tensor<?xi64>)
  return
}

// -----

// (sparse_cross_c1)
func.func @sparse_cross_c1(%i: tensor<?x2xi64>, %v: tensor<?xi64>) {
  // expected-error @+1 {{expected the indices, values and shapes of 1 sparse columns, then the dense columns, and at least one column, but got 2 tensors}}
  %a, %b, %c = ingot.sparse_cross %i, %v {count = 1, hashed = true, num_buckets = 4, hash_key = 7} : (tensor<?x2xi64>, tensor<?xi64>) -> (tensor<?x2xi64>, tensor<?xi64>, tensor<2xi64>)
  return
}

// -----

// (sparse_cross_c1)
func.func @sparse_cross_of_a_vector(%i: tensor<?x1xi64>, %v: tensor<?xi64>, %s: tensor<1xi64>) {
  // expected-error @+1 {{column 0 must be a sparse matrix, of rank 2, but has rank 1}}
  %a, %b, %c = ingot.sparse_cross %i, %v, %s {count = 1, hashed = true, num_buckets = 4, hash_key = 7} : (tensor<?x1xi64>, tensor<?xi64>, tensor<1xi64>) -> (tensor<?x2xi64>, tensor<?xi64>, tensor<2xi64>)
  return
}

// -----

// (sparse_cross_c2)
func.func @sparse_cross_c2(%d: tensor<4xi64>) {
  // expected-error @+1 {{a dense column of shape [4] must be a matrix}}
  %a, %b, %c = ingot.sparse_cross %d {count = 0, hashed = true, num_buckets = 4, hash_key = 7} : (tensor<4xi64>) -> (tensor<?x2xi64>, tensor<?xi64>, tensor<2xi64>)
  return
}

// -----

// (sparse_cross_c3)
func.func @sparse_cross_c3(%d: tensor<4x1xf32>) {
  // expected-error @+1 {{features of type 'f32' cannot be crossed: expected string or int64}}
  %a, %b, %c = ingot.sparse_cross %d {count = 0, hashed = true, num_buckets = 4, hash_key = 7} : (tensor<4x1xf32>) -> (tensor<?x2xi64>, tensor<?xi64>, tensor<2xi64>)
  return
}

// -----

// (ragged_to_tensor_c1)
func.func @ragged_to_tensor_has_types(%s: tensor<2xi64>, %v: tensor<?xf32>, %z: tensor<f32>, %p: tensor<?xi64>) {
  // expected-error @+1 {{expected one row partition type for each of the 1 row partitions (first FIRST_DIM_SIZE or ROW_SPLITS, then VALUE_ROWIDS or ROW_SPLITS), but got [ROW_SPLITS, ROW_SPLITS]}}
  %0 = ingot.ragged_to_tensor %s, %v, %z, %p {types = ["ROW_SPLITS", "ROW_SPLITS"]} : (tensor<2xi64>, tensor<?xf32>, tensor<f32>, tensor<?xi64>) -> tensor<*xf32>
  return
}

// -----

// (ragged_to_tensor_c1)
func.func @ragged_to_tensor_says_how_many(%s: tensor<2xi64>, %v: tensor<?xf32>, %z: tensor<f32>, %p: tensor<?xi64>) {
  // expected-error @+1 {{expected one row partition type for each of the 1 row partitions (first FIRST_DIM_SIZE or ROW_SPLITS, then VALUE_ROWIDS or ROW_SPLITS), but got [VALUE_ROWIDS]}}
  %0 = ingot.ragged_to_tensor %s, %v, %z, %p {types = ["VALUE_ROWIDS"]} : (tensor<2xi64>, tensor<?xf32>, tensor<f32>, tensor<?xi64>) -> tensor<*xf32>
  return
}

// -----

// (ragged_to_tensor_c2)
func.func @ragged_to_tensor_has_one_type(%s: tensor<2xi64>, %v: tensor<?xf32>, %z: tensor<i64>, %p: tensor<?xi64>) {
  // expected-error @+1 {{element types differ: 'f32' of the values and 'i64' of the default value}}
  %0 = ingot.ragged_to_tensor %s, %v, %z, %p {types = ["ROW_SPLITS"]} : (tensor<2xi64>, tensor<?xf32>, tensor<i64>, tensor<?xi64>) -> tensor<*xf32>
  return
}

// -----

// (ragged_to_tensor_c3)
func.func @ragged_to_tensor_has_a_shape(%s: tensor<3xi64>, %v: tensor<?xf32>, %z: tensor<f32>, %p: tensor<?xi64>) {
  // expected-error @+1 {{'shape' must be a scalar or have one element for each of the 2 dimensions of the result, but has shape [3]}}
  %0 = ingot.ragged_to_tensor %s, %v, %z, %p {types = ["ROW_SPLITS"]} : (tensor<3xi64>, tensor<?xf32>, tensor<f32>, tensor<?xi64>) -> tensor<*xf32>
  return
}

// -----

// (ctc_loss_c1)
func.func @ctc_loss_of_steps(%x: tensor<5x4xf32>, %i: tensor<?x2xi64>, %v: tensor<?xi32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{inputs is not a 3-Tensor}}
  %0, %1 = ingot.ctc_loss %x, %i, %v, %n : (tensor<5x4xf32>, tensor<?x2xi64>, tensor<?xi32>, tensor<2xi32>) -> (tensor<*xf32>, tensor<*xf32>)
  return
}

// -----

// (ctc_loss_c1)
func.func @ctc_loss_has_a_length_each(%x: tensor<5x2x4xf32>, %i: tensor<?x2xi64>, %v: tensor<?xi32>, %n: tensor<3xi32>) {
  // expected-error @+1 {{len(sequence_length) != batch_size.  len(sequence_length):  3 batch_size: 2}}
  %0, %1 = ingot.ctc_loss %x, %i, %v, %n : (tensor<5x2x4xf32>, tensor<?x2xi64>, tensor<?xi32>, tensor<3xi32>) -> (tensor<*xf32>, tensor<*xf32>)
  return
}

// -----

// (ctc_loss_c1)
func.func @ctc_loss_has_a_vector_of_lengths(%x: tensor<5x2x4xf32>, %i: tensor<?x2xi64>, %v: tensor<?xi32>, %n: tensor<2x1xi32>) {
  // expected-error @+1 {{sequence_length is not a vector, but has shape [2, 1]}}
  %0, %1 = ingot.ctc_loss %x, %i, %v, %n : (tensor<5x2x4xf32>, tensor<?x2xi64>, tensor<?xi32>, tensor<2x1xi32>) -> (tensor<*xf32>, tensor<*xf32>)
  return
}

// -----

// (ctc_loss_c2)
func.func @ctc_loss_of_a_matrix(%x: tensor<5x2x4xf32>, %i: tensor<?x3xi64>, %v: tensor<?xi32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{labels must be a matrix, but have 3 dimensions}}
  %0, %1 = ingot.ctc_loss %x, %i, %v, %n : (tensor<5x2x4xf32>, tensor<?x3xi64>, tensor<?xi32>, tensor<2xi32>) -> (tensor<*xf32>, tensor<*xf32>)
  return
}

// -----

// (ctc_loss_c2)
func.func @ctc_loss_has_as_many_values(%x: tensor<5x2x4xf32>, %i: tensor<4x2xi64>, %v: tensor<3xi32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{of the dense shape of a sparse tensor, but got [4, 2], [3]}}
  %0, %1 = ingot.ctc_loss %x, %i, %v, %n : (tensor<5x2x4xf32>, tensor<4x2xi64>, tensor<3xi32>, tensor<2xi32>) -> (tensor<*xf32>, tensor<*xf32>)
  return
}

// -----

// (ctc_greedy_decoder_c1)
func.func @ctc_greedy_decoder_of_steps(%x: tensor<5x4xf32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{inputs is not a 3-Tensor}}
  %0, %1, %2, %3 = ingot.ctc_greedy_decoder %x, %n : (tensor<5x4xf32>, tensor<2xi32>) -> (tensor<?x2xi64>, tensor<?xi64>, tensor<2xi64>, tensor<*xf32>)
  return
}

// -----

// (ctc_greedy_decoder_c2)
func.func @ctc_greedy_decoder_has_a_blank(%x: tensor<5x2x4xf32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{blank_index expected to be between -4 and 3 but was 4}}
  %0, %1, %2, %3 = ingot.ctc_greedy_decoder %x, %n {blank_index = 4 : i64} : (tensor<5x2x4xf32>, tensor<2xi32>) -> (tensor<?x2xi64>, tensor<?xi64>, tensor<2xi64>, tensor<*xf32>)
  return
}

// -----

// (sparse_reduce_c1)
func.func @sparse_reduce_c1(%i: tensor<?x2xi64>, %v: tensor<5xf32>, %s: tensor<3xi64>, %a: tensor<1xi32>) {
  // expected-error @+1 {{expected shapes [n, rank] of the indices, [n] of the values and [rank] of the dense shape of a sparse tensor}}
  %x, %y, %z = ingot.sparse_reduce %i, %v, %s, %a {reduction = "sum"} : (tensor<?x2xi64>, tensor<5xf32>, tensor<3xi64>, tensor<1xi32>) -> (tensor<?x?xi64>, tensor<?xf32>, tensor<?xi64>)
  return
}

// -----

// (sparse_reduce_c2)
func.func @sparse_reduce_c2(%i: tensor<?x2xi64>, %v: tensor<5xf32>, %s: tensor<2xi64>, %a: tensor<1x1xi32>) {
  // expected-error @+1 {{Expected reduction_axes to be a scalar or a vector; got shape: [1, 1]}}
  %x, %y, %z = ingot.sparse_reduce %i, %v, %s, %a {reduction = "sum"} : (tensor<?x2xi64>, tensor<5xf32>, tensor<2xi64>, tensor<1x1xi32>) -> (tensor<?x?xi64>, tensor<?xf32>, tensor<?xi64>)
  return
}

// -----

// (sparse_reduce_c2)
func.func @sparse_reduce_c2_axis(%i: tensor<?x2xi64>, %v: tensor<5xf32>, %s: tensor<2xi64>) {
  %a = ingot.constant dense<2> : tensor<i32>
  // expected-error @+1 {{Invalid reduction dimension 2, for input with 2 dimensions}}
  %x, %y, %z = ingot.sparse_reduce %i, %v, %s, %a {reduction = "sum"} : (tensor<?x2xi64>, tensor<5xf32>, tensor<2xi64>, tensor<i32>) -> (tensor<?x?xi64>, tensor<?xf32>, tensor<?xi64>)
  return
}

// -----

// (sparse_reduce_c3)
func.func @sparse_reduce_c3(%i: tensor<?x2xi64>, %v: tensor<5xf32>, %s: tensor<2xi64>, %a: tensor<i32>) {
  // expected-error @+1 {{'reduction' must be sum or max, but is 'mean'}}
  %x, %y, %z = ingot.sparse_reduce %i, %v, %s, %a {reduction = "mean"} : (tensor<?x2xi64>, tensor<5xf32>, tensor<2xi64>, tensor<i32>) -> (tensor<?x?xi64>, tensor<?xf32>, tensor<?xi64>)
  return
}

// -----

// (sparse_softmax_c1)
func.func @sparse_softmax_c1(%i: tensor<4x2xi64>, %v: tensor<5xf32>, %s: tensor<2xi64>) {
  // expected-error @+1 {{expected shapes [n, rank] of the indices, [n] of the values and [rank] of the dense shape of a sparse tensor}}
  %x = ingot.sparse_softmax %i, %v, %s : (tensor<4x2xi64>, tensor<5xf32>, tensor<2xi64>) -> tensor<?xf32>
  return
}

// -----

// (sparse_softmax_c2)
func.func @sparse_softmax_c2(%i: tensor<4x1xi64>, %v: tensor<4xf32>, %s: tensor<1xi64>) {
  // expected-error @+1 {{Input should have rank >= 2, but it has rank 1}}
  %x = ingot.sparse_softmax %i, %v, %s : (tensor<4x1xi64>, tensor<4xf32>, tensor<1xi64>) -> tensor<?xf32>
  return
}

// -----

// (sparse_add_c1)
func.func @sparse_add_c1(%ai: tensor<?x2xi64>, %av: tensor<?xf32>, %as: tensor<2xi64>, %bi: tensor<?x2xi64>, %bv: tensor<?xf32>, %bs: tensor<3xi64>, %t: tensor<f32>) {
  // expected-error @+1 {{expected shapes [n, rank] of the indices, [n] of the values and [rank] of the dense shape of a sparse tensor}}
  %i, %v, %s = ingot.sparse_add %ai, %av, %as, %bi, %bv, %bs, %t : (tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>, tensor<?x2xi64>, tensor<?xf32>, tensor<3xi64>, tensor<f32>) -> (tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>)
  return
}

// -----

// (sparse_add_c2)
func.func @sparse_add_c2(%ai: tensor<?x2xi64>, %av: tensor<?xf32>, %as: tensor<2xi64>, %bi: tensor<?x1xi64>, %bv: tensor<?xf32>, %bs: tensor<1xi64>, %t: tensor<f32>) {
  // expected-error @+1 {{and ranks 2 and 1}}
  %i, %v, %s = ingot.sparse_add %ai, %av, %as, %bi, %bv, %bs, %t : (tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>, tensor<?x1xi64>, tensor<?xf32>, tensor<1xi64>, tensor<f32>) -> (tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>)
  return
}

// -----

// (sparse_add_c2)
func.func @sparse_add_c2_types(%ai: tensor<?x2xi64>, %av: tensor<?xf32>, %as: tensor<2xi64>, %bi: tensor<?x2xi64>, %bv: tensor<?xi32>, %bs: tensor<2xi64>, %t: tensor<f32>) {
  // expected-error @+1 {{element types 'f32' and 'i32'}}
  %i, %v, %s = ingot.sparse_add %ai, %av, %as, %bi, %bv, %bs, %t : (tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>, tensor<?x2xi64>, tensor<?xi32>, tensor<2xi64>, tensor<f32>) -> (tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>)
  return
}

// -----

// (sparse_add_c3)
func.func @sparse_add_c3(%ai: tensor<?x2xi64>, %av: tensor<?xf32>, %as: tensor<2xi64>, %bi: tensor<?x2xi64>, %bv: tensor<?xf32>, %bs: tensor<2xi64>, %t: tensor<i32>) {
  // expected-error @+1 {{the threshold must be a scalar of 'f32'}}
  %i, %v, %s = ingot.sparse_add %ai, %av, %as, %bi, %bv, %bs, %t : (tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>, tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>, tensor<i32>) -> (tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>)
  return
}

// -----

// (sparse_combine_c1)
func.func @sparse_combine_c1(%ai: tensor<?x2xi64>, %av: tensor<?xf32>, %as: tensor<2xi64>, %bi: tensor<?x2xi64>, %bv: tensor<?xf32>, %bs: tensor<3xi64>) {
  // expected-error @+1 {{expected shapes [n, rank] of the indices, [n] of the values and [rank] of the dense shape of a sparse tensor}}
  %i, %v = ingot.sparse_combine %ai, %av, %as, %bi, %bv, %bs {combine = "max"} : (tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>, tensor<?x2xi64>, tensor<?xf32>, tensor<3xi64>) -> (tensor<?x2xi64>, tensor<?xf32>)
  return
}

// -----

// (sparse_combine_c2)
func.func @sparse_combine_c2(%ai: tensor<?x2xi64>, %av: tensor<?xf32>, %as: tensor<2xi64>, %bi: tensor<?x1xi64>, %bv: tensor<?xf32>, %bs: tensor<1xi64>) {
  // expected-error @+1 {{and ranks 2 and 1}}
  %i, %v = ingot.sparse_combine %ai, %av, %as, %bi, %bv, %bs {combine = "max"} : (tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>, tensor<?x1xi64>, tensor<?xf32>, tensor<1xi64>) -> (tensor<?x2xi64>, tensor<?xf32>)
  return
}

// -----

// (sparse_combine_c3)
func.func @sparse_combine_c3(%ai: tensor<?x2xi64>, %av: tensor<?xf32>, %as: tensor<2xi64>, %bi: tensor<?x2xi64>, %bv: tensor<?xf32>, %bs: tensor<2xi64>) {
  // expected-error @+1 {{'combine' must be max or min, but is 'add'}}
  %i, %v = ingot.sparse_combine %ai, %av, %as, %bi, %bv, %bs {combine = "add"} : (tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>, tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>) -> (tensor<?x2xi64>, tensor<?xf32>)
  return
}

// -----

// (sparse_add_grad_c1)
func.func @sparse_add_grad_c1(%g: tensor<3xf32>, %a: tensor<?x2xi64>, %b: tensor<?x2xi64>, %s: tensor<4x2xi64>) {
  // expected-error @+1 {{expected shapes [n, rank] of the indices, [n] of the values and [rank] of the dense shape of a sparse tensor}}
  %x, %y = ingot.sparse_add_grad %g, %a, %b, %s : (tensor<3xf32>, tensor<?x2xi64>, tensor<?x2xi64>, tensor<4x2xi64>) -> (tensor<?xf32>, tensor<?xf32>)
  return
}

// -----

// (sparse_add_grad_c2)
func.func @sparse_add_grad_c2(%g: tensor<?xf32>, %a: tensor<?x2xi64>, %b: tensor<?x3xi64>, %s: tensor<?x2xi64>) {
  // expected-error @+1 {{the indices of each addend must be a matrix with as many columns as the indices of the sum, but the shapes are [?, 3] and [?, 2]}}
  %x, %y = ingot.sparse_add_grad %g, %a, %b, %s : (tensor<?xf32>, tensor<?x2xi64>, tensor<?x3xi64>, tensor<?x2xi64>) -> (tensor<?xf32>, tensor<?xf32>)
  return
}

// -----

// (edit_distance_c1)
func.func @edit_distance_c1(%ai: tensor<?x2xi64>, %av: tensor<?xf32>, %as: tensor<2xi64>, %bi: tensor<?x2xi64>, %bv: tensor<?xf32>, %bs: tensor<3xi64>) {
  // expected-error @+1 {{expected shapes [n, rank] of the indices, [n] of the values and [rank] of the dense shape of a sparse tensor}}
  %x = ingot.edit_distance %ai, %av, %as, %bi, %bv, %bs : (tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>, tensor<?x2xi64>, tensor<?xf32>, tensor<3xi64>) -> tensor<?xf32>
  return
}

// -----

// (edit_distance_c2)
func.func @edit_distance_c2(%ai: tensor<?x2xi64>, %av: tensor<?xf32>, %as: tensor<2xi64>, %bi: tensor<?x2xi64>, %bv: tensor<?xi32>, %bs: tensor<2xi64>) {
  // expected-error @+1 {{the same rank, at least 2, but got element types 'f32' and 'i32'}}
  %x = ingot.edit_distance %ai, %av, %as, %bi, %bv, %bs : (tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>, tensor<?x2xi64>, tensor<?xi32>, tensor<2xi64>) -> tensor<?xf32>
  return
}

// -----

// (edit_distance_c2)
func.func @edit_distance_c2_rank(%ai: tensor<?x1xi64>, %av: tensor<?xf32>, %as: tensor<1xi64>, %bi: tensor<?x1xi64>, %bv: tensor<?xf32>, %bs: tensor<1xi64>) {
  // expected-error @+1 {{and ranks 1 and 1}}
  %x = ingot.edit_distance %ai, %av, %as, %bi, %bv, %bs : (tensor<?x1xi64>, tensor<?xf32>, tensor<1xi64>, tensor<?x1xi64>, tensor<?xf32>, tensor<1xi64>) -> tensor<?xf32>
  return
}

// -----

// (edit_distance_c2)
func.func @edit_distance_c2_known(%ai: tensor<?x?xi64>, %av: tensor<?xf32>, %as: tensor<?xi64>, %bi: tensor<?x?xi64>, %bv: tensor<?xf32>, %bs: tensor<?xi64>) {
  // expected-error @+1 {{the rank of the hypothesis and the truth must be known}}
  %x = ingot.edit_distance %ai, %av, %as, %bi, %bv, %bs : (tensor<?x?xi64>, tensor<?xf32>, tensor<?xi64>, tensor<?x?xi64>, tensor<?xf32>, tensor<?xi64>) -> tensor<?xf32>
  return
}
