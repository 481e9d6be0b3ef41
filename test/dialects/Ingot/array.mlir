// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s | ingot-opt | FileCheck %s

// CHECK-LABEL: @concat
func.func @concat(%a: tensor<2x3xf32>, %b: tensor<?x3xf32>) {
  // CHECK: ingot.concat %{{.*}}, %{{.*}}, %{{.*}} : (tensor<i32>, tensor<2x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  %axis = ingot.constant dense<0> : tensor<i32>
  %0 = ingot.concat %axis, %a, %b : (tensor<i32>, tensor<2x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  return
}

// CHECK-LABEL: @split
func.func @split(%x: tensor<3x4xf32>) {
  // CHECK: ingot.split %{{.*}}, %{{.*}} {count = 2 : i64}
  %axis = ingot.constant dense<1> : tensor<i32>
  %0:2 = ingot.split %axis, %x {count = 2 : i64} : (tensor<i32>, tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>)
  return
}

// CHECK-LABEL: @split_sizes
func.func @split_sizes(%x: tensor<3x4xf32>, %n: tensor<2xi64>) {
  // CHECK: ingot.split %{{.*}}, %{{.*}} sizes %{{.*}} {count = 2 : i64}
  %axis = ingot.constant dense<1> : tensor<i32>
  %0:2 = ingot.split %axis, %x sizes %n {count = 2 : i64} : (tensor<i32>, tensor<3x4xf32>, tensor<2xi64>) -> (tensor<3x?xf32>, tensor<3x?xf32>)
  return
}

// CHECK-LABEL: @one_hot
func.func @one_hot(%i: tensor<4xi32>, %d: tensor<i32>, %v: tensor<f32>) {
  // CHECK: ingot.one_hot
  %0 = ingot.one_hot %i, %d, %v, %v : (tensor<4xi32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: @broadcast_to
func.func @broadcast_to(%x: tensor<3xf32>) {
  // CHECK: ingot.broadcast_to
  %s = ingot.constant dense<[4, 3]> : tensor<2xi32>
  %0 = ingot.broadcast_to %x, %s : (tensor<3xf32>, tensor<2xi32>) -> tensor<4x3xf32>
  return
}

// CHECK-LABEL: @sum_to_shape
func.func @sum_to_shape(%x: tensor<4x3xf32>, %s: tensor<1xi32>) {
  // CHECK: ingot.sum_to_shape
  %0 = ingot.sum_to_shape %x, %s : (tensor<4x3xf32>, tensor<1xi32>) -> tensor<?xf32>
  return
}

// CHECK-LABEL: @broadcast_args
func.func @broadcast_args(%a: tensor<1xi32>, %b: tensor<2xi32>) {
  // CHECK: ingot.broadcast_args %{{.*}}, %{{.*}} : (tensor<1xi32>, tensor<2xi32>) -> tensor<2xi32>
  %0 = ingot.broadcast_args %a, %b : (tensor<1xi32>, tensor<2xi32>) -> tensor<2xi32>
  return
}

// CHECK-LABEL: @broadcast_gradient_args
func.func @broadcast_gradient_args(%a: tensor<1xi32>, %b: tensor<2xi32>) {
  // CHECK: ingot.broadcast_gradient_args
  %0:2 = ingot.broadcast_gradient_args %a, %b : (tensor<1xi32>, tensor<2xi32>) -> (tensor<?xi32>, tensor<?xi32>)
  return
}

// CHECK-LABEL: @ensure_shape
func.func @ensure_shape(%x: tensor<?x?xf32>) {
  // CHECK: ingot.ensure_shape %{{.*}} {shape = array<i64: -1, 3>}
  %0 = ingot.ensure_shape %x {shape = array<i64: -1, 3>} : (tensor<?x?xf32>) -> tensor<?x3xf32>
  return
}
