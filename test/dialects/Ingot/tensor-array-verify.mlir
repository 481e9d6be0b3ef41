// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (tensor_array_c1)
func.func @tensor_array_c1(%a: tensor<2xi32>) {
  // expected-error @+1 {{the size must be a scalar, but has shape [2]}}
  %r = ingot.tensor_array %a {element_type = f32, element_shape = array<i64>, has_shape = false} : (tensor<2xi32>) -> tensor<!ingot.variant>
  return
}

// -----

// (tensor_array_grad_c1)
func.func @tensor_array_grad_c1(%a: tensor<2x!ingot.variant>) {
  // expected-error @+1 {{the handle must be a scalar, but has shape [2]}}
  %r = ingot.tensor_array_grad %a {source = "g"} : (tensor<2x!ingot.variant>) -> tensor<!ingot.variant>
  return
}

// -----

// (tensor_array_write_c1)
func.func @tensor_array_write_c1(%a: tensor<2x!ingot.variant>, %b: tensor<i32>, %c: tensor<3xf32>) {
  // expected-error @+1 {{the handle must be a scalar, but has shape [2]}}
  ingot.tensor_array_write %a, %b, %c : (tensor<2x!ingot.variant>, tensor<i32>, tensor<3xf32>) -> ()
  return
}

// -----

// (tensor_array_write_c2)
func.func @tensor_array_write_c2(%a: tensor<!ingot.variant>, %b: tensor<2xi32>, %c: tensor<3xf32>) {
  // expected-error @+1 {{the index must be a scalar, but has shape [2]}}
  ingot.tensor_array_write %a, %b, %c : (tensor<!ingot.variant>, tensor<2xi32>, tensor<3xf32>) -> ()
  return
}

// -----

// (tensor_array_read_c1)
func.func @tensor_array_read_c1(%a: tensor<2x!ingot.variant>, %b: tensor<i32>) {
  // expected-error @+1 {{the handle must be a scalar, but has shape [2]}}
  %r = ingot.tensor_array_read %a, %b {element_type = f32} : (tensor<2x!ingot.variant>, tensor<i32>) -> tensor<3xf32>
  return
}

// -----

// (tensor_array_read_c2)
func.func @tensor_array_read_c2(%a: tensor<!ingot.variant>, %b: tensor<2xi32>) {
  // expected-error @+1 {{the index must be a scalar, but has shape [2]}}
  %r = ingot.tensor_array_read %a, %b {element_type = f32} : (tensor<!ingot.variant>, tensor<2xi32>) -> tensor<3xf32>
  return
}

// -----

// (tensor_array_gather_c1)
func.func @tensor_array_gather_c1(%a: tensor<2x!ingot.variant>, %b: tensor<2xi32>) {
  // expected-error @+1 {{the handle must be a scalar, but has shape [2]}}
  %r = ingot.tensor_array_gather %a, %b {element_type = f32} : (tensor<2x!ingot.variant>, tensor<2xi32>) -> tensor<2x3xf32>
  return
}

// -----

// (tensor_array_gather_c2)
func.func @tensor_array_gather_c2(%a: tensor<!ingot.variant>, %b: tensor<1x1xi32>) {
  // expected-error @+1 {{the indices must be a vector, but have shape [1, 1]}}
  %r = ingot.tensor_array_gather %a, %b {element_type = f32} : (tensor<!ingot.variant>, tensor<1x1xi32>) -> tensor<2x3xf32>
  return
}

// -----

// (tensor_array_scatter_c1)
func.func @tensor_array_scatter_c1(%a: tensor<2x!ingot.variant>, %b: tensor<2xi32>, %c: tensor<2x3xf32>) {
  // expected-error @+1 {{the handle must be a scalar, but has shape [2]}}
  ingot.tensor_array_scatter %a, %b, %c : (tensor<2x!ingot.variant>, tensor<2xi32>, tensor<2x3xf32>) -> ()
  return
}

// -----

// (tensor_array_scatter_c2)
func.func @tensor_array_scatter_c2(%a: tensor<!ingot.variant>, %b: tensor<1x1xi32>, %c: tensor<2x3xf32>) {
  // expected-error @+1 {{the indices must be a vector, but have shape [1, 1]}}
  ingot.tensor_array_scatter %a, %b, %c : (tensor<!ingot.variant>, tensor<1x1xi32>, tensor<2x3xf32>) -> ()
  return
}

// -----

// (tensor_array_scatter_c3)
func.func @tensor_array_scatter_c3(%a: tensor<!ingot.variant>, %b: tensor<2xi32>, %c: tensor<f32>) {
  // expected-error @+1 {{a scalar has no rows}}
  ingot.tensor_array_scatter %a, %b, %c : (tensor<!ingot.variant>, tensor<2xi32>, tensor<f32>) -> ()
  return
}

// -----

// (tensor_array_concat_c1)
func.func @tensor_array_concat_c1(%a: tensor<2x!ingot.variant>) {
  // expected-error @+1 {{the handle must be a scalar, but has shape [2]}}
  %r:2 = ingot.tensor_array_concat %a {element_type = f32} : (tensor<2x!ingot.variant>) -> (tensor<?xf32>, tensor<?xi64>)
  return
}

// -----

// (tensor_array_split_c1)
func.func @tensor_array_split_c1(%a: tensor<2x!ingot.variant>, %b: tensor<2x3xf32>, %c: tensor<2xi64>) {
  // expected-error @+1 {{the handle must be a scalar, but has shape [2]}}
  ingot.tensor_array_split %a, %b, %c : (tensor<2x!ingot.variant>, tensor<2x3xf32>, tensor<2xi64>) -> ()
  return
}

// -----

// (tensor_array_split_c2)
func.func @tensor_array_split_c2(%a: tensor<!ingot.variant>, %b: tensor<f32>, %c: tensor<2xi64>) {
  // expected-error @+1 {{a scalar has no rows}}
  ingot.tensor_array_split %a, %b, %c : (tensor<!ingot.variant>, tensor<f32>, tensor<2xi64>) -> ()
  return
}

// -----

// (tensor_array_split_c3)
func.func @tensor_array_split_c3(%a: tensor<!ingot.variant>, %b: tensor<2x3xf32>, %c: tensor<2x2xi64>) {
  // expected-error @+1 {{the lengths must be a vector, but have shape [2, 2]}}
  ingot.tensor_array_split %a, %b, %c : (tensor<!ingot.variant>, tensor<2x3xf32>, tensor<2x2xi64>) -> ()
  return
}

// -----

// (tensor_array_size_c1)
func.func @tensor_array_size_c1(%a: tensor<2x!ingot.variant>) {
  // expected-error @+1 {{the handle must be a scalar, but has shape [2]}}
  %r = ingot.tensor_array_size %a : (tensor<2x!ingot.variant>) -> tensor<i32>
  return
}

// -----

// (stack_push_c1)
func.func @stack_push_c1(%a: tensor<2x!ingot.variant>, %b: tensor<3xf32>) {
  // expected-error @+1 {{the handle must be a scalar, but has shape [2]}}
  ingot.stack_push %a, %b : (tensor<2x!ingot.variant>, tensor<3xf32>) -> ()
  return
}

// -----

// (stack_pop_c1)
func.func @stack_pop_c1(%a: tensor<2x!ingot.variant>) {
  // expected-error @+1 {{the handle must be a scalar, but has shape [2]}}
  %r = ingot.stack_pop %a {element_type = f32} : (tensor<2x!ingot.variant>) -> tensor<3xf32>
  return
}
