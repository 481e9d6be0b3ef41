// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --ingot-split-batch-into-slices=slices=2 --split-input-file --verify-diagnostics

// expected-error @+1 {{this training step has no batch to split: it reads no input and has no feeds}}
ingot.entry @step role(step) feeds [] fetches ["loss:0"] variables [] updates [] {
  %loss = ingot.constant dense<1.0> : tensor<f32>
  ingot.return %loss : tensor<f32>
}

// -----

// expected-warning @+1 {{this training step cannot be divided among processes, because it has no sum over the batch that can be computed slice by slice: every process computes the whole step}}
ingot.entry @step role(step) feeds ["x:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<4xf32>):
  %y = ingot.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  ingot.return %y : tensor<4xf32>
}

// -----

// Strings are not gathered, so all processes compute what returns them.
// expected-warning @+1 {{this training step cannot be divided among processes}}
ingot.entry @step role(step) feeds ["x:0", "n:0"] fetches ["y:0", "z:0"] variables [] updates [] {
^bb0(%x: tensor<4xf32>, %n: tensor<4x!ingot.string>):
  %s = ingot.constant dense<[4, 1]> : tensor<2xi32>
  %axis = ingot.constant dense<1> : tensor<i32>
  // expected-warning @+1 {{this op cannot be computed slice by slice: every process computes it for all rows of the batch}}
  %a = ingot.reshape %n, %s : (tensor<4x!ingot.string>, tensor<2xi32>) -> tensor<4x1x!ingot.string>
  // expected-warning @+1 {{this op cannot be computed slice by slice: every process computes it for all rows of the batch}}
  %b = ingot.expand_dims %n, %axis : (tensor<4x!ingot.string>, tensor<i32>) -> tensor<4x1x!ingot.string>
  ingot.return %a, %b : tensor<4x1x!ingot.string>, tensor<4x1x!ingot.string>
}

// -----

// Two sizes that only the run knows: what slices keep has no memory yet.
// expected-warning @+1 {{this training step cannot be divided among processes}}
ingot.entry @step role(step) feeds ["x:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<?x?xf32>):
  // expected-warning @+1 {{this op cannot be computed slice by slice: every process computes it for all rows of the batch}}
  %y = ingot.exp %x : (tensor<?x?xf32>) -> tensor<?x?xf32>
  ingot.return %y : tensor<?x?xf32>
}
