// RUN: ingot-opt %s -ingot-version-batches -split-input-file | FileCheck %s

// The last batch may be short: the entry takes any, its version full ones.
ingot.iterator @it : [tensor<?x4xf32>, tensor<?xi64>] {
  %x = ingot.constant dense<1.0> : tensor<70x4xf32>
  %y = ingot.constant dense<1> : tensor<70xi64>
  %size = ingot.constant dense<32> : tensor<i64>
  %keep = ingot.constant dense<false> : tensor<i1>
  %twice = ingot.constant dense<2> : tensor<i64>
  %0 = ingot.tensor_slice_dataset(%x, %y) : (tensor<70x4xf32>, tensor<70xi64>) -> !ingot.dataset<tensor<4xf32>, tensor<i64>>
  %1 = ingot.batch_dataset(%0, %size, %keep) : (!ingot.dataset<tensor<4xf32>, tensor<i64>>, tensor<i64>, tensor<i1>) -> !ingot.dataset<tensor<?x4xf32>, tensor<?xi64>>
  %2 = ingot.repeat_dataset(%1, %twice) : (!ingot.dataset<tensor<?x4xf32>, tensor<?xi64>>, tensor<i64>) -> !ingot.dataset<tensor<?x4xf32>, tensor<?xi64>>
  ingot.yield %2 : !ingot.dataset<tensor<?x4xf32>, tensor<?xi64>>
}

// CHECK-LABEL: ingot.entry @step role(step) feeds ["s:0"]
// CHECK-SAME: version = @step__full_batch
// CHECK-NEXT: ^bb0
// CHECK-NEXT: ingot.iterator_next @it : tensor<?x4xf32>, tensor<?xi64>
// CHECK-LABEL: ingot.entry @step__full_batch role(step) feeds ["s:0", "it:0", "it:1"]
// CHECK-SAME: version_of = @step
// CHECK-NEXT: ^bb0(%[[S:.*]]: tensor<f32>, %[[X:.*]]: tensor<32x4xf32>, %{{.*}}: tensor<32xi64>):
// CHECK-NOT: iterator_next
// CHECK: ingot.mul %[[X]], %{{.*}} : (tensor<32x4xf32>, tensor<f32>)
ingot.entry @step role(step) feeds ["s:0"] fetches [] variables [] updates [] {
^bb0(%s: tensor<f32>):
  %t = ingot.neg %s : (tensor<f32>) -> tensor<f32>
  %x, %y = ingot.iterator_next @it : tensor<?x4xf32>, tensor<?xi64>
  %0 = ingot.mul %x, %t : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
  ingot.return
}

// -----

// Where all is known, one version is enough.
ingot.iterator @full : [tensor<32xf32>] {
  %x = ingot.constant dense<1.0> : tensor<64xf32>
  %size = ingot.constant dense<32> : tensor<i64>
  %drop = ingot.constant dense<true> : tensor<i1>
  %0 = ingot.tensor_slice_dataset(%x) : (tensor<64xf32>) -> !ingot.dataset<tensor<f32>>
  %1 = ingot.batch_dataset(%0, %size, %drop) : (!ingot.dataset<tensor<f32>>, tensor<i64>, tensor<i1>) -> !ingot.dataset<tensor<32xf32>>
  ingot.yield %1 : !ingot.dataset<tensor<32xf32>>
}
// CHECK-LABEL: ingot.entry @only
// CHECK-NOT: ingot.entry
ingot.entry @only role(step) feeds [] fetches [] variables [] updates [] {
  %x = ingot.iterator_next @full : tensor<32xf32>
  ingot.return
}
