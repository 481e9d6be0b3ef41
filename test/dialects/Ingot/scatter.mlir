// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s | ingot-opt | FileCheck %s

// CHECK-LABEL: @descend
func.func @descend(%w: tensor<1000x8xf32>, %i: tensor<16xi64>, %g: tensor<16x8xf32>, %lr: tensor<f32>) {
  // CHECK: ingot.update_rows(%{{.*}}) at %{{.*}} by(%{{.*}}) with(%{{.*}}) : (tensor<1000x8xf32>, tensor<16xi64>, tensor<16x8xf32>, tensor<f32>) -> tensor<1000x8xf32> {
  // CHECK: ^bb0(%{{.*}}: tensor<8xf32>, %{{.*}}: tensor<8xf32>, %{{.*}}: tensor<f32>):
  // CHECK: ingot.yield_rows %{{.*}} : tensor<8xf32>
  %0 = ingot.update_rows (%w) at %i by (%g) with (%lr)
      : (tensor<1000x8xf32>, tensor<16xi64>, tensor<16x8xf32>, tensor<f32>) -> tensor<1000x8xf32> {
  ^bb0(%row: tensor<8xf32>, %delta: tensor<8xf32>, %rate: tensor<f32>):
    %1 = ingot.apply_gradient_descent %row, %rate, %delta : (tensor<8xf32>, tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
    ingot.yield_rows %1 : tensor<8xf32>
  }
  return
}

// CHECK-LABEL: @coordinates
func.func @coordinates(%w: tensor<4x5xf32>, %i: tensor<?x2xi32>, %x: tensor<?xf32>) {
  // CHECK: ingot.update_rows(%{{.*}}) at %{{.*}} by(%{{.*}}) {nd}
  %0 = ingot.update_rows (%w) at %i by (%x) {nd} : (tensor<4x5xf32>, tensor<?x2xi32>, tensor<?xf32>) -> tensor<4x5xf32> {
  ^bb0(%old: tensor<f32>, %new: tensor<f32>):
    ingot.yield_rows %new : tensor<f32>
  }
  return
}
