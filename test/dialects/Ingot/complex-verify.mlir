// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (binary_c1)
func.func @binary_c1(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  // expected-error @+1 {{element types differ: 'f32' of the first operand and 'f64' of the second}}
  %0 = ingot.complex %a, %b : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xcomplex<f32>>
  return
}

// -----

// (binary_c2)
func.func @binary_c2(%a: tensor<4xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{cannot be broadcast}}
  %0 = ingot.complex %a, %b : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @parts_are_real(%x: tensor<4xcomplex<f64>>) {
  // expected-error @+1 {{but the operands imply ('tensor<4xf64>')}}
  %0 = ingot.real %x : (tensor<4xcomplex<f64>>) -> tensor<4xf32>
  return
}
