// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (require_c1)
func.func @places(%ok: i1, %n: index) {
  // expected-error @+1 {{the text must have one {} placeholder for each of the 1 numbers, but has 2}}
  ingot.require %ok, "[{}] vs. [{}]" (%n)
  return
}

// -----

// (require_same_shape_c1)
func.func @places_of_shapes(%x: tensor<?xf32>) {
  // expected-error @+1 {{the text must have two {} placeholders, one for each shape, but has 1}}
  ingot.require_same_shape %x, %x {text = "{}"} : (tensor<?xf32>, tensor<?xf32>) -> ()
  return
}

// -----

// (require_same_shape_c2)
func.func @no_sizes(%x: tensor<2xf32>) {
  // expected-error @+1 {{a shape must be a vector of integers, but is 'tensor<2xf32>'}}
  ingot.require_same_shape %x, %x {text = "{} and {}", are_shapes} : (tensor<2xf32>, tensor<2xf32>) -> ()
  return
}
