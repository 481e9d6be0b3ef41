// SPDX-License-Identifier: Apache-2.0
// Constraints of joins, splits and broadcasts.
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (concat_c1)
func.func @concat_axis_must_exist(%a: tensor<2xf32>) {
  %axis = ingot.constant dense<1> : tensor<i32>
  // expected-error @+1 {{axis 1 lies outside a tensor of rank 1}}
  %0 = ingot.concat %axis, %a, %a : (tensor<i32>, tensor<2xf32>, tensor<2xf32>) -> tensor<?xf32>
  return
}

// -----

// (concat_c1)
func.func @concat_axis_is_one_number(%a: tensor<2xf32>, %axis: tensor<2xi32>) {
  // expected-error @+1 {{the axis must be one number, but has shape [2]}}
  %0 = ingot.concat %axis, %a, %a : (tensor<2xi32>, tensor<2xf32>, tensor<2xf32>) -> tensor<?xf32>
  return
}

// -----

// (concat_c2)
func.func @concat_ranks_must_agree(%a: tensor<2xf32>, %b: tensor<2x1xf32>, %axis: tensor<i32>) {
  // expected-error @+1 {{inputs have different ranks: [2] and [2, 1]}}
  %0 = ingot.concat %axis, %a, %b : (tensor<i32>, tensor<2xf32>, tensor<2x1xf32>) -> tensor<*xf32>
  return
}

// -----

// (concat_c2)
func.func @concat_sizes_must_agree(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  %axis = ingot.constant dense<0> : tensor<i32>
  // expected-error @+1 {{inputs may differ only along the axis, but have sizes 3 and 4 in dimension 1}}
  %0 = ingot.concat %axis, %a, %b : (tensor<i32>, tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<?x?xf32>
  return
}

// -----

// (split_c1)
func.func @split_axis_must_exist(%x: tensor<4xf32>) {
  %axis = ingot.constant dense<-2> : tensor<i32>
  // expected-error @+1 {{axis -2 lies outside a tensor of rank 1}}
  %0:2 = ingot.split %axis, %x {count = 2 : i64} : (tensor<i32>, tensor<4xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  return
}

// -----

// (split_c2)
func.func @split_makes_pieces(%x: tensor<4xf32>) {
  %axis = ingot.constant dense<0> : tensor<i32>
  // expected-error @+1 {{the number of pieces must be 1 to 1048576, but is 0}}
  ingot.split %axis, %x {count = 0 : i64} : (tensor<i32>, tensor<4xf32>) -> ()
  return
}

// -----

// (split_c3)
func.func @split_must_divide(%x: tensor<5xf32>) {
  %axis = ingot.constant dense<0> : tensor<i32>
  // expected-error @+1 {{a dimension of size 5 cannot be split into 2 pieces of equal size}}
  %0:2 = ingot.split %axis, %x {count = 2 : i64} : (tensor<i32>, tensor<5xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  return
}

// -----

// (split_c3)
func.func @split_sizes_must_add_up(%x: tensor<5xf32>) {
  %axis = ingot.constant dense<0> : tensor<i32>
  %n = ingot.constant dense<[2, 4]> : tensor<2xi32>
  // expected-error @+1 {{the sizes of the pieces, [2, 4], do not add up to the size of the split dimension, 5}}
  %0:2 = ingot.split %axis, %x sizes %n {count = 2 : i64} : (tensor<i32>, tensor<5xf32>, tensor<2xi32>) -> (tensor<?xf32>, tensor<?xf32>)
  return
}

// -----

// (one_hot_c1)
func.func @one_hot_depth_must_not_be_negative(%i: tensor<4xi32>, %v: tensor<f32>) {
  %d = ingot.constant dense<-1> : tensor<i32>
  // expected-error @+1 {{the depth -1 is negative, but must be 0 or more}}
  %0 = ingot.one_hot %i, %d, %v, %v : (tensor<4xi32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<4x?xf32>
  return
}

// -----

// (one_hot_c2)
func.func @one_hot_values_have_one_type(%i: tensor<4xi32>, %d: tensor<i32>, %v: tensor<f32>, %w: tensor<f64>) {
  // expected-error @+1 {{on_value and off_value have different element types: 'f32' and 'f64'}}
  %0 = ingot.one_hot %i, %d, %v, %w : (tensor<4xi32>, tensor<i32>, tensor<f32>, tensor<f64>) -> tensor<4x?xf32>
  return
}

// -----

// (one_hot_c3)
func.func @one_hot_axis_must_exist(%i: tensor<4xi32>, %d: tensor<i32>, %v: tensor<f32>) {
  // expected-error @+1 {{axis 2 lies outside a tensor of rank 2}}
  %0 = ingot.one_hot %i, %d, %v, %v {axis = 2 : i64} : (tensor<4xi32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<4x?xf32>
  return
}

// -----

// (broadcast_to_c1)
func.func @broadcast_to_a_vector(%x: tensor<3xf32>, %s: tensor<i32>) {
  // expected-error @+1 {{'shape' must be a vector, but has shape []}}
  %0 = ingot.broadcast_to %x, %s : (tensor<3xf32>, tensor<i32>) -> tensor<*xf32>
  return
}

// -----

// (broadcast_to_c2)
func.func @broadcast_to_what_fits(%x: tensor<3xf32>) {
  %s = ingot.constant dense<[3, 4]> : tensor<2xi32>
  // expected-error @+1 {{a tensor of shape [3] cannot be broadcast to [3, 4]}}
  %0 = ingot.broadcast_to %x, %s : (tensor<3xf32>, tensor<2xi32>) -> tensor<3x4xf32>
  return
}

// -----

// (sum_to_shape_c1)
func.func @sum_to_shape_of_a_vector(%x: tensor<3xf32>, %s: tensor<i32>) {
  // expected-error @+1 {{'shape' must be a vector, but has shape []}}
  %0 = ingot.sum_to_shape %x, %s : (tensor<3xf32>, tensor<i32>) -> tensor<*xf32>
  return
}

// -----

// (sum_to_shape_c2)
func.func @sum_to_shape_of_what_fits(%x: tensor<3xf32>) {
  %s = ingot.constant dense<[4]> : tensor<1xi32>
  // expected-error @+1 {{a gradient of shape [3] cannot be summed to shape [4]}}
  %0 = ingot.sum_to_shape %x, %s : (tensor<3xf32>, tensor<1xi32>) -> tensor<4xf32>
  return
}

// -----

// (broadcast_args_c1)
func.func @broadcast_args_have_one_type(%a: tensor<1xi32>, %b: tensor<2xi64>) {
  // expected-error @+1 {{shapes have different element types: 'i32' and 'i64'}}
  %0 = ingot.broadcast_args %a, %b : (tensor<1xi32>, tensor<2xi64>) -> tensor<2xi32>
  return
}

// -----

// (broadcast_args_c2)
func.func @broadcast_args_must_fit() {
  %a = ingot.constant dense<[2]> : tensor<1xi32>
  %b = ingot.constant dense<[3]> : tensor<1xi32>
  // expected-error @+1 {{shapes [2] and [3] cannot be broadcast against each other: 2 and 3 differ}}
  %0 = ingot.broadcast_args %a, %b : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  return
}

// -----

// (broadcast_gradient_args_c1)
func.func @broadcast_gradient_args_are_vectors(%a: tensor<1x1xi32>, %b: tensor<2xi32>) {
  // expected-error @+1 {{the first shape must be a vector, but has shape [1, 1]}}
  %0:2 = ingot.broadcast_gradient_args %a, %b : (tensor<1x1xi32>, tensor<2xi32>) -> (tensor<?xi32>, tensor<?xi32>)
  return
}

// -----

// (broadcast_gradient_args_c2)
func.func @broadcast_gradient_args_must_fit() {
  %a = ingot.constant dense<[2]> : tensor<1xi32>
  %b = ingot.constant dense<[3]> : tensor<1xi32>
  // expected-error @+1 {{shapes [2] and [3] cannot be broadcast against each other: 2 and 3 differ}}
  %0:2 = ingot.broadcast_gradient_args %a, %b : (tensor<1xi32>, tensor<1xi32>) -> (tensor<?xi32>, tensor<?xi32>)
  return
}

// -----

// (ensure_shape_c1)
func.func @ensure_shape_that_may_be(%x: tensor<2x?xf32>) {
  // expected-error @+1 {{expected an input of shape [3, ?], but got shape [2, ?]}}
  %0 = ingot.ensure_shape %x {shape = array<i64: 3, -1>} : (tensor<2x?xf32>) -> tensor<3x?xf32>
  return
}
