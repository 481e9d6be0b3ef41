// SPDX-License-Identifier: Apache-2.0
// A pipeline's tables: operands and arguments, inputs, functions, bodies and
// attributes, each at its place, or other elements came out.
// RUN: ingotc %s --cpu=x86-64-v2 -o %t
// RUN: %t run mapped_entry --threads 1 --times 3 | FileCheck %s --check-prefix=MAPPED
// RUN: %t run nested_entry --threads 1 --times 5 | FileCheck %s --check-prefix=NESTED
// RUN: %t run zipped_entry --threads 1 --times 2 | FileCheck %s --check-prefix=ZIPPED

func.func private @double(%x: tensor<i64>) -> tensor<i64> {
  %0 = ingot.add %x, %x : (tensor<i64>, tensor<i64>) -> tensor<i64>
  return %0 : tensor<i64>
}

// 3, 5, 7, 9 without the first, doubled, by twos: the third batch is that of
// the second pass.
// MAPPED: y:0 = [10,14]
ingot.iterator @mapped : [tensor<?xi64>] {
  %first = ingot.constant dense<3> : tensor<i64>
  %end = ingot.constant dense<11> : tensor<i64>
  %step = ingot.constant dense<2> : tensor<i64>
  %one = ingot.constant dense<1> : tensor<i64>
  %forever = ingot.constant dense<-1> : tensor<i64>
  %two = ingot.constant dense<2> : tensor<i64>
  %drop = ingot.constant dense<false> : tensor<i1>
  %0 = ingot.range_dataset(%first, %end, %step) : (tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  %1 = ingot.skip_dataset(%0, %one) : (!ingot.dataset<tensor<i64>>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  %2 = ingot.map_dataset(%1) @double : (!ingot.dataset<tensor<i64>>) -> !ingot.dataset<tensor<i64>>
  %3 = ingot.batch_dataset(%2, %two, %drop) : (!ingot.dataset<tensor<i64>>, tensor<i64>, tensor<i1>) -> !ingot.dataset<tensor<?xi64>>
  %4 = ingot.repeat_dataset(%3, %forever) : (!ingot.dataset<tensor<?xi64>>, tensor<i64>) -> !ingot.dataset<tensor<?xi64>>
  ingot.yield %4 : !ingot.dataset<tensor<?xi64>>
}
ingot.entry @mapped_entry role(other) feeds [] fetches ["y:0"] variables [] updates [] {
  %0 = ingot.iterator_next @mapped : tensor<?xi64>
  ingot.return %0 : tensor<?xi64>
}

// The body's dataset takes the element that the outer one is at: 0, 0 1, 0 1 2.
// NESTED: y:0 = 1
ingot.iterator @nested : [tensor<i64>] {
  %zero = ingot.constant dense<0> : tensor<i64>
  %one = ingot.constant dense<1> : tensor<i64>
  %four = ingot.constant dense<4> : tensor<i64>
  %0 = ingot.range_dataset(%one, %four, %one) : (tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  %1 = ingot.flat_map_dataset(%0) : (!ingot.dataset<tensor<i64>>) -> !ingot.dataset<tensor<i64>> {
  ^bb0(%end: tensor<i64>):
    %r = ingot.range_dataset(%zero, %end, %one) : (tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
    ingot.yield %r : !ingot.dataset<tensor<i64>>
  }
  ingot.yield %1 : !ingot.dataset<tensor<i64>>
}
ingot.entry @nested_entry role(other) feeds [] fetches ["y:0"] variables [] updates [] {
  %0 = ingot.iterator_next @nested : tensor<i64>
  ingot.return %0 : tensor<i64>
}

// Two inputs in their order, of two types, one of them strings.
// ZIPPED: s:0 = "second"
// ZIPPED: b:0 = false
ingot.iterator @zipped : [tensor<!ingot.string>, tensor<i1>] {
  %words = ingot.constant dense<["first", "second"]> : tensor<2x!ingot.string>
  %flags = ingot.constant dense<[true, false]> : tensor<2xi1>
  %0 = ingot.tensor_slice_dataset(%words) : (tensor<2x!ingot.string>) -> !ingot.dataset<tensor<!ingot.string>>
  %1 = ingot.tensor_slice_dataset(%flags) : (tensor<2xi1>) -> !ingot.dataset<tensor<i1>>
  %2 = ingot.zip_dataset(%0, %1) : (!ingot.dataset<tensor<!ingot.string>>, !ingot.dataset<tensor<i1>>) -> !ingot.dataset<tensor<!ingot.string>, tensor<i1>>
  ingot.yield %2 : !ingot.dataset<tensor<!ingot.string>, tensor<i1>>
}
ingot.entry @zipped_entry role(other) feeds [] fetches ["s:0", "b:0"] variables [] updates [] {
  %0, %1 = ingot.iterator_next @zipped : tensor<!ingot.string>, tensor<i1>
  ingot.return %0, %1 : tensor<!ingot.string>, tensor<i1>
}
