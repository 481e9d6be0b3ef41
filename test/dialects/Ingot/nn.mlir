// SPDX-License-Identifier: Apache-2.0
// Layers, losses, random numbers and optimizers read back as they were written.
// RUN: ingot-opt %s | ingot-opt | FileCheck %s
// RUN: ingot-opt %s -mlir-print-op-generic | ingot-opt | FileCheck %s

// CHECK-LABEL: @layers
func.func @layers(%a: tensor<4x8xf32>, %b: tensor<2x8xf32>, %bias: tensor<2xf32>, %labels: tensor<4xi64>) {
  // CHECK: ingot.matmul %{{.*}}, %{{.*}} {transpose_b = true} : (tensor<4x8xf32>, tensor<2x8xf32>) -> tensor<4x2xf32>
  %0 = ingot.matmul %a, %b {transpose_b = true} : (tensor<4x8xf32>, tensor<2x8xf32>) -> tensor<4x2xf32>
  // CHECK: ingot.bias_add %{{.*}}, %{{.*}} : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %1 = ingot.bias_add %0, %bias : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  // CHECK: ingot.bias_add_grad %{{.*}} {data_format = "NCHW"} : (tensor<4x2xf32>) -> tensor<2xf32>
  %2 = ingot.bias_add_grad %1 {data_format = "NCHW"} : (tensor<4x2xf32>) -> tensor<2xf32>
  // CHECK: ingot.sparse_softmax_cross_entropy %{{.*}}, %{{.*}} : (tensor<4x2xf32>, tensor<4xi64>) -> (tensor<4xf32>, tensor<4x2xf32>)
  %3, %4 = ingot.sparse_softmax_cross_entropy %1, %labels : (tensor<4x2xf32>, tensor<4xi64>) -> (tensor<4xf32>, tensor<4x2xf32>)
  return
}

// CHECK-LABEL: @random
func.func @random(%seed: tensor<2xi32>, %shape: tensor<2xi32>, %alg: tensor<i32>) {
  // CHECK: ingot.stateless_random_get_key_counter %{{.*}} : (tensor<2xi32>) -> (tensor<1xi64>, tensor<2xi64>)
  %key, %counter = ingot.stateless_random_get_key_counter %seed : (tensor<2xi32>) -> (tensor<1xi64>, tensor<2xi64>)
  // CHECK: ingot.stateless_random_uniform %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {dtype = f32} : (tensor<2xi32>, tensor<1xi64>, tensor<2xi64>, tensor<i32>) -> tensor<?x?xf32>
  %0 = ingot.stateless_random_uniform %shape, %key, %counter, %alg {dtype = f32} : (tensor<2xi32>, tensor<1xi64>, tensor<2xi64>, tensor<i32>) -> tensor<?x?xf32>
  return
}
