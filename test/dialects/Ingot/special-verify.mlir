// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (betainc_c1)
func.func @betainc_c1(%a: tensor<4xf32>, %b: tensor<4xf64>, %x: tensor<4xf32>) {
  // expected-error @+1 {{all operands must have the same element type, but have 'f32' and 'f64'}}
  %0 = ingot.betainc %a, %b, %x : (tensor<4xf32>, tensor<4xf64>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// (betainc_c2)
func.func @betainc_c2(%a: tensor<4xf32>, %b: tensor<f32>, %x: tensor<5xf32>) {
  // expected-error @+1 {{operands that are not scalars must have the same shape, but have the shapes [4] and [5]}}
  %0 = ingot.betainc %a, %b, %x : (tensor<4xf32>, tensor<f32>, tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

// (binary_c1)
func.func @igamma_of_types(%a: tensor<4xf32>, %x: tensor<4xf64>) {
  // expected-error @+1 {{element types}}
  %0 = ingot.igamma %a, %x : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// (binary_c2)
func.func @zeta_of_shapes(%a: tensor<4xf32>, %x: tensor<5xf32>) {
  // expected-error @+1 {{broadcast}}
  %0 = ingot.zeta %a, %x : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return
}
