// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s | ingot-opt | FileCheck %s

// CHECK-LABEL: @matrix_diag
func.func @matrix_diag(%d: tensor<3xf32>, %k: tensor<i32>, %p: tensor<f32>) {
  // CHECK: ingot.matrix_diag %{{.*}} {align = "LEFT_LEFT"}
  %0 = ingot.matrix_diag %d, %k, %k, %k, %p {align = "LEFT_LEFT"} : (tensor<3xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<f32>) -> tensor<?x?xf32>
  return
}

// CHECK-LABEL: @matrix_diag_part
func.func @matrix_diag_part(%x: tensor<3x3xf32>, %k: tensor<i32>, %p: tensor<f32>) {
  // CHECK: ingot.matrix_diag_part
  %0 = ingot.matrix_diag_part %x, %k, %p : (tensor<3x3xf32>, tensor<i32>, tensor<f32>) -> tensor<?xf32>
  return
}

// CHECK-LABEL: @matrix_set_diag
func.func @matrix_set_diag(%x: tensor<3x3xf32>, %d: tensor<3xf32>, %k: tensor<i32>) {
  // CHECK: ingot.matrix_set_diag
  %0 = ingot.matrix_set_diag %x, %d, %k : (tensor<3x3xf32>, tensor<3xf32>, tensor<i32>) -> tensor<3x3xf32>
  return
}

// CHECK-LABEL: @matrix_band_part
func.func @matrix_band_part(%x: tensor<3x3xf32>, %l: tensor<i64>) {
  // CHECK: ingot.matrix_band_part
  %0 = ingot.matrix_band_part %x, %l, %l : (tensor<3x3xf32>, tensor<i64>, tensor<i64>) -> tensor<3x3xf32>
  return
}

// CHECK-LABEL: @triangles
func.func @triangles(%x: tensor<?x3x3xf32>, %y: tensor<?x3x2xf32>) {
  // CHECK: ingot.cholesky %{{.*}} : (tensor<?x3x3xf32>) -> tensor<?x3x3xf32>
  %0 = ingot.cholesky %x : (tensor<?x3x3xf32>) -> tensor<?x3x3xf32>
  // CHECK: ingot.triangular_solve {{.*}} {adjoint = true} : (tensor<?x3x3xf32>, tensor<?x3x2xf32>) -> tensor<?x3x2xf32>
  %1 = ingot.triangular_solve %0, %y {adjoint = true} : (tensor<?x3x3xf32>, tensor<?x3x2xf32>) -> tensor<?x3x2xf32>
  return
}

// CHECK-LABEL: @systems
func.func @systems(%x: tensor<?x3x3xf32>, %y: tensor<?x3x2xf32>) {
  // CHECK: ingot.matrix_solve {{.*}} {adjoint = true} : (tensor<?x3x3xf32>, tensor<?x3x2xf32>) -> tensor<?x3x2xf32>
  %0 = ingot.matrix_solve %x, %y {adjoint = true} : (tensor<?x3x3xf32>, tensor<?x3x2xf32>) -> tensor<?x3x2xf32>
  // CHECK: ingot.matrix_inverse %{{.*}} : (tensor<?x3x3xf32>) -> tensor<?x3x3xf32>
  %1 = ingot.matrix_inverse %x : (tensor<?x3x3xf32>) -> tensor<?x3x3xf32>
  // CHECK: ingot.matrix_determinant %{{.*}} : (tensor<?x3x3xf32>) -> tensor<?xf32>
  %2 = ingot.matrix_determinant %x : (tensor<?x3x3xf32>) -> tensor<?xf32>
  // CHECK: ingot.log_matrix_determinant %{{.*}} : (tensor<?x3x3xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  %3, %4 = ingot.log_matrix_determinant %x : (tensor<?x3x3xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  return
}

// CHECK-LABEL: @orthogonal
func.func @orthogonal(%x: tensor<?x4x3xf32>) {
  // CHECK: ingot.qr %{{.*}} : (tensor<?x4x3xf32>) -> (tensor<?x4x3xf32>, tensor<?x3x3xf32>)
  %0, %1 = ingot.qr %x : (tensor<?x4x3xf32>) -> (tensor<?x4x3xf32>, tensor<?x3x3xf32>)
  // CHECK: ingot.qr %{{.*}} {full_matrices = true} : (tensor<?x4x3xf32>) -> (tensor<?x4x4xf32>, tensor<?x4x3xf32>)
  %2, %3 = ingot.qr %x {full_matrices = true} : (tensor<?x4x3xf32>) -> (tensor<?x4x4xf32>, tensor<?x4x3xf32>)
  return
}
