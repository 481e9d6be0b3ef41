// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --ingot-cpu-tile-gemms="vector-bits=512 num-registers=32" --canonicalize --cse --ingot-cpu-tile-remainder-rows --canonicalize | FileCheck %s

// Up to 7 rows remain after tiles of 8: tiles of 4, then single rows. No GEMM
// has a dynamic number of rows.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func private @any
// CHECK-NOT:   tensor<?x24xf32>, tensor<24x16xf32>)
// CHECK:       scf.if
// CHECK:         linalg.generic {{.*}}"reduction"]} ins(%{{.*}} : tensor<8x24xf32>, tensor<24x16xf32>)
// CHECK:       } else {
// CHECK:         %[[SOME:.*]] = scf.for %{{.*}} = %c0 to %[[WHOLE:.*]] step %c4
// CHECK:           linalg.generic {{.*}}"reduction"]} ins(%{{.*}} : tensor<4x24xf32>, tensor<24x16xf32>)
// CHECK:         scf.for %{{.*}} = %[[WHOLE]] to %{{.*}} step %c1 iter_args(%{{.*}} = %[[SOME]])
// CHECK:           linalg.generic {{.*}}"reduction"]} ins(%{{.*}} : tensor<1x24xf32>, tensor<24x16xf32>)
// CHECK-NOT:   tensor<?x24xf32>, tensor<24x16xf32>)
// CHECK:       return
func.func private @any(%x: tensor<?x24xf32>, %w: tensor<24x16xf32>, %out: tensor<?x16xf32>) -> tensor<?x16xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<?x16xf32>) -> tensor<?x16xf32>
  %product = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<?x24xf32>, tensor<24x16xf32>) outs(%f : tensor<?x16xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<?x16xf32>
  return %product : tensor<?x16xf32>
}
