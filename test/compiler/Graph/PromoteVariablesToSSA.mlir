// SPDX-License-Identifier: Apache-2.0
// Entries compute on values: reads become arguments, assignments results.
// RUN: ingot-opt %s -ingot-promote-variables-to-ssa -split-input-file | FileCheck %s

ingot.variable @w : tensor<f32>

// CHECK-LABEL: ingot.entry @reads_once_and_assigns
// CHECK-SAME: variables [@w] updates [@w]
// CHECK-NEXT: ^bb0(%[[W:.*]]: tensor<f32>):
// CHECK-NEXT:   %[[Y:.*]] = ingot.add %[[W]], %[[W]]
// CHECK-NEXT:   ingot.return %[[Y]] : tensor<f32>
ingot.entry @reads_once_and_assigns role(step) feeds [] fetches [] variables [] updates [] {
  %a = ingot.read @w : tensor<f32>
  %b = ingot.read @w : tensor<f32>
  %y = ingot.add %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  ingot.assign @w, %y : tensor<f32>
  ingot.return
}

// -----

ingot.variable @w : tensor<f32>

// A read sees the assignment before it, not the one after; the last assignment
// is the result.
// CHECK-LABEL: ingot.entry @forwards_assigned_values
// CHECK-SAME: variables [@w] updates [@w]
// CHECK-NEXT: ^bb0(%[[OLD:.*]]: tensor<f32>):
// CHECK-NEXT:   %[[ONCE:.*]] = ingot.neg %[[OLD]]
// CHECK-NEXT:   %[[TWICE:.*]] = ingot.exp %[[ONCE]]
// CHECK-NEXT:   ingot.return %[[OLD]], %[[ONCE]], %[[TWICE]] :
ingot.entry @forwards_assigned_values role(step) feeds [] fetches ["old:0", "once:0"] variables [] updates [] {
  %old = ingot.read @w : tensor<f32>
  %once = ingot.neg %old : (tensor<f32>) -> tensor<f32>
  ingot.assign @w, %once : tensor<f32>
  %new = ingot.read @w : tensor<f32>
  %twice = ingot.exp %new : (tensor<f32>) -> tensor<f32>
  ingot.assign @w, %twice : tensor<f32>
  ingot.return %old, %new : tensor<f32>, tensor<f32>
}

// -----

ingot.variable @a : tensor<f32>
ingot.variable @b : tensor<2xf32>
ingot.variable @c : tensor<f32>

// A variable that is only assigned is not an argument, one that is only read
// not a result; variables come before feeds, fetches before updates.
// CHECK-LABEL: ingot.entry @keeps_feeds_and_fetches_apart
// CHECK-SAME: variables [@b] updates [@a]
// CHECK-NEXT: ^bb0(%[[B:.*]]: tensor<2xf32>, %[[X:.*]]: tensor<f32>):
// CHECK-NEXT:   ingot.return %[[B]], %[[X]] : tensor<2xf32>, tensor<f32>
ingot.entry @keeps_feeds_and_fetches_apart role(other) feeds ["x:0"] fetches ["b:0"] variables [] updates [] {
^bb0(%x: tensor<f32>):
  ingot.assign @a, %x : tensor<f32>
  %b = ingot.read @b : tensor<2xf32>
  ingot.return %b : tensor<2xf32>
}

// CHECK-LABEL: ingot.entry @swaps
// CHECK-SAME: variables [@a, @c] updates [@a, @c]
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<f32>, %[[C:.*]]: tensor<f32>):
// CHECK-NEXT:   ingot.return %[[C]], %[[A]]
ingot.entry @swaps role(other) feeds [] fetches [] variables [] updates [] {
  %a = ingot.read @a : tensor<f32>
  %c = ingot.read @c : tensor<f32>
  ingot.assign @a, %c : tensor<f32>
  ingot.assign @c, %a : tensor<f32>
  ingot.return
}

// -----

ingot.variable @w : tensor<f32>

// An assignment in one branch is a result of both; one in a body is
// loop-carried.
// CHECK-LABEL: ingot.entry @assigns_in_regions
// CHECK: ^bb0(%[[W:.*]]: tensor<f32>, %[[C:.*]]: tensor<i1>):
// CHECK: %[[IF:.*]] = ingot.if %[[C]] : tensor<i1> -> (tensor<f32>) {
// CHECK:   %[[N:.*]] = ingot.neg %[[W]]
// CHECK:   ingot.result %[[N]] : tensor<f32>
// CHECK: } else {
// CHECK:   ingot.result %[[W]] : tensor<f32>
// CHECK: %[[LOOP:.*]] = ingot.while(%[[IF]])
// CHECK: ^bb0(%[[STATE:.*]]: tensor<f32>):
// CHECK:   ingot.less %[[STATE]], %[[STATE]]
// CHECK: ^bb0(%[[STATE:.*]]: tensor<f32>):
// CHECK:   %[[E:.*]] = ingot.exp %[[STATE]]
// CHECK:   ingot.result %[[E]] : tensor<f32>
// CHECK: ingot.return %[[LOOP]] : tensor<f32>
ingot.entry @assigns_in_regions role(step) feeds ["c:0"] fetches [] variables [] updates [] {
^bb0(%c: tensor<i1>):
  ingot.if %c : tensor<i1> {
    %a = ingot.read @w : tensor<f32>
    %y = ingot.neg %a : (tensor<f32>) -> tensor<f32>
    ingot.assign @w, %y : tensor<f32>
    ingot.result
  } else {
    ingot.result
  }
  ingot.while() : () -> () test {
    %a = ingot.read @w : tensor<f32>
    %t = ingot.less %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ingot.condition %t : tensor<i1>
  } body {
    %a = ingot.read @w : tensor<f32>
    %y = ingot.exp %a : (tensor<f32>) -> tensor<f32>
    ingot.assign @w, %y : tensor<f32>
    ingot.result
  }
  ingot.return
}

// -----

// The state of random ops in a dataset's function becomes arguments and
// results: positions, then the seed; their variables disappear.
// CHECK-NOT: @position
// CHECK-LABEL: func.func private @draws
// CHECK-SAME: (%[[X:.*]]: tensor<2xi64>, %[[FIRST:.*]]: tensor<2xi64>, %[[SEED:.*]]: tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>)
// CHECK-SAME: ingot.random_positions = 1 : i64, ingot.random_seeds = 1 : i64
// CHECK: %[[NEXT:.*]] = ingot.add %[[FIRST]], %[[X]]
// CHECK: %[[Y:.*]] = ingot.add %[[SEED]], %[[X]]
// CHECK: return %[[Y]], %[[NEXT]]
ingot.variable @position : tensor<2xi64> {ingot.of_dataset, ingot.random_state = "position"}
ingot.variable @seed : tensor<2xi64> {ingot.of_dataset, ingot.random_state = "seed"}
func.func private @draws(%x: tensor<2xi64>) -> tensor<2xi64> {
  %seed = ingot.read @seed : tensor<2xi64>
  %position = ingot.read @position : tensor<2xi64>
  %next = ingot.add %position, %x : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  ingot.assign @position, %next : tensor<2xi64>
  %y = ingot.add %seed, %x : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  return %y : tensor<2xi64>
}

// -----

// A variable that a dataset's function reads becomes an argument after the
// state of its random ops, and stays a variable of the program.
// CHECK: ingot.variable @v
// CHECK-LABEL: func.func private @reads
// CHECK-SAME: (%[[X:.*]]: tensor<2xi64>, %[[SEED:.*]]: tensor<2xi64>, %[[V:.*]]: tensor<2xi64>) -> tensor<2xi64>
// CHECK-SAME: ingot.random_positions = 0 : i64, ingot.random_seeds = 1 : i64, ingot.variables_read = [@v]
// CHECK: %[[Y:.*]] = ingot.add %[[X]], %[[V]]
// CHECK: %[[Z:.*]] = ingot.add %[[Y]], %[[SEED]]
// CHECK: return %[[Z]]
ingot.variable @v : tensor<2xi64>
ingot.variable @seed : tensor<2xi64> {ingot.of_dataset, ingot.random_state = "seed"}
func.func private @reads(%x: tensor<2xi64>) -> tensor<2xi64> {
  %v = ingot.read @v : tensor<2xi64>
  %seed = ingot.read @seed : tensor<2xi64>
  %y = ingot.add %x, %v : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  %z = ingot.add %y, %seed : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  return %z : tensor<2xi64>
}
