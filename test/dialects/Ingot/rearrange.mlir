// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s | ingot-opt | FileCheck %s

// CHECK-LABEL: @pad
func.func @pad(%x: tensor<3xf32>, %p: tensor<1x2xi32>, %v: tensor<f32>) {
  // CHECK: ingot.pad
  %0 = ingot.pad %x, %p, %v : (tensor<3xf32>, tensor<1x2xi32>, tensor<f32>) -> tensor<?xf32>
  return
}

// CHECK-LABEL: @mirror_pad
func.func @mirror_pad(%x: tensor<3xf32>, %p: tensor<1x2xi32>) {
  // CHECK: ingot.mirror_pad %{{.*}} {mode = "REFLECT"}
  %0 = ingot.mirror_pad %x, %p {mode = "REFLECT"} : (tensor<3xf32>, tensor<1x2xi32>) -> tensor<?xf32>
  return
}

// CHECK-LABEL: @mirror_pad_grad
func.func @mirror_pad_grad(%x: tensor<7xf32>, %p: tensor<1x2xi32>) {
  // CHECK: ingot.mirror_pad_grad
  %0 = ingot.mirror_pad_grad %x, %p {mode = "SYMMETRIC"} : (tensor<7xf32>, tensor<1x2xi32>) -> tensor<?xf32>
  return
}

// CHECK-LABEL: @reverse
func.func @reverse(%x: tensor<2x3xf32>, %a: tensor<1xi32>) {
  // CHECK: ingot.reverse
  %0 = ingot.reverse %x, %a : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: @reverse_sequence
func.func @reverse_sequence(%x: tensor<2x5xf32>, %n: tensor<2xi32>) {
  // CHECK: ingot.reverse_sequence %{{.*}} {seq_dim = 1 : i64}
  %0 = ingot.reverse_sequence %x, %n {seq_dim = 1 : i64} : (tensor<2x5xf32>, tensor<2xi32>) -> tensor<2x5xf32>
  return
}

// CHECK-LABEL: @roll
func.func @roll(%x: tensor<5xf32>, %s: tensor<i32>) {
  // CHECK: ingot.roll
  %0 = ingot.roll %x, %s, %s : (tensor<5xf32>, tensor<i32>, tensor<i32>) -> tensor<5xf32>
  return
}

// CHECK-LABEL: @lin_space
func.func @lin_space(%a: tensor<f32>, %n: tensor<i32>) {
  // CHECK: ingot.lin_space
  %0 = ingot.lin_space %a, %a, %n : (tensor<f32>, tensor<f32>, tensor<i32>) -> tensor<?xf32>
  return
}

// CHECK-LABEL: @space_to_batch
func.func @space_to_batch(%x: tensor<1x4x4x1xf32>, %b: tensor<2xi32>, %p: tensor<2x2xi32>) {
  // CHECK: ingot.space_to_batch
  %0 = ingot.space_to_batch %x, %b, %p : (tensor<1x4x4x1xf32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x?x?x1xf32>
  return
}

// CHECK-LABEL: @batch_to_space
func.func @batch_to_space(%x: tensor<1x4x4x1xf32>, %b: tensor<2xi32>, %p: tensor<2x2xi32>) {
  // CHECK: ingot.batch_to_space
  %0 = ingot.batch_to_space %x, %b, %p : (tensor<1x4x4x1xf32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x?x?x1xf32>
  return
}

// CHECK-LABEL: @space_to_depth
func.func @space_to_depth(%x: tensor<1x4x4x3xf32>) {
  // CHECK: ingot.space_to_depth %{{.*}} {block = 2 : i64}
  %0 = ingot.space_to_depth %x {block = 2 : i64} : (tensor<1x4x4x3xf32>) -> tensor<1x2x2x12xf32>
  return
}

// CHECK-LABEL: @depth_to_space
func.func @depth_to_space(%x: tensor<1x2x2x12xf32>) {
  // CHECK: ingot.depth_to_space
  %0 = ingot.depth_to_space %x {block = 2 : i64, data_format = "NHWC"} : (tensor<1x2x2x12xf32>) -> tensor<1x4x4x3xf32>
  return
}

// CHECK-LABEL: @project_images
func.func @project_images(%x: tensor<?x8x8x3xf32>, %t: tensor<?x8xf32>, %s: tensor<2xi32>, %z: tensor<f32>) {
  // CHECK: ingot.project_images %{{.*}} {fill_mode = "REFLECT", interpolation = "BILINEAR"} : {{.*}} -> tensor<?x?x?x3xf32>
  %0 = ingot.project_images %x, %t, %s, %z {interpolation = "BILINEAR", fill_mode = "REFLECT"} : (tensor<?x8x8x3xf32>, tensor<?x8xf32>, tensor<2xi32>, tensor<f32>) -> tensor<?x?x?x3xf32>
  %size = ingot.constant dense<[4, 6]> : tensor<2xi32>
  // CHECK: ingot.project_images {{.*}} -> tensor<?x4x6x3xf32>
  %1 = ingot.project_images %x, %t, %size, %z {interpolation = "NEAREST"} : (tensor<?x8x8x3xf32>, tensor<?x8xf32>, tensor<2xi32>, tensor<f32>) -> tensor<?x4x6x3xf32>
  return
}
