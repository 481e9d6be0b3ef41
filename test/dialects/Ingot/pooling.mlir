// SPDX-License-Identifier: Apache-2.0
// Pools read back as they were written.
// RUN: ingot-opt %s | ingot-opt | FileCheck %s
// RUN: ingot-opt %s -mlir-print-op-generic | ingot-opt | FileCheck %s

// CHECK-LABEL: @pools
func.func @pools(%x: tensor<?x7x9x4xf32>, %dy: tensor<?x4x5x4xf32>, %s: tensor<4xi32>) {
  // CHECK: ingot.max_pool %{{.*}} {padding = "SAME", strides = array<i64: 2, 2>, window = array<i64: 3, 2>} : (tensor<?x7x9x4xf32>) -> tensor<?x4x5x4xf32>
  %0 = ingot.max_pool %x {padding = "SAME", strides = array<i64: 2, 2>, window = array<i64: 3, 2>}
      : (tensor<?x7x9x4xf32>) -> tensor<?x4x5x4xf32>
  // CHECK: ingot.avg_pool {{.*}} -> tensor<?x3x4x4xf32>
  %1 = ingot.avg_pool %x {padding = "VALID", strides = array<i64: 2, 2>, window = array<i64: 3, 2>}
      : (tensor<?x7x9x4xf32>) -> tensor<?x3x4x4xf32>
  // CHECK: ingot.max_pool_grad {{.*}} -> tensor<?x7x9x4xf32>
  %2 = ingot.max_pool_grad %x, %dy {padding = "SAME", strides = array<i64: 2, 2>, window = array<i64: 3, 2>}
      : (tensor<?x7x9x4xf32>, tensor<?x4x5x4xf32>) -> tensor<?x7x9x4xf32>
  // CHECK: ingot.avg_pool_grad {{.*}} -> tensor<?x7x9x4xf32>
  %3 = ingot.avg_pool_grad %s, %dy {padding = "SAME", strides = array<i64: 2, 2>, window = array<i64: 3, 2>}
      : (tensor<4xi32>, tensor<?x4x5x4xf32>) -> tensor<?x7x9x4xf32>
  return
}

// CHECK-LABEL: @max_pool_with_argmax
func.func @max_pool_with_argmax(%x: tensor<?x32x32x16xf32>) {
  // CHECK: ingot.max_pool_with_argmax {{.*}} -> (tensor<?x16x16x16xf32>, tensor<?x16x16x16xi64>)
  %0, %1 = ingot.max_pool_with_argmax %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = "VALID", index_type = i64} : (tensor<?x32x32x16xf32>) -> (tensor<?x16x16x16xf32>, tensor<?x16x16x16xi64>)
  return
}
