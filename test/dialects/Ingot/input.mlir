// SPDX-License-Identifier: Apache-2.0
// Pipelines read back as they were written, in the short form and the generic.
// RUN: ingot-opt %s | ingot-opt | FileCheck %s
// RUN: ingot-opt %s -mlir-print-op-generic | ingot-opt | FileCheck %s

// CHECK: func.func private @parse
func.func private @parse(%s: tensor<!ingot.string>) -> (tensor<64xf32>, tensor<i64>) {
  %x = ingot.constant dense<> : tensor<0xf32>
  %y = ingot.constant dense<-1> : tensor<i64>
  // CHECK: %{{.*}}:2 = ingot.parse_example %{{.*}}, defaults(%{{.*}}, %{{.*}}) keys ["x", "y"] {dense_shapes = [array<i64: 64>, array<i64>]}
  // CHECK-SAME: : (tensor<!ingot.string>, tensor<0xf32>, tensor<i64>) -> (tensor<64xf32>, tensor<i64>)
  %0, %1 = ingot.parse_example %s, defaults(%x, %y) keys ["x", "y"] {dense_shapes = [array<i64: 64>, array<i64>]}
      : (tensor<!ingot.string>, tensor<0xf32>, tensor<i64>) -> (tensor<64xf32>, tensor<i64>)
  return %0, %1 : tensor<64xf32>, tensor<i64>
}

// CHECK: ingot.iterator @it : [tensor<8x64xf32>, tensor<8xi64>] {
ingot.iterator @it : [tensor<8x64xf32>, tensor<8xi64>] {
  %files = ingot.constant dense<["a", "b"]> : tensor<2x!ingot.string>
  %none = ingot.constant dense<""> : tensor<!ingot.string>
  %n = ingot.constant dense<8> : tensor<i64>
  %drop = ingot.constant dense<true> : tensor<i1>
  // CHECK: ingot.tensor_slice_dataset(%{{.*}}) : (tensor<2x!ingot.string>) -> !ingot.dataset<tensor<!ingot.string>>
  %0 = ingot.tensor_slice_dataset(%files) : (tensor<2x!ingot.string>) -> !ingot.dataset<tensor<!ingot.string>>
  // CHECK: ingot.flat_map_dataset(%{{.*}}) : (!ingot.dataset<tensor<!ingot.string>>) -> !ingot.dataset<tensor<!ingot.string>> {
  // CHECK: ingot.tf_record_dataset(%{{.*}}, %{{.*}}, %{{.*}})
  // CHECK: ingot.yield
  %1 = ingot.flat_map_dataset(%0) : (!ingot.dataset<tensor<!ingot.string>>) -> !ingot.dataset<tensor<!ingot.string>> {
  ^bb0(%file: tensor<!ingot.string>):
    %r = ingot.tf_record_dataset(%file, %none, %n) : (tensor<!ingot.string>, tensor<!ingot.string>, tensor<i64>) -> !ingot.dataset<tensor<!ingot.string>>
    ingot.yield %r : !ingot.dataset<tensor<!ingot.string>>
  }
  // CHECK: ingot.parallel_map_dataset(%{{.*}}, %{{.*}}) @parse :
  %2 = ingot.parallel_map_dataset(%1, %n) @parse : (!ingot.dataset<tensor<!ingot.string>>, tensor<i64>) -> !ingot.dataset<tensor<64xf32>, tensor<i64>>
  // CHECK: ingot.shuffle_dataset(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {reshuffle_each_iteration = false} :
  %3 = ingot.shuffle_dataset(%2, %n, %n, %n) {reshuffle_each_iteration = false}
      : (!ingot.dataset<tensor<64xf32>, tensor<i64>>, tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<64xf32>, tensor<i64>>
  // CHECK: ingot.repeat_dataset(
  %4 = ingot.repeat_dataset(%3, %n) : (!ingot.dataset<tensor<64xf32>, tensor<i64>>, tensor<i64>) -> !ingot.dataset<tensor<64xf32>, tensor<i64>>
  // CHECK: ingot.take_dataset(
  %5 = ingot.take_dataset(%4, %n) : (!ingot.dataset<tensor<64xf32>, tensor<i64>>, tensor<i64>) -> !ingot.dataset<tensor<64xf32>, tensor<i64>>
  // CHECK: ingot.skip_dataset(
  %6 = ingot.skip_dataset(%5, %n) : (!ingot.dataset<tensor<64xf32>, tensor<i64>>, tensor<i64>) -> !ingot.dataset<tensor<64xf32>, tensor<i64>>
  // CHECK: ingot.assert_cardinality_dataset(
  %asserted = ingot.assert_cardinality_dataset(%6, %n) : (!ingot.dataset<tensor<64xf32>, tensor<i64>>, tensor<i64>) -> !ingot.dataset<tensor<64xf32>, tensor<i64>>
  // CHECK: ingot.batch_dataset(
  %7 = ingot.batch_dataset(%6, %n, %drop) : (!ingot.dataset<tensor<64xf32>, tensor<i64>>, tensor<i64>, tensor<i1>) -> !ingot.dataset<tensor<8x64xf32>, tensor<8xi64>>
  // CHECK: ingot.prefetch_dataset(
  %8 = ingot.prefetch_dataset(%7, %n) : (!ingot.dataset<tensor<8x64xf32>, tensor<8xi64>>, tensor<i64>) -> !ingot.dataset<tensor<8x64xf32>, tensor<8xi64>>
  ingot.yield %8 : !ingot.dataset<tensor<8x64xf32>, tensor<8xi64>>
}

func.func private @double(%x: tensor<i64>) -> tensor<i64> {
  %0 = ingot.add %x, %x : (tensor<i64>, tensor<i64>) -> tensor<i64>
  return %0 : tensor<i64>
}

// CHECK: ingot.iterator @numbers : [tensor<i64>] {
ingot.iterator @numbers : [tensor<i64>] {
  %n = ingot.constant dense<8> : tensor<i64>
  // CHECK: ingot.range_dataset(%{{.*}}, %{{.*}}, %{{.*}}) : (tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  %0 = ingot.range_dataset(%n, %n, %n) : (tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  // CHECK: ingot.map_dataset(%{{.*}}) @double : (!ingot.dataset<tensor<i64>>) -> !ingot.dataset<tensor<i64>>
  %1 = ingot.map_dataset(%0) @double : (!ingot.dataset<tensor<i64>>) -> !ingot.dataset<tensor<i64>>
  ingot.yield %1 : !ingot.dataset<tensor<i64>>
}

// CHECK-LABEL: ingot.entry @next
ingot.entry @next role(other) feeds [] fetches ["x:0", "y:0"] variables [] updates [] {
  // CHECK: ingot.iterator_make @it
  ingot.iterator_make @it
  // CHECK: %{{.*}}:2 = ingot.iterator_next @it : tensor<8x64xf32>, tensor<8xi64>
  %x, %y = ingot.iterator_next @it : tensor<8x64xf32>, tensor<8xi64>
  ingot.return %x, %y : tensor<8x64xf32>, tensor<8xi64>
}

// An iterator's position moves even where the element is not used.
// CHECK-LABEL: ingot.entry @skip_one
ingot.entry @skip_one role(other) feeds [] fetches [] variables [] updates [] {
  // CHECK: ingot.iterator_next @numbers
  %x = ingot.iterator_next @numbers : tensor<i64>
  ingot.return
}
