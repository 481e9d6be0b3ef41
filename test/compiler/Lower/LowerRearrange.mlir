// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-lower-to-linalg -split-input-file | FileCheck %s

// CHECK-LABEL: func.func private @transpose
// CHECK: linalg.transpose {{.*}} permutation = [1, 0]
func.func private @transpose(%x: tensor<2x3xf32>, %o: tensor<3x2xf32>) -> tensor<3x2xf32> attributes {host.kernel} {
  %p = ingot.constant dense<[1, 0]> : tensor<2xi32>
  %0 = ingot.transpose %x, %p : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

// Positions within the input are read from there; a row of padding comes before
// it.
// CHECK-LABEL: func.func private @pad
// CHECK-DAG: %[[VALUE:.*]] = arith.constant 2.0
// CHECK-DAG: %[[ROW:.*]] = linalg.index 0 : index
// CHECK-DAG: %[[COLUMN:.*]] = linalg.index 1 : index
// CHECK: %[[FROM:.*]] = arith.subi %[[ROW]], %{{.*}} : index
// CHECK: arith.cmpi ult, %[[FROM]], %{{.*}} : index
// CHECK: arith.cmpi ult, %[[COLUMN]], %{{.*}} : index
// CHECK: %[[IN:.*]] = arith.andi
// CHECK: %[[X:.*]] = tensor.extract
// CHECK: arith.select %[[IN]], %[[X]], %[[VALUE]] : f32
func.func private @pad(%x: tensor<3x3xf32>, %o: tensor<5x4xf32>) -> tensor<5x4xf32> attributes {host.kernel} {
  %p = ingot.constant dense<[[1, 1], [0, 1]]> : tensor<2x2xi32>
  %v = ingot.constant dense<2.0> : tensor<f32>
  %0 = ingot.pad %x, %p, %v : (tensor<3x3xf32>, tensor<2x2xi32>, tensor<f32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}
