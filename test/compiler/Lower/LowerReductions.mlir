// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-lower-to-linalg -split-input-file | FileCheck %s

// A mean is a sum divided by the number of elements.
// CHECK-LABEL: func.func private @mean
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.0
// CHECK-DAG: linalg.fill ins(%[[ZERO]]
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK: arith.addf
// CHECK: %[[EIGHT:.*]] = arith.constant 8.0
// CHECK: linalg.generic {{.*}} ins(%[[SUM]] :
// CHECK: arith.divf %{{.*}}, %[[EIGHT]] : f32
func.func private @mean(%x: tensor<4x8xf32>, %o: tensor<4xf32>) -> tensor<4xf32> attributes {host.kernel} {
  %axes = ingot.constant dense<1> : tensor<1xi32>
  %0 = ingot.mean %x, %axes : (tensor<4x8xf32>, tensor<1xi32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
