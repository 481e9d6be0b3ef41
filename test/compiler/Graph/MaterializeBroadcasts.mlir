// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-materialize-broadcasts -split-input-file | FileCheck %s

// Values of one tensor are equally long: no broadcast.
// CHECK-LABEL: ingot.entry @same
// CHECK-NOT: broadcast_against
ingot.entry @same role(step) feeds ["x:0"] fetches [] variables [] updates [] {
^bb0(%x: tensor<?x5xf32>):
  %w = ingot.constant dense<1.0> : tensor<5x5xf32>
  %b = ingot.constant dense<1.0> : tensor<1x5xf32>
  %0 = ingot.relu %x : (tensor<?x5xf32>) -> tensor<?x5xf32>
  %1 = ingot.matmul %0, %w : (tensor<?x5xf32>, tensor<5x5xf32>) -> tensor<?x5xf32>
  %2 = ingot.add %1, %x : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
  %3 = ingot.add %2, %b : (tensor<?x5xf32>, tensor<1x5xf32>) -> tensor<?x5xf32>
  ingot.return
}

// -----

// Of two unrelated tensors either may have size 1.
// CHECK-LABEL: ingot.entry @different
// CHECK: %[[A:.*]] = ingot.broadcast_against %[[X:.*]], %[[Y:.*]] : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
// CHECK: %[[B:.*]] = ingot.broadcast_against %[[Y]], %[[X]] : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
// CHECK: ingot.add %[[A]], %[[B]]
ingot.entry @different role(step) feeds ["x:0", "y:0"] fetches [] variables [] updates [] {
^bb0(%x: tensor<?xf32>, %y: tensor<?xf32>):
  %0 = ingot.add %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  ingot.return
}

// -----

// So may one that meets a static size.
// CHECK-LABEL: ingot.entry @known
// CHECK: %[[A:.*]] = ingot.broadcast_against %[[X:.*]], %[[C:.*]] : (tensor<?xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK: ingot.add %[[A]], %[[C]]
ingot.entry @known role(step) feeds ["x:0"] fetches [] variables [] updates [] {
^bb0(%x: tensor<?xf32>):
  %c = ingot.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = ingot.add %x, %c : (tensor<?xf32>, tensor<4xf32>) -> tensor<4xf32>
  ingot.return
}

// -----

// So may dimensions of an einsum's ellipsis; those of letters are checked to be
// equal.
// CHECK-LABEL: ingot.entry @ellipsis
// CHECK: ingot.broadcast_args
// CHECK: %[[A:.*]] = ingot.broadcast_to %{{.*}}, %{{.*}} : (tensor<?x3x?xf32>, tensor<3xi64>) -> tensor<?x3x?xf32>
// CHECK: %[[B:.*]] = ingot.broadcast_to %{{.*}}, %{{.*}} : (tensor<?x?x2xf32>, tensor<3xi64>) -> tensor<?x?x2xf32>
// CHECK: ingot.einsum "0ab,0bc->0ac"(%[[A]], %[[B]])
ingot.entry @ellipsis role(step) feeds ["x:0", "y:0"] fetches [] variables [] updates [] {
^bb0(%x: tensor<?x3x?xf32>, %y: tensor<?x?x2xf32>):
  %0 = ingot.einsum "0ab,0bc->0ac"(%x, %y) : (tensor<?x3x?xf32>, tensor<?x?x2xf32>) -> tensor<?x3x2xf32>
  ingot.return
}
