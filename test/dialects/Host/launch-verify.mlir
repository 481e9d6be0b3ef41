// SPDX-License-Identifier: Apache-2.0
// What a launch and its kernel must agree on.
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (launch_c1)
func.func @launch_a_kernel(%x: tensor<4xf32>, %e: tensor<4xf32>) {
  // expected-error @+1 {{'kernel' is not a function}}
  %0 = host.launch @kernel ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// (launch_c1)
func.func private @kernel(tensor<4xf32>) attributes {host.kernel}
func.func @launch_with_all_arguments(%x: tensor<4xf32>, %e: tensor<4xf32>) {
  // expected-error @+1 {{passes 2 operands to kernel 'kernel', which has 1 arguments}}
  %0 = host.launch @kernel ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// (launch_c1)
func.func private @kernel(tensor<4xf32>, tensor<5xf32>) attributes {host.kernel}
func.func @launch_with_its_types(%x: tensor<4xf32>, %e: tensor<4xf32>) {
  // expected-error @+1 {{operand 1 is a 'tensor<4xf32>', but kernel 'kernel' expects a 'tensor<5xf32>'}}
  %0 = host.launch @kernel ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return
}
