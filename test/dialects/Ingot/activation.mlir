// SPDX-License-Identifier: Apache-2.0
// Activations and gradients read back as they were written.
// RUN: ingot-opt %s | ingot-opt | FileCheck %s
// RUN: ingot-opt %s -mlir-print-op-generic | ingot-opt | FileCheck %s

// CHECK-LABEL: @functions
func.func @functions(%f32: tensor<4xf32>, %i32: tensor<?x4xi32>) {
  // CHECK: ingot.sigmoid %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = ingot.sigmoid %f32 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.relu6 %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = ingot.relu6 %f32 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.elu %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = ingot.elu %f32 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.selu %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = ingot.selu %f32 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.softplus %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %4 = ingot.softplus %f32 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.softsign %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %5 = ingot.softsign %f32 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.leaky_relu %{{.*}} {alpha = 1.000000e-01 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  %6 = ingot.leaky_relu %f32 {alpha = 1.000000e-01 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @functions_of_two
func.func @functions_of_two(%f32: tensor<4xf32>, %g32: tensor<?x1xf32>, %i32: tensor<4xi32>, %j32: tensor<?x1xi32>) {
  // CHECK: ingot.sqrt_grad %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %0 = ingot.sqrt_grad %f32, %g32 : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  // CHECK: ingot.rsqrt_grad %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %1 = ingot.rsqrt_grad %f32, %g32 : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  // CHECK: ingot.reciprocal_grad %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %2 = ingot.reciprocal_grad %f32, %g32 : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  // CHECK: ingot.tanh_grad %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %3 = ingot.tanh_grad %f32, %g32 : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  // CHECK: ingot.sigmoid_grad %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %4 = ingot.sigmoid_grad %f32, %g32 : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  // CHECK: ingot.relu6_grad %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %5 = ingot.relu6_grad %f32, %g32 : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  // CHECK: ingot.elu_grad %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %6 = ingot.elu_grad %f32, %g32 : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  // CHECK: ingot.selu_grad %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %7 = ingot.selu_grad %f32, %g32 : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  // CHECK: ingot.softplus_grad %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %8 = ingot.softplus_grad %f32, %g32 : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  // CHECK: ingot.softsign_grad %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %9 = ingot.softsign_grad %f32, %g32 : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  // CHECK: ingot.leaky_relu_grad %{{.*}}, %{{.*}} {alpha = 1.000000e-01 : f32} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %10 = ingot.leaky_relu_grad %f32, %f32 {alpha = 1.000000e-01 : f32} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
