// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s | ingot-opt | FileCheck %s

// CHECK-LABEL: @tensor_array(
func.func @tensor_array(%n: tensor<i32>) {
  // CHECK: ingot.tensor_array{{.*}} : (tensor<i32>) -> tensor<!ingot.variant, tensor<3xf32>>
  %h = ingot.tensor_array %n {element_type = f32, element_shape = array<i64: 3>, has_shape = true} : (tensor<i32>) -> tensor<!ingot.variant, tensor<3xf32>>
  return
}

// CHECK-LABEL: @tensor_array_grad(
func.func @tensor_array_grad(%h: tensor<!ingot.variant, tensor<3xf32>>) {
  // CHECK: ingot.tensor_array_grad{{.*}} : (tensor<!ingot.variant, tensor<3xf32>>) -> tensor<!ingot.variant, tensor<3xf32>>
  %g = ingot.tensor_array_grad %h {source = "gradients"} : (tensor<!ingot.variant, tensor<3xf32>>) -> tensor<!ingot.variant, tensor<3xf32>>
  return
}

// CHECK-LABEL: @tensor_array_write(
func.func @tensor_array_write(%h: tensor<!ingot.variant, tensor<3xf32>>, %i: tensor<i32>, %x: tensor<3xf32>) {
  // CHECK: ingot.tensor_array_write{{.*}} : (tensor<!ingot.variant, tensor<3xf32>>, tensor<i32>, tensor<3xf32>) -> ()
  ingot.tensor_array_write %h, %i, %x : (tensor<!ingot.variant, tensor<3xf32>>, tensor<i32>, tensor<3xf32>) -> ()
  return
}

// CHECK-LABEL: @tensor_array_read(
func.func @tensor_array_read(%h: tensor<!ingot.variant, tensor<3xf32>>, %i: tensor<i32>) {
  // CHECK: ingot.tensor_array_read{{.*}} : (tensor<!ingot.variant, tensor<3xf32>>, tensor<i32>) -> tensor<3xf32>
  %x = ingot.tensor_array_read %h, %i {element_type = f32} : (tensor<!ingot.variant, tensor<3xf32>>, tensor<i32>) -> tensor<3xf32>
  return
}

// CHECK-LABEL: @tensor_array_gather(
func.func @tensor_array_gather(%h: tensor<!ingot.variant, tensor<3xf32>>, %i: tensor<5xi32>) {
  // CHECK: ingot.tensor_array_gather{{.*}} : (tensor<!ingot.variant, tensor<3xf32>>, tensor<5xi32>) -> tensor<5x3xf32>
  %x = ingot.tensor_array_gather %h, %i {element_type = f32} : (tensor<!ingot.variant, tensor<3xf32>>, tensor<5xi32>) -> tensor<5x3xf32>
  return
}

// CHECK-LABEL: @tensor_array_scatter(
func.func @tensor_array_scatter(%h: tensor<!ingot.variant, tensor<3xf32>>, %i: tensor<5xi32>, %x: tensor<5x3xf32>) {
  // CHECK: ingot.tensor_array_scatter{{.*}} : (tensor<!ingot.variant, tensor<3xf32>>, tensor<5xi32>, tensor<5x3xf32>) -> ()
  ingot.tensor_array_scatter %h, %i, %x : (tensor<!ingot.variant, tensor<3xf32>>, tensor<5xi32>, tensor<5x3xf32>) -> ()
  return
}

// CHECK-LABEL: @tensor_array_concat(
func.func @tensor_array_concat(%h: tensor<!ingot.variant, tensor<?x3xf32>>) {
  // CHECK: ingot.tensor_array_concat{{.*}} : (tensor<!ingot.variant, tensor<?x3xf32>>) -> (tensor<?x3xf32>, tensor<?xi64>)
  %x, %n = ingot.tensor_array_concat %h {element_type = f32} : (tensor<!ingot.variant, tensor<?x3xf32>>) -> (tensor<?x3xf32>, tensor<?xi64>)
  return
}

// CHECK-LABEL: @tensor_array_split(
func.func @tensor_array_split(%h: tensor<!ingot.variant, tensor<?x3xf32>>, %x: tensor<5x3xf32>, %n: tensor<2xi64>) {
  // CHECK: ingot.tensor_array_split{{.*}} : (tensor<!ingot.variant, tensor<?x3xf32>>, tensor<5x3xf32>, tensor<2xi64>) -> ()
  ingot.tensor_array_split %h, %x, %n : (tensor<!ingot.variant, tensor<?x3xf32>>, tensor<5x3xf32>, tensor<2xi64>) -> ()
  return
}

// CHECK-LABEL: @tensor_array_size(
func.func @tensor_array_size(%h: tensor<!ingot.variant, tensor<3xf32>>) {
  // CHECK: ingot.tensor_array_size{{.*}} : (tensor<!ingot.variant, tensor<3xf32>>) -> tensor<i32>
  %n = ingot.tensor_array_size %h : (tensor<!ingot.variant, tensor<3xf32>>) -> tensor<i32>
  return
}

// CHECK-LABEL: @stack(
func.func @stack() {
  // CHECK: ingot.stack{{.*}} : () -> tensor<!ingot.variant, tensor<3xf32>>
  %s = ingot.stack {element_type = f32} : () -> tensor<!ingot.variant, tensor<3xf32>>
  return
}

// CHECK-LABEL: @stack_push(
func.func @stack_push(%s: tensor<!ingot.variant, tensor<3xf32>>, %x: tensor<3xf32>) {
  // CHECK: ingot.stack_push{{.*}} : (tensor<!ingot.variant, tensor<3xf32>>, tensor<3xf32>) -> ()
  ingot.stack_push %s, %x : (tensor<!ingot.variant, tensor<3xf32>>, tensor<3xf32>) -> ()
  return
}

// CHECK-LABEL: @stack_pop(
func.func @stack_pop(%s: tensor<!ingot.variant, tensor<3xf32>>) {
  // CHECK: ingot.stack_pop{{.*}} : (tensor<!ingot.variant, tensor<3xf32>>) -> tensor<3xf32>
  %x = ingot.stack_pop %s {element_type = f32} : (tensor<!ingot.variant, tensor<3xf32>>) -> tensor<3xf32>
  return
}
