// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-lower-to-linalg -split-input-file | FileCheck %s

// Floats out of range become the lowest integer, as in the processor.
// CHECK-LABEL: func.func private @cast
// CHECK: ^bb0(%[[X:.*]]: f32, %{{.*}}: i32):
// CHECK-DAG: %[[LOWEST:.*]] = arith.constant -2147483648 : i32
// CHECK-DAG: %[[FITS:.*]] = arith.cmpf olt
// CHECK-DAG: %[[INTEGER:.*]] = arith.fptosi %[[X]] : f32 to i32
// CHECK: arith.select %[[FITS]], %[[INTEGER]], %[[LOWEST]] : i32
func.func private @cast(%x: tensor<4xf32>, %o: tensor<4xi32>) -> tensor<4xi32> attributes {host.kernel} {
  %0 = ingot.cast %x {dst = i32} : (tensor<4xf32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
