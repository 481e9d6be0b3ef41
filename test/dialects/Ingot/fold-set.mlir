// SPDX-License-Identifier: Apache-2.0
// Shapes that gradients of reductions put together are known.
// RUN: ingot-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: @stitch
func.func @stitch() -> (tensor<3xi32>, tensor<0xi32>) {
  %all = ingot.constant dense<[0, 1, 2]> : tensor<3xi32>
  %one = ingot.constant dense<1> : tensor<1xi32>
  %none = ingot.constant dense<> : tensor<0xi32>
  %shape = ingot.constant dense<[7, 8, 9]> : tensor<3xi32>
  %unit = ingot.constant dense<1> : tensor<1xi32>
  // CHECK: dense<[7, 1, 9]> : tensor<3xi32>
  %0 = ingot.dynamic_stitch [%all, %one], [%shape, %unit] : (tensor<3xi32>, tensor<1xi32>, tensor<3xi32>, tensor<1xi32>) -> tensor<3xi32>
  // CHECK-NOT: ingot.dynamic_stitch
  %1 = ingot.dynamic_stitch [%none], [%none] : (tensor<0xi32>, tensor<0xi32>) -> tensor<0xi32>
  return %0, %1 : tensor<3xi32>, tensor<0xi32>
}

// A negative index is refused when the program runs.
// CHECK-LABEL: @negative
func.func @negative() -> tensor<1xi32> {
  %at = ingot.constant dense<[0, -1]> : tensor<2xi32>
  // CHECK: ingot.dynamic_stitch
  %0 = ingot.dynamic_stitch [%at], [%at] : (tensor<2xi32>, tensor<2xi32>) -> tensor<1xi32>
  return %0 : tensor<1xi32>
}
