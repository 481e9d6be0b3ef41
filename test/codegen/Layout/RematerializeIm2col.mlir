// SPDX-License-Identifier: Apache-2.0
// Each product has patches of its own, where its kernel can make them.
// RUN: ingot-opt %s -ingot-rematerialize-im2col="policy={max-patch-depth=2304}" -split-input-file | FileCheck %s
// RUN: ingot-opt %s -ingot-rematerialize-im2col="policy={max-patch-depth=2304 fuses-dynamic-im2col=true}" -split-input-file | FileCheck %s --check-prefix=UNKNOWN

// A convolution and its filter's gradient shared them.
// CHECK-LABEL: ingot.entry @shared
ingot.entry @shared role(other) feeds ["x:0", "w:0", "dy:0"] fetches ["y:0", "dw:0"] variables [] updates [] {
^bb0(%x: tensor<2x6x6x8xf32>, %w: tensor<72x16xf32>, %dy: tensor<72x16xf32>):
  // CHECK: %[[P:.*]] = ingot.extract_patches
  // CHECK-NEXT: %[[A:.*]] = ingot.reshape %[[P]]
  // CHECK-NEXT: %[[Q:.*]] = ingot.extract_patches
  // CHECK-NEXT: %[[B:.*]] = ingot.reshape %[[Q]]
  // CHECK-NEXT: ingot.matmul %[[B]], %{{.*}} : (tensor<72x72xf32>
  // CHECK-NEXT: ingot.matmul %[[A]], %{{.*}} {transpose_a = true}
  %rows = ingot.constant dense<[72, 72]> : tensor<2xi64>
  %p = ingot.extract_patches %x {padding = "SAME", strides = array<i64: 1, 1>, window = array<i64: 3, 3>} : (tensor<2x6x6x8xf32>) -> tensor<2x6x6x9x8xf32>
  %a = ingot.reshape %p, %rows : (tensor<2x6x6x9x8xf32>, tensor<2xi64>) -> tensor<72x72xf32>
  %y = ingot.matmul %a, %w : (tensor<72x72xf32>, tensor<72x16xf32>) -> tensor<72x16xf32>
  %dw = ingot.matmul %a, %dy {transpose_a = true} : (tensor<72x72xf32>, tensor<72x16xf32>) -> tensor<72x16xf32>
  ingot.return %y, %dw : tensor<72x16xf32>, tensor<72x16xf32>
}

// -----

// Of images of unknown height and width where the target's kernels can.
// CHECK-LABEL: ingot.entry @unknown_sizes
// CHECK: ingot.extract_patches
// CHECK-NOT: ingot.extract_patches
// UNKNOWN-LABEL: ingot.entry @unknown_sizes
// UNKNOWN-COUNT-2: ingot.extract_patches
ingot.entry @unknown_sizes role(other) feeds ["x:0", "w:0", "dy:0"] fetches ["y:0", "dw:0"] variables [] updates [] {
^bb0(%x: tensor<2x?x?x8xf32>, %w: tensor<72x16xf32>, %dy: tensor<?x16xf32>):
  %rows = ingot.constant dense<[-1, 72]> : tensor<2xi64>
  %p = ingot.extract_patches %x {padding = "SAME", strides = array<i64: 1, 1>, window = array<i64: 3, 3>} : (tensor<2x?x?x8xf32>) -> tensor<2x?x?x9x8xf32>
  %a = ingot.reshape %p, %rows : (tensor<2x?x?x9x8xf32>, tensor<2xi64>) -> tensor<?x72xf32>
  %y = ingot.matmul %a, %w : (tensor<?x72xf32>, tensor<72x16xf32>) -> tensor<?x16xf32>
  %dw = ingot.matmul %a, %dy {transpose_a = true} : (tensor<?x72xf32>, tensor<?x16xf32>) -> tensor<72x16xf32>
  ingot.return %y, %dw : tensor<?x16xf32>, tensor<72x16xf32>
}
