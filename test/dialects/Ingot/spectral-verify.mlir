// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (self_adjoint_eig_c1)
func.func @self_adjoint_eig_c1(%x: tensor<4x3xf32>) {
  // expected-error @+1 {{Input matrix must be square, but has shape [4, 3]}}
  %e, %v = ingot.self_adjoint_eig %x : (tensor<4x3xf32>) -> (tensor<4xf32>, tensor<4x4xf32>)
  return
}

// -----

// (self_adjoint_eig_c1)
func.func @self_adjoint_eig_c1_vector(%x: tensor<4xf32>) {
  // expected-error @+1 {{the input has shape [4], but must have at least 2 dimensions}}
  %e, %v = ingot.self_adjoint_eig %x : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4x4xf32>)
  return
}

// -----

// (svd_c1)
func.func @svd_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{the input has shape [4], but must have at least 2 dimensions}}
  %0:3 = ingot.svd %x : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
  return
}

// -----

// (square_c1)
func.func @square_c1(%x: tensor<4x3xf32>) {
  // expected-error @+1 {{Input matrix must be square, but has shape [4, 3]}}
  %0 = ingot.matrix_square_root %x : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}
