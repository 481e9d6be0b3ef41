// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s "-ingot-swap-thin-gemm-operands=policy={max-thin-columns=8 max-transposed-first-elements=16384}" | FileCheck %s
// RUN: ingot-opt %s -ingot-swap-thin-gemm-operands | FileCheck %s --check-prefix=OFF

// The transpose of one column is a reshape.
// CHECK-LABEL: ingot.entry @one_column
// CHECK: ^bb0(%[[A:.*]]: tensor<512x64xf32>, %[[B:.*]]: tensor<512x1xf32>):
// CHECK: %[[ROW:.*]] = ingot.reshape %[[B]], %{{.*}} -> tensor<1x512xf32>
// CHECK: %[[C:.*]] = ingot.matmul %[[ROW]], %[[A]] : (tensor<1x512xf32>, tensor<512x64xf32>) -> tensor<1x64xf32>
// CHECK: %[[COLUMN:.*]] = ingot.reshape %[[C]], %{{.*}} -> tensor<64x1xf32>
// CHECK: ingot.return %[[COLUMN]]
// OFF-LABEL: ingot.entry @one_column
// OFF: ingot.matmul %{{.*}}, %{{.*}} {transpose_a = true}
ingot.entry @one_column role(other) feeds ["a:0", "b:0"] fetches ["c:0"] variables [] updates [] {
^bb0(%a: tensor<512x64xf32>, %b: tensor<512x1xf32>):
  %c = ingot.matmul %a, %b {transpose_a = true} : (tensor<512x64xf32>, tensor<512x1xf32>) -> tensor<64x1xf32>
  ingot.return %c : tensor<64x1xf32>
}

// CHECK-LABEL: ingot.entry @seven_columns
// CHECK: ^bb0(%[[A:.*]]: tensor<?x64xf32>, %[[B:.*]]: tensor<?x7xf32>):
// CHECK: %[[C:.*]] = ingot.matmul %[[B]], %[[A]] {transpose_a = true} : (tensor<?x7xf32>, tensor<?x64xf32>) -> tensor<7x64xf32>
// CHECK: %[[T:.*]] = ingot.transpose %[[C]], %{{.*}} -> tensor<64x7xf32>
// CHECK: ingot.return %[[T]]
ingot.entry @seven_columns role(other) feeds ["a:0", "b:0"] fetches ["c:0"] variables [] updates [] {
^bb0(%a: tensor<?x64xf32>, %b: tensor<?x7xf32>):
  %c = ingot.matmul %a, %b {transpose_a = true} : (tensor<?x64xf32>, tensor<?x7xf32>) -> tensor<64x7xf32>
  ingot.return %c : tensor<64x7xf32>
}

// Blocks in which K is summed remain, for one rank's step.
// CHECK-LABEL: ingot.entry @blocks
// CHECK: ingot.matmul %{{.*}}, %{{.*}} {sum_block = 64 : i64} : (tensor<1x512xf32>, tensor<512x64xf32>)
ingot.entry @blocks role(other) feeds ["a:0", "b:0"] fetches ["c:0"] variables [] updates [] {
^bb0(%a: tensor<512x64xf32>, %b: tensor<512x1xf32>):
  %c = ingot.matmul %a, %b {sum_block = 64 : i64, transpose_a = true} : (tensor<512x64xf32>, tensor<512x1xf32>) -> tensor<64x1xf32>
  ingot.return %c : tensor<64x1xf32>
}

// Too many columns, too few rows, and a first operand that is read in place.
// CHECK-LABEL: ingot.entry @not_thin
// CHECK: ingot.matmul %{{.*}}, %{{.*}} {transpose_a = true} : (tensor<512x64xf32>, tensor<512x9xf32>)
// CHECK: ingot.matmul %{{.*}}, %{{.*}} {transpose_a = true} : (tensor<1024x31xf32>, tensor<1024x4xf32>)
// CHECK: ingot.matmul %{{.*}}, %{{.*}} {transpose_a = true} : (tensor<256x64xf32>, tensor<256x1xf32>)
ingot.entry @not_thin role(other) feeds ["a:0", "b:0", "x:0", "y:0", "u:0", "v:0"] fetches ["c:0", "z:0", "w:0"] variables [] updates [] {
^bb0(%a: tensor<512x64xf32>, %b: tensor<512x9xf32>, %x: tensor<1024x31xf32>, %y: tensor<1024x4xf32>, %u: tensor<256x64xf32>, %v: tensor<256x1xf32>):
  %c = ingot.matmul %a, %b {transpose_a = true} : (tensor<512x64xf32>, tensor<512x9xf32>) -> tensor<64x9xf32>
  %z = ingot.matmul %x, %y {transpose_a = true} : (tensor<1024x31xf32>, tensor<1024x4xf32>) -> tensor<31x4xf32>
  %w = ingot.matmul %u, %v {transpose_a = true} : (tensor<256x64xf32>, tensor<256x1xf32>) -> tensor<64x1xf32>
  ingot.return %c, %z, %w : tensor<64x9xf32>, tensor<31x4xf32>, tensor<64x1xf32>
}
