// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (require_indices_c1)
func.func @require_indices_c1(%i: tensor<4xi32>, %l: tensor<2x2xi64>) {
  // expected-error @+1 {{the limits must be a vector or a scalar, but have shape [2, 2]}}
  ingot.require_indices %i, %l {kind = "gather"} : (tensor<4xi32>, tensor<2x2xi64>) -> ()
  return
}

// -----

// (require_indices_c2)
func.func @require_indices_c2(%i: tensor<4xi32>, %l: tensor<2xi64>) {
  // expected-error @+1 {{'rows' is not a kind of index check: IndexCheckKinds.def lists all kinds}}
  ingot.require_indices %i, %l {kind = "rows"} : (tensor<4xi32>, tensor<2xi64>) -> ()
  return
}

// -----

// (require_numbers_c1)
func.func @require_numbers_c1(%i: tensor<4xi32>) {
  // expected-error @+1 {{'base' is not a kind of number check: NumberCheckKinds.def lists all kinds}}
  ingot.require_numbers %i {kind = "base"} : (tensor<4xi32>) -> ()
  return
}

// -----

// (require_order_c1)
func.func @require_order_c1(%i: tensor<2x2xi32>) {
  // expected-error @+1 {{the numbers must be a vector, but have shape [2, 2]}}
  ingot.require_order %i {kind = "permutation"} : (tensor<2x2xi32>) -> ()
  return
}

// -----

// (require_order_c2)
func.func @require_order_c2(%i: tensor<4xi32>) {
  // expected-error @+1 {{'falling' is not a kind of order check: expected permutation, inverted, segments or sparse_segments}}
  ingot.require_order %i {kind = "falling"} : (tensor<4xi32>) -> ()
  return
}
