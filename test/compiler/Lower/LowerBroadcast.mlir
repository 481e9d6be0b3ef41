// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-lower-to-linalg -split-input-file | FileCheck %s

// A dimension of size 1 is read at 0, any other at the index: the minimum of
// the index and the last position.
// CHECK-LABEL: func.func private @against
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>, %[[A:.*]]: tensor<?x4xf32>,
// CHECK-DAG: tensor.dim %[[A]]
// CHECK-DAG: %[[SIZE:.*]] = tensor.dim %[[X]]
// CHECK: %[[LAST:.*]] = arith.subi %[[SIZE]], %{{.*}} : index
// CHECK: %[[AT:.*]] = linalg.index 1 : index
// CHECK: %[[FROM:.*]] = arith.minui %[[AT]], %[[LAST]] : index
// CHECK: tensor.extract %[[X]][%[[FROM]]]
func.func private @against(%x: tensor<?xf32>, %a: tensor<?x4xf32>, %o: tensor<?x4xf32>) -> tensor<?x4xf32> attributes {host.kernel} {
  %y = ingot.broadcast_against %x, %a : (tensor<?xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
