// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --verify-diagnostics

// (random_bits_c1)
func.func @half_a_block(%x: i64) {
  // expected-error @+1 {{'host.random_bits' op the number of elements of the result vector must be a multiple of 4, but is 2}}
  %r = host.random_bits %x, %x, %x, %x : vector<2xi32>
  return
}

// -----

// (random_bits_c1)
func.func @one_dimension(%x: i64) {
  // expected-error @+1 {{'host.random_bits' op result #0 must be}}
  %r = host.random_bits %x, %x, %x, %x : vector<2x4xi32>
  return
}
