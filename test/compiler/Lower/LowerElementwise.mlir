// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-lower-to-linalg -split-input-file | FileCheck %s

// NaN propagates: relu selects the input unless it is below zero.
// CHECK-LABEL: func.func private @relu
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]
// CHECK: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK: %[[BELOW:.*]] = arith.cmpf olt, %[[X]], %[[ZERO:.*]] : f32
// CHECK: arith.select %[[BELOW]], %[[ZERO]], %[[X]] : f32
func.func private @relu(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> attributes {host.kernel} {
  %0 = ingot.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Broadcast operands are read along the dimensions that they have.
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func private @broadcast
// CHECK: linalg.generic {indexing_maps = [#[[ALL]], #[[ROW]], #[[ALL]]], iterator_types = ["parallel", "parallel"]}
// CHECK: arith.addf
func.func private @broadcast(%x: tensor<4x2xf32>, %b: tensor<2xf32>, %o: tensor<4x2xf32>) -> tensor<4x2xf32> attributes {host.kernel} {
  %0 = ingot.add %x, %b : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
