// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-lower-to-linalg -split-input-file | FileCheck %s

// The maximum of a row is subtracted before exp; rows are independent.
// CHECK-LABEL: func.func private @softmax
// CHECK: %[[MAX:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK: arith.maximumf
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[MAX]] :
// CHECK: arith.subf
// CHECK: %[[POWERS:.*]] = linalg.generic
// CHECK: math.exp
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[POWERS]] :
// CHECK: arith.addf
// CHECK: linalg.generic {{.*}} ins(%[[POWERS]], %[[SUM]] :
// CHECK: arith.divf
func.func private @softmax(%x: tensor<4x10xf32>, %o: tensor<4x10xf32>) -> tensor<4x10xf32> attributes {host.kernel} {
  %0 = ingot.softmax %x : (tensor<4x10xf32>) -> tensor<4x10xf32>
  return %0 : tensor<4x10xf32>
}
