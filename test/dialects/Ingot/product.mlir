// SPDX-License-Identifier: Apache-2.0
// Products of batches read back as they were written.
// RUN: ingot-opt %s | ingot-opt | FileCheck %s
// RUN: ingot-opt %s -mlir-print-op-generic | ingot-opt | FileCheck %s

// CHECK-LABEL: @products
func.func @products(%a: tensor<?x1x4x8xf32>, %b: tensor<6x2x8xf32>, %c: tensor<6x8x2xf32>) {
  // CHECK: ingot.batch_matmul %{{.*}}, %{{.*}} {adj_y = true} : (tensor<?x1x4x8xf32>, tensor<6x2x8xf32>) -> tensor<?x6x4x2xf32>
  %0 = ingot.batch_matmul %a, %b {adj_y = true} : (tensor<?x1x4x8xf32>, tensor<6x2x8xf32>) -> tensor<?x6x4x2xf32>
  // CHECK: ingot.einsum "abcd,efd->abcef"(%{{.*}}, %{{.*}}) : (tensor<?x1x4x8xf32>, tensor<6x2x8xf32>) -> tensor<?x1x4x6x2xf32>
  %1 = ingot.einsum "abcd,efd->abcef"(%a, %b) : (tensor<?x1x4x8xf32>, tensor<6x2x8xf32>) -> tensor<?x1x4x6x2xf32>
  // Digits stand for dimensions that are broadcast.
  // CHECK: ingot.einsum "01ab,1bc->01ac"(%{{.*}}, %{{.*}}) : (tensor<?x1x4x8xf32>, tensor<6x8x2xf32>) -> tensor<?x6x4x2xf32>
  %2 = ingot.einsum "01ab,1bc->01ac"(%a, %c) : (tensor<?x1x4x8xf32>, tensor<6x8x2xf32>) -> tensor<?x6x4x2xf32>
  return
}
