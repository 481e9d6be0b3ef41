// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s | ingot-opt | FileCheck %s

// CHECK-LABEL: @tensor_list_empty(
func.func @tensor_list_empty(%shape: tensor<1xi32>, %max: tensor<i32>) {
  // CHECK: ingot.tensor_list_empty{{.*}} : (tensor<1xi32>, tensor<i32>) -> tensor<!ingot.variant, none>
  %l = ingot.tensor_list_empty %shape, %max {element_type = f32} : (tensor<1xi32>, tensor<i32>) -> tensor<!ingot.variant, none>
  return
}

// CHECK-LABEL: @tensor_list_reserve(
func.func @tensor_list_reserve(%shape: tensor<1xi32>, %n: tensor<i32>) {
  // CHECK: ingot.tensor_list_reserve{{.*}} : (tensor<1xi32>, tensor<i32>) -> tensor<!ingot.variant, none>
  %l = ingot.tensor_list_reserve %shape, %n {element_type = f32} : (tensor<1xi32>, tensor<i32>) -> tensor<!ingot.variant, none>
  return
}

// CHECK-LABEL: @tensor_list_push_back(
func.func @tensor_list_push_back(%l: tensor<!ingot.variant, none>, %x: tensor<3xf32>) {
  // CHECK: ingot.tensor_list_push_back{{.*}} : (tensor<!ingot.variant, none>, tensor<3xf32>) -> tensor<!ingot.variant, tensor<3xf32>>
  %m = ingot.tensor_list_push_back %l, %x : (tensor<!ingot.variant, none>, tensor<3xf32>) -> tensor<!ingot.variant, tensor<3xf32>>
  return
}

// CHECK-LABEL: @tensor_list_pop_back(
func.func @tensor_list_pop_back(%l: tensor<!ingot.variant, tensor<3xf32>>, %shape: tensor<1xi32>) {
  // CHECK: ingot.tensor_list_pop_back{{.*}} : (tensor<!ingot.variant, tensor<3xf32>>, tensor<1xi32>) -> (tensor<!ingot.variant, tensor<3xf32>>, tensor<3xf32>)
  %m, %x = ingot.tensor_list_pop_back %l, %shape {element_type = f32} : (tensor<!ingot.variant, tensor<3xf32>>, tensor<1xi32>) -> (tensor<!ingot.variant, tensor<3xf32>>, tensor<3xf32>)
  return
}

// CHECK-LABEL: @tensor_list_get_item(
func.func @tensor_list_get_item(%l: tensor<!ingot.variant, tensor<3xf32>>, %i: tensor<i32>, %shape: tensor<1xi32>) {
  // CHECK: ingot.tensor_list_get_item{{.*}} : (tensor<!ingot.variant, tensor<3xf32>>, tensor<i32>, tensor<1xi32>) -> tensor<3xf32>
  %x = ingot.tensor_list_get_item %l, %i, %shape {element_type = f32} : (tensor<!ingot.variant, tensor<3xf32>>, tensor<i32>, tensor<1xi32>) -> tensor<3xf32>
  return
}

// CHECK-LABEL: @tensor_list_set_item(
func.func @tensor_list_set_item(%l: tensor<!ingot.variant, none>, %i: tensor<i32>, %x: tensor<3xf32>) {
  // CHECK: ingot.tensor_list_set_item{{.*}} : (tensor<!ingot.variant, none>, tensor<i32>, tensor<3xf32>) -> tensor<!ingot.variant, tensor<3xf32>>
  %m = ingot.tensor_list_set_item %l, %i, %x : (tensor<!ingot.variant, none>, tensor<i32>, tensor<3xf32>) -> tensor<!ingot.variant, tensor<3xf32>>
  return
}

// CHECK-LABEL: @tensor_list_stack(
func.func @tensor_list_stack(%l: tensor<!ingot.variant, tensor<3xf32>>, %shape: tensor<1xi32>) {
  // CHECK: ingot.tensor_list_stack{{.*}} : (tensor<!ingot.variant, tensor<3xf32>>, tensor<1xi32>) -> tensor<?x3xf32>
  %x = ingot.tensor_list_stack %l, %shape {element_type = f32} : (tensor<!ingot.variant, tensor<3xf32>>, tensor<1xi32>) -> tensor<?x3xf32>
  return
}

// CHECK-LABEL: @tensor_list_from_tensor(
func.func @tensor_list_from_tensor(%x: tensor<5x3xf32>, %shape: tensor<1xi32>) {
  // CHECK: ingot.tensor_list_from_tensor{{.*}} : (tensor<5x3xf32>, tensor<1xi32>) -> tensor<!ingot.variant, tensor<3xf32>>
  %l = ingot.tensor_list_from_tensor %x, %shape : (tensor<5x3xf32>, tensor<1xi32>) -> tensor<!ingot.variant, tensor<3xf32>>
  return
}

// CHECK-LABEL: @tensor_list_length(
func.func @tensor_list_length(%l: tensor<!ingot.variant, tensor<3xf32>>) {
  // CHECK: ingot.tensor_list_length{{.*}} : (tensor<!ingot.variant, tensor<3xf32>>) -> tensor<i32>
  %n = ingot.tensor_list_length %l : (tensor<!ingot.variant, tensor<3xf32>>) -> tensor<i32>
  return
}

// CHECK-LABEL: @tensor_list_element_shape(
func.func @tensor_list_element_shape(%l: tensor<!ingot.variant, tensor<3xf32>>) {
  // CHECK: ingot.tensor_list_element_shape{{.*}} : (tensor<!ingot.variant, tensor<3xf32>>) -> tensor<?xi32>
  %s = ingot.tensor_list_element_shape %l {shape_type = i32} : (tensor<!ingot.variant, tensor<3xf32>>) -> tensor<?xi32>
  return
}

// CHECK-LABEL: @tensor_list_resize(
func.func @tensor_list_resize(%l: tensor<!ingot.variant, tensor<3xf32>>, %n: tensor<i32>) {
  // CHECK: ingot.tensor_list_resize{{.*}} : (tensor<!ingot.variant, tensor<3xf32>>, tensor<i32>) -> tensor<!ingot.variant, tensor<3xf32>>
  %m = ingot.tensor_list_resize %l, %n : (tensor<!ingot.variant, tensor<3xf32>>, tensor<i32>) -> tensor<!ingot.variant, tensor<3xf32>>
  return
}

// CHECK-LABEL: @tensor_list_gather(
func.func @tensor_list_gather(%l: tensor<!ingot.variant, tensor<3xf32>>, %i: tensor<2xi32>, %shape: tensor<1xi32>) {
  // CHECK: ingot.tensor_list_gather{{.*}} : (tensor<!ingot.variant, tensor<3xf32>>, tensor<2xi32>, tensor<1xi32>) -> tensor<2x3xf32>
  %x = ingot.tensor_list_gather %l, %i, %shape {element_type = f32} : (tensor<!ingot.variant, tensor<3xf32>>, tensor<2xi32>, tensor<1xi32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: @tensor_list_scatter(
func.func @tensor_list_scatter(%x: tensor<2x3xf32>, %i: tensor<2xi32>, %shape: tensor<1xi32>, %n: tensor<i32>) {
  // CHECK: ingot.tensor_list_scatter{{.*}} : (tensor<2x3xf32>, tensor<2xi32>, tensor<1xi32>, tensor<i32>) -> tensor<!ingot.variant, tensor<3xf32>>
  %l = ingot.tensor_list_scatter %x, %i, %shape, %n : (tensor<2x3xf32>, tensor<2xi32>, tensor<1xi32>, tensor<i32>) -> tensor<!ingot.variant, tensor<3xf32>>
  return
}

// CHECK-LABEL: @tensor_list_scatter_into(
func.func @tensor_list_scatter_into(%l: tensor<!ingot.variant, tensor<3xf32>>, %x: tensor<2x3xf32>, %i: tensor<2xi32>) {
  // CHECK: ingot.tensor_list_scatter_into{{.*}} : (tensor<!ingot.variant, tensor<3xf32>>, tensor<2x3xf32>, tensor<2xi32>) -> tensor<!ingot.variant, tensor<3xf32>>
  %m = ingot.tensor_list_scatter_into %l, %x, %i : (tensor<!ingot.variant, tensor<3xf32>>, tensor<2x3xf32>, tensor<2xi32>) -> tensor<!ingot.variant, tensor<3xf32>>
  return
}

// CHECK-LABEL: @tensor_list_split(
func.func @tensor_list_split(%x: tensor<5x3xf32>, %shape: tensor<2xi32>, %n: tensor<2xi64>) {
  // CHECK: ingot.tensor_list_split{{.*}} : (tensor<5x3xf32>, tensor<2xi32>, tensor<2xi64>) -> tensor<!ingot.variant, tensor<?x3xf32>>
  %l = ingot.tensor_list_split %x, %shape, %n : (tensor<5x3xf32>, tensor<2xi32>, tensor<2xi64>) -> tensor<!ingot.variant, tensor<?x3xf32>>
  return
}

// CHECK-LABEL: @tensor_list_concat(
func.func @tensor_list_concat(%l: tensor<!ingot.variant, tensor<?x3xf32>>, %shape: tensor<2xi32>, %dims: tensor<0xi64>) {
  // CHECK: ingot.tensor_list_concat{{.*}} : (tensor<!ingot.variant, tensor<?x3xf32>>, tensor<2xi32>, tensor<0xi64>) -> (tensor<?x3xf32>, tensor<?xi64>)
  %x, %n = ingot.tensor_list_concat %l, %shape, %dims {element_type = f32} : (tensor<!ingot.variant, tensor<?x3xf32>>, tensor<2xi32>, tensor<0xi64>) -> (tensor<?x3xf32>, tensor<?xi64>)
  return
}

// CHECK-LABEL: @tensor_list_push_back_batch(
func.func @tensor_list_push_back_batch(%l: tensor<2x!ingot.variant>, %x: tensor<2x3xf32>) {
  // CHECK: ingot.tensor_list_push_back_batch{{.*}} : (tensor<2x!ingot.variant>, tensor<2x3xf32>) -> tensor<2x!ingot.variant, tensor<3xf32>>
  %m = ingot.tensor_list_push_back_batch %l, %x : (tensor<2x!ingot.variant>, tensor<2x3xf32>) -> tensor<2x!ingot.variant, tensor<3xf32>>
  return
}

// CHECK-LABEL: @variant_add(
func.func @variant_add(%l: tensor<!ingot.variant, tensor<3xf32>>, %m: tensor<!ingot.variant, tensor<3xf32>>) {
  // CHECK: ingot.variant_add{{.*}} : (tensor<!ingot.variant, tensor<3xf32>>, tensor<!ingot.variant, tensor<3xf32>>) -> tensor<!ingot.variant, tensor<3xf32>>
  %s = ingot.variant_add %l, %m : (tensor<!ingot.variant, tensor<3xf32>>, tensor<!ingot.variant, tensor<3xf32>>) -> tensor<!ingot.variant, tensor<3xf32>>
  return
}

// CHECK-LABEL: @variant_zeros(
func.func @variant_zeros(%l: tensor<!ingot.variant, tensor<3xf32>>) {
  // CHECK: ingot.variant_zeros{{.*}} : (tensor<!ingot.variant, tensor<3xf32>>) -> tensor<!ingot.variant, tensor<3xf32>>
  %z = ingot.variant_zeros %l : (tensor<!ingot.variant, tensor<3xf32>>) -> tensor<!ingot.variant, tensor<3xf32>>
  return
}

// CHECK-LABEL: @optional_from_value(
func.func @optional_from_value(%x: tensor<3xf32>) {
  // CHECK: ingot.optional_from_value{{.*}} : (tensor<3xf32>) -> tensor<!ingot.variant, tensor<3xf32>>
  %o = ingot.optional_from_value %x : (tensor<3xf32>) -> tensor<!ingot.variant, tensor<3xf32>>
  return
}

// CHECK-LABEL: @optional_none(
func.func @optional_none() {
  // CHECK: ingot.optional_none{{.*}} : () -> tensor<!ingot.variant, none>
  %o = ingot.optional_none : () -> tensor<!ingot.variant, none>
  return
}

// CHECK-LABEL: @optional_has_value(
func.func @optional_has_value(%o: tensor<!ingot.variant, tensor<3xf32>>) {
  // CHECK: ingot.optional_has_value{{.*}} : (tensor<!ingot.variant, tensor<3xf32>>) -> tensor<i1>
  %b = ingot.optional_has_value %o : (tensor<!ingot.variant, tensor<3xf32>>) -> tensor<i1>
  return
}

// CHECK-LABEL: @optional_get_value(
func.func @optional_get_value(%o: tensor<!ingot.variant, tensor<3xf32>>) {
  // CHECK: ingot.optional_get_value{{.*}} : (tensor<!ingot.variant, tensor<3xf32>>) -> tensor<3xf32>
  %x = ingot.optional_get_value %o {index = 0 : i64, element_type = f32} : (tensor<!ingot.variant, tensor<3xf32>>) -> tensor<3xf32>
  // CHECK: ingot.optional_get_value{{.*}}component_types = [f32, i1]{{.*}} -> tensor<i1>
  %y = ingot.optional_get_value %o {index = 1 : i64, element_type = i1, component_types = [f32, i1]} : (tensor<!ingot.variant, tensor<3xf32>>) -> tensor<i1>
  return
}

// CHECK-LABEL: @tensor_list_concat_lists(
func.func @tensor_list_concat_lists(%a: tensor<!ingot.variant, tensor<3xf32>>, %b: tensor<!ingot.variant, tensor<?xf32>>) {
  // CHECK: ingot.tensor_list_concat_lists {{.*}} -> tensor<!ingot.variant, tensor<?xf32>>
  %c = ingot.tensor_list_concat_lists %a, %b {element_type = f32} : (tensor<!ingot.variant, tensor<3xf32>>, tensor<!ingot.variant, tensor<?xf32>>) -> tensor<!ingot.variant, tensor<?xf32>>
  return
}

// CHECK-LABEL: @rows_empty(
func.func @rows_empty() {
  // CHECK: ingot.rows_empty : tensor<5x3xf32>
  %r = ingot.rows_empty : tensor<5x3xf32>
  return
}

// CHECK-LABEL: @rows_get(
func.func @rows_get(%r: tensor<5x3xf32>, %i: tensor<i32>) {
  // CHECK: ingot.rows_get %{{.*}}, %{{.*}} : (tensor<5x3xf32>, tensor<i32>) -> tensor<3xf32>
  %x = ingot.rows_get %r, %i : (tensor<5x3xf32>, tensor<i32>) -> tensor<3xf32>
  // CHECK: ingot.rows_get %{{.*}}, %{{.*}} {from_end} : (tensor<5x3xf32>, tensor<i32>) -> tensor<3xf32>
  %y = ingot.rows_get %r, %i {from_end} : (tensor<5x3xf32>, tensor<i32>) -> tensor<3xf32>
  return
}

// CHECK-LABEL: @rows_set(
func.func @rows_set(%r: tensor<5x3xf32>, %i: tensor<i32>, %x: tensor<3xf32>) {
  // CHECK: ingot.rows_set %{{.*}}, %{{.*}}, %{{.*}} : (tensor<5x3xf32>, tensor<i32>, tensor<3xf32>) -> tensor<5x3xf32>
  %s = ingot.rows_set %r, %i, %x : (tensor<5x3xf32>, tensor<i32>, tensor<3xf32>) -> tensor<5x3xf32>
  return
}
