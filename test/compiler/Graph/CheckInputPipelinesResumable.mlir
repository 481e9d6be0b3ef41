// SPDX-License-Identifier: Apache-2.0
// Pipelines that cannot resume are rejected at compile time.
// RUN: ingot-opt %s -ingot-check-input-pipelines-resumable -split-input-file -verify-diagnostics

// A variable that the step assigns may be read where elements are computed
// once.
ingot.variable @v : tensor<i64>
func.func private @add(%x: tensor<i64>) -> tensor<i64> {
  %v = ingot.read @v : tensor<i64>
  %y = ingot.add %x, %v : (tensor<i64>, tensor<i64>) -> tensor<i64>
  return %y : tensor<i64>
}
ingot.iterator @once : [tensor<i64>] {
  %a = ingot.constant dense<0> : tensor<i64>
  %n = ingot.constant dense<9> : tensor<i64>
  %s = ingot.constant dense<1> : tensor<i64>
  %0 = ingot.range_dataset(%a, %n, %s) : (tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  %1 = ingot.map_dataset(%0) @add : (!ingot.dataset<tensor<i64>>) -> !ingot.dataset<tensor<i64>>
  %2 = ingot.prefetch_dataset(%1, %n) : (!ingot.dataset<tensor<i64>>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  ingot.yield %2 : !ingot.dataset<tensor<i64>>
}
ingot.iterator @behind : [tensor<i64>] {
  %a = ingot.constant dense<0> : tensor<i64>
  %n = ingot.constant dense<9> : tensor<i64>
  %s = ingot.constant dense<1> : tensor<i64>
  %0 = ingot.range_dataset(%a, %n, %s) : (tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  %1 = ingot.shuffle_dataset(%0, %n, %n, %s) : (!ingot.dataset<tensor<i64>>, tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  %2 = ingot.map_dataset(%1) @add : (!ingot.dataset<tensor<i64>>) -> !ingot.dataset<tensor<i64>>
  ingot.yield %2 : !ingot.dataset<tensor<i64>>
}
ingot.entry @step role(step) feeds ["x"] fetches [] variables [] updates [] {
^bb0(%x: tensor<i64>):
  ingot.assign @v, %x : tensor<i64>
  ingot.return
}

// -----

// It may not be read where elements are recomputed: they would differ.
ingot.variable @v : tensor<i64>
func.func private @add(%x: tensor<i64>) -> tensor<i64> {
  // expected-error @+1 {{dataset function reads variable 'v', which the program assigns: elements recomputed on resume would depend on its new value; read the variable downstream of the dataset that recomputes elements}}
  %v = ingot.read @v : tensor<i64>
  %y = ingot.add %x, %v : (tensor<i64>, tensor<i64>) -> tensor<i64>
  return %y : tensor<i64>
}
ingot.iterator @again : [tensor<i64>] {
  %a = ingot.constant dense<0> : tensor<i64>
  %n = ingot.constant dense<9> : tensor<i64>
  %s = ingot.constant dense<1> : tensor<i64>
  %0 = ingot.range_dataset(%a, %n, %s) : (tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  %1 = ingot.map_dataset(%0) @add : (!ingot.dataset<tensor<i64>>) -> !ingot.dataset<tensor<i64>>
  // expected-note @+1 {{elements of this dataset are recomputed on resume}}
  %2 = ingot.shuffle_dataset(%1, %n, %n, %s) : (!ingot.dataset<tensor<i64>>, tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  ingot.yield %2 : !ingot.dataset<tensor<i64>>
}
ingot.entry @step role(step) feeds ["x"] fetches [] variables [] updates [] {
^bb0(%x: tensor<i64>):
  ingot.assign @v, %x : tensor<i64>
  ingot.return
}

// -----

// A variable that only initializers assign keeps its value.
ingot.variable @v : tensor<i64>
func.func private @add(%x: tensor<i64>) -> tensor<i64> {
  %v = ingot.read @v : tensor<i64>
  %y = ingot.add %x, %v : (tensor<i64>, tensor<i64>) -> tensor<i64>
  return %y : tensor<i64>
}
ingot.iterator @again : [tensor<i64>] {
  %a = ingot.constant dense<0> : tensor<i64>
  %n = ingot.constant dense<9> : tensor<i64>
  %s = ingot.constant dense<1> : tensor<i64>
  %0 = ingot.range_dataset(%a, %n, %s) : (tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  %1 = ingot.map_dataset(%0) @add : (!ingot.dataset<tensor<i64>>) -> !ingot.dataset<tensor<i64>>
  %2 = ingot.shuffle_dataset(%1, %n, %n, %s) : (!ingot.dataset<tensor<i64>>, tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  ingot.yield %2 : !ingot.dataset<tensor<i64>>
}
ingot.entry @start role(init) feeds ["x"] fetches [] variables [] updates [] {
^bb0(%x: tensor<i64>):
  ingot.assign @v, %x : tensor<i64>
  ingot.return
}

// -----

// A function with assignments would have to run exactly as often as elements
// are drawn.
ingot.variable @v : tensor<i64>
func.func private @count(%x: tensor<i64>) -> tensor<i64> {
  // expected-error @+1 {{dataset function assigns variable 'v'; only steps may assign variables}}
  ingot.assign @v, %x : tensor<i64>
  return %x : tensor<i64>
}
ingot.iterator @assigns : [tensor<i64>] {
  %a = ingot.constant dense<0> : tensor<i64>
  %n = ingot.constant dense<9> : tensor<i64>
  %s = ingot.constant dense<1> : tensor<i64>
  %0 = ingot.range_dataset(%a, %n, %s) : (tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  %1 = ingot.map_dataset(%0) @count : (!ingot.dataset<tensor<i64>>) -> !ingot.dataset<tensor<i64>>
  ingot.yield %1 : !ingot.dataset<tensor<i64>>
}

// -----

// Two consumers of a shuffle would draw their seeds from one stream.
ingot.iterator @shared : [tensor<i64>, tensor<i64>] {
  %a = ingot.constant dense<0> : tensor<i64>
  %n = ingot.constant dense<9> : tensor<i64>
  %s = ingot.constant dense<1> : tensor<i64>
  %0 = ingot.range_dataset(%a, %n, %s) : (tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  // expected-error @+1 {{a shuffle with reshuffle_each_iteration has two consumers: give each consumer its own shuffle}}
  %1 = ingot.shuffle_dataset(%0, %n, %n, %s) : (!ingot.dataset<tensor<i64>>, tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  %2 = ingot.zip_dataset(%1, %1) : (!ingot.dataset<tensor<i64>>, !ingot.dataset<tensor<i64>>) -> !ingot.dataset<tensor<i64>, tensor<i64>>
  ingot.yield %2 : !ingot.dataset<tensor<i64>, tensor<i64>>
}

// Two identical shuffles side by side count as two consumers.
ingot.iterator @each : [tensor<i64>, tensor<i64>] {
  %a = ingot.constant dense<0> : tensor<i64>
  %n = ingot.constant dense<9> : tensor<i64>
  %s = ingot.constant dense<1> : tensor<i64>
  %0 = ingot.range_dataset(%a, %n, %s) : (tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  %1 = ingot.shuffle_dataset(%0, %n, %n, %s) : (!ingot.dataset<tensor<i64>>, tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  %2 = ingot.shuffle_dataset(%0, %n, %n, %s) : (!ingot.dataset<tensor<i64>>, tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  %3 = ingot.zip_dataset(%1, %2) : (!ingot.dataset<tensor<i64>>, !ingot.dataset<tensor<i64>>) -> !ingot.dataset<tensor<i64>, tensor<i64>>
  ingot.yield %3 : !ingot.dataset<tensor<i64>, tensor<i64>>
}

// -----

// Interleaved datasets draw from one sequence, in which none can go back.
ingot.variable @position : tensor<2xi64> {ingot.of_dataset, ingot.random_state = "position"}
func.func private @draw(%x: tensor<i64>) -> tensor<i64> {
  %position = ingot.read @position : tensor<2xi64>
  ingot.assign @position, %position : tensor<2xi64>
  return %x : tensor<i64>
}
ingot.iterator @turns : [tensor<i64>] {
  %a = ingot.constant dense<0> : tensor<i64>
  %n = ingot.constant dense<9> : tensor<i64>
  %s = ingot.constant dense<1> : tensor<i64>
  %0 = ingot.range_dataset(%a, %n, %s) : (tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  %1 = ingot.interleave_dataset(%0, %n, %s) : (!ingot.dataset<tensor<i64>>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>> {
  ^bb0(%x: tensor<i64>):
    %2 = ingot.tensor_dataset(%x) : (tensor<i64>) -> !ingot.dataset<tensor<i64>>
    // expected-error @+1 {{dataset function draws random numbers within an interleave, upstream of a dataset that buffers or rereads elements; move the function after the interleave}}
    %3 = ingot.map_dataset(%2) @draw : (!ingot.dataset<tensor<i64>>) -> !ingot.dataset<tensor<i64>>
    %4 = ingot.shuffle_dataset(%3, %n, %n, %s) : (!ingot.dataset<tensor<i64>>, tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
    ingot.yield %4 : !ingot.dataset<tensor<i64>>
  }
  ingot.yield %1 : !ingot.dataset<tensor<i64>>
}
