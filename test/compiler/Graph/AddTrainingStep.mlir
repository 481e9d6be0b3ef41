// SPDX-License-Identifier: Apache-2.0
// An entry that fetches a loss becomes a training step.
// RUN: ingot-opt %s -split-input-file -ingot-add-training-step="loss=loss optimizer=momentum:0.1,momentum=0.5" -verify-diagnostics | FileCheck %s

// CHECK: module attributes {ingot.program = #ingot.program<loss = "loss:0", global_step = @global_step>}
// CHECK: ingot.variable @w : tensor<2xf32>
// CHECK: ingot.variable @"w/Momentum" : tensor<2xf32>
// CHECK: ingot.variable @global_step : tensor<i64>
// CHECK: ingot.saver @"save/saver" [#ingot.saved<"w", @w, "", 0>, #ingot.saved<"w/Momentum", @"w/Momentum", "", 0>, #ingot.saved<"global_step", @global_step, "", 0>]
// CHECK: ingot.entry @init
// CHECK: ingot.assign @w,
// CHECK: ingot.assign @"w/Momentum",
// CHECK: ingot.assign @global_step,
// CHECK: ingot.entry @main role(predict) feeds ["x:0"] fetches ["y:0", "loss:0"]
// CHECK-NOT: ingot.assign
// CHECK: ingot.entry @step role(step) feeds ["x:0"] fetches ["loss:0"]
// CHECK: ^bb0(%[[X:.*]]: tensor<2xf32>):
// CHECK: %[[W:.*]] = ingot.read @w
// CHECK: %[[LOSS:.*]] = ingot.mean
// CHECK: %[[D:.*]] = ingot.mul %{{.*}}, %[[X]]
// CHECK: %[[M:.*]] = ingot.read @"w/Momentum"
// CHECK: %[[RATE:.*]] = ingot.constant dense<1.000000e-01> : tensor<f32>
// CHECK: %[[HALF:.*]] = ingot.constant dense<5.000000e-01> : tensor<f32>
// CHECK: %[[NEW:.*]], %[[ACCUM:.*]] = ingot.apply_momentum %[[W]], %[[M]], %[[RATE]], %[[D]], %[[HALF]]
// CHECK: ingot.assign @w, %[[NEW]]
// CHECK: ingot.assign @"w/Momentum", %[[ACCUM]]
// CHECK: ingot.assign @global_step
// CHECK: ingot.return %[[LOSS]] : tensor<f32>
// CHECK: ingot.entry @save role(save)
// CHECK: ingot.entry @restore role(restore)
module {
  ingot.variable @w : tensor<2xf32>
  ingot.entry @init role(init) feeds [] fetches [] variables [] updates [] {
    %0 = ingot.constant dense<1.0> : tensor<2xf32>
    ingot.assign @w, %0 : tensor<2xf32>
    ingot.return
  }
  ingot.entry @main role(predict) feeds ["x:0"] fetches ["y:0", "loss:0"] variables [] updates [] {
  ^bb0(%x: tensor<2xf32>):
    %w = ingot.read @w : tensor<2xf32>
    %0 = ingot.mul %x, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    ingot.return %x, %0 : tensor<2xf32>, tensor<2xf32>
  }
}

// -----

// Only trainable variables are updated; slots are added to the existing saver.
// CHECK: ingot.variable @v : tensor<f32> {trainable}
// CHECK: ingot.variable @"v/Momentum"
// CHECK-NOT: ingot.variable @"w/Momentum"
// CHECK: ingot.saver @s [#ingot.saved<"v", @v, "", 0>, #ingot.saved<"v/Momentum", @"v/Momentum", "", 0>, #ingot.saved<"global_step", @global_step, "", 0>]
module {
  ingot.variable @w : tensor<f32>
  ingot.variable @v : tensor<f32> {trainable}
  ingot.saver @s [#ingot.saved<"v", @v, "", 0>]
    {filename = "model", num_shards = 1 : i32, max_to_keep = 5 : i32, keep_checkpoint_every_n_hours = 10000.0 : f32}
  ingot.entry @main role(predict) feeds [] fetches ["loss:0"] variables [] updates [] {
    %w = ingot.read @w : tensor<f32>
    %v = ingot.read @v : tensor<f32>
    %0 = ingot.mul %v, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ingot.return %0 : tensor<f32>
  }
}

// -----

module {
  ingot.entry @main role(predict) feeds ["x:0"] fetches ["loss:0"] variables [] updates [] {
  ^bb0(%x: tensor<f32>):
    // expected-error @+1 {{the loss 'loss' depends on no trainable variable}}
    %0 = ingot.mul %x, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ingot.return %0 : tensor<f32>
  }
}

// -----

module {
  ingot.entry @main role(predict) feeds ["x:0"] fetches ["loss:0"] variables [] updates [] {
  ^bb0(%x: tensor<f32>):
    // expected-error @+1 {{the loss must be a tensor of floats, got type 'tensor<i32>'}}
    %0 = ingot.cast %x {dst = i32} : (tensor<f32>) -> tensor<i32>
    ingot.return %0 : tensor<i32>
  }
}

// -----

// A step belongs to no evaluation, though its loss was one's metric.
// CHECK: ingot.entry @metrics role(metrics of @evaluate) feeds [] fetches ["loss:0"]
// CHECK: ingot.entry @step role(step) feeds [] fetches ["loss:0"]
module {
  ingot.variable @w : tensor<f32>
  ingot.entry @evaluate role(evaluate) feeds [] fetches [] variables [] updates [] {
    ingot.return
  }
  ingot.entry @metrics role(metrics of @evaluate) feeds [] fetches ["loss:0"] variables [] updates [] {
    %w = ingot.read @w : tensor<f32>
    %0 = ingot.mul %w, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ingot.return %0 : tensor<f32>
  }
}
