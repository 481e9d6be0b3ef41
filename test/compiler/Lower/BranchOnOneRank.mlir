// SPDX-License-Identifier: Apache-2.0
// A step and its clone for one rank become one function.
// RUN: ingot-opt %s -split-input-file -ingot-lower-to-storage-types -ingot-assign-resource-indices -ingot-lower-entries-to-functions -ingot-branch-on-one-rank | FileCheck %s

ingot.variable @w : tensor<f32>
ingot.iterator @it : [tensor<8x4xf32>] {
  %x = ingot.constant dense<0.0> : tensor<8x4xf32>
  %0 = ingot.tensor_dataset(%x) : (tensor<8x4xf32>) -> !ingot.dataset<tensor<8x4xf32>>
  ingot.yield %0 : !ingot.dataset<tensor<8x4xf32>>
}
func.func private @slices(%x: tensor<8x4xf32>, %w: tensor<f32>) -> tensor<f32> attributes {host.kernel} {
  return %w : tensor<f32>
}
func.func private @whole(%x: tensor<8x4xf32>, %w: tensor<f32>) -> tensor<f32> attributes {host.kernel} {
  return %w : tensor<f32>
}

// Both draw a batch before the branch.
// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[W:.*]]: memref<f32>
// CHECK: %[[X:.*]] = host.iterator_next 0 : tensor<8x4xf32>
// CHECK: %[[RANGE:.*]]:2 = host.call "ingot_op_slice_range" {{.*}}slices = 4
// CHECK: %[[FIRST:.*]] = tensor.extract %[[RANGE]]#0
// CHECK: %[[LAST:.*]] = tensor.extract %[[RANGE]]#1
// CHECK: %[[NUMBER:.*]] = arith.subi
// CHECK: %[[ALONE:.*]] = arith.cmpi eq, %[[NUMBER]], %c4 : index
// CHECK: scf.if %[[ALONE]] {
// CHECK: %[[S:.*]] = host.launch @whole ins(%[[X]] : tensor<8x4xf32>)
// CHECK: bufferization.materialize_in_destination %[[S]] in restrict writable %[[W]]
// CHECK: } else {
// CHECK: %[[T:.*]] = host.launch @slices ins(%[[X]] : tensor<8x4xf32>)
// CHECK: bufferization.materialize_in_destination %[[T]] in restrict writable %[[W]]
// CHECK: } {host.one_rank}
// CHECK: return
// CHECK-NOT: func.func @step.one_rank
ingot.entry @step role(step) feeds [] fetches [] variables [@w] updates [@w] {
^bb0(%w: tensor<f32>):
  %x = ingot.iterator_next @it : tensor<8x4xf32>
  %0 = host.launch @slices ins(%x : tensor<8x4xf32>) outs(%w : tensor<f32>) -> tensor<f32>
  ingot.return %0 : tensor<f32>
}
ingot.entry @step.one_rank role(step) feeds [] fetches [] variables [@w] updates [@w] attributes {host.one_rank_of = @step, host.slices = 4 : i64} {
^bb0(%w: tensor<f32>):
  %x = ingot.iterator_next @it : tensor<8x4xf32>
  %0 = host.launch @whole ins(%x : tensor<8x4xf32>) outs(%w : tensor<f32>) -> tensor<f32>
  ingot.return %0 : tensor<f32>
}

// -----

// A step without input has the branch around everything.

ingot.variable @w : tensor<f32>
func.func private @slices(%x: tensor<8xf32>, %w: tensor<f32>) -> tensor<f32> attributes {host.kernel} {
  return %w : tensor<f32>
}
func.func private @whole(%x: tensor<8xf32>, %w: tensor<f32>) -> tensor<f32> attributes {host.kernel} {
  return %w : tensor<f32>
}
// CHECK-LABEL: func.func @fed(
// CHECK: scf.if
// CHECK: host.launch @whole
// CHECK: else
// CHECK: host.launch @slices
ingot.entry @fed role(step) feeds ["x:0"] fetches [] variables [@w] updates [@w] {
^bb0(%w: tensor<f32>, %x: tensor<8xf32>):
  %0 = host.launch @slices ins(%x : tensor<8xf32>) outs(%w : tensor<f32>) -> tensor<f32>
  ingot.return %0 : tensor<f32>
}
ingot.entry @fed.one_rank role(step) feeds ["x:0"] fetches [] variables [@w] updates [@w] attributes {host.one_rank_of = @fed, host.slices = 4 : i64} {
^bb0(%w: tensor<f32>, %x: tensor<8xf32>):
  %0 = host.launch @whole ins(%x : tensor<8xf32>) outs(%w : tensor<f32>) -> tensor<f32>
  ingot.return %0 : tensor<f32>
}

// -----

// A clone with other fetches is dropped, with its kernels.

ingot.variable @w : tensor<f32>
func.func private @slices(%x: tensor<8xf32>, %w: tensor<f32>) -> tensor<f32> attributes {host.kernel} {
  return %w : tensor<f32>
}
// CHECK-NOT: @whole
func.func private @whole(%x: tensor<8xf32>, %w: tensor<f32>) -> tensor<f32> attributes {host.kernel} {
  return %w : tensor<f32>
}
// CHECK-LABEL: func.func @fed(
// CHECK-NOT: scf.if
// CHECK: host.launch @slices
ingot.entry @fed role(step) feeds ["x:0"] fetches [] variables [@w] updates [@w] {
^bb0(%w: tensor<f32>, %x: tensor<8xf32>):
  %0 = host.launch @slices ins(%x : tensor<8xf32>) outs(%w : tensor<f32>) -> tensor<f32>
  ingot.return %0 : tensor<f32>
}
ingot.entry @fed.one_rank role(step) feeds ["x:0"] fetches ["w:0"] variables [@w] updates [@w] attributes {host.one_rank_of = @fed, host.slices = 4 : i64} {
^bb0(%w: tensor<f32>, %x: tensor<8xf32>):
  %0 = host.launch @whole ins(%x : tensor<8xf32>) outs(%w : tensor<f32>) -> tensor<f32>
  ingot.return %0, %0 : tensor<f32>, tensor<f32>
}
