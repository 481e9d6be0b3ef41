// SPDX-License-Identifier: Apache-2.0
// Kernels become linalg ops on tensors; each family of lowerings is tested in
// the file of its name.
// RUN: ingot-opt %s -ingot-lower-to-linalg | FileCheck %s

// CHECK-LABEL: func.func private @layer
// CHECK-NOT: ingot.
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
// CHECK: linalg.transpose
// CHECK-NOT: ingot.
// CHECK: return
func.func private @layer(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %o: tensor<2x4xf32>) -> tensor<2x4xf32> attributes {host.kernel} {
  %p = ingot.constant dense<[1, 0]> : tensor<2xi32>
  %0 = ingot.matmul %x, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %1 = ingot.tanh %0 : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %2 = ingot.transpose %1, %p : (tensor<4x2xf32>, tensor<2xi32>) -> tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}

// An accumulator is a destination, not an input.

// CHECK-LABEL: func.func private @adds_up
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[SUM:.*]]: tensor<4xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[X]] : tensor<4xf32>) outs(%[[SUM]] : tensor<4xf32>)
// CHECK: ^bb0(%[[NEW:.*]]: f32, %[[OLD:.*]]: f32):
// CHECK: arith.addf %[[OLD]], %[[NEW]] : f32
func.func private @adds_up(%x: tensor<4xf32>, %sum: tensor<4xf32>) -> tensor<4xf32> attributes {host.kernel} {
  %0 = ingot.add_n %sum, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
