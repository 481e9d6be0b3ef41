// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-lower-to-linalg -split-input-file | FileCheck %s

// x / (1 + |x|).
// CHECK-LABEL: func.func private @softsign
// CHECK: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK: %[[ONE:.*]] = arith.constant 1.0
// CHECK: %[[ABS:.*]] = math.absf %[[X]] : f32
// CHECK: %[[SUM:.*]] = arith.addf %[[ONE]], %[[ABS]] : f32
// CHECK: arith.divf %[[X]], %[[SUM]] : f32
func.func private @softsign(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> attributes {host.kernel} {
  %0 = ingot.softsign %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
