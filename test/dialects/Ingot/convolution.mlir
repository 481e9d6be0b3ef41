// SPDX-License-Identifier: Apache-2.0
// Convolutions and patches read back as they were written.
// RUN: ingot-opt %s | ingot-opt | FileCheck %s
// RUN: ingot-opt %s -mlir-print-op-generic | ingot-opt | FileCheck %s

// CHECK-LABEL: @convolutions
func.func @convolutions(%x: tensor<?x7x9x4xf32>, %w: tensor<3x2x4x5xf32>, %dy: tensor<?x3x4x5xf32>,
                        %xs: tensor<4xi32>, %hw: tensor<2xi32>) {
  // CHECK: ingot.conv2d %{{.*}}, %{{.*}} {padding = "VALID", strides = array<i64: 2, 2>} : (tensor<?x7x9x4xf32>, tensor<3x2x4x5xf32>) -> tensor<?x3x4x5xf32>
  %0 = ingot.conv2d %x, %w {padding = "VALID", strides = array<i64: 2, 2>}
      : (tensor<?x7x9x4xf32>, tensor<3x2x4x5xf32>) -> tensor<?x3x4x5xf32>
  // CHECK: ingot.conv2d {{.*}} -> tensor<?x7x9x20xf32>
  %1 = ingot.conv2d %x, %w {depthwise = true, padding = "SAME", strides = array<i64: 1, 1>, dilations = array<i64: 2, 1>}
      : (tensor<?x7x9x4xf32>, tensor<3x2x4x5xf32>) -> tensor<?x7x9x20xf32>
  // CHECK: ingot.conv2d {{.*}} -> tensor<?x9x10x5xf32>
  %2 = ingot.conv2d %x, %w {padding = "EXPLICIT", strides = array<i64: 1, 1>, explicit_paddings = array<i64: 1, 3, 2, 0>}
      : (tensor<?x7x9x4xf32>, tensor<3x2x4x5xf32>) -> tensor<?x9x10x5xf32>
  // CHECK: ingot.conv2d_backprop_input {{.*}} -> tensor<?x7x9x4xf32>
  %3 = ingot.conv2d_backprop_input %xs, %w, %dy {padding = "VALID", strides = array<i64: 2, 2>}
      : (tensor<4xi32>, tensor<3x2x4x5xf32>, tensor<?x3x4x5xf32>) -> tensor<?x7x9x4xf32>
  // CHECK: ingot.conv2d_backprop_input {{.*}} (tensor<2xi32>,
  %4 = ingot.conv2d_backprop_input %hw, %w, %dy {padding = "VALID", strides = array<i64: 2, 2>}
      : (tensor<2xi32>, tensor<3x2x4x5xf32>, tensor<?x3x4x5xf32>) -> tensor<?x?x?x4xf32>
  // CHECK: ingot.conv2d_backprop_filter {{.*}} -> tensor<3x2x4x5xf32>
  %5 = ingot.conv2d_backprop_filter %x, %xs, %dy {padding = "VALID", strides = array<i64: 2, 2>}
      : (tensor<?x7x9x4xf32>, tensor<4xi32>, tensor<?x3x4x5xf32>) -> tensor<3x2x4x5xf32>
  return
}

// CHECK-LABEL: @patches
func.func @patches(%x: tensor<?x7x9x4xf32>) {
  // CHECK: ingot.extract_patches {{.*}} -> tensor<?x3x4x6x4xf32>
  %0 = ingot.extract_patches %x {window = array<i64: 3, 2>, padding = "VALID", strides = array<i64: 2, 2>}
      : (tensor<?x7x9x4xf32>) -> tensor<?x3x4x6x4xf32>
  // CHECK: ingot.sum_patches {{.*}} -> tensor<?x7x9x4xf32>
  %1 = ingot.sum_patches %0 {size = array<i64: 7, 9>, window = array<i64: 3, 2>, padding = "VALID", strides = array<i64: 2, 2>}
      : (tensor<?x3x4x6x4xf32>) -> tensor<?x7x9x4xf32>
  return
}

// CHECK-LABEL: @phases
func.func @phases(%a: tensor<?x3x6x4xf32>, %b: tensor<?x2x7x4xf32>) {
  // CHECK: ingot.join_phases %{{.*}}, %{{.*}} {{.*}} -> tensor<?x5x6x4xf32>
  %0 = ingot.join_phases %a, %b {size = array<i64: 5, 6>, strides = array<i64: 2, 1>, phases = array<i64: 0, 1>}
      : (tensor<?x3x6x4xf32>, tensor<?x2x7x4xf32>) -> tensor<?x5x6x4xf32>
  return
}
