// SPDX-License-Identifier: Apache-2.0
// Ops on state read back as they were written, and canonicalization keeps
// them in place and in order.
// RUN: ingot-opt %s | ingot-opt | FileCheck %s
// RUN: ingot-opt %s -canonicalize -cse | FileCheck %s

ingot.variable @w : tensor<4xf32>
ingot.saver @save [#ingot.saved<"w", @w, "", 0>]
    {filename = "model", num_shards = 1 : i32, max_to_keep = 5 : i32, keep_checkpoint_every_n_hours = 10000.0 : f32}

// CHECK-LABEL: ingot.entry @step
ingot.entry @step role(step) feeds ["prefix:0"] fetches ["w:0"] variables [] updates [] {
// CHECK: ^bb0(%[[PREFIX:.*]]: tensor<!ingot.string>):
^bb0(%prefix: tensor<!ingot.string>):
  // CHECK: ingot.restore @save, %[[PREFIX]] : tensor<!ingot.string>
  ingot.restore @save, %prefix : tensor<!ingot.string>
  // CHECK-NEXT: %[[OLD:.*]] = ingot.read @w : tensor<4xf32>
  %old = ingot.read @w : tensor<4xf32>
  // CHECK-NEXT: %[[TWICE:.*]] = ingot.add %[[OLD]], %[[OLD]]
  %twice = ingot.add %old, %old : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: ingot.assign @w, %[[TWICE]] : tensor<4xf32>
  ingot.assign @w, %twice : tensor<4xf32>
  // CHECK-NEXT: %[[NEW:.*]] = ingot.read @w : tensor<4xf32>
  %new = ingot.read @w : tensor<4xf32>
  // CHECK-NEXT: ingot.report_uninitialized [@w]
  ingot.report_uninitialized [@w]
  // CHECK: ingot.sum
  %axes = ingot.constant dense<0> : tensor<1xi32>
  %sum = ingot.sum %new, %axes : (tensor<4xf32>, tensor<1xi32>) -> tensor<f32>
  // CHECK-NEXT: ingot.scalar_summary "sum", %{{.*}} : tensor<f32>
  ingot.scalar_summary "sum", %sum : tensor<f32>
  // CHECK-NEXT: ingot.save @save, %[[PREFIX]] : tensor<!ingot.string>
  ingot.save @save, %prefix : tensor<!ingot.string>
  // CHECK-NEXT: ingot.return %[[NEW]] : tensor<4xf32>
  ingot.return %new : tensor<4xf32>
}
