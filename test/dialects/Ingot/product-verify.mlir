// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (batch_matmul_c1)
func.func @matrices(%a: tensor<4xf32>, %b: tensor<4x4xf32>) {
  // expected-error @+1 {{the operands must have at least 2 dimensions, but one has shape [4]}}
  %0 = ingot.batch_matmul %a, %b : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
  return
}

// -----

// (batch_matmul_c2)
func.func @inner(%a: tensor<3x4xf32>, %b: tensor<4x5xf32>) {
  // expected-error @+1 {{inner dimensions differ: 4 and 5 in operands of shapes [3, 4] and [4, 5]}}
  %0 = ingot.batch_matmul %a, %b {adj_y = true} : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x4xf32>
  return
}

// -----

// (batch_matmul_c3)
func.func @one_type(%a: tensor<3x4xf32>, %b: tensor<4x5xf64>) {
  // expected-error @+1 {{the operands have different element types: 'f32' and 'f64'}}
  %0 = ingot.batch_matmul %a, %b : (tensor<3x4xf32>, tensor<4x5xf64>) -> tensor<3x5xf32>
  return
}

// -----

// (einsum_c1)
func.func @equation_of_the_operands(%a: tensor<3x4xf32>) {
  // expected-error @+1 {{the equation 'ij,jk->ik' is malformed: expected one list of labels for each of the 1 operands}}
  %0 = ingot.einsum "ij,jk->ik"(%a) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// -----

// (einsum_c2)
func.func @letters_for_dimensions(%a: tensor<3x4xf32>) {
  // expected-error @+1 {{an operand of shape [3, 4] must have one dimension for each label of 'ijk' in the equation}}
  %0 = ingot.einsum "ijk->ik"(%a) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// -----

// (einsum_c3)
func.func @one_size(%a: tensor<3x4xf32>, %b: tensor<5x6xf32>) {
  // expected-error @+1 {{label 'j' of the equation has size 4 in one operand and 5 in another}}
  %0 = ingot.einsum "ij,jk->ik"(%a, %b) : (tensor<3x4xf32>, tensor<5x6xf32>) -> tensor<3x6xf32>
  return
}

// -----

// (einsum_c3)
func.func @one_of_a_letter(%a: tensor<3x1xf32>, %b: tensor<5x6xf32>) {
  // expected-error @+1 {{label 'j' of the equation has size 1 in one operand and 5 in another}}
  %0 = ingot.einsum "ij,jk->ik"(%a, %b) : (tensor<3x1xf32>, tensor<5x6xf32>) -> tensor<3x6xf32>
  return
}

// -----

// (einsum_c4)
func.func @type_of_all(%a: tensor<3x4xf32>, %b: tensor<4x6xf64>) {
  // expected-error @+1 {{the operands have different element types: 'f32' and 'f64'}}
  %0 = ingot.einsum "ij,jk->ik"(%a, %b) : (tensor<3x4xf32>, tensor<4x6xf64>) -> tensor<3x6xf32>
  return
}
