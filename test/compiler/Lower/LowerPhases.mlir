// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-lower-to-linalg -split-input-file | FileCheck %s

// An element comes from its phase, at half its row and column; with two rows,
// the others have no third one.
// CHECK-LABEL: func.func private @phases
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%{{.*}} : tensor<1x5x4x8xf32>)
// CHECK: %[[Z:.*]] = arith.constant 0.0
// CHECK: %[[A:.*]] = tensor.extract %arg0
// CHECK: %[[X:.*]] = arith.select %{{.*}}, %[[A]], %[[Z]]
// CHECK: %[[B:.*]] = tensor.extract %arg1
// CHECK: %[[Y:.*]] = arith.select %{{.*}}, %[[B]], %[[X]]
// CHECK: arith.minui
// CHECK: %[[C:.*]] = tensor.extract %arg2
// CHECK: arith.select %{{.*}}, %[[C]], %[[Y]]
func.func private @phases(%a: tensor<1x3x3x8xf32>, %b: tensor<1x3x2x8xf32>, %c: tensor<1x2x2x8xf32>, %o: tensor<1x5x4x8xf32>) -> tensor<1x5x4x8xf32> attributes {host.kernel} {
  %0 = ingot.join_phases %a, %b, %c, %c {size = array<i64: 5, 4>, strides = array<i64: 2, 2>, phases = array<i64: 0, 1, 2, 3>} : (tensor<1x3x3x8xf32>, tensor<1x3x2x8xf32>, tensor<1x2x2x8xf32>, tensor<1x2x2x8xf32>) -> tensor<1x5x4x8xf32>
  return %0 : tensor<1x5x4x8xf32>
}

// -----

// Elements of absent phases are zero.
// CHECK-LABEL: func.func private @one_of_four
// CHECK: linalg.generic
// CHECK: %[[Z:.*]] = arith.constant 0.0
// CHECK: %[[A:.*]] = tensor.extract %arg0
// CHECK: %[[X:.*]] = arith.select %{{.*}}, %[[A]], %[[Z]]
// CHECK: linalg.yield %[[X]]
func.func private @one_of_four(%a: tensor<?x2x2x8xf32>, %o: tensor<?x4x4x8xf32>) -> tensor<?x4x4x8xf32> attributes {host.kernel} {
  %0 = ingot.join_phases %a {size = array<i64: 4, 4>, strides = array<i64: 2, 2>, phases = array<i64: 0>} : (tensor<?x2x2x8xf32>) -> tensor<?x4x4x8xf32>
  return %0 : tensor<?x4x4x8xf32>
}
