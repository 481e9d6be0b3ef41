// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (broadcast_against_c1)
func.func @shapes_broadcast(%x: tensor<3xf32>, %a: tensor<?x4xf32>) {
  // expected-error @+1 {{cannot be broadcast against each other}}
  %y = ingot.broadcast_against %x, %a : (tensor<3xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}
