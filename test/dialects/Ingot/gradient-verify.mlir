// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (gradients_c1)
func.func @of_an_output(%w: tensor<4xf32>) {
  // expected-error @+1 {{needs at least one output and one input}}
  %0 = "ingot.gradients"(%w) {operandSegmentSizes = array<i32: 0, 0, 1>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @of_floats(%w: tensor<4xf32>, %n: tensor<i32>) {
  // expected-error @+1 {{operand #0 must be variadic of tensor of floating-point values, but got 'tensor<i32>'}}
  %0 = ingot.gradients of(%n) by(%w) : (tensor<i32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// (gradients_c2)
func.func @a_weight_for_each_output(%w: tensor<4xf32>, %s: tensor<3xf32>) {
  // expected-error @+1 {{must have either no weights, or one weight for each output, with the output's type}}
  %0 = ingot.gradients of(%w) weights(%s) by(%w) : (tensor<4xf32>, tensor<3xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// (gradients_c3)
func.func @of_the_inputs_types(%w: tensor<4xf32>) {
  // expected-error @+1 {{needs one result for each input, with the input's type}}
  %0 = ingot.gradients of(%w) by(%w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

// (straight_through_c1)
func.func @to_a_tensor_of_the_values_type(%v: tensor<4xf32>, %x: tensor<3xf32>) {
  // expected-error @+1 {{the value and the surrogate must have the same type, but have types 'tensor<4xf32>' and 'tensor<3xf32>'}}
  %0 = ingot.straight_through %v, %x : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}
