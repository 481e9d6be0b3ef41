// SPDX-License-Identifier: Apache-2.0
// Constraints of elementwise ops and reductions.
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (binary_c1)
func.func @one_element_type(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  // expected-error @+1 {{element types differ: 'f32' of the first operand and 'f64' of the second}}
  %0 = ingot.add %a, %b : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// (binary_c2)
func.func @shapes_broadcast(%a: tensor<4x2xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{shapes [4, 2] and [3] cannot be broadcast against each other: 2 and 3 differ}}
  %0 = ingot.mul %a, %b : (tensor<4x2xf32>, tensor<3xf32>) -> tensor<4x2xf32>
  return
}

// -----

// (binary_c2)
func.func @compared_shapes_broadcast(%a: tensor<4xi64>, %b: tensor<3xi64>) {
  // expected-error @+1 {{shapes [4] and [3] cannot be broadcast against each other: 4 and 3 differ}}
  %0 = ingot.equal %a, %b : (tensor<4xi64>, tensor<3xi64>) -> tensor<4xi1>
  return
}

// -----

// (binary_c1)
func.func @compared_types_are_one(%a: tensor<4xi64>, %b: tensor<4xi32>) {
  // expected-error @+1 {{element types differ: 'i64' of the first operand and 'i32' of the second}}
  %0 = ingot.less %a, %b : (tensor<4xi64>, tensor<4xi32>) -> tensor<4xi1>
  return
}

// -----

func.func @result_follows_from_operands(%a: tensor<4xf32>) {
  // expected-error @+1 {{results are ('tensor<5xf32>'), but the operands imply ('tensor<4xf32>')}}
  %0 = ingot.relu %a : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @floats_have_roots(%a: tensor<4xi32>) {
  // expected-error @+1 {{operand #0 must be tensor of floating-point or complex type}}
  %0 = ingot.sqrt %a : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

// (select_c1)
func.func @selected_types_are_one(%c: tensor<i1>, %a: tensor<4xf32>, %b: tensor<4xi32>) {
  // expected-error @+1 {{element types differ: 'f32' where the condition is true and 'i32' where it is false}}
  %0 = ingot.select %c, %a, %b : (tensor<i1>, tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

// (select_c2)
func.func @selected_shapes_broadcast(%c: tensor<i1>, %a: tensor<4xf32>, %b: tensor<2xf32>) {
  // expected-error @+1 {{shapes [4] and [2] cannot be broadcast against each other: 4 and 2 differ}}
  %0 = ingot.select %c, %a, %b : (tensor<i1>, tensor<4xf32>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

// (select_c2)
func.func @conditions_broadcast(%c: tensor<3xi1>, %a: tensor<4xf32>) {
  // expected-error @+1 {{shapes [3] and [4] cannot be broadcast against each other: 3 and 4 differ}}
  %0 = ingot.select %c, %a, %a : (tensor<3xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// (add_n_c1)
func.func @add_n_of_something() {
  // expected-error @+1 {{expected at least one operand}}
  %0 = "ingot.add_n"() : () -> tensor<4xf32>
  return
}

// -----

// (add_n_c2)
func.func @add_n_does_not_broadcast(%a: tensor<4xf32>, %b: tensor<f32>) {
  // expected-error @+1 {{shapes differ: [4] of the previous operands and [] of operand 2}}
  %0 = ingot.add_n %a, %a, %b : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// (add_n_c2)
func.func @add_n_types_are_one(%a: tensor<4xf32>, %b: tensor<4xi32>) {
  // expected-error @+1 {{element types differ: 'f32' of operand 0 and 'i32' of operand 1}}
  %0 = ingot.add_n %a, %b : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

// (cast_c1)
func.func @cast_to_numbers(%a: tensor<4xf32>) {
  // expected-error @+1 {{the result's element type must be a number or i1, but is '!ingot.string'}}
  %0 = ingot.cast %a {dst = !ingot.string} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// (reduce_c1)
func.func @axes_lie_within_rank(%x: tensor<4x8xf32>) {
  %axes = ingot.constant dense<[0, 2]> : tensor<2xi32>
  // expected-error @+1 {{axis 2 lies outside a tensor of rank 2}}
  %0 = ingot.sum %x, %axes : (tensor<4x8xf32>, tensor<2xi32>) -> tensor<f32>
  return
}

// -----

// (reduce_c2)
func.func @axes_stand_once(%x: tensor<4x8xf32>) {
  %axes = ingot.constant dense<[1, -1]> : tensor<2xi32>
  // expected-error @+1 {{axis 1 is listed twice}}
  %0 = ingot.mean %x, %axes : (tensor<4x8xf32>, tensor<2xi32>) -> tensor<4xf32>
  return
}

// -----

// (reduce_c3)
func.func @axes_are_a_list(%x: tensor<4x8xf32>, %axes: tensor<1x1xi32>) {
  // expected-error @+1 {{axes must be a scalar or a vector, but have shape [1, 1]}}
  %0 = ingot.max %x, %axes : (tensor<4x8xf32>, tensor<1x1xi32>) -> tensor<*xf32>
  return
}

// -----

// (arg_max_c1)
func.func @arg_max_axis_within_rank(%x: tensor<4x8xf32>) {
  %axis = ingot.constant dense<-3> : tensor<i32>
  // expected-error @+1 {{axis -3 lies outside a tensor of rank 2}}
  %0 = ingot.arg_max %x, %axis {output_type = i64} : (tensor<4x8xf32>, tensor<i32>) -> tensor<4xi64>
  return
}

// -----

// (arg_max_c2)
func.func @arg_max_of_one_axis(%x: tensor<4x8xf32>, %axis: tensor<1xi32>) {
  // expected-error @+1 {{the axis must be a scalar, but has shape [1]}}
  %0 = ingot.arg_max %x, %axis {output_type = i64} : (tensor<4x8xf32>, tensor<1xi32>) -> tensor<?xi64>
  return
}

// -----

// (arg_max_c3)
func.func @arg_max_is_an_index(%x: tensor<4x8xf32>, %axis: tensor<i32>) {
  // expected-error @+1 {{indices must be int32 or int64, not 'f32'}}
  %0 = ingot.arg_max %x, %axis {output_type = f32} : (tensor<4x8xf32>, tensor<i32>) -> tensor<?xi64>
  return
}
