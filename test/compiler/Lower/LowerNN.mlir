// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-lower-to-linalg -split-input-file | FileCheck %s

// The bias is read along the last dimension.
// CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[LAST:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func private @bias
// CHECK: linalg.generic {indexing_maps = [#[[ALL]], #[[LAST]], #[[ALL]]], iterator_types = ["parallel", "parallel"]}
// CHECK: arith.addf
func.func private @bias(%x: tensor<4x2xf32>, %b: tensor<2xf32>, %o: tensor<4x2xf32>) -> tensor<4x2xf32> attributes {host.kernel} {
  %0 = ingot.bias_add %x, %b : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
