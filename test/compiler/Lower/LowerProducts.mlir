// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-lower-to-linalg -split-input-file | FileCheck %s

// A GEMM reads a transposed first operand in place.
// CHECK-DAG: #[[A:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-DAG: #[[B:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[C:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func private @product
// CHECK: linalg.generic {indexing_maps = [#[[A]], #[[B]], #[[C]]], iterator_types = ["parallel", "parallel", "reduction"]}
func.func private @product(%a: tensor<8x4xf32>, %b: tensor<8x2xf32>, %o: tensor<4x2xf32>) -> tensor<4x2xf32> attributes {host.kernel} {
  %0 = ingot.matmul %a, %b {transpose_a = true} : (tensor<8x4xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

// A sum of blocks of K is a fact of the GEMM.
// CHECK-LABEL: func.func private @blocks
// CHECK: linalg.generic {{.*}} attrs = {host.sum_block = 4 : i64}
func.func private @blocks(%a: tensor<8x4xf32>, %b: tensor<8x2xf32>, %o: tensor<4x2xf32>) -> tensor<4x2xf32> attributes {host.kernel} {
  %0 = ingot.matmul %a, %b {sum_block = 4 : i64, transpose_a = true} : (tensor<8x4xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

// Without a sum the result is not read: loops that this is fused into may
// compute an element several times.
// CHECK-LABEL: func.func private @einsum_without_sum
// CHECK-NOT: linalg.fill
// CHECK: linalg.generic
// CHECK-NOT: arith.addf
// CHECK: return
func.func private @einsum_without_sum(%a: tensor<3xf32>, %b: tensor<4xf32>, %o: tensor<4x3xf32>) -> tensor<4x3xf32> attributes {host.kernel} {
  %0 = ingot.einsum "i,j->ji"(%a, %b) : (tensor<3xf32>, tensor<4xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
