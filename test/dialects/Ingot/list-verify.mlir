// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (tensor_list_empty_c1)
func.func @tensor_list_empty_c1(%a: tensor<1x1xi32>, %b: tensor<i32>) {
  // expected-error @+1 {{element_shape must be a scalar or a vector of sizes, but is a tensor of shape [1, 1]}}
  %r = ingot.tensor_list_empty %a, %b {element_type = f32} : (tensor<1x1xi32>, tensor<i32>) -> tensor<!ingot.variant>
  return
}

// -----

// (tensor_list_reserve_c1)
func.func @tensor_list_reserve_c1(%a: tensor<1x1xi32>, %b: tensor<i32>) {
  // expected-error @+1 {{element_shape must be a scalar or a vector of sizes, but is a tensor of shape [1, 1]}}
  %r = ingot.tensor_list_reserve %a, %b {element_type = f32} : (tensor<1x1xi32>, tensor<i32>) -> tensor<!ingot.variant>
  return
}

// -----

// (tensor_list_reserve_c2)
func.func @tensor_list_reserve_c2(%a: tensor<1xi32>, %b: tensor<2xi32>) {
  // expected-error @+1 {{the number of elements must be a scalar, but has shape [2]}}
  %r = ingot.tensor_list_reserve %a, %b {element_type = f32} : (tensor<1xi32>, tensor<2xi32>) -> tensor<!ingot.variant>
  return
}

// -----

// (tensor_list_push_back_c1)
func.func @tensor_list_push_back_c1(%a: tensor<2x!ingot.variant>, %b: tensor<3xf32>) {
  // expected-error @+1 {{the list must be a scalar, but has shape [2]}}
  %r = ingot.tensor_list_push_back %a, %b : (tensor<2x!ingot.variant>, tensor<3xf32>) -> tensor<!ingot.variant>
  return
}

// -----

// (tensor_list_pop_back_c1)
func.func @tensor_list_pop_back_c1(%a: tensor<2x!ingot.variant>, %b: tensor<1xi32>) {
  // expected-error @+1 {{the list must be a scalar, but has shape [2]}}
  %r:2 = ingot.tensor_list_pop_back %a, %b {element_type = f32} : (tensor<2x!ingot.variant>, tensor<1xi32>) -> (tensor<!ingot.variant>, tensor<3xf32>)
  return
}

// -----

// (tensor_list_pop_back_c2)
func.func @tensor_list_pop_back_c2(%a: tensor<!ingot.variant>, %b: tensor<1x1xi32>) {
  // expected-error @+1 {{element_shape must be a scalar or a vector of sizes, but is a tensor of shape [1, 1]}}
  %r:2 = ingot.tensor_list_pop_back %a, %b {element_type = f32} : (tensor<!ingot.variant>, tensor<1x1xi32>) -> (tensor<!ingot.variant>, tensor<3xf32>)
  return
}

// -----

// (tensor_list_get_item_c1)
func.func @tensor_list_get_item_c1(%a: tensor<2x!ingot.variant>, %b: tensor<i32>, %c: tensor<1xi32>) {
  // expected-error @+1 {{the list must be a scalar, but has shape [2]}}
  %r = ingot.tensor_list_get_item %a, %b, %c {element_type = f32} : (tensor<2x!ingot.variant>, tensor<i32>, tensor<1xi32>) -> tensor<3xf32>
  return
}

// -----

// (tensor_list_get_item_c2)
func.func @tensor_list_get_item_c2(%a: tensor<!ingot.variant>, %b: tensor<i32>, %c: tensor<1x1xi32>) {
  // expected-error @+1 {{element_shape must be a scalar or a vector of sizes, but is a tensor of shape [1, 1]}}
  %r = ingot.tensor_list_get_item %a, %b, %c {element_type = f32} : (tensor<!ingot.variant>, tensor<i32>, tensor<1x1xi32>) -> tensor<3xf32>
  return
}

// -----

// (tensor_list_get_item_c3)
func.func @tensor_list_get_item_c3(%a: tensor<!ingot.variant>, %b: tensor<2xi32>, %c: tensor<1xi32>) {
  // expected-error @+1 {{the index must be a scalar, but has shape [2]}}
  %r = ingot.tensor_list_get_item %a, %b, %c {element_type = f32} : (tensor<!ingot.variant>, tensor<2xi32>, tensor<1xi32>) -> tensor<3xf32>
  return
}

// -----

// (tensor_list_set_item_c1)
func.func @tensor_list_set_item_c1(%a: tensor<2x!ingot.variant>, %b: tensor<i32>, %c: tensor<3xf32>) {
  // expected-error @+1 {{the list must be a scalar, but has shape [2]}}
  %r = ingot.tensor_list_set_item %a, %b, %c : (tensor<2x!ingot.variant>, tensor<i32>, tensor<3xf32>) -> tensor<!ingot.variant>
  return
}

// -----

// (tensor_list_set_item_c2)
func.func @tensor_list_set_item_c2(%a: tensor<!ingot.variant>, %b: tensor<2xi32>, %c: tensor<3xf32>) {
  // expected-error @+1 {{the index must be a scalar, but has shape [2]}}
  %r = ingot.tensor_list_set_item %a, %b, %c : (tensor<!ingot.variant>, tensor<2xi32>, tensor<3xf32>) -> tensor<!ingot.variant>
  return
}

// -----

// (tensor_list_stack_c1)
func.func @tensor_list_stack_c1(%a: tensor<2x!ingot.variant>, %b: tensor<1xi32>) {
  // expected-error @+1 {{the list must be a scalar, but has shape [2]}}
  %r = ingot.tensor_list_stack %a, %b {element_type = f32} : (tensor<2x!ingot.variant>, tensor<1xi32>) -> tensor<2x3xf32>
  return
}

// -----

// (tensor_list_stack_c2)
func.func @tensor_list_stack_c2(%a: tensor<!ingot.variant>, %b: tensor<1x1xi32>) {
  // expected-error @+1 {{element_shape must be a scalar or a vector of sizes, but is a tensor of shape [1, 1]}}
  %r = ingot.tensor_list_stack %a, %b {element_type = f32} : (tensor<!ingot.variant>, tensor<1x1xi32>) -> tensor<2x3xf32>
  return
}

// -----

// (tensor_list_from_tensor_c1)
func.func @tensor_list_from_tensor_c1(%a: tensor<f32>, %b: tensor<1xi32>) {
  // expected-error @+1 {{a scalar has no rows}}
  %r = ingot.tensor_list_from_tensor %a, %b : (tensor<f32>, tensor<1xi32>) -> tensor<!ingot.variant>
  return
}

// -----

// (tensor_list_from_tensor_c2)
func.func @tensor_list_from_tensor_c2(%a: tensor<2x3xf32>, %b: tensor<1x1xi32>) {
  // expected-error @+1 {{element_shape must be a scalar or a vector of sizes, but is a tensor of shape [1, 1]}}
  %r = ingot.tensor_list_from_tensor %a, %b : (tensor<2x3xf32>, tensor<1x1xi32>) -> tensor<!ingot.variant>
  return
}

// -----

// (tensor_list_length_c1)
func.func @tensor_list_length_c1(%a: tensor<2x!ingot.variant>) {
  // expected-error @+1 {{the list must be a scalar, but has shape [2]}}
  %r = ingot.tensor_list_length %a : (tensor<2x!ingot.variant>) -> tensor<i32>
  return
}

// -----

// (tensor_list_element_shape_c1)
func.func @tensor_list_element_shape_c1(%a: tensor<2x!ingot.variant>) {
  // expected-error @+1 {{the list must be a scalar, but has shape [2]}}
  %r = ingot.tensor_list_element_shape %a {shape_type = i32} : (tensor<2x!ingot.variant>) -> tensor<?xi32>
  return
}

// -----

// (tensor_list_element_shape_c2)
func.func @tensor_list_element_shape_c2(%a: tensor<!ingot.variant>) {
  // expected-error @+1 {{a shape must have int32 or int64 elements, not 'i8'}}
  %r = ingot.tensor_list_element_shape %a {shape_type = i8} : (tensor<!ingot.variant>) -> tensor<?xi32>
  return
}

// -----

// (tensor_list_resize_c1)
func.func @tensor_list_resize_c1(%a: tensor<2x!ingot.variant>, %b: tensor<i32>) {
  // expected-error @+1 {{the list must be a scalar, but has shape [2]}}
  %r = ingot.tensor_list_resize %a, %b : (tensor<2x!ingot.variant>, tensor<i32>) -> tensor<!ingot.variant>
  return
}

// -----

// (tensor_list_resize_c2)
func.func @tensor_list_resize_c2(%a: tensor<!ingot.variant>, %b: tensor<2xi32>) {
  // expected-error @+1 {{the size must be a scalar, but has shape [2]}}
  %r = ingot.tensor_list_resize %a, %b : (tensor<!ingot.variant>, tensor<2xi32>) -> tensor<!ingot.variant>
  return
}

// -----

// (tensor_list_gather_c1)
func.func @tensor_list_gather_c1(%a: tensor<2x!ingot.variant>, %b: tensor<2xi32>, %c: tensor<1xi32>) {
  // expected-error @+1 {{the list must be a scalar, but has shape [2]}}
  %r = ingot.tensor_list_gather %a, %b, %c {element_type = f32} : (tensor<2x!ingot.variant>, tensor<2xi32>, tensor<1xi32>) -> tensor<2x3xf32>
  return
}

// -----

// (tensor_list_gather_c2)
func.func @tensor_list_gather_c2(%a: tensor<!ingot.variant>, %b: tensor<2xi32>, %c: tensor<1x1xi32>) {
  // expected-error @+1 {{element_shape must be a scalar or a vector of sizes, but is a tensor of shape [1, 1]}}
  %r = ingot.tensor_list_gather %a, %b, %c {element_type = f32} : (tensor<!ingot.variant>, tensor<2xi32>, tensor<1x1xi32>) -> tensor<2x3xf32>
  return
}

// -----

// (tensor_list_gather_c3)
func.func @tensor_list_gather_c3(%a: tensor<!ingot.variant>, %b: tensor<1x1xi32>, %c: tensor<1xi32>) {
  // expected-error @+1 {{the indices must be a vector, but have shape [1, 1]}}
  %r = ingot.tensor_list_gather %a, %b, %c {element_type = f32} : (tensor<!ingot.variant>, tensor<1x1xi32>, tensor<1xi32>) -> tensor<2x3xf32>
  return
}

// -----

// (tensor_list_scatter_c1)
func.func @tensor_list_scatter_c1(%a: tensor<f32>, %b: tensor<2xi32>, %c: tensor<1xi32>, %d: tensor<i32>) {
  // expected-error @+1 {{a scalar has no rows}}
  %r = ingot.tensor_list_scatter %a, %b, %c, %d : (tensor<f32>, tensor<2xi32>, tensor<1xi32>, tensor<i32>) -> tensor<!ingot.variant>
  return
}

// -----

// (tensor_list_scatter_c2)
func.func @tensor_list_scatter_c2(%a: tensor<2x3xf32>, %b: tensor<1x1xi32>, %c: tensor<1xi32>, %d: tensor<i32>) {
  // expected-error @+1 {{the indices must be a vector, but have shape [1, 1]}}
  %r = ingot.tensor_list_scatter %a, %b, %c, %d : (tensor<2x3xf32>, tensor<1x1xi32>, tensor<1xi32>, tensor<i32>) -> tensor<!ingot.variant>
  return
}

// -----

// (tensor_list_scatter_c3)
func.func @tensor_list_scatter_c3(%a: tensor<2x3xf32>, %b: tensor<2xi32>, %c: tensor<1x1xi32>, %d: tensor<i32>) {
  // expected-error @+1 {{element_shape must be a scalar or a vector of sizes, but is a tensor of shape [1, 1]}}
  %r = ingot.tensor_list_scatter %a, %b, %c, %d : (tensor<2x3xf32>, tensor<2xi32>, tensor<1x1xi32>, tensor<i32>) -> tensor<!ingot.variant>
  return
}

// -----

// (tensor_list_scatter_into_c1)
func.func @tensor_list_scatter_into_c1(%a: tensor<2x!ingot.variant>, %b: tensor<2x3xf32>, %c: tensor<2xi32>) {
  // expected-error @+1 {{the list must be a scalar, but has shape [2]}}
  %r = ingot.tensor_list_scatter_into %a, %b, %c : (tensor<2x!ingot.variant>, tensor<2x3xf32>, tensor<2xi32>) -> tensor<!ingot.variant>
  return
}

// -----

// (tensor_list_scatter_into_c2)
func.func @tensor_list_scatter_into_c2(%a: tensor<!ingot.variant>, %b: tensor<f32>, %c: tensor<2xi32>) {
  // expected-error @+1 {{a scalar has no rows}}
  %r = ingot.tensor_list_scatter_into %a, %b, %c : (tensor<!ingot.variant>, tensor<f32>, tensor<2xi32>) -> tensor<!ingot.variant>
  return
}

// -----

// (tensor_list_scatter_into_c3)
func.func @tensor_list_scatter_into_c3(%a: tensor<!ingot.variant>, %b: tensor<2x3xf32>, %c: tensor<1x1xi32>) {
  // expected-error @+1 {{the indices must be a vector, but have shape [1, 1]}}
  %r = ingot.tensor_list_scatter_into %a, %b, %c : (tensor<!ingot.variant>, tensor<2x3xf32>, tensor<1x1xi32>) -> tensor<!ingot.variant>
  return
}

// -----

// (tensor_list_split_c1)
func.func @tensor_list_split_c1(%a: tensor<f32>, %b: tensor<1xi32>, %c: tensor<2xi64>) {
  // expected-error @+1 {{a scalar has no rows}}
  %r = ingot.tensor_list_split %a, %b, %c : (tensor<f32>, tensor<1xi32>, tensor<2xi64>) -> tensor<!ingot.variant>
  return
}

// -----

// (tensor_list_split_c2)
func.func @tensor_list_split_c2(%a: tensor<2x3xf32>, %b: tensor<1x1xi32>, %c: tensor<2xi64>) {
  // expected-error @+1 {{element_shape must be a scalar or a vector of sizes, but is a tensor of shape [1, 1]}}
  %r = ingot.tensor_list_split %a, %b, %c : (tensor<2x3xf32>, tensor<1x1xi32>, tensor<2xi64>) -> tensor<!ingot.variant>
  return
}

// -----

// (tensor_list_split_c3)
func.func @tensor_list_split_c3(%a: tensor<2x3xf32>, %b: tensor<1xi32>, %c: tensor<2x2xi64>) {
  // expected-error @+1 {{the lengths must be a vector, but have shape [2, 2]}}
  %r = ingot.tensor_list_split %a, %b, %c : (tensor<2x3xf32>, tensor<1xi32>, tensor<2x2xi64>) -> tensor<!ingot.variant>
  return
}

// -----

// (tensor_list_concat_c1)
func.func @tensor_list_concat_c1(%a: tensor<2x!ingot.variant>, %b: tensor<1xi32>, %c: tensor<2xi64>) {
  // expected-error @+1 {{the list must be a scalar, but has shape [2]}}
  %r:2 = ingot.tensor_list_concat %a, %b, %c {element_type = f32} : (tensor<2x!ingot.variant>, tensor<1xi32>, tensor<2xi64>) -> (tensor<?xf32>, tensor<?xi64>)
  return
}

// -----

// (tensor_list_concat_c2)
func.func @tensor_list_concat_c2(%a: tensor<!ingot.variant>, %b: tensor<1x1xi32>, %c: tensor<2xi64>) {
  // expected-error @+1 {{element_shape must be a scalar or a vector of sizes, but is a tensor of shape [1, 1]}}
  %r:2 = ingot.tensor_list_concat %a, %b, %c {element_type = f32} : (tensor<!ingot.variant>, tensor<1x1xi32>, tensor<2xi64>) -> (tensor<?xf32>, tensor<?xi64>)
  return
}

// -----

// (tensor_list_push_back_batch_c1)
func.func @tensor_list_push_back_batch_c1(%a: tensor<2x!ingot.variant>, %b: tensor<3xf32>) {
  // expected-error @+1 {{expected a vector of lists and a tensor with one row for each list, but got shapes [2] and [3]}}
  %r = ingot.tensor_list_push_back_batch %a, %b : (tensor<2x!ingot.variant>, tensor<3xf32>) -> tensor<2x!ingot.variant>
  return
}

// -----

// (variant_add_c1)
func.func @variant_add_c1(%a: tensor<!ingot.variant>, %b: tensor<2x!ingot.variant>) {
  // expected-error @+1 {{the list must be a scalar, but has shape [2]}}
  %r = ingot.variant_add %a, %b : (tensor<!ingot.variant>, tensor<2x!ingot.variant>) -> tensor<!ingot.variant>
  return
}

// -----

// (variant_zeros_c1)
func.func @variant_zeros_c1(%a: tensor<2x!ingot.variant>) {
  // expected-error @+1 {{the list must be a scalar, but has shape [2]}}
  %r = ingot.variant_zeros %a : (tensor<2x!ingot.variant>) -> tensor<!ingot.variant>
  return
}

// -----

// (optional_from_value_c1)
func.func @optional_from_value_c1() {
  // expected-error @+1 {{an optional must have at least one component}}
  %r = ingot.optional_from_value : () -> tensor<!ingot.variant>
  return
}

// -----

// (optional_has_value_c1)
func.func @optional_has_value_c1(%a: tensor<2x!ingot.variant>) {
  // expected-error @+1 {{the list must be a scalar, but has shape [2]}}
  %r = ingot.optional_has_value %a : (tensor<2x!ingot.variant>) -> tensor<i1>
  return
}

// -----

// (optional_get_value_c2)
func.func @optional_get_value_c2(%a: tensor<!ingot.variant>) {
  // expected-error @+1 {{the index must be in [0, 2), by the number of components, but is 2}}
  %r = ingot.optional_get_value %a {index = 2 : i64, element_type = f32, component_types = [f32, i1]} : (tensor<!ingot.variant>) -> tensor<3xf32>
  return
}

// -----

// (optional_get_value_c1)
func.func @optional_get_value_c1(%a: tensor<2x!ingot.variant>) {
  // expected-error @+1 {{the list must be a scalar, but has shape [2]}}
  %r = ingot.optional_get_value %a {index = 0 : i64, element_type = f32} : (tensor<2x!ingot.variant>) -> tensor<3xf32>
  return
}

// -----

// (tensor_list_concat_lists_c1)
func.func @tensor_list_concat_lists_c1(%a: tensor<2x!ingot.variant>, %b: tensor<3x!ingot.variant>) {
  // expected-error @+1 {{the two tensors of lists must have the same shape, but have shapes [2] and [3]}}
  %r = ingot.tensor_list_concat_lists %a, %b {element_type = f32} : (tensor<2x!ingot.variant>, tensor<3x!ingot.variant>) -> tensor<2x!ingot.variant>
  return
}

// -----

// (rows_get_c1)
func.func @rows_get_c1(%a: tensor<f32>, %i: tensor<i32>) {
  // expected-error @+1 {{a scalar has no rows}}
  %r = ingot.rows_get %a, %i : (tensor<f32>, tensor<i32>) -> tensor<f32>
  return
}

// -----

// (rows_get_c2)
func.func @rows_get_c2(%a: tensor<5x3xf32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{the index must be a scalar, but has shape [2]}}
  %r = ingot.rows_get %a, %i : (tensor<5x3xf32>, tensor<2xi32>) -> tensor<3xf32>
  return
}

// -----

// (rows_set_c1)
func.func @rows_set_c1(%a: tensor<f32>, %i: tensor<i32>) {
  // expected-error @+1 {{a scalar has no rows}}
  %r = ingot.rows_set %a, %i, %a : (tensor<f32>, tensor<i32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

// (rows_set_c2)
func.func @rows_set_c2(%a: tensor<5x3xf32>, %i: tensor<2xi32>, %x: tensor<3xf32>) {
  // expected-error @+1 {{the index must be a scalar, but has shape [2]}}
  %r = ingot.rows_set %a, %i, %x : (tensor<5x3xf32>, tensor<2xi32>, tensor<3xf32>) -> tensor<5x3xf32>
  return
}

// -----

// (rows_set_c3)
func.func @rows_set_c3(%a: tensor<5x3xf32>, %i: tensor<i32>, %x: tensor<4xf32>) {
  // expected-error @+1 {{the row must have type 'tensor<3xf32>', that of the tensor's rows, but has type 'tensor<4xf32>'}}
  %r = ingot.rows_set %a, %i, %x : (tensor<5x3xf32>, tensor<i32>, tensor<4xf32>) -> tensor<5x3xf32>
  return
}
