// SPDX-License-Identifier: Apache-2.0
// What shape functions make of operands whose shapes are known in part, and of
// operands that are constant.
// RUN: ingot-opt %s -ingot-infer-shapes | FileCheck %s

// Known dimensions win over unknown ones; an unknown one against 1 stays.
// CHECK-LABEL: @broadcasting
func.func @broadcasting(%a: tensor<?x4xf32>, %b: tensor<3x1xf32>, %c: tensor<?xf32>, %d: tensor<1xf32>, %e: tensor<*xf32>) {
  // CHECK: ingot.add {{.*}} -> tensor<3x4xf32>
  %0 = ingot.add %a, %b : (tensor<?x4xf32>, tensor<3x1xf32>) -> tensor<?x?xf32>
  // CHECK: ingot.add {{.*}} -> tensor<?xf32>
  %1 = ingot.add %c, %d : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
  // CHECK: ingot.add {{.*}} -> tensor<?x4xf32>
  %2 = ingot.add %a, %c : (tensor<?x4xf32>, tensor<?xf32>) -> tensor<*xf32>
  // CHECK: ingot.add {{.*}} -> tensor<*xf32>
  %3 = ingot.add %a, %e : (tensor<?x4xf32>, tensor<*xf32>) -> tensor<*xf32>
  // CHECK: ingot.equal {{.*}} -> tensor<3x4xi1>
  %4 = ingot.equal %a, %b : (tensor<?x4xf32>, tensor<3x1xf32>) -> tensor<*xi1>
  return
}

// CHECK-LABEL: @selection_and_sums
func.func @selection_and_sums(%c: tensor<2x1xi1>, %x: tensor<?x3xf32>, %y: tensor<3xf32>, %z: tensor<2x?xf32>) {
  // CHECK: ingot.select {{.*}} -> tensor<2x3xf32>
  %0 = ingot.select %c, %x, %y : (tensor<2x1xi1>, tensor<?x3xf32>, tensor<3xf32>) -> tensor<*xf32>
  // CHECK: ingot.add_n {{.*}} -> tensor<2x3xf32>
  %1 = ingot.add_n %x, %z : (tensor<?x3xf32>, tensor<2x?xf32>) -> tensor<*xf32>
  // CHECK: ingot.cast {{.*}} -> tensor<?x3xi32>
  %2 = ingot.cast %x {dst = i32} : (tensor<?x3xf32>) -> tensor<*xi32>
  return
}

// CHECK-LABEL: @reductions
func.func @reductions(%x: tensor<4x?x8xf32>, %axes: tensor<1xi32>) {
  %last = ingot.constant dense<-1> : tensor<i32>
  %outer = ingot.constant dense<[0, 2]> : tensor<2xi32>
  // CHECK: ingot.sum {{.*}} -> tensor<4x?xf32>
  %0 = ingot.sum %x, %last : (tensor<4x?x8xf32>, tensor<i32>) -> tensor<*xf32>
  // CHECK: ingot.mean {{.*}} -> tensor<?xf32>
  %1 = ingot.mean %x, %outer : (tensor<4x?x8xf32>, tensor<2xi32>) -> tensor<*xf32>
  // CHECK: ingot.max {{.*}} -> tensor<1x?x1xf32>
  %2 = ingot.max %x, %outer {keep_dims = true} : (tensor<4x?x8xf32>, tensor<2xi32>) -> tensor<*xf32>
  // Which axes go is unknown: with keep_dims the rank is known at least.
  // CHECK: ingot.min {{.*}} -> tensor<?x?x?xf32>
  %3 = ingot.min %x, %axes {keep_dims = true} : (tensor<4x?x8xf32>, tensor<1xi32>) -> tensor<*xf32>
  // CHECK: ingot.prod {{.*}} -> tensor<*xf32>
  %4 = ingot.prod %x, %axes : (tensor<4x?x8xf32>, tensor<1xi32>) -> tensor<*xf32>
  // CHECK: ingot.arg_max {{.*}} -> tensor<4x?xi64>
  %5 = ingot.arg_max %x, %last {output_type = i64} : (tensor<4x?x8xf32>, tensor<i32>) -> tensor<*xi64>
  return
}

// CHECK-LABEL: @reshaping
func.func @reshaping(%x: tensor<2x3x4xf32>, %y: tensor<?x4xf32>, %s: tensor<2xi32>, %axis: tensor<i32>, %u: tensor<*xf32>, %n: tensor<?xi32>) {
  %m = ingot.constant dense<[-1, 6]> : tensor<2xi32>
  %zero = ingot.constant dense<0> : tensor<i32>
  %minus = ingot.constant dense<-1> : tensor<i32>
  // CHECK: ingot.reshape {{.*}} -> tensor<4x6xf32>
  %0 = ingot.reshape %x, %m : (tensor<2x3x4xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  // CHECK: ingot.reshape {{.*}} -> tensor<?x6xf32>
  %1 = ingot.reshape %y, %m : (tensor<?x4xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  // CHECK: ingot.reshape {{.*}} -> tensor<?x?xf32>
  %2 = ingot.reshape %x, %s : (tensor<2x3x4xf32>, tensor<2xi32>) -> tensor<*xf32>
  // CHECK: ingot.reshape {{.*}} -> tensor<*xf32>
  %3 = ingot.reshape %x, %n : (tensor<2x3x4xf32>, tensor<?xi32>) -> tensor<*xf32>
  // CHECK: ingot.expand_dims {{.*}} -> tensor<1x?x4xf32>
  %4 = ingot.expand_dims %y, %zero : (tensor<?x4xf32>, tensor<i32>) -> tensor<*xf32>
  // CHECK: ingot.expand_dims {{.*}} -> tensor<?x4x1xf32>
  %5 = ingot.expand_dims %y, %minus : (tensor<?x4xf32>, tensor<i32>) -> tensor<*xf32>
  // CHECK: ingot.expand_dims {{.*}} -> tensor<?x?x?xf32>
  %6 = ingot.expand_dims %y, %axis : (tensor<?x4xf32>, tensor<i32>) -> tensor<*xf32>
  // CHECK: ingot.shape {{.*}} -> tensor<2xi64>
  %7 = ingot.shape %y {output_type = i64} : (tensor<?x4xf32>) -> tensor<?xi64>
  // CHECK: ingot.shape {{.*}} -> tensor<?xi64>
  %8 = ingot.shape %u {output_type = i64} : (tensor<*xf32>) -> tensor<?xi64>
  return
}

// TensorFlow leaves a zero out on both sides.
// CHECK-LABEL: @reshaping_nothing
func.func @reshaping_nothing(%x: tensor<0x3xf32>, %u: tensor<?x0xf32>) {
  %s = ingot.constant dense<[-1, 0]> : tensor<2xi32>
  %t = ingot.constant dense<[-1, 3]> : tensor<2xi32>
  // CHECK: ingot.reshape {{.*}} -> tensor<3x0xf32>
  %0 = ingot.reshape %x, %s : (tensor<0x3xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  // CHECK: ingot.reshape {{.*}} -> tensor<0x3xf32>
  %1 = ingot.reshape %0, %t : (tensor<?x?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  // No elements with a known row size are zero rows; of empty rows there may be
  // any number.
  // CHECK: ingot.reshape {{.*}} -> tensor<0x3xf32>
  %3 = ingot.reshape %u, %t : (tensor<?x0xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  // CHECK: ingot.reshape {{.*}} -> tensor<?x0xf32>
  %4 = ingot.reshape %u, %s : (tensor<?x0xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return
}

// CHECK-LABEL: @squeezing
func.func @squeezing(%x: tensor<1x?x1x4xf32>, %y: tensor<1x3x1xf32>) {
  // CHECK: ingot.squeeze {{.*}} -> tensor<1x?x4xf32>
  %0 = ingot.squeeze %x {dims = array<i64: -2>} : (tensor<1x?x1x4xf32>) -> tensor<*xf32>
  // An unknown dimension may be 1: without a list even the rank is unknown.
  // CHECK: ingot.squeeze {{.*}} -> tensor<*xf32>
  %1 = ingot.squeeze %x : (tensor<1x?x1x4xf32>) -> tensor<*xf32>
  // CHECK: ingot.squeeze {{.*}} -> tensor<3xf32>
  %2 = ingot.squeeze %y : (tensor<1x3x1xf32>) -> tensor<*xf32>
  return
}

// CHECK-LABEL: @making
func.func @making(%v: tensor<f32>, %d: tensor<2xi64>, %x: tensor<?x3xf32>, %m: tensor<2xi32>, %u: tensor<*xf32>, %p: tensor<2xi32>) {
  %dims = ingot.constant dense<[2, 5]> : tensor<2xi32>
  %swap = ingot.constant dense<[1, 0]> : tensor<2xi32>
  // CHECK: ingot.fill {{.*}} -> tensor<2x5xf32>
  %0 = ingot.fill %dims, %v : (tensor<2xi32>, tensor<f32>) -> tensor<*xf32>
  // CHECK: ingot.fill {{.*}} -> tensor<?x?xf32>
  %1 = ingot.fill %d, %v : (tensor<2xi64>, tensor<f32>) -> tensor<*xf32>
  // CHECK: ingot.tile {{.*}} -> tensor<?x15xf32>
  %2 = ingot.tile %x, %dims : (tensor<?x3xf32>, tensor<2xi32>) -> tensor<*xf32>
  // CHECK: ingot.tile {{.*}} -> tensor<?x?xf32>
  %3 = ingot.tile %u, %m : (tensor<*xf32>, tensor<2xi32>) -> tensor<*xf32>
  // CHECK: ingot.transpose {{.*}} -> tensor<3x?xf32>
  %4 = ingot.transpose %x, %swap : (tensor<?x3xf32>, tensor<2xi32>) -> tensor<*xf32>
  // CHECK: ingot.transpose {{.*}} -> tensor<?x?xf32>
  %5 = ingot.transpose %x, %p : (tensor<?x3xf32>, tensor<2xi32>) -> tensor<*xf32>
  return
}

// A range of constants is a constant, however little its type said.
// CHECK-LABEL: @ranges
func.func @ranges(%n: tensor<i32>) -> tensor<?xi32> {
  %zero = ingot.constant dense<0> : tensor<i32>
  %three = ingot.constant dense<3> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  // CHECK: ingot.range {{.*}} -> tensor<?xi32>
  %0 = ingot.range %zero, %n, %one : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?xi32>
  // CHECK: %[[R:.*]] = ingot.constant dense<[0, 1, 2]> : tensor<3xi32>
  %1 = ingot.range %zero, %three, %one : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?xi32>
  // CHECK: return %[[R]] : tensor<3xi32>
  return %1 : tensor<?xi32>
}

// CHECK-LABEL: @layers
func.func @layers(%a: tensor<?x8xf32>, %b: tensor<2x8xf32>, %bias: tensor<2xf32>, %y: tensor<4xi64>, %u: tensor<*xf32>) {
  // CHECK: ingot.matmul {{.*}} -> tensor<?x2xf32>
  %0 = ingot.matmul %a, %b {transpose_b = true} : (tensor<?x8xf32>, tensor<2x8xf32>) -> tensor<?x?xf32>
  // CHECK: ingot.matmul {{.*}} -> tensor<8x?xf32>
  %1 = ingot.matmul %a, %u {transpose_a = true} : (tensor<?x8xf32>, tensor<*xf32>) -> tensor<?x?xf32>
  // CHECK: ingot.bias_add {{.*}} -> tensor<8x2xf32>
  %2 = ingot.bias_add %1, %bias : (tensor<?x?xf32>, tensor<2xf32>) -> tensor<?x?xf32>
  // CHECK: ingot.bias_add_grad {{.*}} -> tensor<2xf32>
  %3 = ingot.bias_add_grad %0 : (tensor<?x?xf32>) -> tensor<?xf32>
  // The labels say how many examples there are.
  // CHECK: ingot.sparse_softmax_cross_entropy {{.*}} -> (tensor<4xf32>, tensor<4x2xf32>)
  %4, %5 = ingot.sparse_softmax_cross_entropy %0, %y : (tensor<?x?xf32>, tensor<4xi64>) -> (tensor<?xf32>, tensor<?x?xf32>)
  return
}

// CHECK-LABEL: @random_and_optimizers
func.func @random_and_optimizers(%seed: tensor<?xi32>, %alg: tensor<i32>, %w: tensor<?xf32>, %g: tensor<4xf32>, %s: tensor<f32>) {
  %shape = ingot.constant dense<[3, 2]> : tensor<2xi32>
  // CHECK: ingot.stateless_random_get_key_counter {{.*}} -> (tensor<1xi64>, tensor<2xi64>)
  %k, %c = ingot.stateless_random_get_key_counter %seed : (tensor<?xi32>) -> (tensor<?xi64>, tensor<?xi64>)
  // CHECK: ingot.stateless_random_uniform {{.*}} -> tensor<3x2xf32>
  %0 = ingot.stateless_random_uniform %shape, %k, %c, %alg {dtype = f32} : (tensor<2xi32>, tensor<?xi64>, tensor<?xi64>, tensor<i32>) -> tensor<*xf32>
  // CHECK: ingot.apply_momentum {{.*}} -> (tensor<4xf32>, tensor<4xf32>)
  %1, %2 = ingot.apply_momentum %w, %w, %s, %g, %s : (tensor<?xf32>, tensor<?xf32>, tensor<f32>, tensor<4xf32>, tensor<f32>) -> (tensor<?xf32>, tensor<?xf32>)
  return
}
