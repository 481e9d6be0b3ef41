// SPDX-License-Identifier: Apache-2.0
// A step and its full-batch clone become one function.
// RUN: ingot-opt %s -split-input-file -ingot-lower-to-storage-types -ingot-assign-resource-indices -ingot-lower-entries-to-functions -ingot-branch-on-batch-size | FileCheck %s

ingot.variable @w : tensor<f32>
ingot.iterator @it : [tensor<?x4xf32>] {
  %x = ingot.constant dense<0.0> : tensor<7x4xf32>
  %three = ingot.constant dense<3> : tensor<i64>
  %keep = ingot.constant dense<false> : tensor<i1>
  %0 = ingot.tensor_slice_dataset(%x) : (tensor<7x4xf32>) -> !ingot.dataset<tensor<4xf32>>
  %1 = ingot.batch_dataset(%0, %three, %keep) : (!ingot.dataset<tensor<4xf32>>, tensor<i64>, tensor<i1>) -> !ingot.dataset<tensor<?x4xf32>>
  ingot.yield %1 : !ingot.dataset<tensor<?x4xf32>>
}
func.func private @any(%x: tensor<?x4xf32>, %w: tensor<f32>) -> tensor<f32> attributes {host.kernel} {
  return %w : tensor<f32>
}
func.func private @known(%x: tensor<3x4xf32>, %w: tensor<f32>) -> tensor<f32> attributes {host.kernel} {
  return %w : tensor<f32>
}

// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[W:.*]]: memref<f32>
// CHECK: %[[X:.*]] = host.iterator_next 0 : tensor<?x4xf32>
// CHECK: %[[N:.*]] = tensor.dim %[[X]], %{{.*}}
// CHECK: %[[FULL:.*]] = arith.cmpi eq, %[[N]], %{{.*}} : index
// CHECK: scf.if %[[FULL]] {
// CHECK: %[[B:.*]] = tensor.cast %[[X]] : tensor<?x4xf32> to tensor<3x4xf32>
// CHECK: %[[S:.*]] = host.launch @known ins(%[[B]] : tensor<3x4xf32>)
// CHECK: bufferization.materialize_in_destination %[[S]] in restrict writable %[[W]]
// CHECK: } else {
// CHECK: %[[T:.*]] = host.launch @any ins(%[[X]] : tensor<?x4xf32>)
// CHECK: bufferization.materialize_in_destination %[[T]] in restrict writable %[[W]]
// CHECK: return
// CHECK-NOT: func.func @step.full
ingot.entry @step role(step) feeds [] fetches [] variables [@w] updates [@w] {
^bb0(%w: tensor<f32>):
  %x = ingot.iterator_next @it : tensor<?x4xf32>
  %0 = host.launch @any ins(%x : tensor<?x4xf32>) outs(%w : tensor<f32>) -> tensor<f32>
  ingot.return %0 : tensor<f32>
}
ingot.entry @step.full role(step) feeds [] fetches [] variables [@w] updates [@w] attributes {host.full_batch_of = @step} {
^bb0(%w: tensor<f32>):
  %x = ingot.iterator_next @it : tensor<3x4xf32>
  %0 = host.launch @known ins(%x : tensor<3x4xf32>) outs(%w : tensor<f32>) -> tensor<f32>
  ingot.return %0 : tensor<f32>
}

// -----

// A clone with other types of fetches is dropped, with its kernels.

ingot.iterator @it : [tensor<?xf32>] {
  %x = ingot.constant dense<0.0> : tensor<7xf32>
  %three = ingot.constant dense<3> : tensor<i64>
  %keep = ingot.constant dense<false> : tensor<i1>
  %0 = ingot.tensor_slice_dataset(%x) : (tensor<7xf32>) -> !ingot.dataset<tensor<f32>>
  %1 = ingot.batch_dataset(%0, %three, %keep) : (!ingot.dataset<tensor<f32>>, tensor<i64>, tensor<i1>) -> !ingot.dataset<tensor<?xf32>>
  ingot.yield %1 : !ingot.dataset<tensor<?xf32>>
}
// CHECK-NOT: @known
// CHECK: func.func @step(
// CHECK-NOT: scf.if
// CHECK-NOT: @step.full
ingot.entry @step role(step) feeds [] fetches ["x:0"] variables [] updates [] {
  %x = ingot.iterator_next @it : tensor<?xf32>
  ingot.return %x : tensor<?xf32>
}
ingot.entry @step.full role(step) feeds [] fetches ["x:0"] variables [] updates [] attributes {host.full_batch_of = @step} {
  %x = ingot.iterator_next @it : tensor<3xf32>
  %e = tensor.empty() : tensor<3xf32>
  %0 = host.launch @known ins(%x : tensor<3xf32>) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  ingot.return %0 : tensor<3xf32>
}
func.func private @known(%x: tensor<3xf32>, %o: tensor<3xf32>) -> tensor<3xf32> attributes {host.kernel} {
  return %o : tensor<3xf32>
}
func.func private @known_too(%x: tensor<3xf32>, %o: tensor<3xf32>) -> tensor<3xf32> attributes {host.kernel} {
  return %o : tensor<3xf32>
}

// -----

// An entry with a clone's name only is not a clone.

ingot.iterator @it : [tensor<?xf32>] {
  %x = ingot.constant dense<0.0> : tensor<7xf32>
  %three = ingot.constant dense<3> : tensor<i64>
  %keep = ingot.constant dense<false> : tensor<i1>
  %0 = ingot.tensor_slice_dataset(%x) : (tensor<7xf32>) -> !ingot.dataset<tensor<f32>>
  %1 = ingot.batch_dataset(%0, %three, %keep) : (!ingot.dataset<tensor<f32>>, tensor<i64>, tensor<i1>) -> !ingot.dataset<tensor<?xf32>>
  ingot.yield %1 : !ingot.dataset<tensor<?xf32>>
}
// CHECK: func.func @other(
// CHECK-NOT: scf.if
// CHECK: func.func @other.full(
ingot.entry @other role(other) feeds [] fetches [] variables [] updates [] {
  %x = ingot.iterator_next @it : tensor<?xf32>
  ingot.return
}
ingot.entry @other.full role(other) feeds [] fetches [] variables [] updates [] {
  %x = ingot.iterator_next @it : tensor<3xf32>
  ingot.return
}
