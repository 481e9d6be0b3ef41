// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s | ingot-opt | FileCheck %s

// CHECK-LABEL: @phases
func.func @phases(%x: tensor<8x3xf32>) -> (tensor<3xf32>, tensor<8x3xf32>) {
  %axis = ingot.constant dense<0> : tensor<1xi32>
  // CHECK: ingot.slice_region(%{{.*}}) slices 4 cuts [0] exchanges ["sum", "keep"] joins [0, 1] : (tensor<8x3xf32>) -> (tensor<3xf32>, tensor<3x8xf32>) {
  // CHECK: ^bb0(%{{.*}}: tensor<2x3xf32>):
  // CHECK: ingot.result %{{.*}}, %{{.*}} : tensor<3xf32>, tensor<3x2xf32>
  %order = ingot.constant dense<[1, 0]> : tensor<2xi32>
  %sum, %kept = ingot.slice_region(%x) slices 4 cuts [0] exchanges ["sum", "keep"] joins [0, 1] : (tensor<8x3xf32>) -> (tensor<3xf32>, tensor<3x8xf32>) {
  ^bb0(%rows: tensor<2x3xf32>):
    %0 = ingot.sum %rows, %axis : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<3xf32>
    %1 = ingot.transpose %rows, %order : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<3x2xf32>
    ingot.result %0, %1 : tensor<3xf32>, tensor<3x2xf32>
  }
  // CHECK: ingot.slice_region(%{{.*}}#1) slices 4 cuts [1] exchanges ["gather"] joins [0] : (tensor<3x8xf32>) -> tensor<8x3xf32> {
  %all = ingot.slice_region(%kept) slices 4 cuts [1] exchanges ["gather"] joins [0] : (tensor<3x8xf32>) -> tensor<8x3xf32> {
  ^bb0(%columns: tensor<3x2xf32>):
    %0 = ingot.transpose %columns, %order : (tensor<3x2xf32>, tensor<2xi32>) -> tensor<2x3xf32>
    ingot.result %0 : tensor<2x3xf32>
  }
  return %sum, %all : tensor<3xf32>, tensor<8x3xf32>
}

// CHECK-LABEL: @divided_update
func.func @divided_update(%x: tensor<8x64xf32>, %w: tensor<64xf32>, %m: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %axis = ingot.constant dense<0> : tensor<1xi32>
  // CHECK: exchanges ["reduce_scatter"] joins [2] : (tensor<8x64xf32>) -> tensor<64xf32> {
  %g = ingot.slice_region(%x) slices 4 cuts [0] exchanges ["reduce_scatter"] joins [2] : (tensor<8x64xf32>) -> tensor<64xf32> {
  ^bb0(%rows: tensor<2x64xf32>):
    %0 = ingot.sum %rows, %axis : (tensor<2x64xf32>, tensor<1xi32>) -> tensor<64xf32>
    ingot.result %0 : tensor<64xf32>
  }
  // CHECK: slices 2 cuts [0, 0, 0] exchanges ["gather_in_place", "keep_in_place"] joins [1, 2]
  %u:2 = ingot.slice_region(%g, %w, %m) slices 2 cuts [0, 0, 0] exchanges ["gather_in_place", "keep_in_place"] joins [1, 2]
      : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  ^bb0(%gp: tensor<32xf32>, %wp: tensor<32xf32>, %mp: tensor<32xf32>):
    %0 = ingot.add %gp, %mp : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %1 = ingot.sub %wp, %0 : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    ingot.result %1, %0 : tensor<32xf32>, tensor<32xf32>
  }
  return %u#0, %u#1 : tensor<64xf32>, tensor<64xf32>
}
