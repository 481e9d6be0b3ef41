// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (assert_c1)
func.func @assert_c1(%c: tensor<2xi1>) {
  // expected-error @+1 {{the condition must be a scalar, but has shape [2]}}
  ingot.assert %c : (tensor<2xi1>) -> ()
  return
}

// -----

// (print_c1)
func.func @print_c1(%s: tensor<2x!ingot.string>) {
  // expected-error @+1 {{the string to print must be a scalar, but has shape [2]}}
  ingot.print %s : (tensor<2x!ingot.string>) -> ()
  return
}

// -----

// (record_tensor_c1)
func.func @record_tensor_c1(%x: tensor<2xf32>, %t: tensor<2x!ingot.string>, %m: tensor<!ingot.string>) {
  // expected-error @+1 {{the tag, step, metadata and scalar value of a summary must have rank 0, but one has shape [2]}}
  ingot.record_tensor %t, %x, %m : (tensor<2x!ingot.string>, tensor<2xf32>, tensor<!ingot.string>) -> ()
  return
}

// -----

// (record_scalar_c1)
func.func @record_scalar_c1(%x: tensor<2xf32>, %t: tensor<!ingot.string>) {
  // expected-error @+1 {{the tag, step, metadata and scalar value of a summary must have rank 0, but one has shape [2]}}
  ingot.record_scalar %t, %x : (tensor<!ingot.string>, tensor<2xf32>) -> ()
  return
}

// -----

// (record_histogram_c1)
func.func @record_histogram_c1(%x: tensor<2xf32>, %t: tensor<2x!ingot.string>) {
  // expected-error @+1 {{the tag, step, metadata and scalar value of a summary must have rank 0, but one has shape [2]}}
  ingot.record_histogram %t, %x : (tensor<2x!ingot.string>, tensor<2xf32>) -> ()
  return
}

// -----

// (record_image_c1)
func.func @record_image_c1(%x: tensor<1x2x2x1xf32>, %t: tensor<2x!ingot.string>, %c: tensor<4xui8>) {
  // expected-error @+1 {{the tag, step, metadata and scalar value of a summary must have rank 0, but one has shape [2]}}
  ingot.record_image %t, %x, %c : (tensor<2x!ingot.string>, tensor<1x2x2x1xf32>, tensor<4xui8>) -> ()
  return
}

// -----

// (record_image_c2)
func.func @record_image_c2(%x: tensor<1x2x2x2xf32>, %t: tensor<!ingot.string>, %c: tensor<4xui8>) {
  // expected-error @+1 {{with 1, 3 or 4 channels, but have shape [1, 2, 2, 2]}}
  ingot.record_image %t, %x, %c : (tensor<!ingot.string>, tensor<1x2x2x2xf32>, tensor<4xui8>) -> ()
  return
}
