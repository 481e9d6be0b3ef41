// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --ingot-ptx-buffer-pipeline | FileCheck %s

// What a normalization computes for each channel shares no dimension with its
// loop over all elements. The images are that loop's grid nevertheless, divided
// among blocks of 256 threads; the first block computes the channels.

#all = affine_map<(n, h, w, c) -> (n, h, w, c)>
#channel = affine_map<(n, h, w, c) -> (c)>
#rows = affine_map<(n, c) -> (n, c)>
#sums = affine_map<(n, c) -> (c)>
// CHECK-LABEL: func.func private @normalize(
// CHECK-SAME: host.grid = array<i64: 1024, 1>
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0
// CHECK: scf.if %[[FIRST]]
// CHECK: scf.if
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["reduction", "parallel"]
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel", "parallel", "parallel"]
// CHECK-SAME: {host.blocks = 32 : i64}
func.func private @normalize(%x: tensor<32x32x32x16xf32>, %mean: tensor<16xf32>, %part: tensor<32x16xf32>,
                             %y: tensor<32x32x32x16xf32>, %variance: tensor<16xf32>)
    -> (tensor<32x32x32x16xf32>, tensor<16xf32>) attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %start = linalg.fill ins(%zero : f32) outs(%variance : tensor<16xf32>) -> tensor<16xf32>
  %sum = linalg.generic {indexing_maps = [#rows, #sums], iterator_types = ["reduction", "parallel"]}
      ins(%part : tensor<32x16xf32>) outs(%start : tensor<16xf32>) {
  ^bb0(%p: f32, %s: f32):
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<16xf32>
  %r = linalg.generic {indexing_maps = [#all, #channel, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %mean : tensor<32x32x32x16xf32>, tensor<16xf32>) outs(%y : tensor<32x32x32x16xf32>) {
  ^bb0(%v: f32, %m: f32, %o: f32):
    %d = arith.subf %v, %m : f32
    linalg.yield %d : f32
  } -> tensor<32x32x32x16xf32>
  return %r, %sum : tensor<32x32x32x16xf32>, tensor<16xf32>
}
