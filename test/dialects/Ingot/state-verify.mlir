// SPDX-License-Identifier: Apache-2.0
// Constraints of what entries do besides computing.
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (read_c1)
func.func @read_a_variable() {
  // expected-error @+1 {{@w is not a variable of the program}}
  %0 = ingot.read @w : tensor<4xf32>
  return
}

// -----

// (read_c1)
// expected-note @+1 {{the variable is declared here}}
ingot.variable @w : tensor<4xf32>
func.func @read_its_type() {
  // expected-error @+1 {{has a value of type 'tensor<4xf64>', but @w is of type 'tensor<4xf32>'}}
  %0 = ingot.read @w : tensor<4xf64>
  return
}

// -----

// (assign_c1)
// expected-note @+1 {{the variable is declared here}}
ingot.variable @w : tensor<4xf32>
func.func @assign_its_shape(%x: tensor<5xf32>) {
  // expected-error @+1 {{has a value of type 'tensor<5xf32>', but @w is of type 'tensor<4xf32>'}}
  ingot.assign @w, %x : tensor<5xf32>
  return
}

// -----

// (assign_c1)
func.func private @f()
func.func @assign_a_variable(%x: tensor<5xf32>) {
  // expected-error @+1 {{@f is not a variable of the program}}
  ingot.assign @f, %x : tensor<5xf32>
  return
}

// -----

// (report_c1)
ingot.variable @w : tensor<4xf32>
func.func @report_variables() {
  // expected-error @+1 {{@b is not a variable of the program}}
  ingot.report_uninitialized [@w, @b]
  return
}

// -----

// (save_c1)
ingot.variable @w : tensor<4xf32>
func.func @save_by_a_saver(%p: tensor<!ingot.string>) {
  // expected-error @+1 {{@w is not a saver of the program}}
  ingot.save @w, %p : tensor<!ingot.string>
  return
}

// -----

// (save_c2)
ingot.saver @save [] {filename = "model", num_shards = 1 : i32, max_to_keep = 5 : i32, keep_checkpoint_every_n_hours = 10000.0 : f32}
func.func @save_one_prefix(%p: tensor<2x!ingot.string>) {
  // expected-error @+1 {{the prefix must be a scalar, but has shape [2]}}
  ingot.save @save, %p : tensor<2x!ingot.string>
  return
}

// -----

// (restore_c1)
func.func @restore_by_a_saver(%p: tensor<!ingot.string>) {
  // expected-error @+1 {{@save is not a saver of the program}}
  ingot.restore @save, %p : tensor<!ingot.string>
  return
}

// -----

// (restore_c2)
ingot.saver @save [] {filename = "model", num_shards = 1 : i32, max_to_keep = 5 : i32, keep_checkpoint_every_n_hours = 10000.0 : f32}
func.func @restore_one_prefix(%p: tensor<2x!ingot.string>) {
  // expected-error @+1 {{the prefix must be a scalar, but has shape [2]}}
  ingot.restore @save, %p : tensor<2x!ingot.string>
  return
}

// -----

// (scalar_summary_c1)
func.func @summary_of_a_scalar(%x: tensor<2xf32>) {
  // expected-error @+1 {{the value must be a scalar, but has shape [2]}}
  ingot.scalar_summary "loss", %x : tensor<2xf32>
  return
}

// -----

// (is_initialized_c1)
module {
  ingot.entry @e role(other) feeds [] fetches [] variables [] updates [] {
    // expected-error @+1 {{'ingot.is_initialized' op @w is not a variable of the program}}
    %0 = ingot.is_initialized @w : tensor<i1>
    ingot.return
  }
}
