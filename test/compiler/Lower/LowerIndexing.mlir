// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-lower-to-linalg -split-input-file | FileCheck %s

// CHECK-LABEL: func.func private @slice
// CHECK: %[[SLICE:.*]] = tensor.extract_slice %{{.*}}[1, 0] [2, 3] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[SLICE]] :
func.func private @slice(%x: tensor<4x3xf32>, %o: tensor<2x3xf32>) -> tensor<2x3xf32> attributes {host.kernel} {
  %b = ingot.constant dense<[1, 0]> : tensor<2xi32>
  %s = ingot.constant dense<[2, 3]> : tensor<2xi32>
  %0 = ingot.slice %x, %b, %s : (tensor<4x3xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// A slice of known sizes that begins anywhere is copied as a whole. Checks have
// refused one that is not inside; its begin is clamped.
// CHECK-LABEL: func.func private @crop
// CHECK-SAME: %[[X:.*]]: tensor<?x?x3xi8>
// CHECK: %[[LAST:.*]] = arith.subi %{{.*}}, %c4
// CHECK: %[[MOST:.*]] = arith.maxsi %[[LAST]], %c0
// CHECK: %[[LEAST:.*]] = arith.maxsi %{{.*}}, %c0
// CHECK: %[[ROW:.*]] = arith.minsi %[[LEAST]], %[[MOST]]
// CHECK: tensor.extract_slice %[[X]][%[[ROW]], %{{.*}}, %{{.*}}] [4, 5, 3] [1, 1, 1] : tensor<?x?x3xi8> to tensor<4x5x3xi8>
// CHECK-NOT: scf.if
func.func private @crop(%x: tensor<?x?x3xi8>, %b: tensor<3xi32>, %o: tensor<4x5x3xi8>) -> tensor<4x5x3xi8> attributes {host.kernel} {
  %s = ingot.constant dense<[4, 5, 3]> : tensor<3xi32>
  %0 = ingot.slice %x, %b, %s : (tensor<?x?x3xi8>, tensor<3xi32>, tensor<3xi32>) -> tensor<4x5x3xi8>
  return %0 : tensor<4x5x3xi8>
}

// -----

// A slice that drops a dimension has no steps: strided dimensions are sliced
// first.

// CHECK-LABEL: func.func private @every_other
// CHECK: %[[BOX:.*]] = tensor.extract_slice %{{.*}}[0, 0, 0, 0] [4, 1, 2, 1] [1, 1, 2, 1] : tensor<4x3x3x1xf32> to tensor<4x1x2x1xf32>
// CHECK: tensor.extract_slice %[[BOX]][0, 0, 0, 0] [4, 1, 2, 1] [1, 1, 1, 1] : tensor<4x1x2x1xf32> to tensor<4x2x1xf32>
func.func private @every_other(%x: tensor<4x3x3x1xf32>, %o: tensor<4x2x1xf32>) -> tensor<4x2x1xf32> attributes {host.kernel} {
  %b = ingot.constant dense<0> : tensor<3xi32>
  %e = ingot.constant dense<[0, 1, 0]> : tensor<3xi32>
  %s = ingot.constant dense<[1, 1, 2]> : tensor<3xi32>
  %0 = ingot.strided_slice %x, %b, %e, %s {begin_mask = 5 : i64, end_mask = 5 : i64, shrink_axis_mask = 2 : i64} : (tensor<4x3x3x1xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) -> tensor<4x2x1xf32>
  return %0 : tensor<4x2x1xf32>
}
