// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-decompose-complex-arithmetic -split-input-file -verify-diagnostics | FileCheck %s

// Of a product whose absolute value is read, no complex number is stored.

// CHECK-LABEL: func.func @power(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xcomplex<f32>>, %[[Y:[a-z0-9]+]]: tensor<4xcomplex<f32>>
// CHECK-DAG: ingot.real %[[X]]
// CHECK-DAG: ingot.imag %[[Y]]
// CHECK-NOT: ingot.complex
// CHECK: ingot.mul %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NOT: ingot.complex
// CHECK: return
func.func @power(%x: tensor<4xcomplex<f32>>, %y: tensor<4xcomplex<f32>>) -> tensor<4xf32> {
  %0 = ingot.mul %x, %y : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %1 = ingot.conj %0 : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %2 = ingot.mul %0, %1 : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %3 = ingot.real %2 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

// Matrices are multiplied by four real products; a transposed operand of a batch_matmul is conjugated.

// CHECK-LABEL: func.func @products(
// CHECK: ingot.neg
// CHECK-COUNT-4: ingot.batch_matmul %{{.*}} {adj_y = true} : (tensor<2x3x4xf64>, tensor<2x5x4xf64>) -> tensor<2x3x5xf64>
// CHECK: ingot.complex %{{.*}} -> tensor<2x3x5xcomplex<f64>>
func.func @products(%x: tensor<2x3x4xcomplex<f64>>, %y: tensor<2x5x4xcomplex<f64>>) -> tensor<2x3x5xcomplex<f64>> {
  %0 = ingot.batch_matmul %x, %y {adj_x = false, adj_y = true} : (tensor<2x3x4xcomplex<f64>>, tensor<2x5x4xcomplex<f64>>) -> tensor<2x3x5xcomplex<f64>>
  return %0 : tensor<2x3x5xcomplex<f64>>
}

// -----

// Ops that only move elements stay.

// CHECK-LABEL: func.func @moves(
// CHECK: ingot.transpose %{{.*}} -> tensor<3x2xcomplex<f32>>
// CHECK: ingot.fft %{{.*}} -> tensor<3x2xcomplex<f32>>
// CHECK-NOT: ingot.real
// CHECK: return
func.func @moves(%x: tensor<2x3xcomplex<f32>>, %p: tensor<2xi32>) -> tensor<3x2xcomplex<f32>> {
  %0 = ingot.transpose %x, %p : (tensor<2x3xcomplex<f32>>, tensor<2xi32>) -> tensor<3x2xcomplex<f32>>
  %1 = ingot.fft %0 : (tensor<3x2xcomplex<f32>>) -> tensor<3x2xcomplex<f32>>
  return %1 : tensor<3x2xcomplex<f32>>
}

// -----

func.func @refused(%x: tensor<2x3xcomplex<f32>>, %axes: tensor<1xi32>) {
  // expected-error @+1 {{'ingot.prod' does not take complex numbers}}
  %0 = ingot.prod %x, %axes : (tensor<2x3xcomplex<f32>>, tensor<1xi32>) -> tensor<?xcomplex<f32>>
  return
}
