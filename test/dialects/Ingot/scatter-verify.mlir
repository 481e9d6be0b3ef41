// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (update_rows_c1)
func.func @tables_of_one_shape(%w: tensor<4x2xf32>, %s: tensor<5x2xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{shapes differ: [4, 2] of the variable and [5, 2] of a slot variable}}
  %0:2 = ingot.update_rows (%w, %s) at %i : (tensor<4x2xf32>, tensor<5x2xf32>, tensor<3xi64>) -> (tensor<4x2xf32>, tensor<5x2xf32>) {
  ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
    ingot.yield_rows %a, %b : tensor<2xf32>, tensor<2xf32>
  }
  return
}

// -----

// (update_rows_c1)
func.func @tables_have_rows(%w: tensor<f32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{an index has 1 coordinates, but the variable has shape []}}
  %0 = ingot.update_rows (%w) at %i : (tensor<f32>, tensor<3xi64>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>):
    ingot.yield_rows %a : tensor<f32>
  }
  return
}

// -----

// (update_rows_c2)
func.func @updates_for_indices(%w: tensor<4x2xf32>, %i: tensor<3xi64>, %u: tensor<5x2xf32>) {
  // expected-error @+1 {{the updates must have shape [3, 2], one row of shape [2] for each index, but have shape [5, 2]}}
  %0 = ingot.update_rows (%w) at %i by (%u) : (tensor<4x2xf32>, tensor<3xi64>, tensor<5x2xf32>) -> tensor<4x2xf32> {
  ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
    ingot.yield_rows %b : tensor<2xf32>
  }
  return
}

// -----

// (update_rows_c3)
func.func @depth_is_known(%w: tensor<4x2xf32>, %i: tensor<3x?xi64>) {
  // expected-error @+1 {{the last dimension of the indices (the number of coordinates per index) must be static, but the indices have shape [3, ?]}}
  %0 = ingot.update_rows (%w) at %i {nd} : (tensor<4x2xf32>, tensor<3x?xi64>) -> tensor<4x2xf32> {
  ^bb0(%a: tensor<2xf32>):
    ingot.yield_rows %a : tensor<2xf32>
  }
  return
}

// -----

// (update_rows_c4)
func.func @bodies_yield_rows(%w: tensor<4x2xf32>, %i: tensor<3xi64>, %u: tensor<f32>) {
  // expected-error @+1 {{the body yields ('tensor<f32>'), expected ('tensor<2xf32>')}}
  %0 = ingot.update_rows (%w) at %i with (%u) : (tensor<4x2xf32>, tensor<3xi64>, tensor<f32>) -> tensor<4x2xf32> {
  ^bb0(%a: tensor<2xf32>, %b: tensor<f32>):
    ingot.yield_rows %b : tensor<f32>
  }
  return
}
