// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-lower-einsums-to-matmuls | FileCheck %s

// A dense layer with heads: reshapes only.

// CHECK-LABEL: func.func @heads(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x64x128xf32>, %[[W:[a-z0-9]+]]: tensor<128x4x32xf32>
// CHECK: %[[ROWS:.*]] = ingot.reshape %[[X]], %{{.*}} : (tensor<?x64x128xf32>, tensor<2xi64>) -> tensor<?x128xf32>
// CHECK: %[[COLUMNS:.*]] = ingot.reshape %[[W]], %{{.*}} -> tensor<128x128xf32>
// CHECK: %[[C:.*]] = ingot.matmul %[[ROWS]], %[[COLUMNS]] : {{.*}} -> tensor<?x128xf32>
// CHECK: %[[SHAPE:.*]] = ingot.constant dense<[-1, 64, 4, 32]>
// CHECK: %[[Y:.*]] = ingot.reshape %[[C]], %[[SHAPE]] : {{.*}} -> tensor<?x64x4x32xf32>
// CHECK: return %[[Y]]
func.func @heads(%x: tensor<?x64x128xf32>, %w: tensor<128x4x32xf32>) -> tensor<?x64x4x32xf32> {
  %y = ingot.einsum "0bc,cde->0bde"(%x, %w) : (tensor<?x64x128xf32>, tensor<128x4x32xf32>) -> tensor<?x64x4x32xf32>
  return %y : tensor<?x64x4x32xf32>
}

// Its gradients transpose an operand of the matmul.

// CHECK-LABEL: func.func @gradient_of_weights(
// CHECK-SAME: %[[G:[a-z0-9]+]]: tensor<8x64x4x32xf32>, %[[X:[a-z0-9]+]]: tensor<8x64x128xf32>
// CHECK-NOT: ingot.transpose
// CHECK: %[[A:.*]] = ingot.reshape %[[X]], %{{.*}} -> tensor<512x128xf32>
// CHECK: %[[B:.*]] = ingot.reshape %[[G]], %{{.*}} -> tensor<512x128xf32>
// CHECK: ingot.matmul %[[A]], %[[B]] {transpose_a = true}
func.func @gradient_of_weights(%g: tensor<8x64x4x32xf32>, %x: tensor<8x64x128xf32>) -> tensor<128x4x32xf32> {
  %y = ingot.einsum "abde,abc->cde"(%g, %x) : (tensor<8x64x4x32xf32>, tensor<8x64x128xf32>) -> tensor<128x4x32xf32>
  return %y : tensor<128x4x32xf32>
}

// CHECK-LABEL: func.func @gradient_of_input(
// CHECK-NOT: ingot.transpose
// CHECK: ingot.matmul %{{.*}}, %{{.*}} {transpose_b = true} : (tensor<512x128xf32>, tensor<64x128xf32>) -> tensor<512x64xf32>
func.func @gradient_of_input(%g: tensor<8x64x4x32xf32>, %w: tensor<64x4x32xf32>) -> tensor<8x64x64xf32> {
  %y = ingot.einsum "abde,cde->abc"(%g, %w) : (tensor<8x64x4x32xf32>, tensor<64x4x32xf32>) -> tensor<8x64x64xf32>
  return %y : tensor<8x64x64xf32>
}

// Labels that are not adjacent or not in order need a transpose.

// CHECK-LABEL: func.func @mixed(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x3x5xf32>, %[[Y:[a-z0-9]+]]: tensor<7x3xf32>
// CHECK: %[[T:.*]] = ingot.transpose %[[X]], %{{.*}} -> tensor<5x2x3xf32>
// CHECK: %[[A:.*]] = ingot.reshape %[[T]], %{{.*}} -> tensor<10x3xf32>
// CHECK: %[[C:.*]] = ingot.matmul %[[A]], %[[Y]] {transpose_b = true}
// CHECK: ingot.reshape %[[C]], %{{.*}} -> tensor<5x2x7xf32>
func.func @mixed(%x: tensor<2x3x5xf32>, %y: tensor<7x3xf32>) -> tensor<5x2x7xf32> {
  %z = ingot.einsum "abc,db->cad"(%x, %y) : (tensor<2x3x5xf32>, tensor<7x3xf32>) -> tensor<5x2x7xf32>
  return %z : tensor<5x2x7xf32>
}

// Not a matmul: a batch, a diagonal, a label that one operand alone sums, and
// no summed label.

// CHECK-LABEL: func.func @others(
// CHECK-COUNT-4: ingot.einsum
// CHECK-NOT: ingot.matmul
func.func @others(%x: tensor<4x4x4xf32>, %y: tensor<4x4xf32>) -> (tensor<4x4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4x4x4x4xf32>) {
  %0 = ingot.einsum "aib,aj->aij"(%x, %y) : (tensor<4x4x4xf32>, tensor<4x4xf32>) -> tensor<4x4x4xf32>
  %1 = ingot.einsum "aab,bc->ac"(%x, %y) : (tensor<4x4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = ingot.einsum "abc,cd->ad"(%x, %y) : (tensor<4x4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = ingot.einsum "abc,de->abcde"(%x, %y) : (tensor<4x4x4xf32>, tensor<4x4xf32>) -> tensor<4x4x4x4x4xf32>
  return %0, %1, %2, %3 : tensor<4x4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4x4x4x4xf32>
}
