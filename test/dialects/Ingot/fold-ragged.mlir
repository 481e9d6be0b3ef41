// SPDX-License-Identifier: Apache-2.0
// Constant ragged tensors are serialized: two rows, the second of which is empty.
// RUN: ingot-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: @rows
// CHECK: ingot.constant dense<{{\[\[}}"\05\07", "\02\00\00\00\00\00\00\00"], ["", "\00\00\00\00\00\00\00\00"]]> : tensor<2x2x!ingot.string>
func.func @rows() -> tensor<2x2x!ingot.string> {
  %splits = ingot.constant dense<[0, 2, 2]> : tensor<3xi32>
  %values = ingot.constant dense<[5, 7]> : tensor<2xi8>
  %0 = ingot.serialize_ragged %splits, %values {batched = true} : (tensor<3xi32>, tensor<2xi8>) -> tensor<2x2x!ingot.string>
  return %0 : tensor<2x2x!ingot.string>
}

// CHECK-LABEL: @whole
// CHECK: ingot.constant dense<["\00\00\00\00\00\00\00\00\01\00\00\00\00\00\00\00", "\01\00\00\00\00\00\00\00a", "\01\00\00\00\00\00\00\00"]>
func.func @whole() -> tensor<3x!ingot.string> {
  %splits = ingot.constant dense<[0, 1]> : tensor<2xi64>
  %values = ingot.constant dense<"a"> : tensor<1x!ingot.string>
  %0 = ingot.serialize_ragged %splits, %values : (tensor<2xi64>, tensor<1x!ingot.string>) -> tensor<3x!ingot.string>
  return %0 : tensor<3x!ingot.string>
}

// Row splits that do not fit are left to the runtime, which refuses them.
// CHECK-LABEL: @wrong
// CHECK: ingot.serialize_ragged
func.func @wrong() -> tensor<1x2x!ingot.string> {
  %splits = ingot.constant dense<[0, 3]> : tensor<2xi64>
  %values = ingot.constant dense<[5, 7]> : tensor<2xi8>
  %0 = ingot.serialize_ragged %splits, %values {batched = true} : (tensor<2xi64>, tensor<2xi8>) -> tensor<1x2x!ingot.string>
  return %0 : tensor<1x2x!ingot.string>
}
