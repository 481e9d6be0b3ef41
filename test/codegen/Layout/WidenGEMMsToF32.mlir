// SPDX-License-Identifier: Apache-2.0
// GEMMs of 16-bit floats are computed in f32.
// RUN: ingot-opt %s -ingot-widen-gemms-to-f32 | FileCheck %s

// CHECK-LABEL: ingot.entry @products
// CHECK-DAG: %[[A:.*]] = ingot.cast %{{.*}} {dst = f32} : (tensor<4x8xbf16>) -> tensor<4x8xf32>
// CHECK-DAG: %[[B:.*]] = ingot.cast %{{.*}} {dst = f32} : (tensor<8x2xbf16>) -> tensor<8x2xf32>
// CHECK: %[[C:.*]] = ingot.matmul %[[A]], %[[B]] {ingot.bfloat16_factors} : {{.*}} -> tensor<4x2xf32>
// CHECK: ingot.cast %[[C]] {dst = bf16} : (tensor<4x2xf32>) -> tensor<4x2xbf16>
ingot.entry @products role(other) feeds ["a:0", "b:0"] fetches ["c:0"] variables [] updates [] {
^bb0(%a: tensor<4x8xbf16>, %b: tensor<8x2xbf16>):
  %c = ingot.matmul %a, %b : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xbf16>
  ingot.return %c : tensor<4x2xbf16>
}

// CHECK-LABEL: ingot.entry @convolutions
// CHECK-NOT: bfloat16_factors
// CHECK: ingot.conv2d {{.*}}(tensor<?x6x6x4xf32>, tensor<3x3x4x16xf32>) -> tensor<?x4x4x16xf32>
// CHECK: ingot.cast %{{.*}} {dst = f16}
ingot.entry @convolutions role(other) feeds ["x:0", "w:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<?x6x6x4xf16>, %w: tensor<3x3x4x16xf16>):
  %y = ingot.conv2d %x, %w {padding = "VALID", strides = array<i64: 1, 1>}
      : (tensor<?x6x6x4xf16>, tensor<3x3x4x16xf16>) -> tensor<?x4x4x16xf16>
  ingot.return %y : tensor<?x4x4x16xf16>
}

// 32-bit operands stay as they are.
// CHECK-LABEL: ingot.entry @wide
// CHECK-NOT: ingot.cast
ingot.entry @wide role(other) feeds ["a:0", "b:0"] fetches ["c:0"] variables [] updates [] {
^bb0(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>):
  %c = ingot.matmul %a, %b : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  ingot.return %c : tensor<4x2xf32>
}
