// SPDX-License-Identifier: Apache-2.0
// Normalizations and losses read back as they were written.
// RUN: ingot-opt %s | ingot-opt | FileCheck %s
// RUN: ingot-opt %s -mlir-print-op-generic | ingot-opt | FileCheck %s

// CHECK-LABEL: @batch_norm
func.func @batch_norm(%x: tensor<?x4x4x16xf16>, %c: tensor<16xf32>, %none: tensor<0xf32>) {
  // CHECK: ingot.fused_batch_norm {{.*}} : (tensor<?x4x4x16xf16>, tensor<16xf32>, tensor<16xf32>, tensor<0xf32>, tensor<0xf32>) -> (tensor<?x4x4x16xf16>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>)
  %y, %m, %v, %sm, %sv = ingot.fused_batch_norm %x, %c, %c, %none, %none
      : (tensor<?x4x4x16xf16>, tensor<16xf32>, tensor<16xf32>, tensor<0xf32>, tensor<0xf32>)
        -> (tensor<?x4x4x16xf16>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>)
  // CHECK: ingot.fused_batch_norm_grad {{.*}} {epsilon = 1.000000e-03 : f32, is_training = false}
  %dx, %ds, %do = ingot.fused_batch_norm_grad %y, %x, %c, %sm, %sv {is_training = false, epsilon = 1.0e-3 : f32}
      : (tensor<?x4x4x16xf16>, tensor<?x4x4x16xf16>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>)
        -> (tensor<?x4x4x16xf16>, tensor<16xf32>, tensor<16xf32>)
  return
}

// CHECK-LABEL: @softmax
func.func @softmax(%x: tensor<?x10xf32>, %y: tensor<1x10xf32>) {
  // CHECK: ingot.softmax %{{.*}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %0 = ingot.softmax %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: ingot.log_softmax %{{.*}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %1 = ingot.log_softmax %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: ingot.softmax_cross_entropy %{{.*}}, %{{.*}} : (tensor<?x10xf32>, tensor<1x10xf32>) -> (tensor<?xf32>, tensor<?x10xf32>)
  %2, %3 = ingot.softmax_cross_entropy %x, %y : (tensor<?x10xf32>, tensor<1x10xf32>) -> (tensor<?xf32>, tensor<?x10xf32>)
  return
}
