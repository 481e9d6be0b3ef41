// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-outline-kernels -ingot-lower-to-linalg -ingot-resolve-launch-result-shapes | FileCheck %s

// The dynamic result shapes of a kernel are computed at its launch, from its
// operands.
// CHECK-LABEL: ingot.entry @step
// CHECK: ^bb0(%[[X:.*]]: tensor<?x5xf32>):
// CHECK-DAG: %[[ROWS:.*]] = tensor.dim %[[X]], %{{.*}} : tensor<?x5xf32>
// CHECK-DAG: %[[D:.*]] = tensor.empty(%[[ROWS]]) : tensor<?x3xf32>
// CHECK: host.launch @product ins({{.*}}) outs(%[[D]] : tensor<?x3xf32>)
ingot.entry @step role(step) feeds ["x:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<?x5xf32>):
  %w = ingot.constant dense<1.0> : tensor<5x3xf32>
  %y = ingot.fusion "product" -> tensor<?x3xf32> {
    %0 = ingot.matmul %x, %w : (tensor<?x5xf32>, tensor<5x3xf32>) -> tensor<?x3xf32>
    ingot.return %0 : tensor<?x3xf32>
  }
  ingot.return %y : tensor<?x3xf32>
}

// Rows of a table that a loop updates need not be computed for that: the table
// keeps its size.
// CHECK-LABEL: ingot.entry @sums
// CHECK: ^bb0(%{{.*}}: tensor<?x5xf32>, %{{.*}}: tensor<?xi32>, %[[N:.*]]: tensor<i32>):
// CHECK-NOT: scf.for
// CHECK: %[[COUNT:.*]] = tensor.extract %[[N]][] : tensor<i32>
// CHECK: %[[INDEX:.*]] = arith.index_cast %[[COUNT]] : i32 to index
// CHECK: %[[ROWS:.*]] = arith.maxsi %[[INDEX]], %{{.*}} : index
// CHECK-NOT: scf.for
// CHECK: %[[D:.*]] = tensor.empty(%[[ROWS]]) : tensor<?x5xf32>
// CHECK: host.launch @segments ins({{.*}}) outs(%[[D]] : tensor<?x5xf32>)
ingot.entry @sums role(other) feeds ["x:0", "i:0", "n:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<?x5xf32>, %i: tensor<?xi32>, %n: tensor<i32>):
  %y = ingot.fusion "segments" -> tensor<?x5xf32> {
    %0 = ingot.segment_reduce %x, %i, %n {reduction = "sum"} : (tensor<?x5xf32>, tensor<?xi32>, tensor<i32>) -> tensor<?x5xf32>
    ingot.return %0 : tensor<?x5xf32>
  }
  ingot.return %y : tensor<?x5xf32>
}
