// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --ingot-ptx-generalize-transposes --ingot-fuse-elementwise | FileCheck %s

// One op reads the operand along another dimension than it stores the result.

// CHECK-DAG: #[[TURNED:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func private @fused(
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {indexing_maps = [#[[TURNED]], #[[ID]], #[[ID]]]
// CHECK: arith.mulf
// CHECK-NOT: linalg.generic
func.func private @fused(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %o: tensor<32x64xf32>) -> tensor<32x64xf32>
    attributes {host.kernel} {
  %e = tensor.empty() : tensor<32x64xf32>
  %t = linalg.transpose ins(%a : tensor<64x32xf32>) outs(%e : tensor<32x64xf32>) permutation = [1, 0]
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%t, %b : tensor<32x64xf32>, tensor<32x64xf32>) outs(%o : tensor<32x64xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<32x64xf32>
  return %r : tensor<32x64xf32>
}

// -----

// The reduction keeps its bits.

// CHECK-LABEL: func.func private @reduces(
// CHECK: linalg.transpose
// CHECK: linalg.generic
func.func private @reduces(%a: tensor<64x32xf32>, %o: tensor<32xf32>) -> tensor<32xf32> attributes {host.kernel} {
  %e = tensor.empty() : tensor<32x64xf32>
  %t = linalg.transpose ins(%a : tensor<64x32xf32>) outs(%e : tensor<32x64xf32>) permutation = [1, 0]
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%t : tensor<32x64xf32>) outs(%o : tensor<32xf32>) {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.addf %y, %x : f32
    linalg.yield %0 : f32
  } -> tensor<32xf32>
  return %r : tensor<32xf32>
}
