// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --verify-diagnostics

// All words have one type.
func.func @a_key_for_all_lanes(%k: i32, %x: vector<4xi32>) {
  // expected-error @+1 {{'host.threefry' op requires the same type for all operands and results}}
  %r:2 = "host.threefry"(%k, %k, %x, %x) : (i32, i32, vector<4xi32>, vector<4xi32>) -> (vector<4xi32>, vector<4xi32>)
  return
}
