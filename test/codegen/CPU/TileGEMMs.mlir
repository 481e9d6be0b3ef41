// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --ingot-cpu-tile-gemms="vector-bits=256 num-registers=16" --canonicalize --cse | FileCheck %s
// RUN: ingot-opt %s --split-input-file --ingot-cpu-tile-gemms="vector-bits=512 num-registers=32" --canonicalize --cse | FileCheck %s --check-prefix=WIDE
// RUN: ingot-opt %s --split-input-file --ingot-cpu-tile-gemms="vector-bits=128 num-registers=32 tile-rows=2 tile-vectors=4" --canonicalize --cse | FileCheck %s --check-prefix=PLAN

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>

// Two registers wide and as many rows as fit; every tile has a static shape,
// the remainder of the columns (50 = 3 * 16 + 2) too. The epilogue runs on the
// GEMM's tile. Rows are the outer loop, marked as the grid.

// CHECK-LABEL: func.func private @remainder
// CHECK:   scf.for
// CHECK:     scf.for
// CHECK:       linalg.generic {{.*}}"reduction"]} {{.*}} outs({{.*}} : tensor<4x16xf32>)
// CHECK:       linalg.generic {{.*}} : tensor<4x16xf32>
// CHECK:         arith.negf
// CHECK:     linalg.generic {{.*}}"reduction"]} {{.*}} outs({{.*}} : tensor<4x2xf32>)
// CHECK:     linalg.generic {{.*}} : tensor<4x2xf32>
// CHECK:       arith.negf
// CHECK:   } {host.grid_loop}
// CHECK-NOT: tensor<?

// Options give register tiles of two rows of four vectors.

// PLAN-LABEL: func.func private @remainder
// PLAN:       linalg.generic {{.*}}"reduction"]} {{.*}} outs({{.*}} : tensor<2x16xf32>)
func.func private @remainder(%x: tensor<8x6xf32>, %w: tensor<6x50xf32>, %out: tensor<8x50xf32>) -> tensor<8x50xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x50xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x50xf32>) -> tensor<8x50xf32>
  %product = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<8x6xf32>, tensor<6x50xf32>) outs(%f : tensor<8x50xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<8x50xf32>
  %neg = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%product : tensor<8x50xf32>) outs(%out : tensor<8x50xf32>) {
  ^bb0(%p: f32, %s: f32):
    %r = arith.negf %p : f32
    linalg.yield %r : f32
  } -> tensor<8x50xf32>
  return %neg : tensor<8x50xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// A second operand beyond the innermost caches: its columns are copied to a
// panel, once for all rows, outside the loop over them.

// CHECK-LABEL: func.func private @packed
// CHECK:   scf.for
// CHECK:     %[[PANEL:.*]] = linalg.copy ins(%{{.*}} : tensor<512x16xf32>)
// CHECK:     scf.for
// CHECK:       linalg.generic {{.*}}"reduction"]} ins(%{{.*}}, %[[PANEL]] :
func.func private @packed(%x: tensor<64x512xf32>, %w: tensor<512x256xf32>, %out: tensor<64x256xf32>) -> tensor<64x256xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<64x256xf32>) -> tensor<64x256xf32>
  %product = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<64x512xf32>, tensor<512x256xf32>) outs(%f : tensor<64x256xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<64x256xf32>
  return %product : tensor<64x256xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// Rows that leave a remainder, few columns: one loop over blocks of rows, in
// which a panel is packed again; the last, shorter tile is one of its
// iterations, and all tiles are static.

// CHECK-LABEL: func.func private @blocks
// CHECK:         scf.for %[[BLOCK:.*]] = %{{.*}} to %{{.*}} step
// CHECK:           scf.for
// CHECK:             linalg.copy
// CHECK:             scf.for %[[ROW:.*]] = %[[BLOCK]] to
// CHECK:               %[[WHOLE:.*]] = arith.cmpi ult, %[[ROW]]
// CHECK:               scf.if %[[WHOLE]]
// CHECK:                 linalg.generic {{.*}}"reduction"]} {{.*}} outs({{.*}} : tensor<[[ROWS:[0-9]+]]x16xf32>)
// CHECK:               } else {
// CHECK:                 linalg.generic {{.*}}"reduction"]} {{.*}} outs({{.*}} : tensor<{{[0-9]+}}x16xf32>)
// CHECK:         } {host.grid_loop}
// CHECK-NOT:     linalg.generic
func.func private @blocks(%x: tensor<4099x1024xf32>, %w: tensor<1024x32xf32>, %out: tensor<4099x32xf32>) -> tensor<4099x32xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<4099x32xf32>) -> tensor<4099x32xf32>
  %product = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<4099x1024xf32>, tensor<1024x32xf32>) outs(%f : tensor<4099x32xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<4099x32xf32>
  return %product : tensor<4099x32xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#t = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// Two GEMMs in one kernel: each has its own tiles, whose rows and columns are
// loops, and none of them is a grid.

// CHECK-LABEL: func.func private @two_products
// CHECK: scf.for
// CHECK:   linalg.generic {{.*}}"reduction"]} {{.*}} outs({{.*}} : tensor<4x10xf32>)
// CHECK: scf.for
// CHECK:   linalg.generic {{.*}}"reduction"]} {{.*}} outs({{.*}} : tensor<5x10xf32>)
// CHECK-NOT: host.grid_loop
// CHECK: return
func.func private @two_products(%x: tensor<8x10xf32>, %w: tensor<10x10xf32>) -> (tensor<8x10xf32>, tensor<10x10xf32>) attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x10xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x10xf32>) -> tensor<8x10xf32>
  %z = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<8x10xf32>, tensor<10x10xf32>) outs(%f : tensor<8x10xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %u = arith.addf %s, %r : f32
    linalg.yield %u : f32
  } -> tensor<8x10xf32>
  %e2 = tensor.empty() : tensor<10x10xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<10x10xf32>) -> tensor<10x10xf32>
  %d = linalg.generic {indexing_maps = [#t, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %z : tensor<8x10xf32>, tensor<8x10xf32>) outs(%f2 : tensor<10x10xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %u = arith.addf %s, %r : f32
    linalg.yield %u : f32
  } -> tensor<10x10xf32>
  return %z, %d : tensor<8x10xf32>, tensor<10x10xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#bt = affine_map<(m, n, k) -> (n, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// A small transposed second operand is packed as a whole, so that rows are the
// grid: blocks of 6, in the loop outside columns.

// CHECK-DAG: #[[PLAIN:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-LABEL: func.func private @small
// CHECK:   %[[ALL:.*]] = linalg.transpose ins(%{{.*}} : tensor<64x24xf32>) outs(%{{.*}} : tensor<24x64xf32>) permutation = [1, 0]
// CHECK:   scf.for %[[ROW:.*]] = %c0 to %c60 step %c6
// CHECK:     scf.for %[[COLUMN:.*]] = %c0 to %c64 step %c16
// CHECK:       tensor.extract_slice %{{.*}}[%[[ROW]], 0] [6, 24]
// CHECK:       %[[PART:.*]] = tensor.extract_slice %[[ALL]][0, %[[COLUMN]]] [24, 16]
// CHECK:       linalg.generic {indexing_maps = [#{{.*}}, #[[PLAIN]], #{{.*}}], {{.*}}"reduction"]} ins(%{{.*}}, %[[PART]] :
// CHECK:   } {host.grid_loop}
func.func private @small(%x: tensor<60x24xf32>, %w: tensor<64x24xf32>, %out: tensor<60x64xf32>) -> tensor<60x64xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<60x64xf32>) -> tensor<60x64xf32>
  %product = linalg.generic {indexing_maps = [#a, #bt, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<60x24xf32>, tensor<64x24xf32>) outs(%f : tensor<60x64xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<60x64xf32>
  return %product : tensor<60x64xf32>
}

// A larger one is packed by panels of a tile's columns, once for all rows.

// CHECK-LABEL: func.func private @transposed
// CHECK:   scf.for
// CHECK:     %[[PANEL:.*]] = linalg.transpose ins(%{{.*}} : tensor<16x240xf32>) outs(%{{.*}} : tensor<240x16xf32>) permutation = [1, 0]
// CHECK:     scf.for
// CHECK:       linalg.generic {indexing_maps = [#{{.*}}, #[[PLAIN]], #{{.*}}], {{.*}}"reduction"]} ins(%{{.*}}, %[[PANEL]] :
func.func private @transposed(%x: tensor<64x240xf32>, %w: tensor<64x240xf32>, %out: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<64x64xf32>) -> tensor<64x64xf32>
  %product = linalg.generic {indexing_maps = [#a, #bt, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<64x240xf32>, tensor<64x240xf32>) outs(%f : tensor<64x64xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<64x64xf32>
  return %product : tensor<64x64xf32>
}

// Dynamic sizes: transposed as a whole.

// CHECK-LABEL: func.func private @dynamic
// CHECK:   %[[WHOLE:.*]] = linalg.transpose ins(%{{.*}} : tensor<?x?xf32>)
// CHECK:   linalg.generic {indexing_maps = [#{{.*}}, #[[PLAIN]], #{{.*}}], {{.*}}"reduction"]} ins(%{{.*}}, %[[WHOLE]] :
func.func private @dynamic(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %out: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<?x?xf32>) -> tensor<?x?xf32>
  %product = linalg.generic {indexing_maps = [#a, #bt, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %product : tensor<?x?xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#e = affine_map<(m, n) -> (m, n)>

// The temporary between GEMM and epilogue is as large as a tile, the last one of
// 27 rows included.

// CHECK-LABEL: func.func private @temporary
// CHECK-NOT:     tensor.empty() : tensor<27x64xf32>
// CHECK:         %[[TILE:.*]] = tensor.empty() : tensor<[[ROWS:[0-9]+]]x16xf32>
// CHECK:         linalg.fill {{.*}} outs(%[[TILE]] :
// CHECK-NOT:     tensor.empty() : tensor<27x64xf32>
func.func private @temporary(%x: tensor<27x24xf32>, %w: tensor<24x64xf32>, %out: tensor<27x64xf32>) -> tensor<27x64xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %whole = tensor.empty() : tensor<27x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%whole : tensor<27x64xf32>) -> tensor<27x64xf32>
  %product = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<27x24xf32>, tensor<24x64xf32>) outs(%f : tensor<27x64xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<27x64xf32>
  %activation = linalg.generic {indexing_maps = [#e, #e], iterator_types = ["parallel", "parallel"]} ins(%product : tensor<27x64xf32>) outs(%out : tensor<27x64xf32>) {
  ^bb0(%p: f32, %o: f32):
    %r = arith.maximumf %p, %zero : f32
    linalg.yield %r : f32
  } -> tensor<27x64xf32>
  return %activation : tensor<27x64xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// Eight tiles of rows are too few to pack a panel: the second operand is read in
// place, and rows are the grid.

// CHECK-LABEL: func.func private @few_rows
// CHECK-SAME: (%{{.*}}, %[[W:[^:]*]]: tensor<160x512xf32>,
// CHECK-NOT: linalg.copy
// CHECK: scf.for %[[ROW:.*]] = %c0 to %c32 step %c4
// CHECK:   scf.for %[[COLUMN:.*]] = %c0 to %c512 step %c16
// CHECK:     tensor.extract_slice %[[W]][0, %[[COLUMN]]] [160, 16]
// CHECK: } {host.grid_loop}
func.func private @few_rows(%x: tensor<32x160xf32>, %w: tensor<160x512xf32>, %out: tensor<32x512xf32>) -> tensor<32x512xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<32x512xf32>) -> tensor<32x512xf32>
  %product = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<32x160xf32>, tensor<160x512xf32>) outs(%f : tensor<32x512xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<32x512xf32>
  return %product : tensor<32x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// The same rows, and a second operand that exceeds the caches: its lines are far
// apart, so panels are packed.

// CHECK-LABEL: func.func private @few_rows_of_much
// CHECK:   scf.for
// CHECK:     %[[PANEL:.*]] = linalg.copy ins(%{{.*}} : tensor<1024x16xf32>)
// CHECK:     scf.for
// CHECK:       linalg.generic {{.*}}"reduction"]} ins(%{{.*}}, %[[PANEL]] :
// CHECK:   } {host.grid_loop}
func.func private @few_rows_of_much(%x: tensor<32x1024xf32>, %w: tensor<1024x2048xf32>, %out: tensor<32x2048xf32>) -> tensor<32x2048xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<32x2048xf32>) -> tensor<32x2048xf32>
  %product = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<32x1024xf32>, tensor<1024x2048xf32>) outs(%f : tensor<32x2048xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<32x2048xf32>
  return %product : tensor<32x2048xf32>
}

// -----

#a = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#six = affine_map<(r, s, c, n, y, x) -> (r, s, c, n, y, x)>

// A transposed implicit GEMM on image rows of 28 has tiles that divide these.
// The epilogue after the transpose runs on the whole block.

// CHECK-LABEL: func.func private @along_rows
// CHECK: scf.for %{{.*}} = %{{.*}} to %c280 step %c56
// CHECK:   %[[Y:.*]] = scf.for %[[COLUMN:.*]] = %{{.*}} to %c56 step %c14
// CHECK:     tensor.extract_slice %{{.*}}[0, %[[COLUMN]]] [72, 14]
// CHECK:     linalg.generic {{.*}}"reduction"]} {{.*}} outs({{.*}} : tensor<3x14xf32>)
// CHECK:   %[[T:.*]] = linalg.transpose ins(%[[Y]] : tensor<3x56xf32>)
// CHECK:   linalg.generic {{.*}} ins(%[[T]] : tensor<56x3xf32>)
// CHECK: } {host.grid_loop}
func.func private @along_rows(%x: tensor<4x36x30xf32>, %w: tensor<72x3xf32>, %out: tensor<280x3xf32>) -> tensor<280x3xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c56 = arith.constant 56 : index
  %c280 = arith.constant 280 : index
  %all = scf.for %i = %c0 to %c280 step %c56 iter_args(%o = %out) -> (tensor<280x3xf32>) {
    %part = tensor.extract_slice %o[%i, 0] [56, 3] [1, 1] : tensor<280x3xf32> to tensor<56x3xf32>
    %e = tensor.empty() : tensor<3x3x8x1x2x28xf32>
    %p = linalg.generic {indexing_maps = [#six], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]} outs(%e : tensor<3x3x8x1x2x28xf32>) {
    ^bb0(%v: f32):
      %element = tensor.extract %x[%c0, %c0, %c0] : tensor<4x36x30xf32>
      linalg.yield %element : f32
    } -> tensor<3x3x8x1x2x28xf32>
    %m = tensor.collapse_shape %p [[0, 1, 2], [3, 4, 5]] : tensor<3x3x8x1x2x28xf32> into tensor<72x56xf32>
    %own = tensor.empty() : tensor<3x56xf32>
    %f = linalg.fill ins(%zero : f32) outs(%own : tensor<3x56xf32>) -> tensor<3x56xf32>
    %y = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w, %m : tensor<72x3xf32>, tensor<72x56xf32>) outs(%f : tensor<3x56xf32>) {
    ^bb0(%p0: f32, %q: f32, %s: f32):
      %r = arith.mulf %p0, %q : f32
      %t = arith.addf %s, %r : f32
      linalg.yield %t : f32
    } -> tensor<3x56xf32>
    %te = tensor.empty() : tensor<56x3xf32>
    %t = linalg.transpose ins(%y : tensor<3x56xf32>) outs(%te : tensor<56x3xf32>) permutation = [1, 0]
    %n = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%t : tensor<56x3xf32>) outs(%part : tensor<56x3xf32>) {
    ^bb0(%i0: f32, %o0: f32):
      %z = arith.negf %i0 : f32
      linalg.yield %z : f32
    } -> tensor<56x3xf32>
    %put = tensor.insert_slice %n into %o[%i, 0] [56, 3] [1, 1] : tensor<56x3xf32> into tensor<280x3xf32>
    scf.yield %put : tensor<280x3xf32>
  } {host.grid_loop}
  return %all : tensor<280x3xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// 20 divides 1000 columns, but a tile of that width has registers for three
// rows only. Tiles of 6 x 16 are faster, and narrower ones compute the last
// eight columns.

// CHECK-LABEL: func.func private @poor_divisor
// CHECK: outs({{.*}} : tensor<6x16xf32>)
// CHECK: outs({{.*}} : tensor<6x8xf32>)
// CHECK-NOT: 20xf32
func.func private @poor_divisor(%x: tensor<48x64xf32>, %w: tensor<64x1000xf32>, %out: tensor<48x1000xf32>) -> tensor<48x1000xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<48x1000xf32>) -> tensor<48x1000xf32>
  %product = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<48x64xf32>, tensor<64x1000xf32>) outs(%f : tensor<48x1000xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<48x1000xf32>
  return %product : tensor<48x1000xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// The same if the number of rows is dynamic.

// CHECK-LABEL: func.func private @poor_divisor_of_dynamic_rows
// CHECK-NOT: 20xf32
// CHECK: outs({{.*}} : tensor<6x16xf32>)
func.func private @poor_divisor_of_dynamic_rows(%x: tensor<?x64xf32>, %w: tensor<64x1000xf32>, %out: tensor<?x1000xf32>) -> tensor<?x1000xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<?x1000xf32>) -> tensor<?x1000xf32>
  %product = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<?x64xf32>, tensor<64x1000xf32>) outs(%f : tensor<?x1000xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<?x1000xf32>
  return %product : tensor<?x1000xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// Vectors of 512 bits: tiles of three have fewer loads for each FMA than tiles
// of two, which would divide N. With 256 bits, tiles of 6 rows, not of 4,
// which divide M: eight accumulators only just hide the latency of an FMA.

// CHECK-LABEL: func.func private @loads
// CHECK: outs({{.*}} : tensor<6x16xf32>)
// WIDE-LABEL: func.func private @loads
// WIDE: outs({{.*}} : tensor<8x48xf32>)
// WIDE: outs({{.*}} : tensor<8x32xf32>)
func.func private @loads(%x: tensor<128x64xf32>, %w: tensor<64x512xf32>, %out: tensor<128x512xf32>) -> tensor<128x512xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<128x512xf32>) -> tensor<128x512xf32>
  %product = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<128x64xf32>, tensor<64x512xf32>) outs(%f : tensor<128x512xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<128x512xf32>
  return %product : tensor<128x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// Rows of B that are 8 KiB apart share a few sets of the caches: 300 of them
// evict each other, so panels are packed even for a few tiles.

// CHECK-LABEL: func.func private @conflicts
// CHECK: linalg.copy {{.*}} outs(%{{.*}} : tensor<300x16xf32>)
func.func private @conflicts(%x: tensor<24x300xf32>, %w: tensor<300x2048xf32>, %out: tensor<24x2048xf32>) -> tensor<24x2048xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<24x2048xf32>) -> tensor<24x2048xf32>
  %product = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<24x300xf32>, tensor<300x2048xf32>) outs(%f : tensor<24x2048xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<24x2048xf32>
  return %product : tensor<24x2048xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// Rows that are 8,000 bytes apart do not: few tiles read B where it lies.

// CHECK-LABEL: func.func private @no_conflicts
// CHECK-NOT: linalg.copy
// CHECK: return
func.func private @no_conflicts(%x: tensor<24x300xf32>, %w: tensor<300x2000xf32>, %out: tensor<24x2000xf32>) -> tensor<24x2000xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<24x2000xf32>) -> tensor<24x2000xf32>
  %product = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<24x300xf32>, tensor<300x2000xf32>) outs(%f : tensor<24x2000xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<24x2000xf32>
  return %product : tensor<24x2000xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// With few steps of K a large result takes most of the time, and cache lines
// come in pairs: rows of two vectors are one pair.

// WIDE-LABEL: func.func private @large_result
// WIDE-NOT: x48xf32
// WIDE: outs({{.*}} : tensor<12x32xf32>)
func.func private @large_result(%x: tensor<96x64xf32>, %w: tensor<64x20000xf32>, %out: tensor<96x20000xf32>) -> tensor<96x20000xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<96x20000xf32>) -> tensor<96x20000xf32>
  %product = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<96x64xf32>, tensor<64x20000xf32>) outs(%f : tensor<96x20000xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<96x20000xf32>
  return %product : tensor<96x20000xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// Twelve rows of A, 4 KiB apart, would evict each other from L1: tiles have
// fewer rows. Otherwise tiles that divide C are used.

// WIDE-LABEL: func.func private @rows_of_a_evict_each_other
// WIDE:       linalg.generic {{.*}}"reduction"]} {{.*}} outs({{.*}} : tensor<8x48xf32>)
func.func private @rows_of_a_evict_each_other(%x: tensor<120x1024xf32>, %w: tensor<1024x512xf32>, %out: tensor<120x512xf32>) -> tensor<120x512xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<120x512xf32>) -> tensor<120x512xf32>
  %product = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<120x1024xf32>, tensor<1024x512xf32>) outs(%f : tensor<120x512xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<120x512xf32>
  return %product : tensor<120x512xf32>
}

// WIDE-LABEL: func.func private @rows_of_a_stay_in_cache
// WIDE:       linalg.generic {{.*}}"reduction"]} {{.*}} outs({{.*}} : tensor<12x32xf32>)
func.func private @rows_of_a_stay_in_cache(%x: tensor<120x1040xf32>, %w: tensor<1040x512xf32>, %out: tensor<120x512xf32>) -> tensor<120x512xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<120x512xf32>) -> tensor<120x512xf32>
  %product = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<120x1040xf32>, tensor<1040x512xf32>) outs(%f : tensor<120x512xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<120x512xf32>
  return %product : tensor<120x512xf32>
}
