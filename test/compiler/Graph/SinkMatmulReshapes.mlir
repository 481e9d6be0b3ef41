// SPDX-License-Identifier: Apache-2.0
// Elementwise ops on a reshaped matmul are computed on the matrix.
// RUN: ingot-opt %s -ingot-sink-matmul-reshapes="policy={max-shared-kernel-elements=1024}" -canonicalize -split-input-file | FileCheck %s

// A dense layer on a rank-3 tensor with a residual, and the next layer: only
// values that both use in the tensor's shape are reshaped.
// CHECK-LABEL: ingot.entry @layers
// CHECK-SAME: feeds
// CHECK-NEXT: ^bb0(%[[X:.*]]: tensor<64x16xf32>, %[[W:.*]]: tensor<16x32xf32>, %[[B:.*]]: tensor<32xf32>, %[[R:.*]]: tensor<4x16x32xf32>
// CHECK-DAG: %[[HALF:.*]] = ingot.constant dense<5.000000e-01> : tensor<f32>
// CHECK: %[[P:.*]] = ingot.matmul %[[X]], %[[W]]
// CHECK-NEXT: %[[S:.*]] = ingot.bias_add %[[P]], %[[B]] : (tensor<64x32xf32>, tensor<32xf32>) -> tensor<64x32xf32>
// CHECK-NEXT: %[[M:.*]] = ingot.mul %[[HALF]], %[[S]] : (tensor<f32>, tensor<64x32xf32>) -> tensor<64x32xf32>
// CHECK-NEXT: %[[Q:.*]] = ingot.reshape %[[R]], %{{.*}} : (tensor<4x16x32xf32>, tensor<2xi64>) -> tensor<64x32xf32>
// CHECK-NEXT: %[[A:.*]] = ingot.add %[[Q]], %[[M]] : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
// CHECK-NEXT: %[[T:.*]] = ingot.reshape %[[A]], %{{.*}} -> tensor<4x16x32xf32>
// CHECK-NEXT: %[[N:.*]] = ingot.matmul %[[A]], %{{.*}}
// CHECK-NEXT: ingot.return %[[T]], %[[N]]
ingot.entry @layers role(other) feeds ["x:0", "w:0", "b:0", "r:0", "v:0"] fetches ["y:0", "z:0"] variables [] updates [] {
^bb0(%x: tensor<64x16xf32>, %w: tensor<16x32xf32>, %b: tensor<32xf32>, %r: tensor<4x16x32xf32>, %v: tensor<32x8xf32>):
  %half = ingot.constant dense<0.5> : tensor<f32>
  %shape = ingot.constant dense<[4, 16, 32]> : tensor<3xi32>
  %flat = ingot.constant dense<[64, 32]> : tensor<2xi32>
  %p = ingot.matmul %x, %w : (tensor<64x16xf32>, tensor<16x32xf32>) -> tensor<64x32xf32>
  %q = ingot.reshape %p, %shape : (tensor<64x32xf32>, tensor<3xi32>) -> tensor<4x16x32xf32>
  %s = ingot.bias_add %q, %b : (tensor<4x16x32xf32>, tensor<32xf32>) -> tensor<4x16x32xf32>
  %m = ingot.mul %half, %s : (tensor<f32>, tensor<4x16x32xf32>) -> tensor<4x16x32xf32>
  %a = ingot.add %r, %m : (tensor<4x16x32xf32>, tensor<4x16x32xf32>) -> tensor<4x16x32xf32>
  %t = ingot.reshape %a, %flat : (tensor<4x16x32xf32>, tensor<2xi32>) -> tensor<64x32xf32>
  %n = ingot.matmul %t, %v : (tensor<64x32xf32>, tensor<32x8xf32>) -> tensor<64x8xf32>
  ingot.return %a, %n : tensor<4x16x32xf32>, tensor<64x8xf32>
}

// -----

// A dynamic batch size, and a result of another element type.
// CHECK-LABEL: ingot.entry @unknown_batch
// CHECK: %[[P:.*]] = ingot.matmul
// CHECK-NEXT: %[[S:.*]] = ingot.less %[[P]], %{{.*}} : (tensor<?x32xf32>, tensor<32xf32>) -> tensor<?x32xi1>
// CHECK-NEXT: ingot.reshape %[[S]], %{{.*}} : (tensor<?x32xi1>, tensor<3xi32>) -> tensor<?x16x32xi1>
ingot.entry @unknown_batch role(other) feeds ["x:0", "w:0", "b:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<?x16xf32>, %w: tensor<16x32xf32>, %b: tensor<32xf32>):
  %shape = ingot.constant dense<[-1, 16, 32]> : tensor<3xi32>
  %p = ingot.matmul %x, %w : (tensor<?x16xf32>, tensor<16x32xf32>) -> tensor<?x32xf32>
  %q = ingot.reshape %p, %shape : (tensor<?x32xf32>, tensor<3xi32>) -> tensor<?x16x32xf32>
  %s = ingot.less %q, %b : (tensor<?x16x32xf32>, tensor<32xf32>) -> tensor<?x16x32xi1>
  ingot.return %s : tensor<?x16x32xi1>
}

// -----

// Rows minus their means: one number per row.
// CHECK-LABEL: ingot.entry @means
// CHECK: %[[P:.*]] = ingot.matmul
// CHECK-NEXT: %[[M:.*]] = ingot.reshape %{{.*}} : (tensor<4x16x1xf32>, tensor<2xi64>) -> tensor<64x1xf32>
// CHECK-NEXT: %[[S:.*]] = ingot.sub %[[P]], %[[M]] : (tensor<64x32xf32>, tensor<64x1xf32>) -> tensor<64x32xf32>
// CHECK-NEXT: ingot.reshape %[[S]], %{{.*}} -> tensor<4x16x32xf32>
ingot.entry @means role(other) feeds ["x:0", "w:0", "m:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<64x16xf32>, %w: tensor<16x32xf32>, %m: tensor<4x16x1xf32>):
  %shape = ingot.constant dense<[4, 16, 32]> : tensor<3xi32>
  %p = ingot.matmul %x, %w : (tensor<64x16xf32>, tensor<16x32xf32>) -> tensor<64x32xf32>
  %q = ingot.reshape %p, %shape : (tensor<64x32xf32>, tensor<3xi32>) -> tensor<4x16x32xf32>
  %s = ingot.sub %q, %m : (tensor<4x16x32xf32>, tensor<4x16x1xf32>) -> tensor<4x16x32xf32>
  ingot.return %s : tensor<4x16x32xf32>
}

// -----

// Not moved: rows of another length, an operand per row of the tensor's shape,
// channels in the middle, and small tensors.
// CHECK-LABEL: ingot.entry @others
// CHECK: ingot.neg %{{.*}} : (tensor<4x32x16xf32>)
// CHECK: ingot.add %{{.*}}, %{{.*}} : (tensor<4x16x32xf32>, tensor<16x32xf32>)
// CHECK: ingot.bias_add %{{.*}} : (tensor<4x16x32xf32>, tensor<16xf32>)
// CHECK-LABEL: ingot.entry @small
// CHECK: ingot.neg %{{.*}} : (tensor<4x8x32xf32>)
ingot.entry @others role(other) feeds ["x:0", "w:0", "r:0", "b:0"] fetches ["y:0", "z:0", "u:0"] variables [] updates [] {
^bb0(%x: tensor<64x16xf32>, %w: tensor<16x32xf32>, %r: tensor<16x32xf32>, %b: tensor<16xf32>):
  %turned = ingot.constant dense<[4, 32, 16]> : tensor<3xi32>
  %shape = ingot.constant dense<[4, 16, 32]> : tensor<3xi32>
  %p = ingot.matmul %x, %w : (tensor<64x16xf32>, tensor<16x32xf32>) -> tensor<64x32xf32>
  %q = ingot.reshape %p, %turned : (tensor<64x32xf32>, tensor<3xi32>) -> tensor<4x32x16xf32>
  %n = ingot.neg %q : (tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
  %s = ingot.reshape %p, %shape : (tensor<64x32xf32>, tensor<3xi32>) -> tensor<4x16x32xf32>
  %a = ingot.add %s, %r : (tensor<4x16x32xf32>, tensor<16x32xf32>) -> tensor<4x16x32xf32>
  %c = ingot.bias_add %s, %b {data_format = "NCHW"} : (tensor<4x16x32xf32>, tensor<16xf32>) -> tensor<4x16x32xf32>
  ingot.return %n, %a, %c : tensor<4x32x16xf32>, tensor<4x16x32xf32>, tensor<4x16x32xf32>
}
ingot.entry @small role(other) feeds ["x:0", "w:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<32x16xf32>, %w: tensor<16x32xf32>):
  %shape = ingot.constant dense<[4, 8, 32]> : tensor<3xi32>
  %p = ingot.matmul %x, %w : (tensor<32x16xf32>, tensor<16x32xf32>) -> tensor<32x32xf32>
  %q = ingot.reshape %p, %shape : (tensor<32x32xf32>, tensor<3xi32>) -> tensor<4x8x32xf32>
  %n = ingot.neg %q : (tensor<4x8x32xf32>) -> tensor<4x8x32xf32>
  ingot.return %n : tensor<4x8x32xf32>
}

// -----

// Two tensors with dynamic numbers of rows: one of them may have one row that
// broadcasts. Rows of one tensor are equal in number.
// CHECK-LABEL: ingot.entry @unknown
// CHECK: ingot.add %{{.*}}, %{{.*}} : (tensor<?x16x32xf32>, tensor<?x16x32xf32>)
// CHECK-LABEL: ingot.entry @same
// CHECK: ingot.add %{{.*}}, %{{.*}} : (tensor<?x32xf32>, tensor<?x32xf32>)
ingot.entry @unknown role(other) feeds ["x:0", "w:0", "r:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<?x16xf32>, %w: tensor<16x32xf32>, %r: tensor<?x16x32xf32>):
  %shape = ingot.constant dense<[-1, 16, 32]> : tensor<3xi32>
  %p = ingot.matmul %x, %w : (tensor<?x16xf32>, tensor<16x32xf32>) -> tensor<?x32xf32>
  %q = ingot.reshape %p, %shape : (tensor<?x32xf32>, tensor<3xi32>) -> tensor<?x16x32xf32>
  %s = ingot.add %q, %r : (tensor<?x16x32xf32>, tensor<?x16x32xf32>) -> tensor<?x16x32xf32>
  ingot.return %s : tensor<?x16x32xf32>
}
ingot.entry @same role(other) feeds ["x:0", "w:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<?x16xf32>, %w: tensor<16x32xf32>):
  %shape = ingot.constant dense<[-1, 16, 32]> : tensor<3xi32>
  %p = ingot.matmul %x, %w : (tensor<?x16xf32>, tensor<16x32xf32>) -> tensor<?x32xf32>
  %q = ingot.reshape %p, %shape : (tensor<?x32xf32>, tensor<3xi32>) -> tensor<?x16x32xf32>
  %n = ingot.neg %q : (tensor<?x16x32xf32>) -> tensor<?x16x32xf32>
  %s = ingot.add %q, %n : (tensor<?x16x32xf32>, tensor<?x16x32xf32>) -> tensor<?x16x32xf32>
  ingot.return %s : tensor<?x16x32xf32>
}
