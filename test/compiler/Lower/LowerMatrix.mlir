// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-lower-to-linalg -split-input-file | FileCheck %s

// Elements near the diagonal stay, all others are zeros.
// CHECK-LABEL: func.func private @band
// CHECK: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-DAG: %[[ROW:.*]] = linalg.index 0 : index
// CHECK-DAG: %[[COLUMN:.*]] = linalg.index 1 : index
// CHECK-DAG: arith.subi %[[ROW]], %[[COLUMN]] : index
// CHECK-DAG: arith.subi %[[COLUMN]], %[[ROW]] : index
// CHECK: %[[IN:.*]] = arith.andi
// CHECK: %[[ZERO:.*]] = arith.constant 0.0
// CHECK: arith.select %[[IN]], %[[X]], %[[ZERO]] : f32
func.func private @band(%x: tensor<3x3xf32>, %o: tensor<3x3xf32>) -> tensor<3x3xf32> attributes {host.kernel} {
  %l = ingot.constant dense<1> : tensor<i64>
  %0 = ingot.matrix_band_part %x, %l, %l : (tensor<3x3xf32>, tensor<i64>, tensor<i64>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}
