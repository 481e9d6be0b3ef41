// SPDX-License-Identifier: Apache-2.0
// iterator_next comes before assignments.
// RUN: ingot-opt %s -ingot-hoist-iterator-next-above-assignments -split-input-file -verify-diagnostics | FileCheck %s

ingot.variable @n : tensor<i64>
ingot.variable @w : tensor<4xf32>
ingot.iterator @it : [tensor<4xf32>] {
  %x = ingot.constant dense<0.0> : tensor<3x4xf32>
  %0 = ingot.tensor_slice_dataset(%x) : (tensor<3x4xf32>) -> !ingot.dataset<tensor<4xf32>>
  ingot.yield %0 : !ingot.dataset<tensor<4xf32>>
}

// Also before the computation of assigned values; iterators keep their order.
// CHECK-LABEL: ingot.entry @step
// CHECK-NEXT: %[[A:.*]] = ingot.iterator_next
// CHECK-NEXT: %[[B:.*]] = ingot.iterator_next
// CHECK-NEXT: ingot.read @n
// CHECK: ingot.assign @n
// CHECK: ingot.assign @w, %[[A]]
// CHECK: ingot.return %[[B]]
ingot.entry @step role(step) feeds [] fetches ["b"] variables [] updates [] {
  %n = ingot.read @n : tensor<i64>
  %m = ingot.add %n, %n : (tensor<i64>, tensor<i64>) -> tensor<i64>
  ingot.assign @n, %m : tensor<i64>
  %a = ingot.iterator_next @it : tensor<4xf32>
  ingot.assign @w, %a : tensor<4xf32>
  %b = ingot.iterator_next @it : tensor<4xf32>
  ingot.return %b : tensor<4xf32>
}

// A branch moves with its predicate.
// CHECK-LABEL: ingot.entry @branch
// CHECK-NEXT: %[[N:.*]] = ingot.read @n
// CHECK-NEXT: %[[C:.*]] = ingot.greater %[[N]], %[[N]]
// CHECK-NEXT: ingot.if %[[C]]
// CHECK: ingot.iterator_next
// CHECK: ingot.assign @w
ingot.entry @branch role(step) feeds [] fetches ["x"] variables [] updates [] {
  %w = ingot.read @w : tensor<4xf32>
  %v = ingot.add %w, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  ingot.assign @w, %v : tensor<4xf32>
  %n = ingot.read @n : tensor<i64>
  %c = ingot.greater %n, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %x = ingot.if %c : tensor<i1> -> (tensor<4xf32>) {
    %0 = ingot.iterator_next @it : tensor<4xf32>
    ingot.result %0 : tensor<4xf32>
  } else {
    %zero = ingot.constant dense<0.0> : tensor<4xf32>
    ingot.result %zero : tensor<4xf32>
  }
  ingot.return %x : tensor<4xf32>
}

// Several steps in one entry: each iteration draws first. An assignment that
// the loop does not read moves after it.
// CHECK-LABEL: ingot.entry @loop
// CHECK-NOT: ingot.assign @w
// CHECK: ingot.while
// CHECK: body
// CHECK-NEXT: ^bb0
// CHECK-NEXT: ingot.iterator_next
// CHECK: ingot.assign @n
// CHECK: ingot.result
// CHECK: ingot.assign @w
ingot.entry @loop role(step) feeds [] fetches [] variables [] updates [] {
  %zero = ingot.constant dense<0> : tensor<i64>
  %one = ingot.constant dense<1> : tensor<i64>
  %five = ingot.constant dense<5> : tensor<i64>
  %zeros = ingot.constant dense<0.0> : tensor<4xf32>
  ingot.assign @w, %zeros : tensor<4xf32>
  %end = ingot.while(%zero) : (tensor<i64>) -> tensor<i64> test {
  ^bb0(%i: tensor<i64>):
    %c = ingot.less %i, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ingot.condition %c : tensor<i1>
  } body {
  ^bb0(%i: tensor<i64>):
    %n = ingot.read @n : tensor<i64>
    %m = ingot.add %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ingot.assign @n, %m : tensor<i64>
    %x = ingot.iterator_next @it : tensor<4xf32>
    %next = ingot.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ingot.result %next : tensor<i64>
  }
  ingot.return
}

// Entries that restore state are left alone.
// CHECK-LABEL: ingot.entry @restore
// CHECK: ingot.assign
// CHECK: ingot.iterator_next
ingot.entry @restore role(restore) feeds [] fetches [] variables [] updates [] {
  %zero = ingot.constant dense<0> : tensor<i64>
  ingot.assign @n, %zero : tensor<i64>
  %x = ingot.iterator_next @it : tensor<4xf32>
  ingot.return
}

// -----

ingot.variable @n : tensor<i64>
ingot.iterator @it : [tensor<4xf32>] {
  %x = ingot.constant dense<0.0> : tensor<3x4xf32>
  %0 = ingot.tensor_slice_dataset(%x) : (tensor<3x4xf32>) -> !ingot.dataset<tensor<4xf32>>
  ingot.yield %0 : !ingot.dataset<tensor<4xf32>>
}

// Whether it draws depends on an assigned variable.
ingot.entry @depends role(step) feeds [] fetches [] variables [] updates [] {
  %one = ingot.constant dense<1> : tensor<i64>
  ingot.assign @n, %one : tensor<i64> // expected-note {{updated here, before IteratorGetNext}}
  %n = ingot.read @n : tensor<i64>
  %c = ingot.greater %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
  // expected-error@+1 {{a variable or lookup table is updated before IteratorGetNext, and the two cannot be reordered}}
  ingot.if %c : tensor<i1> {
    %0 = ingot.iterator_next @it : tensor<4xf32>
    ingot.result
  } else {
    ingot.result
  }
  ingot.return
}

// -----

ingot.variable @n : tensor<i64>
ingot.iterator @it : [tensor<4xf32>] {
  %x = ingot.constant dense<0.0> : tensor<3x4xf32>
  %0 = ingot.tensor_slice_dataset(%x) : (tensor<3x4xf32>) -> !ingot.dataset<tensor<4xf32>>
  ingot.yield %0 : !ingot.dataset<tensor<4xf32>>
}
ingot.saver @save [#ingot.saved<"n", @n, "", 0>]
    {filename = "model", num_shards = 1 : i32, max_to_keep = 5 : i32,
     keep_checkpoint_every_n_hours = 10000.0 : f32}

// The element would be drawn while the variable is still that of the step
// before.
ingot.entry @saves role(step) feeds ["prefix"] fetches [] variables [] updates [] {
^bb0(%prefix: tensor<!ingot.string>):
  %one = ingot.constant dense<1> : tensor<i64>
  %0 = ingot.iterator_next @it : tensor<4xf32>
  // expected-error@+1 {{a checkpoint is written in the middle of a step}}
  ingot.save @save, %prefix : tensor<!ingot.string>
  ingot.assign @n, %one : tensor<i64> // expected-note {{updated here after the checkpoint}}
  ingot.return
}

// -----

ingot.variable @n : tensor<i64>
ingot.iterator @it : [tensor<4xf32>] {
  %x = ingot.constant dense<0.0> : tensor<3x4xf32>
  %0 = ingot.tensor_slice_dataset(%x) : (tensor<3x4xf32>) -> !ingot.dataset<tensor<4xf32>>
  ingot.yield %0 : !ingot.dataset<tensor<4xf32>>
}
ingot.saver @save [#ingot.saved<"n", @n, "", 0>]
    {filename = "model", num_shards = 1 : i32, max_to_keep = 5 : i32,
     keep_checkpoint_every_n_hours = 10000.0 : f32}

// A checkpoint of the step before, and one of the whole step.
// CHECK-LABEL: ingot.entry @around
// CHECK: ingot.save
// CHECK-NEXT: ingot.iterator_next
// CHECK: ingot.assign
// CHECK-NEXT: ingot.save
ingot.entry @around role(step) feeds ["prefix"] fetches [] variables [] updates [] {
^bb0(%prefix: tensor<!ingot.string>):
  %one = ingot.constant dense<1> : tensor<i64>
  ingot.save @save, %prefix : tensor<!ingot.string>
  %two = ingot.add %one, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %0 = ingot.iterator_next @it : tensor<4xf32>
  ingot.assign @n, %two : tensor<i64>
  ingot.save @save, %prefix : tensor<!ingot.string>
  ingot.return
}

// -----

// iterator_next reads the variables that functions of its pipeline read: it
// stays before their assignment, and is rejected after it.
ingot.variable @v : tensor<i64>
func.func private @add(%x: tensor<i64>) -> tensor<i64> {
  %v = ingot.read @v : tensor<i64>
  %y = ingot.add %x, %v : (tensor<i64>, tensor<i64>) -> tensor<i64>
  return %y : tensor<i64>
}
ingot.iterator @it : [tensor<i64>] {
  %a = ingot.constant dense<0> : tensor<i64>
  %n = ingot.constant dense<9> : tensor<i64>
  %s = ingot.constant dense<1> : tensor<i64>
  %0 = ingot.range_dataset(%a, %n, %s) : (tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  %1 = ingot.map_dataset(%0) @add : (!ingot.dataset<tensor<i64>>) -> !ingot.dataset<tensor<i64>>
  ingot.yield %1 : !ingot.dataset<tensor<i64>>
}
// CHECK-LABEL: ingot.entry @before
// CHECK: ingot.iterator_next
// CHECK: ingot.assign @v
ingot.entry @before role(step) feeds [] fetches [] variables [] updates [] {
  %x = ingot.iterator_next @it : tensor<i64>
  ingot.assign @v, %x : tensor<i64>
  ingot.return
}

// -----

ingot.variable @v : tensor<i64>
func.func private @add(%x: tensor<i64>) -> tensor<i64> {
  %v = ingot.read @v : tensor<i64>
  %y = ingot.add %x, %v : (tensor<i64>, tensor<i64>) -> tensor<i64>
  return %y : tensor<i64>
}
ingot.iterator @it : [tensor<i64>] {
  %a = ingot.constant dense<0> : tensor<i64>
  %n = ingot.constant dense<9> : tensor<i64>
  %s = ingot.constant dense<1> : tensor<i64>
  %0 = ingot.range_dataset(%a, %n, %s) : (tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  %1 = ingot.map_dataset(%0) @add : (!ingot.dataset<tensor<i64>>) -> !ingot.dataset<tensor<i64>>
  ingot.yield %1 : !ingot.dataset<tensor<i64>>
}
ingot.entry @after role(step) feeds [] fetches ["x"] variables [] updates [] {
  %n = ingot.constant dense<9> : tensor<i64>
  // expected-note @+1 {{updated here, before IteratorGetNext}}
  ingot.assign @v, %n : tensor<i64>
  // expected-error @+1 {{a variable or lookup table is updated before IteratorGetNext, and the two cannot be reordered}}
  %x = ingot.iterator_next @it : tensor<i64>
  ingot.return %x : tensor<i64>
}

// -----

// Assignments of a loop or an initializer reach the variable at its end.
ingot.variable @v : tensor<i64>
func.func private @add(%x: tensor<i64>) -> tensor<i64> {
  %v = ingot.read @v : tensor<i64>
  %y = ingot.add %x, %v : (tensor<i64>, tensor<i64>) -> tensor<i64>
  return %y : tensor<i64>
}
ingot.iterator @it : [tensor<i64>] {
  %a = ingot.constant dense<0> : tensor<i64>
  %n = ingot.constant dense<9> : tensor<i64>
  %s = ingot.constant dense<1> : tensor<i64>
  %0 = ingot.range_dataset(%a, %n, %s) : (tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  %1 = ingot.map_dataset(%0) @add : (!ingot.dataset<tensor<i64>>) -> !ingot.dataset<tensor<i64>>
  ingot.yield %1 : !ingot.dataset<tensor<i64>>
}
ingot.entry @loop role(step) feeds [] fetches [] variables [] updates [] {
  ingot.while() : () -> () test {
    %v = ingot.read @v : tensor<i64>
    %t = ingot.less %v, %v : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ingot.condition %t : tensor<i1>
  } body {
    // expected-error @+1 {{the iterator's dataset functions read variable 'v', which this loop or initializer assigns: elements would still be computed from the old value; call IteratorGetNext once per run of an entry}}
    %x = ingot.iterator_next @it : tensor<i64>
    ingot.assign @v, %x : tensor<i64>
    ingot.result
  }
  ingot.return
}

ingot.entry @start role(init) feeds [] fetches [] variables [] updates [] {
  // expected-error @+1 {{dataset functions read variable 'v'}}
  %x = ingot.iterator_next @it : tensor<i64>
  ingot.assign @v, %x : tensor<i64>
  ingot.return
}

// -----

ingot.table @seen : i64 to tensor<i64>
ingot.iterator @it : [tensor<4xi64>] {
  %x = ingot.constant dense<0> : tensor<3x4xi64>
  %0 = ingot.tensor_slice_dataset(%x) : (tensor<3x4xi64>) -> !ingot.dataset<tensor<4xi64>>
  ingot.yield %0 : !ingot.dataset<tensor<4xi64>>
}

// Elements are drawn before a lookup table changes.
// CHECK-LABEL: ingot.entry @table
// CHECK-NEXT: %[[KEYS:.*]] = ingot.iterator_next
// CHECK: ingot.table_remove
// CHECK-NEXT: ingot.table_insert %[[KEYS]]
ingot.entry @table role(step) feeds [] fetches [] variables [] updates [] {
  %one = ingot.constant dense<1> : tensor<1xi64>
  ingot.table_remove %one {table = @seen} : (tensor<1xi64>) -> ()
  %k = ingot.iterator_next @it : tensor<4xi64>
  ingot.table_insert %k, %k {table = @seen, mode = "insert"} : (tensor<4xi64>, tensor<4xi64>) -> ()
  ingot.return
}

// -----

ingot.table @seen : i64 to tensor<i64>
ingot.iterator @it : [tensor<4xi64>] {
  %x = ingot.constant dense<0> : tensor<3x4xi64>
  %0 = ingot.tensor_slice_dataset(%x) : (tensor<3x4xi64>) -> !ingot.dataset<tensor<4xi64>>
  ingot.yield %0 : !ingot.dataset<tensor<4xi64>>
}

// Whether it draws depends on a table that has changed.
ingot.entry @depends_on_table role(step) feeds [] fetches [] variables [] updates [] {
  %one = ingot.constant dense<1> : tensor<i64>
  %key = ingot.constant dense<1> : tensor<1xi64>
  // expected-note @+1 {{updated here, before IteratorGetNext}}
  ingot.table_remove %key {table = @seen} : (tensor<1xi64>) -> ()
  %n = ingot.table_size {table = @seen} : () -> tensor<i64>
  %c = ingot.greater %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
  // expected-error @+1 {{a variable or lookup table is updated before IteratorGetNext, and the two cannot be reordered}}
  ingot.if %c : tensor<i1> {
    %0 = ingot.iterator_next @it : tensor<4xi64>
    ingot.result
  } else {
    ingot.result
  }
  ingot.return
}

// -----

ingot.table @seen : i64 to tensor<i64>
ingot.iterator @it : [tensor<4xi64>] {
  %x = ingot.constant dense<0> : tensor<3x4xi64>
  %0 = ingot.tensor_slice_dataset(%x) : (tensor<3x4xi64>) -> !ingot.dataset<tensor<4xi64>>
  ingot.yield %0 : !ingot.dataset<tensor<4xi64>>
}

// Unlike a variable, a table changes in each iteration of a loop.
ingot.entry @loop_changes_table role(step) feeds [] fetches [] variables [] updates [] {
  %zero = ingot.constant dense<0> : tensor<i64>
  %ten = ingot.constant dense<10> : tensor<i64>
  %last = ingot.while(%zero) : (tensor<i64>) -> tensor<i64> test {
  ^bb0(%i: tensor<i64>):
    %c = ingot.less %i, %ten : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ingot.condition %c : tensor<i1>
  } body {
  ^bb0(%i: tensor<i64>):
    // expected-error @+1 {{a loop with IteratorGetNext must not change a lookup table: if the input ended during the loop}}
    %k = ingot.iterator_next @it : tensor<4xi64>
    // expected-note @+1 {{changed here}}
    ingot.table_insert %k, %k {table = @seen, mode = "insert"} : (tensor<4xi64>, tensor<4xi64>) -> ()
    ingot.result %i : tensor<i64>
  }
  ingot.return
}

// -----

ingot.table @seen : i64 to tensor<i64>
ingot.iterator @it : [tensor<4xi64>] {
  %x = ingot.constant dense<0> : tensor<3x4xi64>
  %0 = ingot.tensor_slice_dataset(%x) : (tensor<3x4xi64>) -> !ingot.dataset<tensor<4xi64>>
  ingot.yield %0 : !ingot.dataset<tensor<4xi64>>
}

ingot.saver @save [] {filename = "model", num_shards = 1 : i32, max_to_keep = 5 : i32,
    keep_checkpoint_every_n_hours = 10000.0 : f32}

ingot.entry @saves_before_table role(step) feeds ["prefix"] fetches [] variables [] updates [] {
^bb0(%prefix: tensor<!ingot.string>):
  %k = ingot.iterator_next @it : tensor<4xi64>
  // expected-error @+1 {{a checkpoint is written in the middle of a step}}
  ingot.save @save, %prefix : tensor<!ingot.string>
  // expected-note @+1 {{updated here after the checkpoint}}
  ingot.table_remove %k {table = @seen} : (tensor<4xi64>) -> ()
  ingot.return
}
