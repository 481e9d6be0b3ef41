// SPDX-License-Identifier: Apache-2.0
// Symbols are numbered in module order, per kind.
// RUN: ingot-opt %s -ingot-assign-resource-indices -split-input-file -verify-diagnostics | FileCheck %s

// CHECK: module attributes {ingot.numbered}
// A saver before its variables, an alternative before its iterator.
// CHECK: ingot.saver @save {{.*}}ingot.number = 0 : i32
ingot.saver @save [#ingot.saved<"b", @b, "", 0>]
    {filename = "model", num_shards = 1 : i32, max_to_keep = 5 : i32,
     keep_checkpoint_every_n_hours = 10000.0 : f32}
// CHECK: ingot.variable @b : {{.*}}ingot.number = 0 : i32
ingot.variable @b : tensor<4xf32>
// CHECK: ingot.iterator @other {{.*}}ingot.number = 2 : i32
ingot.iterator @other : [tensor<4xf32>] attributes {ingot.made_into = @first} {
  %x = ingot.constant dense<0.0> : tensor<3x4xf32>
  %0 = ingot.tensor_slice_dataset(%x) : (tensor<3x4xf32>) -> !ingot.dataset<tensor<4xf32>>
  ingot.yield %0 : !ingot.dataset<tensor<4xf32>>
}
// CHECK: ingot.iterator @first {{.*}}ingot.number = 0 : i32
ingot.iterator @first : [tensor<4xf32>] attributes {ingot.made_into = @first} {
  %x = ingot.constant dense<1.0> : tensor<3x4xf32>
  %0 = ingot.tensor_slice_dataset(%x) : (tensor<3x4xf32>) -> !ingot.dataset<tensor<4xf32>>
  ingot.yield %0 : !ingot.dataset<tensor<4xf32>>
}
// CHECK: ingot.table @t : {{.*}}ingot.number = 0 : i32
ingot.table @t : i64 to tensor<f32>
// CHECK: ingot.variable @a : {{.*}}ingot.number = 1 : i32
ingot.variable @a : tensor<4xf32>
// CHECK: ingot.iterator @last {{.*}}ingot.number = 1 : i32
ingot.iterator @last : [tensor<4xf32>] {
  %x = ingot.constant dense<2.0> : tensor<3x4xf32>
  %0 = ingot.tensor_slice_dataset(%x) : (tensor<3x4xf32>) -> !ingot.dataset<tensor<4xf32>>
  ingot.yield %0 : !ingot.dataset<tensor<4xf32>>
}

// -----

// (assign_resource_indices_c1)
module attributes {ingot.numbered} {
  ingot.variable @a : tensor<4xf32> {ingot.number = 0 : i32}
  // expected-error @+1 {{requires attribute 'ingot.number', as do all variables, tables, savers and iterators of the program}}
  ingot.variable @b : tensor<4xf32>
}

// -----

// (assign_resource_indices_c2)
module attributes {ingot.numbered} {
  // expected-note @+1 {{the other op is here}}
  ingot.variable @a : tensor<4xf32> {ingot.number = 1 : i32}
  // expected-error @+1 {{has the number 1, which is already the number of another op of this kind}}
  ingot.variable @b : tensor<4xf32> {ingot.number = 1 : i32}
}

// -----

// (assign_resource_indices_c2)
module attributes {ingot.numbered} {
  // expected-error @+1 {{has the number 1, but the program has only 1 ops of this kind, numbered from 0}}
  ingot.variable @a : tensor<4xf32> {ingot.number = 1 : i32}
}

// -----

// (assign_resource_indices_c3)
module attributes {ingot.numbered} {
  // expected-error @+1 {{has the number 0, but iterators whose 'ingot.made_into' names another iterator must be numbered after the 1 other iterators}}
  ingot.iterator @other : [tensor<4xf32>] attributes {ingot.made_into = @first, ingot.number = 0 : i32} {
    %x = ingot.constant dense<0.0> : tensor<3x4xf32>
    %0 = ingot.tensor_slice_dataset(%x) : (tensor<3x4xf32>) -> !ingot.dataset<tensor<4xf32>>
    ingot.yield %0 : !ingot.dataset<tensor<4xf32>>
  }
  ingot.iterator @first : [tensor<4xf32>] attributes {ingot.number = 1 : i32} {
    %x = ingot.constant dense<1.0> : tensor<3x4xf32>
    %0 = ingot.tensor_slice_dataset(%x) : (tensor<3x4xf32>) -> !ingot.dataset<tensor<4xf32>>
    ingot.yield %0 : !ingot.dataset<tensor<4xf32>>
  }
}
