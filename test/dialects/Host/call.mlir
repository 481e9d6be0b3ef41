// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s | FileCheck %s

// CHECK-LABEL: @call
func.func @call(%x: tensor<4xi1>, %s: tensor<2xi128>) {
  // CHECK: host.call "ingot_op_where" node "a/Where" options {} ins(%{{.*}} : tensor<4xi1>) dtypes [10] to [9] -> tensor<?x1xi64>
  %p = host.call "ingot_op_where" node "a/Where" options {} ins(%x : tensor<4xi1>) dtypes [10]
      to [9] -> tensor<?x1xi64>
  %e = tensor.empty() : tensor<2xi32>
  %n = host.call "ingot_op_string_length" node "l" options {unit = "BYTE"} ins(%s : tensor<2xi128>) dtypes [7]
      outs(%e : tensor<2xi32>) to [3] -> tensor<2xi32>
  return
}


// CHECK-LABEL: @strings
func.func @strings() {
  // CHECK: host.strings ["a", "bc"] : tensor<2xi128>
  %s = host.strings ["a", "bc"] : tensor<2xi128>
  return
}
