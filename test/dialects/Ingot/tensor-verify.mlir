// SPDX-License-Identifier: Apache-2.0
// Constraints of the ops that make and reshape tensors.
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (fill_c1)
func.func @fill_dims_must_be_a_vector(%d: tensor<2x2xi32>, %v: tensor<f32>) {
  // expected-error @+1 {{'dims' must be a vector, but has shape [2, 2]}}
  %0 = ingot.fill %d, %v : (tensor<2x2xi32>, tensor<f32>) -> tensor<?xf32>
  return
}

// -----

// (fill_c1)
func.func @fill_value_must_be_a_scalar(%d: tensor<2xi32>, %v: tensor<1xf32>) {
  // expected-error @+1 {{the value must be a scalar, but has shape [1]}}
  %0 = ingot.fill %d, %v : (tensor<2xi32>, tensor<1xf32>) -> tensor<?x?xf32>
  return
}

// -----

// (fill_c2)
func.func @fill_dims_must_not_be_negative(%v: tensor<f32>) {
  %d = ingot.constant dense<[2, -3]> : tensor<2xi32>
  // expected-error @+1 {{'dims' has the negative dimension -3}}
  %0 = ingot.fill %d, %v : (tensor<2xi32>, tensor<f32>) -> tensor<?x?xf32>
  return
}

// -----

// (fill_c2)
func.func @fill_must_not_overflow(%v: tensor<f32>) {
  %d = ingot.constant dense<4294967296> : tensor<2xi64>
  // expected-error @+1 {{a tensor of shape [4294967296, 4294967296] has too many elements}}
  %0 = ingot.fill %d, %v : (tensor<2xi64>, tensor<f32>) -> tensor<?x?xf32>
  return
}

// -----

// (shape_c1)
func.func @shape_must_be_i32_or_i64(%x: tensor<2xf32>) {
  // expected-error @+1 {{'output_type' must be i32 or i64, but is 'i16'}}
  %0 = ingot.shape %x {output_type = i16} : (tensor<2xf32>) -> tensor<1xi32>
  return
}

// -----

// (reshape_c1)
func.func @reshape_takes_a_vector(%x: tensor<6xf32>, %s: tensor<1x2xi32>) {
  // expected-error @+1 {{'shape' must be a vector, but has shape [1, 2]}}
  %0 = ingot.reshape %x, %s : (tensor<6xf32>, tensor<1x2xi32>) -> tensor<?x?xf32>
  return
}

// -----

// (reshape_c1)
func.func @reshape_takes_one_unknown(%x: tensor<6xf32>) {
  %s = ingot.constant dense<[-1, 2, -1]> : tensor<3xi32>
  // expected-error @+1 {{has more than one -1}}
  %0 = ingot.reshape %x, %s : (tensor<6xf32>, tensor<3xi32>) -> tensor<?x2x?xf32>
  return
}

// -----

// (reshape_c1)
func.func @reshape_takes_no_negative(%x: tensor<6xf32>) {
  %s = ingot.constant dense<[-2, -3]> : tensor<2xi32>
  // expected-error @+1 {{'shape' has the negative dimension -2: only -1, a size to infer, is allowed}}
  %0 = ingot.reshape %x, %s : (tensor<6xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return
}

// -----

// (reshape_c2)
func.func @reshape_keeps_the_number_of_elements(%x: tensor<2x3xf32>) {
  %s = ingot.constant dense<[5]> : tensor<1xi32>
  // expected-error @+1 {{a tensor of shape [2, 3] cannot be reshaped to [5]: the number of elements differs}}
  %0 = ingot.reshape %x, %s : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<5xf32>
  return
}

// -----

// (reshape_c2)
func.func @reshape_needs_a_quotient(%x: tensor<2x3xf32>) {
  %s = ingot.constant dense<[4, -1]> : tensor<2xi32>
  // expected-error @+1 {{a tensor of shape [2, 3] cannot be reshaped to [4, -1]: no size in place of -1 gives the same number of elements}}
  %0 = ingot.reshape %x, %s : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<4x?xf32>
  return
}

// -----

// (reshape_c2)
func.func @reshape_cannot_divide_by_zero(%x: tensor<2x3xf32>) {
  %s = ingot.constant dense<[0, -1]> : tensor<2xi32>
  // expected-error @+1 {{a tensor of shape [2, 3] cannot be reshaped to [0, -1]: no size in place of -1 gives the same number of elements}}
  %0 = ingot.reshape %x, %s : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<0x?xf32>
  return
}

// -----

// (expand_dims_c1)
func.func @expand_dims_axis_within_rank(%x: tensor<4xf32>) {
  %a = ingot.constant dense<2> : tensor<i32>
  // expected-error @+1 {{axis 2 lies outside a tensor of rank 2}}
  %0 = ingot.expand_dims %x, %a : (tensor<4xf32>, tensor<i32>) -> tensor<4x1xf32>
  return
}

// -----

// (expand_dims_c2)
func.func @expand_dims_takes_one_axis(%x: tensor<4xf32>, %a: tensor<2xi32>) {
  // expected-error @+1 {{the axis must be one number, but has shape [2]}}
  %0 = ingot.expand_dims %x, %a : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return
}

// -----

// (squeeze_c1)
func.func @squeeze_within_rank(%x: tensor<4x1xf32>) {
  // expected-error @+1 {{axis -3 lies outside a tensor of rank 2: expected -2 to 1}}
  %0 = ingot.squeeze %x {dims = array<i64: -3>} : (tensor<4x1xf32>) -> tensor<4xf32>
  return
}

// -----

// (squeeze_c1)
func.func @squeeze_only_ones(%x: tensor<4x1xf32>) {
  // expected-error @+1 {{dimension 0 of [4, 1] cannot be removed: its size is 4, not 1}}
  %0 = ingot.squeeze %x {dims = array<i64: 0>} : (tensor<4x1xf32>) -> tensor<1xf32>
  return
}

// -----

// (tile_c1)
func.func @tile_takes_a_multiple_a_dimension(%x: tensor<4x1xf32>, %m: tensor<3xi32>) {
  // expected-error @+1 {{'multiples' must have one element for each of the 2 dimensions of the input, but has 3}}
  %0 = ingot.tile %x, %m : (tensor<4x1xf32>, tensor<3xi32>) -> tensor<?x?xf32>
  return
}

// -----

// (tile_c1)
func.func @tile_takes_a_vector(%x: tensor<4xf32>, %m: tensor<i32>) {
  // expected-error @+1 {{'multiples' must be a vector, but has shape []}}
  %0 = ingot.tile %x, %m : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32>
  return
}

// -----

// (tile_c2)
func.func @tile_multiples_must_not_be_negative(%x: tensor<4xf32>) {
  %m = ingot.constant dense<-1> : tensor<1xi32>
  // expected-error @+1 {{the multiple -1 is negative, but must be 0 or more}}
  %0 = ingot.tile %x, %m : (tensor<4xf32>, tensor<1xi32>) -> tensor<?xf32>
  return
}

// -----

// (tile_c2)
func.func @tile_must_not_overflow(%x: tensor<4x4xf32>) {
  %m = ingot.constant dense<4611686018427387904> : tensor<2xi64>
  // expected-error @+1 {{the result must have fewer than 2^63 elements}}
  %0 = ingot.tile %x, %m : (tensor<4x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

// (range_c1)
func.func @range_takes_scalars(%x: tensor<1xi32>, %y: tensor<i32>) {
  // expected-error @+1 {{start, limit and delta must be scalars, but one has shape [1]}}
  %0 = ingot.range %y, %x, %y : (tensor<i32>, tensor<1xi32>, tensor<i32>) -> tensor<?xi32>
  return
}

// -----

// (range_c1)
func.func @range_takes_one_type(%x: tensor<f32>, %y: tensor<i32>) {
  // expected-error @+1 {{start, limit and delta have different element types: 'i32' and 'f32'}}
  %0 = ingot.range %y, %x, %y : (tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?xi32>
  return
}

// -----

// (range_c2)
func.func @range_moves(%x: tensor<i32>) {
  %d = ingot.constant dense<0> : tensor<i32>
  // expected-error @+1 {{the delta must not be zero}}
  %0 = ingot.range %x, %x, %d : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?xi32>
  return
}

// -----

// (range_c3)
func.func @range_reaches_its_limit() {
  %a = ingot.constant dense<0> : tensor<i32>
  %b = ingot.constant dense<5> : tensor<i32>
  %d = ingot.constant dense<-1> : tensor<i32>
  // expected-error @+1 {{delta must lead from start to limit in fewer than 2^63 steps, but start, limit and delta are 0, 5 and -1}}
  %0 = ingot.range %a, %b, %d : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?xi32>
  return
}

// -----

// (range_c3)
func.func @range_of_floats_reaches_its_limit() {
  %a = ingot.constant dense<0.0> : tensor<f32>
  %b = ingot.constant dense<0x7F800000> : tensor<f32>
  %d = ingot.constant dense<1.0> : tensor<f32>
  // expected-error @+1 {{delta must lead from start to limit in fewer than 2^63 steps}}
  %0 = ingot.range %a, %b, %d : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<?xf32>
  return
}

// -----

// (transpose_c1)
func.func @transpose_permutes_all(%x: tensor<2x3xf32>) {
  %p = ingot.constant dense<[0]> : tensor<1xi32>
  // expected-error @+1 {{[0] is not a permutation of the dimensions of a tensor of rank 2}}
  %0 = ingot.transpose %x, %p : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<?x?xf32>
  return
}

// -----

// (transpose_c1)
func.func @transpose_permutes_once(%x: tensor<2x3xf32>) {
  %p = ingot.constant dense<[1, 1]> : tensor<2xi32>
  // expected-error @+1 {{[1, 1] is not a permutation of the dimensions of a tensor of rank 2}}
  %0 = ingot.transpose %x, %p : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return
}

// -----

// (transpose_c1)
func.func @transpose_permutes_within_rank(%x: tensor<2x3xf32>) {
  %p = ingot.constant dense<[-1, 0]> : tensor<2xi32>
  // expected-error @+1 {{[-1, 0] is not a permutation of the dimensions of a tensor of rank 2}}
  %0 = ingot.transpose %x, %p : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return
}

// -----

// A few bytes of a graph must not make a shape of a billion dimensions.
// (fill_c1)
func.func @fill_rank_is_limited(%v: tensor<f32>) {
  %d = ingot.constant dense<1> : tensor<1000000000xi32>
  // expected-error @+1 {{'dims' has 1000000000 elements, but tensors have at most 254 dimensions}}
  %0 = ingot.fill %d, %v : (tensor<1000000000xi32>, tensor<f32>) -> tensor<*xf32>
  return
}

// -----

// (reshape_c1)
func.func @reshape_rank_is_limited(%x: tensor<f32>, %s: tensor<255xi32>) {
  // expected-error @+1 {{'shape' has 255 elements, but tensors have at most 254 dimensions}}
  %0 = ingot.reshape %x, %s : (tensor<f32>, tensor<255xi32>) -> tensor<*xf32>
  return
}
