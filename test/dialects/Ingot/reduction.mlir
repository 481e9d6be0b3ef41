// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s | ingot-opt | FileCheck %s

// CHECK-LABEL: @segments
func.func @segments(%x: tensor<16x8xf32>, %ids: tensor<16xi64>, %n: tensor<i32>, %i: tensor<16xi32>) {
  // CHECK: ingot.segment_reduce %{{.*}}, %{{.*}}, %{{.*}} {reduction = "sum"} : (tensor<16x8xf32>, tensor<16xi64>, tensor<i32>) -> tensor<?x8xf32>
  %0 = ingot.segment_reduce %x, %ids, %n {reduction = "sum"} : (tensor<16x8xf32>, tensor<16xi64>, tensor<i32>) -> tensor<?x8xf32>
  // CHECK: ingot.segment_reduce %{{.*}}, %{{.*}}, %{{.*}} at %{{.*}} {reduction = "max", zero_empty}
  %1 = ingot.segment_reduce %x, %ids, %n at %i {reduction = "max", zero_empty} : (tensor<16x8xf32>, tensor<16xi64>, tensor<i32>, tensor<16xi32>) -> tensor<?x8xf32>
  return
}

// CHECK-LABEL: @cumulative
func.func @cumulative(%x: tensor<4x?xf32>) {
  %axis = ingot.constant dense<-1> : tensor<i32>
  // CHECK: ingot.cumulative %{{.*}}, %{{.*}} {exclusive = true, kind = "prod", reverse = true} : (tensor<4x?xf32>, tensor<i32>) -> tensor<4x?xf32>
  %0 = ingot.cumulative %x, %axis {kind = "prod", exclusive = true, reverse = true} : (tensor<4x?xf32>, tensor<i32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: @ranks
func.func @ranks(%x: tensor<4x8xf32>, %t: tensor<4xi32>, %k: tensor<i32>) {
  // CHECK: ingot.in_top_k %{{.*}} : (tensor<4x8xf32>, tensor<4xi32>, tensor<i32>) -> tensor<4xi1>
  %0 = ingot.in_top_k %x, %t, %k : (tensor<4x8xf32>, tensor<4xi32>, tensor<i32>) -> tensor<4xi1>
  // CHECK: ingot.top_k %{{.*}} {index_type = i32} : (tensor<4x8xf32>, tensor<i32>) -> (tensor<4x?xf32>, tensor<4x?xi32>)
  %1:2 = ingot.top_k %x, %k {index_type = i32} : (tensor<4x8xf32>, tensor<i32>) -> (tensor<4x?xf32>, tensor<4x?xi32>)
  return
}
