// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --verify-diagnostics

// (save_tensors_c1)
func.func @f(%path: tensor<!ingot.string>, %w: tensor<2xf32>) {
  // expected-error @+1 {{has 2 names for 1 tensors}}
  ingot.save_tensors %path, %w {names = ["w", "v"], slices = [""]} : tensor<!ingot.string>, tensor<2xf32>
  return
}

// -----

// (save_tensors_c2)
func.func @f(%path: tensor<!ingot.string>, %w: tensor<2xf32>) {
  // expected-error @+1 {{has 0 slices for 1 tensors}}
  ingot.save_tensors %path, %w {names = ["w"], slices = []} : tensor<!ingot.string>, tensor<2xf32>
  return
}

// -----

// (restore_tensors_c1)
func.func @f(%path: tensor<!ingot.string>) {
  // expected-error @+1 {{has 0 names for 1 tensors}}
  %w = ingot.restore_tensors %path {names = [], slices = [""]} : (tensor<!ingot.string>) -> tensor<2xf32>
  return
}

// -----

// (restore_tensors_c2)
func.func @f(%path: tensor<!ingot.string>) {
  // expected-error @+1 {{has 2 slices for 1 tensors}}
  %w = ingot.restore_tensors %path {names = ["w"], slices = ["", ""]} : (tensor<!ingot.string>) -> tensor<2xf32>
  return
}
