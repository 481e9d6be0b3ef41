// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (batch_norm_c1)
func.func @rank_of_images(%x: tensor<4x16xf32>, %c: tensor<16xf32>) {
  // expected-error @+1 {{the input must have 4 or 5 dimensions, but has shape [4, 16]}}
  %0:5 = ingot.fused_batch_norm %x, %c, %c, %c, %c
      : (tensor<4x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>)
        -> (tensor<4x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>)
  return
}

// -----

// (batch_norm_c2)
func.func @as_long_as_the_channels(%x: tensor<2x4x4x16xf32>, %c: tensor<16xf32>, %d: tensor<8xf32>) {
  // expected-error @+1 {{the input has 16 channels, but a per-channel vector has 8 elements}}
  %0:5 = ingot.fused_batch_norm %x, %c, %d, %c, %c
      : (tensor<2x4x4x16xf32>, tensor<16xf32>, tensor<8xf32>, tensor<16xf32>, tensor<16xf32>)
        -> (tensor<2x4x4x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>)
  return
}

// -----

// (batch_norm_c2)
func.func @empty_where_not_used(%x: tensor<2x4x4x16xf32>, %c: tensor<16xf32>, %d: tensor<0xf32>) {
  // expected-error @+1 {{the input has 16 channels, but a per-channel vector has 0 elements}}
  %0:5 = ingot.fused_batch_norm %x, %c, %c, %d, %d {is_training = false}
      : (tensor<2x4x4x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<0xf32>, tensor<0xf32>)
        -> (tensor<2x4x4x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>)
  return
}

// -----

// (batch_norm_c3)
func.func @no_narrower(%x: tensor<2x4x4x16xf32>, %c: tensor<16xf16>) {
  // expected-error @+1 {{the element type of the scale must not be narrower than that of the input, 'f32', but is 'f16'}}
  %0:5 = ingot.fused_batch_norm %x, %c, %c, %c, %c
      : (tensor<2x4x4x16xf32>, tensor<16xf16>, tensor<16xf16>, tensor<16xf16>, tensor<16xf16>)
        -> (tensor<2x4x4x16xf32>, tensor<16xf16>, tensor<16xf16>, tensor<16xf16>, tensor<16xf16>)
  return
}

// -----

// (batch_norm_grad_c1)
func.func @gradient_of_the_input(%dy: tensor<2x4x4x8xf32>, %x: tensor<2x4x4x16xf32>, %c: tensor<16xf32>) {
  // expected-error @+1 {{the gradient must have the type of the input, 'tensor<2x4x4x16xf32>', but has type 'tensor<2x4x4x8xf32>'}}
  %0:3 = ingot.fused_batch_norm_grad %dy, %x, %c, %c, %c
      : (tensor<2x4x4x8xf32>, tensor<2x4x4x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>)
        -> (tensor<2x4x4x16xf32>, tensor<16xf32>, tensor<16xf32>)
  return
}

// -----

// (softmax_c1)
func.func @more_than_a_number(%x: tensor<f32>) {
  // expected-error @+1 {{the logits must have at least one dimension, but are a scalar}}
  %0 = ingot.softmax %x : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// (softmax_xent_c1)
func.func @batch_and_classes(%x: tensor<2x3x4xf32>, %y: tensor<3x4xf32>) {
  // expected-error @+1 {{logits and labels must have shape [batch, classes], but have shape [2, 3, 4]}}
  %0, %1 = ingot.softmax_cross_entropy %x, %y : (tensor<2x3x4xf32>, tensor<3x4xf32>) -> (tensor<2xf32>, tensor<2x3xf32>)
  return
}

// -----

// (softmax_xent_c2)
func.func @one_type(%x: tensor<3x4xf32>, %y: tensor<3x4xf64>) {
  // expected-error @+1 {{element types differ: 'f32' of the logits and 'f64' of the labels}}
  %0, %1 = ingot.softmax_cross_entropy %x, %y : (tensor<3x4xf32>, tensor<3x4xf64>) -> (tensor<3xf32>, tensor<3x4xf32>)
  return
}
