// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s | ingot-opt | FileCheck %s

// CHECK-LABEL: @slice
func.func @slice(%x: tensor<4x3xf32>, %b: tensor<2xi32>) {
  // CHECK: ingot.slice %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4x3xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  %0 = ingot.slice %x, %b, %b : (tensor<4x3xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  return
}

// CHECK-LABEL: @strided_slice
func.func @strided_slice(%x: tensor<4x3xf32>, %b: tensor<1xi32>) {
  // CHECK: ingot.strided_slice %{{.*}} {shrink_axis_mask = 1 : i64}
  %0 = ingot.strided_slice %x, %b, %b, %b {shrink_axis_mask = 1 : i64} : (tensor<4x3xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xf32>
  return
}

// CHECK-LABEL: @strided_slice_update
func.func @strided_slice_update(%x: tensor<4xf32>, %b: tensor<1xi32>, %v: tensor<?xf32>) {
  // CHECK: ingot.strided_slice_update
  %0 = ingot.strided_slice_update %x, %b, %b, %b, %v : (tensor<4xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<?xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @gather
func.func @gather(%x: tensor<10x3xf32>, %i: tensor<4xi32>) {
  // CHECK: ingot.gather %{{.*}}, %{{.*}}, %{{.*}} : (tensor<10x3xf32>, tensor<4xi32>, tensor<i32>) -> tensor<4x3xf32>
  %axis = ingot.constant dense<0> : tensor<i32>
  %0 = ingot.gather %x, %i, %axis : (tensor<10x3xf32>, tensor<4xi32>, tensor<i32>) -> tensor<4x3xf32>
  return
}

// CHECK-LABEL: @gather_nd
func.func @gather_nd(%x: tensor<10x3xf32>, %i: tensor<4x2xi32>) {
  // CHECK: ingot.gather_nd
  %0 = ingot.gather_nd %x, %i : (tensor<10x3xf32>, tensor<4x2xi32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @tensor_scatter
func.func @tensor_scatter(%x: tensor<10xf32>, %i: tensor<4x1xi32>, %u: tensor<4xf32>) {
  // CHECK: ingot.tensor_scatter %{{.*}} {combine = "add"}
  %0 = ingot.tensor_scatter %x, %i, %u {combine = "add"} : (tensor<10xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<10xf32>
  return
}
