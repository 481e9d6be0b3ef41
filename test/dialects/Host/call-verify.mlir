// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (host_call_c1)
func.func @an_output_for_each_static_result(%s: tensor<2xi128>) {
  // expected-error @+1 {{has 0 outputs, but needs 1: one for each result of static shape; with option 'lent', the last result needs none}}
  %n = host.call "ingot_op_string_length" node "l" options {} ins(%s : tensor<2xi128>) dtypes [7]
      to [3] -> tensor<2xi32>
  return
}
