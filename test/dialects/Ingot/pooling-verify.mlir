// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (pool_c1)
func.func @pool_of_images(%x: tensor<7x9x4xf32>) {
  // expected-error @+1 {{the input must have 4 dimensions, but has shape [7, 9, 4]}}
  %0 = ingot.max_pool %x {padding = "SAME", strides = array<i64: 2, 2>, window = array<i64: 2, 2>}
      : (tensor<7x9x4xf32>) -> tensor<?x?x?x4xf32>
  return
}

// -----

// (pool_c1)
func.func @window_of_two(%x: tensor<1x7x9x4xf32>) {
  // expected-error @+1 {{the window must be two positive numbers, but is [2, 0]}}
  %0 = ingot.avg_pool %x {padding = "SAME", strides = array<i64: 2, 2>, window = array<i64: 2, 0>}
      : (tensor<1x7x9x4xf32>) -> tensor<1x4x5x4xf32>
  return
}

// -----

// (pool_grad_c1)
func.func @gradient_of_the_result(%x: tensor<1x7x9x4xf32>, %dy: tensor<1x4x4x4xf32>) {
  // expected-error @+1 {{the gradient must have the type of the pool's result, 'tensor<1x4x5x4xf32>', but has type 'tensor<1x4x4x4xf32>'}}
  %0 = ingot.max_pool_grad %x, %dy {padding = "SAME", strides = array<i64: 2, 2>, window = array<i64: 2, 2>}
      : (tensor<1x7x9x4xf32>, tensor<1x4x4x4xf32>) -> tensor<1x7x9x4xf32>
  return
}

// -----

// (pool_grad_c2)
func.func @shape_of_an_image(%dy: tensor<1x4x4x4xf32>) {
  %s = ingot.constant dense<[1, 7, 9]> : tensor<3xi32>
  // expected-error @+1 {{'input_shape' must be a vector of four non-negative elements}}
  %0 = ingot.avg_pool_grad %s, %dy {padding = "SAME", strides = array<i64: 2, 2>, window = array<i64: 2, 2>}
      : (tensor<3xi32>, tensor<1x4x4x4xf32>) -> tensor<1x7x9x4xf32>
  return
}

// -----

// (max_pool_with_argmax_c1)
func.func @max_pool_with_argmax_of_indices(%x: tensor<8x32x32x16xf32>) {
  // expected-error @+1 {{indices must be int32 or int64, not 'i16'}}
  %0, %1 = ingot.max_pool_with_argmax %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = "SAME", index_type = i16} : (tensor<8x32x32x16xf32>) -> (tensor<*xf32>, tensor<*xi64>)
  return
}

// -----

// (max_pool_with_argmax_c1)
func.func @max_pool_with_argmax_without_explicit_padding(%x: tensor<8x32x32x16xf32>) {
  // expected-error @+1 {{padding EXPLICIT is not supported: expected SAME or VALID}}
  %0, %1 = ingot.max_pool_with_argmax %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = "EXPLICIT", explicit_paddings = array<i64: 0, 0, 0, 0>, index_type = i64} : (tensor<8x32x32x16xf32>) -> (tensor<*xf32>, tensor<*xi64>)
  return
}
