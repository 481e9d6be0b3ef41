// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s | ingot-opt | FileCheck %s
// RUN: ingot-opt %s -ingot-infer-shapes | FileCheck %s --check-prefix=INFER

// CHECK-LABEL: @eigenvalues
// INFER-LABEL: @eigenvalues
func.func @eigenvalues(%x: tensor<5x3x3xf32>, %d: tensor<?x?x4xf64>, %u: tensor<*xf64>) {
  // CHECK: ingot.self_adjoint_eig %{{.*}} : (tensor<5x3x3xf32>) -> (tensor<5x3xf32>, tensor<5x3x3xf32>)
  %e, %v = ingot.self_adjoint_eig %x : (tensor<5x3x3xf32>) -> (tensor<5x3xf32>, tensor<5x3x3xf32>)
  // CHECK: ingot.self_adjoint_eig %{{.*}} {compute_v = false}
  // INFER: ingot.self_adjoint_eig {{.*}}compute_v = false{{.*}} -> (tensor<?x4xf64>, tensor<0xf64>)
  %f, %none = ingot.self_adjoint_eig %d {compute_v = false} : (tensor<?x?x4xf64>) -> (tensor<?x?xf64>, tensor<?xf64>)
  // INFER: ingot.self_adjoint_eig {{.*}} -> (tensor<?x4xf64>, tensor<?x4x4xf64>)
  %g, %w = ingot.self_adjoint_eig %d : (tensor<?x?x4xf64>) -> (tensor<?x?xf64>, tensor<?x?x?xf64>)
  // INFER: ingot.self_adjoint_eig {{.*}} -> (tensor<*xf64>, tensor<*xf64>)
  %h, %t = ingot.self_adjoint_eig %u : (tensor<*xf64>) -> (tensor<*xf64>, tensor<*xf64>)
  return
}

// CHECK-LABEL: @singular_values
// INFER-LABEL: @singular_values
func.func @singular_values(%x: tensor<2x4x3xf32>, %d: tensor<?x3xf64>, %u: tensor<*xf64>) {
  // CHECK: ingot.svd %{{.*}} : (tensor<2x4x3xf32>) -> (tensor<2x3xf32>, tensor<2x4x3xf32>, tensor<2x3x3xf32>)
  %0:3 = ingot.svd %x : (tensor<2x4x3xf32>) -> (tensor<2x3xf32>, tensor<2x4x3xf32>, tensor<2x3x3xf32>)
  // CHECK: ingot.svd %{{.*}} {full_matrices = true}
  // INFER: ingot.svd {{.*}}full_matrices = true{{.*}} -> (tensor<2x3xf32>, tensor<2x4x4xf32>, tensor<2x3x3xf32>)
  %1:3 = ingot.svd %x {full_matrices = true} : (tensor<2x4x3xf32>) -> (tensor<2x?xf32>, tensor<2x?x?xf32>, tensor<2x?x?xf32>)
  // INFER: ingot.svd {{.*}} -> (tensor<?xf64>, tensor<?x?xf64>, tensor<3x?xf64>)
  %2:3 = ingot.svd %d : (tensor<?x3xf64>) -> (tensor<?xf64>, tensor<?x?xf64>, tensor<?x?xf64>)
  // CHECK: ingot.svd %{{.*}} {compute_uv = false}
  // INFER: ingot.svd {{.*}}compute_uv = false{{.*}} -> (tensor<*xf64>, tensor<0xf64>, tensor<0xf64>)
  %3:3 = ingot.svd %u {compute_uv = false} : (tensor<*xf64>) -> (tensor<*xf64>, tensor<?xf64>, tensor<?xf64>)
  return
}

// CHECK-LABEL: @matrix_functions
// INFER-LABEL: @matrix_functions
func.func @matrix_functions(%x: tensor<2x?x3xf32>, %c: tensor<3x3xcomplex<f64>>, %u: tensor<*xf64>) {
  // CHECK: ingot.eig %{{.*}} : (tensor<2x?x3xf32>) -> (tensor<2x3xcomplex<f32>>, tensor<2x3x3xcomplex<f32>>)
  %e, %v = ingot.eig %x : (tensor<2x?x3xf32>) -> (tensor<2x3xcomplex<f32>>, tensor<2x3x3xcomplex<f32>>)
  // INFER: ingot.eig {{.*}}compute_v = false{{.*}} -> (tensor<*xcomplex<f64>>, tensor<0xcomplex<f64>>)
  %f, %w = ingot.eig %u {compute_v = false} : (tensor<*xf64>) -> (tensor<*xcomplex<f64>>, tensor<?xcomplex<f64>>)
  // INFER: ingot.lu {{.*}} -> (tensor<2x3x3xf32>, tensor<2x3xi64>)
  %l, %p = ingot.lu %x {index_type = i64} : (tensor<2x?x3xf32>) -> (tensor<2x?x?xf32>, tensor<2x?xi64>)
  // INFER: ingot.matrix_square_root {{.*}} -> tensor<2x3x3xf32>
  %0 = ingot.matrix_square_root %x : (tensor<2x?x3xf32>) -> tensor<?x?x?xf32>
  // CHECK: ingot.matrix_exponential %{{.*}} : (tensor<*xf64>) -> tensor<*xf64>
  %1 = ingot.matrix_exponential %u : (tensor<*xf64>) -> tensor<*xf64>
  // CHECK: ingot.matrix_logarithm %{{.*}} : (tensor<3x3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
  %2 = ingot.matrix_logarithm %c : (tensor<3x3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
  return
}
