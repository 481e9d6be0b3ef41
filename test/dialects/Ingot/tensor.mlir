// SPDX-License-Identifier: Apache-2.0
// Constants of every kind, and the ops on shapes, read back as written.
// RUN: ingot-opt %s | ingot-opt | FileCheck %s
// RUN: ingot-opt %s -mlir-print-op-generic | ingot-opt | FileCheck %s

// CHECK-LABEL: @constants
func.func @constants() {
  // CHECK: ingot.constant dense<[1, 2]> : tensor<2xi32>
  %0 = ingot.constant dense<[1, 2]> : tensor<2xi32>
  // CHECK: ingot.constant dense<"data/train.tfrecord"> : tensor<1x!ingot.string>
  %1 = ingot.constant dense<"data/train.tfrecord"> : tensor<1x!ingot.string>
  // Bytes that are no text: a zero, one that is not UTF-8, a quote.
  // CHECK: ingot.constant dense<["a\00\FFb", "\22"]> : tensor<2x!ingot.string>
  %2 = ingot.constant dense<["a\00\FFb", "\22"]> : tensor<2x!ingot.string>
  // CHECK: ingot.constant dense<""> : tensor<!ingot.string>
  %3 = ingot.constant dense<""> : tensor<!ingot.string>
  // CHECK: ingot.constant dense<> : tensor<0x!ingot.string>
  %4 = ingot.constant dense<> : tensor<0x!ingot.string>
  // CHECK: ingot.constant dense<true> : tensor<3xi1>
  %5 = ingot.constant dense<true> : tensor<3xi1>
  // CHECK: ingot.constant dense<255> : tensor<ui8>
  %6 = ingot.constant dense<255> : tensor<ui8>
  // CHECK: ingot.constant dense_resource<weights> : tensor<2xf32>
  %7 = ingot.constant dense_resource<weights> : tensor<2xf32>
  return
}

// CHECK-LABEL: @shapes
func.func @shapes(%x: tensor<4x1xf32>, %s: tensor<2xi32>, %v: tensor<f32>, %axis: tensor<i32>, %n: tensor<i32>) {
  // CHECK: ingot.fill %{{.*}}, %{{.*}} : (tensor<2xi32>, tensor<f32>) -> tensor<?x?xf32>
  %0 = ingot.fill %s, %v : (tensor<2xi32>, tensor<f32>) -> tensor<?x?xf32>
  // CHECK: ingot.zeros_like %{{.*}} : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %1 = ingot.zeros_like %x : (tensor<4x1xf32>) -> tensor<4x1xf32>
  // CHECK: ingot.shape %{{.*}} {output_type = i32} : (tensor<4x1xf32>) -> tensor<2xi32>
  %2 = ingot.shape %x {output_type = i32} : (tensor<4x1xf32>) -> tensor<2xi32>
  // CHECK: ingot.reshape %{{.*}}, %{{.*}} : (tensor<4x1xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %3 = ingot.reshape %x, %s : (tensor<4x1xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  // CHECK: ingot.expand_dims %{{.*}}, %{{.*}} : (tensor<4x1xf32>, tensor<i32>) -> tensor<?x?x?xf32>
  %4 = ingot.expand_dims %x, %axis : (tensor<4x1xf32>, tensor<i32>) -> tensor<?x?x?xf32>
  // CHECK: ingot.squeeze %{{.*}} {dims = array<i64: 1>} : (tensor<4x1xf32>) -> tensor<4xf32>
  %5 = ingot.squeeze %x {dims = array<i64: 1>} : (tensor<4x1xf32>) -> tensor<4xf32>
  // CHECK: ingot.tile %{{.*}}, %{{.*}} : (tensor<4x1xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %6 = ingot.tile %x, %s : (tensor<4x1xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  // CHECK: ingot.range %{{.*}}, %{{.*}}, %{{.*}} : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?xi32>
  %7 = ingot.range %n, %n, %n : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?xi32>
  // CHECK: ingot.transpose %{{.*}}, %{{.*}} : (tensor<4x1xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %8 = ingot.transpose %x, %s : (tensor<4x1xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return
}

{-#
  dialect_resources: { builtin: { weights: "0x040000000000803F00000040" } }
#-}
