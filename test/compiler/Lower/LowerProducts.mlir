// RUN: ingot-opt %s -ingot-lower-to-linalg -split-input-file | FileCheck %s

// A product reads a transposed first operand in place.
// CHECK-DAG: #[[A:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-DAG: #[[B:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[C:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func private @product
// CHECK: linalg.generic {indexing_maps = [#[[A]], #[[B]], #[[C]]], iterator_types = ["parallel", "parallel", "reduction"]}
func.func private @product(%a: tensor<8x4xf32>, %b: tensor<8x2xf32>, %o: tensor<4x2xf32>) -> tensor<4x2xf32> attributes {host.kernel} {
  %0 = ingot.matmul %a, %b {transpose_a = true} : (tensor<8x4xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
