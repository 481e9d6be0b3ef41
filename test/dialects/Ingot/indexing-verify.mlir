// SPDX-License-Identifier: Apache-2.0
// Constraints of slices, gathers and scatters.
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (slice_c1)
func.func @slice_has_a_number_a_dimension(%x: tensor<4x3xf32>, %b: tensor<1xi32>, %s: tensor<2xi32>) {
  // expected-error @+1 {{expected 'begin' and 'size' to have 2 elements, one for each dimension of the input, but got 1}}
  %0 = ingot.slice %x, %b, %s : (tensor<4x3xf32>, tensor<1xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  return
}

// -----

// (slice_c2)
func.func @slice_must_lie_inside(%x: tensor<4xf32>) {
  %b = ingot.constant dense<2> : tensor<1xi32>
  %s = ingot.constant dense<3> : tensor<1xi32>
  // expected-error @+1 {{a slice of size 3 does not fit into dimension 0, whose size is 4}}
  %0 = ingot.slice %x, %b, %s : (tensor<4xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xf32>
  return
}

// -----

// (slice_c2)
func.func @slice_must_begin_inside(%x: tensor<4xf32>) {
  %b = ingot.constant dense<5> : tensor<1xi32>
  %s = ingot.constant dense<-1> : tensor<1xi32>
  // expected-error @+1 {{the slice begins at 5, past the end of dimension 0, whose size is 4}}
  %0 = ingot.slice %x, %b, %s : (tensor<4xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return
}

// -----

// (slice_c2)
func.func @slice_must_not_be_negative(%x: tensor<4xf32>) {
  %b = ingot.constant dense<-1> : tensor<1xi32>
  %s = ingot.constant dense<1> : tensor<1xi32>
  // expected-error @+1 {{dimension 0: expected a begin of at least 0 and a size of at least -1, which means the rest of the dimension, but got begin -1 and size 1}}
  %0 = ingot.slice %x, %b, %s : (tensor<4xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<1xf32>
  return
}

// -----

// (strided_slice_c1)
func.func @strided_slice_lengths_must_agree(%x: tensor<4xf32>, %b: tensor<1xi32>, %e: tensor<2xi32>) {
  // expected-error @+1 {{begin, end and strides have different lengths: 1 and 2}}
  %0 = ingot.strided_slice %x, %b, %e, %b : (tensor<4xf32>, tensor<1xi32>, tensor<2xi32>, tensor<1xi32>) -> tensor<?xf32>
  return
}

// -----

// (strided_slice_c1)
func.func @strided_slice_has_one_ellipsis(%x: tensor<4x3xf32>) {
  %b = ingot.constant dense<0> : tensor<2xi32>
  %e = ingot.constant dense<7> : tensor<2xi32>
  %s = ingot.constant dense<1> : tensor<2xi32>
  // expected-error @+1 {{a strided slice can have only one ellipsis, but ellipsis_mask has several bits set}}
  %0 = ingot.strided_slice %x, %b, %e, %s {ellipsis_mask = 3 : i64} : (tensor<4x3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<*xf32>
  return
}

// -----

// (strided_slice_c2)
func.func @strided_slice_has_few_entries(%x: tensor<4x3xf32>) {
  %b = ingot.constant dense<0> : tensor<3xi32>
  %e = ingot.constant dense<7> : tensor<3xi32>
  %s = ingot.constant dense<1> : tensor<3xi32>
  // expected-error @+1 {{a tensor of rank 2 cannot be indexed by 3 entries of begin, end and strides}}
  %0 = ingot.strided_slice %x, %b, %e, %s : (tensor<4x3xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) -> tensor<*xf32>
  return
}

// -----

// (strided_slice_c3)
func.func @strided_slice_must_step(%x: tensor<4x3xf32>) {
  %b = ingot.constant dense<0> : tensor<1xi32>
  %e = ingot.constant dense<7> : tensor<1xi32>
  %s = ingot.constant dense<0> : tensor<1xi32>
  // expected-error @+1 {{strides[0] must be non-zero}}
  %0 = ingot.strided_slice %x, %b, %e, %s : (tensor<4x3xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<*xf32>
  return
}

// -----

// (strided_slice_c3)
func.func @strided_slice_takes_one_forwards(%x: tensor<4x3xf32>) {
  %b = ingot.constant dense<0> : tensor<1xi32>
  %e = ingot.constant dense<7> : tensor<1xi32>
  %s = ingot.constant dense<-1> : tensor<1xi32>
  // expected-error @+1 {{dimension 0 is in shrink_axis_mask, so its stride must be positive, but is -1}}
  %0 = ingot.strided_slice %x, %b, %e, %s {shrink_axis_mask = 1 : i64} : (tensor<4x3xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<*xf32>
  return
}

// -----

// (strided_slice_c4)
func.func @strided_slice_index_must_exist(%x: tensor<4x3xf32>) {
  %b = ingot.constant dense<-5> : tensor<1xi32>
  %e = ingot.constant dense<7> : tensor<1xi32>
  %s = ingot.constant dense<1> : tensor<1xi32>
  // expected-error @+1 {{index -5 lies outside of dimension 0, whose size is 4: expected -4 to 3}}
  %0 = ingot.strided_slice %x, %b, %e, %s {shrink_axis_mask = 1 : i64} : (tensor<4x3xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<*xf32>
  return
}

// -----

// (strided_slice_update_c1)
func.func @strided_slice_update_of_a_slice(%x: tensor<f32>, %b: tensor<1xi32>, %v: tensor<f32>) {
  // expected-error @+1 {{a tensor of rank 0 cannot be indexed by 1 entries of begin, end and strides}}
  %0 = ingot.strided_slice_update %x, %b, %b, %b, %v : (tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

// (strided_slice_update_c2)
func.func @strided_slice_update_of_its_shape(%x: tensor<4xf32>, %v: tensor<3xf32>) {
  %b = ingot.constant dense<0> : tensor<1xi32>
  %e = ingot.constant dense<2> : tensor<1xi32>
  %s = ingot.constant dense<1> : tensor<1xi32>
  // expected-error @+1 {{a value of shape [3] cannot be assigned to a slice of shape [2]}}
  %0 = ingot.strided_slice_update %x, %b, %e, %s, %v : (tensor<4xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

// (gather_c1)
func.func @gather_axis_must_exist(%x: tensor<10xf32>, %i: tensor<4xi32>) {
  %axis = ingot.constant dense<1> : tensor<i32>
  // expected-error @+1 {{axis 1 lies outside a tensor of rank 1}}
  %0 = ingot.gather %x, %i, %axis : (tensor<10xf32>, tensor<4xi32>, tensor<i32>) -> tensor<?xf32>
  return
}

// -----

// (gather_c1)
func.func @gather_batch_dims_lie_before_the_axis(%x: tensor<4x3xf32>, %i: tensor<4xi32>) {
  %axis = ingot.constant dense<0> : tensor<i32>
  // expected-error @+1 {{batch_dims 1 is larger than the axis 0}}
  %0 = ingot.gather %x, %i, %axis {batch_dims = 1 : i64} : (tensor<4x3xf32>, tensor<4xi32>, tensor<i32>) -> tensor<?xf32>
  return
}

// -----

// (gather_c2)
func.func @gather_batches_must_agree(%x: tensor<4x3xf32>, %i: tensor<5x2xi32>) {
  %axis = ingot.constant dense<1> : tensor<i32>
  // expected-error @+1 {{the input and the indices must have the same first 1 dimensions (batch_dims), but have shapes [4, 3] and [5, 2]}}
  %0 = ingot.gather %x, %i, %axis {batch_dims = 1 : i64} : (tensor<4x3xf32>, tensor<5x2xi32>, tensor<i32>) -> tensor<?x?xf32>
  return
}

// -----

// (gather_nd_c1)
func.func @gather_nd_rows_are_not_too_long(%x: tensor<10x3xf32>, %i: tensor<4x3xi32>) {
  // expected-error @+1 {{the last dimension of the indices must be at most 2, the rank of the indexed tensor, but is 3}}
  %0 = ingot.gather_nd %x, %i : (tensor<10x3xf32>, tensor<4x3xi32>) -> tensor<4xf32>
  return
}

// -----

// (tensor_scatter_c1)
func.func @tensor_scatter_needs_rows(%x: tensor<10xf32>, %i: tensor<i32>, %u: tensor<f32>) {
  // expected-error @+1 {{the indices must have at least one dimension, but are a scalar}}
  %0 = ingot.tensor_scatter %x, %i, %u {combine = "add"} : (tensor<10xf32>, tensor<i32>, tensor<f32>) -> tensor<10xf32>
  return
}

// -----

// (tensor_scatter_c2)
func.func @tensor_scatter_updates_must_fit(%x: tensor<10x3xf32>, %i: tensor<4x1xi32>, %u: tensor<4x2xf32>) {
  // expected-error @+1 {{the updates must have shape [4, 3], that of the slices that the indices select, but have shape [4, 2]}}
  %0 = ingot.tensor_scatter %x, %i, %u {combine = "add"} : (tensor<10x3xf32>, tensor<4x1xi32>, tensor<4x2xf32>) -> tensor<10x3xf32>
  return
}

// -----

// (tensor_scatter_c3)
func.func @tensor_scatter_combines(%x: tensor<10xf32>, %i: tensor<4x1xi32>, %u: tensor<4xf32>) {
  // expected-error @+1 {{'combine' must be update, add, sub, min or max, but is 'mul'}}
  %0 = ingot.tensor_scatter %x, %i, %u {combine = "mul"} : (tensor<10xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<10xf32>
  return
}
