// SPDX-License-Identifier: Apache-2.0
// Constraints of functions of elements.
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (binary_c1)
func.func @one_element_type(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  // expected-error @+1 {{element types differ: 'f32' of the first operand and 'f64' of the second}}
  %0 = ingot.pow %a, %b : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// (binary_c2)
func.func @gradients_broadcast(%a: tensor<4x2xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{shapes [4, 2] and [3] cannot be broadcast against each other: 2 and 3 differ}}
  %0 = ingot.tanh_grad %a, %b : (tensor<4x2xf32>, tensor<3xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @floats_are_rounded_down(%a: tensor<4xi32>) {
  // expected-error @+1 {{operand #0 must be tensor of floating-point values}}
  %0 = ingot.floor %a : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

// (bitcast_c1)
func.func @booleans_have_no_bytes(%a: tensor<4xi32>) {
  // expected-error @+1 {{cannot bitcast 'i32' to 'i1'}}
  %0 = ingot.bitcast %a {dst = i1} : (tensor<4xi32>) -> tensor<4x32xi1>
  return
}

// -----

// (bitcast_c2)
func.func @pieces_make_one_element(%a: tensor<4x3xi32>) {
  // expected-error @+1 {{a bitcast from 'i32' to 'f64' needs a last dimension of size 2, but the input has shape [4, 3]}}
  %0 = ingot.bitcast %a {dst = f64} : (tensor<4x3xi32>) -> tensor<4xf64>
  return
}

// -----

// (bitcast_c2)
func.func @scalars_are_not_made_of_pieces(%a: tensor<i32>) {
  // expected-error @+1 {{a bitcast from 'i32' to 'i64' needs a last dimension of size 2, but the input has shape []}}
  %0 = ingot.bitcast %a {dst = i64} : (tensor<i32>) -> tensor<i64>
  return
}

// -----

// (fake_quant_c1)
func.func @fake_quant_has_scalars(%x: tensor<8x3xf32>, %a: tensor<3xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{`min` must be rank 0 but is rank 1}}
  %0 = ingot.fake_quant %x, %a, %b {kind = "vars"} : (tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<8x3xf32>
  return
}

// -----

// (fake_quant_c1)
func.func @fake_quant_has_bounds_of_channels(%x: tensor<8x3xf32>, %a: tensor<2xf32>, %b: tensor<2xf32>) {
  // expected-error @+1 {{'min' must have one element for each channel, but has 2 for an input of shape [8, 3]}}
  %0 = ingot.fake_quant %x, %a, %b {kind = "channels"} : (tensor<8x3xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<8x3xf32>
  return
}

// -----

// (fake_quant_c2)
func.func @fake_quant_has_bits(%x: tensor<8x3xf32>, %a: tensor<f32>, %b: tensor<f32>) {
  // expected-error @+1 {{num_bits must be between 2 and 16, inclusive, but is 17}}
  %0 = ingot.fake_quant %x, %a, %b {kind = "vars", num_bits = 17 : i64} : (tensor<8x3xf32>, tensor<f32>, tensor<f32>) -> tensor<8x3xf32>
  return
}

// -----

// (fake_quant_c3)
func.func @fake_quant_has_a_kind(%x: tensor<8x3xf32>, %a: tensor<f32>, %b: tensor<f32>) {
  // expected-error @+1 {{'kind' must be args, vars or channels, but is 'none'}}
  %0 = ingot.fake_quant %x, %a, %b {kind = "none"} : (tensor<8x3xf32>, tensor<f32>, tensor<f32>) -> tensor<8x3xf32>
  return
}
