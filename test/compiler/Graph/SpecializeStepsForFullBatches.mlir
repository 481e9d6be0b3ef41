// SPDX-License-Identifier: Apache-2.0
// A step is cloned for full batches.
// RUN: ingot-opt %s -split-input-file -ingot-specialize-steps-for-full-batches | FileCheck %s

ingot.iterator @ends : [tensor<?x4xf32>, tensor<?xi64>] {
  %x = ingot.constant dense<0.0> : tensor<7x4xf32>
  %y = ingot.constant dense<0> : tensor<7xi64>
  %three = ingot.constant dense<3> : tensor<i64>
  %keep = ingot.constant dense<false> : tensor<i1>
  %0 = ingot.tensor_slice_dataset(%x, %y) : (tensor<7x4xf32>, tensor<7xi64>) -> !ingot.dataset<tensor<4xf32>, tensor<i64>>
  %1 = ingot.batch_dataset(%0, %three, %keep) : (!ingot.dataset<tensor<4xf32>, tensor<i64>>, tensor<i64>, tensor<i1>) -> !ingot.dataset<tensor<?x4xf32>, tensor<?xi64>>
  ingot.yield %1 : !ingot.dataset<tensor<?x4xf32>, tensor<?xi64>>
}
// CHECK: ingot.entry @step role(step)
// CHECK: ingot.iterator_next @ends : tensor<?x4xf32>, tensor<?xi64>
// CHECK: ingot.entry @step.full role(step){{.*}} attributes {host.full_batch_of = @step}
// CHECK: ingot.iterator_next @ends : tensor<3x4xf32>, tensor<3xi64>
ingot.entry @step role(step) feeds [] fetches [] variables [] updates [] {
  %x:2 = ingot.iterator_next @ends : tensor<?x4xf32>, tensor<?xi64>
  ingot.return
}
// Only training steps are worth a clone.
// CHECK: ingot.entry @evaluate
// CHECK-NOT: .full
ingot.entry @evaluate role(evaluate) feeds [] fetches [] variables [] updates [] {
  %x:2 = ingot.iterator_next @ends : tensor<?x4xf32>, tensor<?xi64>
  ingot.return
}

// -----

// With two iterator_next ops it is unknown which batch is partial.

ingot.iterator @ends : [tensor<?x4xf32>] {
  %x = ingot.constant dense<0.0> : tensor<7x4xf32>
  %three = ingot.constant dense<3> : tensor<i64>
  %keep = ingot.constant dense<false> : tensor<i1>
  %0 = ingot.tensor_slice_dataset(%x) : (tensor<7x4xf32>) -> !ingot.dataset<tensor<4xf32>>
  %1 = ingot.batch_dataset(%0, %three, %keep) : (!ingot.dataset<tensor<4xf32>>, tensor<i64>, tensor<i1>) -> !ingot.dataset<tensor<?x4xf32>>
  ingot.yield %1 : !ingot.dataset<tensor<?x4xf32>>
}
// CHECK-LABEL: ingot.entry @twice
// CHECK-NOT: .full
ingot.entry @twice role(step) feeds [] fetches [] variables [] updates [] {
  %x = ingot.iterator_next @ends : tensor<?x4xf32>
  %y = ingot.iterator_next @ends : tensor<?x4xf32>
  ingot.return
}
