// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (if_c1)
func.func @if_c1(%c: tensor<2xi1>) {
  // expected-error @+1 {{the condition must be a scalar, but is 'tensor<2xi1>'}}
  ingot.if %c : tensor<2xi1> {
    ingot.result
  } else {
    ingot.result
  }
  return
}

// -----

// (if_c2)
func.func @if_c2(%c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<3xf32>) {
  // expected-error @+1 {{but the 'else' branch yields ('tensor<3xf32>')}}
  %r = ingot.if %c : tensor<i1> -> (tensor<4xf32>) {
    ingot.result %x : tensor<4xf32>
  } else {
    // expected-note @+1 {{yielded here}}
    ingot.result %y : tensor<3xf32>
  }
  return
}

// -----

// (while_c1)
func.func @while_c1(%x: tensor<f32>) {
  // expected-error @+1 {{the test region must end in ingot.condition of a scalar}}
  %r = ingot.while(%x) : (tensor<f32>) -> tensor<f32> test {
  ^bb0(%y: tensor<f32>):
    ingot.result %y : tensor<f32>
  } body {
  ^bb0(%y: tensor<f32>):
    ingot.result %y : tensor<f32>
  }
  return
}

// -----

// (while_c2)
func.func @while_c2(%x: tensor<f32>, %c: tensor<i1>) {
  // expected-error @+1 {{has results ('tensor<f32>'), but the body takes ('tensor<2xf32>')}}
  %r = ingot.while(%x) : (tensor<f32>) -> tensor<f32> test {
  ^bb0(%y: tensor<f32>):
    ingot.condition %c : tensor<i1>
  } body {
  ^bb0(%y: tensor<2xf32>):
    ingot.result %x : tensor<f32>
  }
  return
}
