// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-lower-to-linalg -split-input-file | FileCheck %s

// A row is read, updated and written back if its index is in bounds.
// CHECK-LABEL: func.func private @rows
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[TABLE:.*]] =
// CHECK: %[[AT:.*]] = tensor.extract %{{.*}}[%[[I]]] : tensor<3xi64>
// CHECK: %[[ROW:.*]] = arith.index_cast %[[AT]] : i64 to index
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[ROW]], %{{.*}} : index
// CHECK: scf.if %[[INSIDE]]
// CHECK: tensor.extract_slice %[[TABLE]][%[[ROW]], 0] [1, 2] [1, 1]
// CHECK: arith.addf
// CHECK: tensor.insert_slice %{{.*}} into %[[TABLE]][%[[ROW]], 0] [1, 2] [1, 1]
// CHECK: scf.yield %[[TABLE]]
func.func private @rows(%w: tensor<8x2xf32>, %i: tensor<3xi64>, %g: tensor<3x2xf32>, %o: tensor<8x2xf32>) -> tensor<8x2xf32> attributes {host.kernel} {
  %1 = ingot.update_rows (%w) at %i by (%g) : (tensor<8x2xf32>, tensor<3xi64>, tensor<3x2xf32>) -> tensor<8x2xf32> {
  ^bb0(%row: tensor<2xf32>, %new: tensor<2xf32>):
    %2 = ingot.add %row, %new : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    ingot.yield_rows %2 : tensor<2xf32>
  }
  return %1 : tensor<8x2xf32>
}
