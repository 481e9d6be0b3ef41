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
