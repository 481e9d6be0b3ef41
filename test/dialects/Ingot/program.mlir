// SPDX-License-Identifier: Apache-2.0
// Programs read back as they were written, in the short form and the generic.
// RUN: ingot-opt %s | ingot-opt | FileCheck %s
// RUN: ingot-opt %s -mlir-print-op-generic | ingot-opt | FileCheck %s

// CHECK: ingot.variable @"hidden1/kernel" : tensor<4x2xf32> {trainable}
ingot.variable @"hidden1/kernel" : tensor<4x2xf32> {trainable}
// CHECK: ingot.variable @count : tensor<i64> {device = "/cpu:0", local}
ingot.variable @count : tensor<i64> {local, device = "/cpu:0"}

// CHECK: ingot.iterator @IteratorV2 : [tensor<2xf32>] {
// CHECK: ingot.yield %{{.*}} : <tensor<2xf32>>
ingot.iterator @IteratorV2 : [tensor<2xf32>] {
  %x = ingot.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = ingot.tensor_dataset(%x) : (tensor<2xf32>) -> !ingot.dataset<tensor<2xf32>>
  ingot.yield %0 : !ingot.dataset<tensor<2xf32>>
}

// CHECK: ingot.saver @save [#ingot.saved<"k", @"hidden1/kernel", "8 2 0,4:-", 0>, #ingot.saved<"it", @IteratorV2, "", 1>]
// CHECK-SAME: keep_checkpoint_every_n_hours = 1.000000e+04 : f32
// CHECK-SAME: num_shards = 2 : i32, sharded
ingot.saver @save [#ingot.saved<"k", @"hidden1/kernel", "8 2 0,4:-", 0>, #ingot.saved<"it", @IteratorV2, "", 1>]
    {filename = "model", num_shards = 2 : i32, sharded, max_to_keep = 5 : i32,
     keep_checkpoint_every_n_hours = 10000.0 : f32}

// CHECK: ingot.entry @promoted role(step) feeds ["x:0"] fetches ["y:0"] variables [@count] updates [@count] {
// CHECK-NEXT: ^bb0(%[[COUNT:.*]]: tensor<i64>, %[[X:.*]]: tensor<2xf32>):
// CHECK-NEXT:   %[[Y:.*]] = ingot.fusion "fused_Relu" -> tensor<2xf32> {
// CHECK-NEXT:     %[[R:.*]] = ingot.relu %[[X]]
// CHECK-NEXT:     ingot.return %[[R]] : tensor<2xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   ingot.return %[[Y]], %[[COUNT]] : tensor<2xf32>, tensor<i64>
ingot.entry @promoted role(step) feeds ["x:0"] fetches ["y:0"] variables [@count] updates [@count] {
^bb0(%count: tensor<i64>, %x: tensor<2xf32>):
  %y = ingot.fusion "fused_Relu" -> tensor<2xf32> {
    %0 = ingot.relu %x : (tensor<2xf32>) -> tensor<2xf32>
    ingot.return %0 : tensor<2xf32>
  }
  ingot.return %y, %count : tensor<2xf32>, tensor<i64>
}

// CHECK: ingot.entry @some role(partial_step of @promoted) feeds
ingot.entry @some role(partial_step of @promoted) feeds [] fetches [] variables [] updates [] {
  ingot.return
}
// CHECK: ingot.entry @state role(member_state of @promoted for "t0_a\22") feeds
ingot.entry @state role(member_state of @promoted for "t0_a\22") feeds [] fetches [] variables [] updates [] {
  ingot.return
}
// CHECK: ingot.entry @part role(placed_step of @promoted place 1 of 3) feeds
ingot.entry @part role(placed_step of @promoted place 1 of 3) feeds [] fetches [] variables [] updates [] {
  ingot.return
}

// Every role has a name of its own.
// CHECK: ingot.entry @init role(init) feeds [] fetches [] variables [] updates [] {
// CHECK-NEXT: ingot.return
ingot.entry @init role(init) feeds [] fetches [] variables [] updates [] {
  ingot.return
}
// CHECK: role(local_init)
ingot.entry @local_init role(local_init) feeds [] fetches [] variables [] updates [] { ingot.return }
// CHECK: role(ready)
ingot.entry @ready role(ready) feeds [] fetches [] variables [] updates [] { ingot.return }
// CHECK: role(ready_for_local_init)
ingot.entry @ready_for role(ready_for_local_init) feeds [] fetches [] variables [] updates [] { ingot.return }
// CHECK: role(save)
ingot.entry @saving role(save) feeds [] fetches [] variables [] updates [] { ingot.return }
// CHECK: role(restore)
ingot.entry @restoring role(restore) feeds [] fetches [] variables [] updates [] { ingot.return }
// CHECK: role(summary)
ingot.entry @summary role(summary) feeds [] fetches [] variables [] updates [] { ingot.return }
// CHECK: role(evaluate)
ingot.entry @evaluate role(evaluate) feeds [] fetches [] variables [] updates [] { ingot.return }
// CHECK: role(predict)
ingot.entry @predict role(predict) feeds [] fetches [] variables [] updates [] { ingot.return }
// CHECK: role(other)
ingot.entry @other role(other) feeds [] fetches [] variables [] updates [] { ingot.return }
