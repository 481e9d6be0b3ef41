// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --ingot-make-batch-sizes-static | FileCheck %s

// No batch of an endless input is partial, even if remainders are kept;
// prefetch and the entry get the static size, too.

// CHECK-LABEL: ingot.iterator @endless : [tensor<50x4xf32>]
ingot.iterator @endless : [tensor<?x4xf32>] {
  %x = ingot.constant dense<0.0> : tensor<7x4xf32>
  %forever = ingot.constant dense<-1> : tensor<i64>
  %fifty = ingot.constant dense<50> : tensor<i64>
  %keep = ingot.constant dense<false> : tensor<i1>
  %0 = ingot.tensor_slice_dataset(%x) : (tensor<7x4xf32>) -> !ingot.dataset<tensor<4xf32>>
  %1 = ingot.repeat_dataset(%0, %forever) : (!ingot.dataset<tensor<4xf32>>, tensor<i64>) -> !ingot.dataset<tensor<4xf32>>
  // CHECK: ingot.batch_dataset({{.*}} -> !ingot.dataset<tensor<50x4xf32>>
  %2 = ingot.batch_dataset(%1, %fifty, %keep) : (!ingot.dataset<tensor<4xf32>>, tensor<i64>, tensor<i1>) -> !ingot.dataset<tensor<?x4xf32>>
  %3 = ingot.prefetch_dataset(%2, %fifty) : (!ingot.dataset<tensor<?x4xf32>>, tensor<i64>) -> !ingot.dataset<tensor<?x4xf32>>
  ingot.yield %3 : !ingot.dataset<tensor<?x4xf32>>
}
// CHECK: ingot.iterator_next @endless : tensor<50x4xf32>
ingot.entry @step role(step) feeds [] fetches ["x:0"] variables [] updates [] {
  %x = ingot.iterator_next @endless : tensor<?x4xf32>
  ingot.return %x : tensor<?x4xf32>
}

// -----

// Seven elements in batches of three leave one over: not static.

// CHECK-LABEL: ingot.iterator @ends : [tensor<?x4xf32>]
ingot.iterator @ends : [tensor<?x4xf32>] {
  %x = ingot.constant dense<0.0> : tensor<7x4xf32>
  %twice = ingot.constant dense<2> : tensor<i64>
  %three = ingot.constant dense<3> : tensor<i64>
  %keep = ingot.constant dense<false> : tensor<i1>
  %0 = ingot.tensor_slice_dataset(%x) : (tensor<7x4xf32>) -> !ingot.dataset<tensor<4xf32>>
  %1 = ingot.repeat_dataset(%0, %twice) : (!ingot.dataset<tensor<4xf32>>, tensor<i64>) -> !ingot.dataset<tensor<4xf32>>
  // CHECK: ingot.batch_dataset({{.*}} -> !ingot.dataset<tensor<?x4xf32>>
  %2 = ingot.batch_dataset(%1, %three, %keep) : (!ingot.dataset<tensor<4xf32>>, tensor<i64>, tensor<i1>) -> !ingot.dataset<tensor<?x4xf32>>
  ingot.yield %2 : !ingot.dataset<tensor<?x4xf32>>
}

// -----

// With dropped remainders it is static. An endless repetition after the batch
// does not fill the partial batch before it.

// CHECK-LABEL: ingot.iterator @drops : [tensor<3x4xf32>]
ingot.iterator @drops : [tensor<?x4xf32>] {
  %x = ingot.constant dense<0.0> : tensor<7x4xf32>
  %three = ingot.constant dense<3> : tensor<i64>
  %drop = ingot.constant dense<true> : tensor<i1>
  %0 = ingot.tensor_slice_dataset(%x) : (tensor<7x4xf32>) -> !ingot.dataset<tensor<4xf32>>
  %1 = ingot.batch_dataset(%0, %three, %drop) : (!ingot.dataset<tensor<4xf32>>, tensor<i64>, tensor<i1>) -> !ingot.dataset<tensor<?x4xf32>>
  ingot.yield %1 : !ingot.dataset<tensor<?x4xf32>>
}

// CHECK-LABEL: ingot.iterator @repeats_short : [tensor<?x4xf32>]
ingot.iterator @repeats_short : [tensor<?x4xf32>] {
  %x = ingot.constant dense<0.0> : tensor<7x4xf32>
  %three = ingot.constant dense<3> : tensor<i64>
  %forever = ingot.constant dense<-1> : tensor<i64>
  %keep = ingot.constant dense<false> : tensor<i1>
  %0 = ingot.tensor_slice_dataset(%x) : (tensor<7x4xf32>) -> !ingot.dataset<tensor<4xf32>>
  %1 = ingot.batch_dataset(%0, %three, %keep) : (!ingot.dataset<tensor<4xf32>>, tensor<i64>, tensor<i1>) -> !ingot.dataset<tensor<?x4xf32>>
  %2 = ingot.repeat_dataset(%1, %forever) : (!ingot.dataset<tensor<?x4xf32>>, tensor<i64>) -> !ingot.dataset<tensor<?x4xf32>>
  ingot.yield %2 : !ingot.dataset<tensor<?x4xf32>>
}

// -----

// Eight elements, in any order, are two batches of four, again and again. Of
// nine the last one is left over.

// CHECK-LABEL: ingot.iterator @divides : [tensor<4x2xf32>]
ingot.iterator @divides : [tensor<?x2xf32>] {
  %x = ingot.constant dense<0.0> : tensor<8x2xf32>
  %four = ingot.constant dense<4> : tensor<i64>
  %forever = ingot.constant dense<-1> : tensor<i64>
  %keep = ingot.constant dense<false> : tensor<i1>
  %0 = ingot.tensor_slice_dataset(%x) : (tensor<8x2xf32>) -> !ingot.dataset<tensor<2xf32>>
  %1 = ingot.shuffle_dataset(%0, %four, %four, %four) : (!ingot.dataset<tensor<2xf32>>, tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<2xf32>>
  // CHECK: ingot.batch_dataset({{.*}} -> !ingot.dataset<tensor<4x2xf32>>
  %2 = ingot.batch_dataset(%1, %four, %keep) : (!ingot.dataset<tensor<2xf32>>, tensor<i64>, tensor<i1>) -> !ingot.dataset<tensor<?x2xf32>>
  %3 = ingot.repeat_dataset(%2, %forever) : (!ingot.dataset<tensor<?x2xf32>>, tensor<i64>) -> !ingot.dataset<tensor<?x2xf32>>
  ingot.yield %3 : !ingot.dataset<tensor<?x2xf32>>
}

// CHECK-LABEL: ingot.iterator @leaves_one : [tensor<?x2xf32>]
ingot.iterator @leaves_one : [tensor<?x2xf32>] {
  %x = ingot.constant dense<0.0> : tensor<9x2xf32>
  %four = ingot.constant dense<4> : tensor<i64>
  %keep = ingot.constant dense<false> : tensor<i1>
  %0 = ingot.tensor_slice_dataset(%x) : (tensor<9x2xf32>) -> !ingot.dataset<tensor<2xf32>>
  %1 = ingot.batch_dataset(%0, %four, %keep) : (!ingot.dataset<tensor<2xf32>>, tensor<i64>, tensor<i1>) -> !ingot.dataset<tensor<?x2xf32>>
  ingot.yield %1 : !ingot.dataset<tensor<?x2xf32>>
}

// Some of eight are taken; the number is not analyzed.

// CHECK-LABEL: ingot.iterator @takes : [tensor<?x2xf32>]
ingot.iterator @takes : [tensor<?x2xf32>] {
  %x = ingot.constant dense<0.0> : tensor<8x2xf32>
  %four = ingot.constant dense<4> : tensor<i64>
  %seven = ingot.constant dense<7> : tensor<i64>
  %keep = ingot.constant dense<false> : tensor<i1>
  %0 = ingot.tensor_slice_dataset(%x) : (tensor<8x2xf32>) -> !ingot.dataset<tensor<2xf32>>
  %1 = ingot.take_dataset(%0, %seven) : (!ingot.dataset<tensor<2xf32>>, tensor<i64>) -> !ingot.dataset<tensor<2xf32>>
  %2 = ingot.batch_dataset(%1, %four, %keep) : (!ingot.dataset<tensor<2xf32>>, tensor<i64>, tensor<i1>) -> !ingot.dataset<tensor<?x2xf32>>
  ingot.yield %2 : !ingot.dataset<tensor<?x2xf32>>
}
