// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s | ingot-opt | FileCheck %s

// CHECK-LABEL: func.func @gradients
func.func @gradients(%loss: tensor<f32>, %w: tensor<64x10xf32>, %b: tensor<10xf32>) -> (tensor<64x10xf32>, tensor<10xf32>) {
  // CHECK: ingot.gradients of(%{{.*}}) by(%{{.*}}, %{{.*}}) : (tensor<f32>, tensor<64x10xf32>, tensor<10xf32>) -> (tensor<64x10xf32>, tensor<10xf32>)
  %dw, %db = ingot.gradients of(%loss) by(%w, %b) : (tensor<f32>, tensor<64x10xf32>, tensor<10xf32>) -> (tensor<64x10xf32>, tensor<10xf32>)
  // CHECK: ingot.gradients of(%{{.*}}) weights(%{{.*}}) by(%{{.*}})
  %d = ingot.gradients of(%dw) weights(%w) by(%w) : (tensor<64x10xf32>, tensor<64x10xf32>, tensor<64x10xf32>) -> tensor<64x10xf32>
  return %d, %db : tensor<64x10xf32>, tensor<10xf32>
}

// CHECK-LABEL: func.func @stop_gradient
func.func @stop_gradient(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: ingot.stop_gradient %{{.*}} {refusal = "no"} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = ingot.stop_gradient %x {refusal = "no"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @straight_through
func.func @straight_through(%v: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: ingot.straight_through %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = ingot.straight_through %v, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
