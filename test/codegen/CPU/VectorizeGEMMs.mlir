// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --ingot-cpu-vectorize-gemms="vector-bits=256 fma=true" | FileCheck %s --check-prefixes=CHECK,FMA
// RUN: ingot-opt %s --ingot-cpu-vectorize-gemms="vector-bits=256 fma=false" | FileCheck %s --check-prefixes=CHECK,SPLIT
// RUN: ingot-opt %s --ingot-cpu-vectorize-gemms="vector-bits=512 fma=true" | FileCheck %s --check-prefix=MASKS
// RUN: ingot-opt %s --ingot-cpu-vectorize-gemms="vector-bits=512 pair-factors=true" | FileCheck %s --check-prefix=PAIRS

#a = affine_map<(m, n, k) -> (m, k)>
#at = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// Two rows of ten columns: a whole register and a quarter of one, four
// accumulators that stay in registers over the reduction.

// CHECK-LABEL: func.func @tile(
// CHECK-SAME:    %[[A:[^:]*]]: memref<2x64xf32>, %[[B:[^:]*]]: memref<64x10xf32>, %[[C:[^:]*]]: memref<2x10xf32>)
func.func @tile(%x: memref<2x64xf32>, %w: memref<64x10xf32>, %o: memref<2x10xf32>) {
  // CHECK: %[[R:.*]]:4 = scf.for %[[K:[^ ]*]] = {{.*}} -> (vector<8xf32>, vector<2xf32>, vector<8xf32>, vector<2xf32>)
  // CHECK: vector.load %[[B]][%[[K]], %{{.*}}] : memref<64x10xf32>, vector<8xf32>
  // CHECK: vector.load %[[B]][%[[K]], %{{.*}}] : memref<64x10xf32>, vector<2xf32>
  // CHECK: memref.load %[[A]][%{{.*}}, %[[K]]]
  // FMA-COUNT-4: math.fma
  // SPLIT-NOT: math.fma
  // SPLIT: arith.mulf %{{.*}} : vector<8xf32>
  // CHECK: vector.store %[[R]]#0, %[[C]]
  // CHECK: vector.store %[[R]]#3, %[[C]]
  // CHECK-NOT: linalg.generic
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<2x64xf32>, memref<64x10xf32>) outs(%o : memref<2x10xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  }
  return
}

// A transposed first operand is read down its columns.

// CHECK-LABEL: func.func @transposed(
// CHECK-SAME:    %[[A:[^:]*]]: memref<64x2xf32>
func.func @transposed(%x: memref<64x2xf32>, %w: memref<64x8xf32>, %o: memref<2x8xf32>) {
  // CHECK: scf.for %[[K:[^ ]*]] = {{.*}} iter_args
  // CHECK: memref.load %[[A]][%[[K]], %{{.*}}]
  linalg.generic {indexing_maps = [#at, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<64x2xf32>, memref<64x8xf32>) outs(%o : memref<2x8xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  }
  return
}

// The accumulators of a tile that a fill initializes start as constants: nothing
// is stored and loaded again. Tiles of large tensors that the epilogue reads and
// writes are prefetched: a row of a vector and a half has two lines.

// CHECK-LABEL: func.func @filled(
// CHECK-SAME:    %{{[^:]*}}: memref<2x64xf32>, %{{[^:]*}}: memref<64x24xf32>, %{{[^:]*}}: memref<512x512xf32>, %{{[^:]*}}: memref<16x24xf32>
func.func @filled(%x: memref<2x64xf32>, %w: memref<64x24xf32>, %large: memref<512x512xf32>, %small: memref<16x24xf32>, %i: index) {
  %zero = arith.constant 0.0 : f32
  %tile = memref.alloca() : memref<2x24xf32>
  // CHECK-NOT: linalg.fill
  // CHECK: %[[V:.*]] = memref.subview %{{.*}} : memref<512x512xf32>
  // CHECK-NOT: vector.load
  // CHECK: vector.broadcast %{{.*}} : f32 to vector<8xf32>
  // CHECK: scf.for %[[K:[^ ]*]] = {{.*}} step %c16
  // CHECK:   %[[LINE:.*]] = arith.shrui %[[K]], %c4
  // CHECK:   %[[ROW:.*]] = arith.divui %[[LINE]], %c2
  // CHECK:   memref.prefetch %[[V]][%[[ROW]], %{{.*}}], write, locality<2>, data
  // CHECK-NOT: memref.prefetch
  // CHECK:   scf.for %{{.*}} = %[[K]] to
  linalg.fill ins(%zero : f32) outs(%tile : memref<2x24xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<2x64xf32>, memref<64x24xf32>) outs(%tile : memref<2x24xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  }
  %v = memref.subview %large[%i, 0] [2, 24] [1, 1] : memref<512x512xf32> to memref<2x24xf32, strided<[512, 1], offset: ?>>
  %u = memref.subview %small[%i, 0] [2, 24] [1, 1] : memref<16x24xf32> to memref<2x24xf32, strided<[24, 1], offset: ?>>
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%tile, %u : memref<2x24xf32>, memref<2x24xf32, strided<[24, 1], offset: ?>>) outs(%v : memref<2x24xf32, strided<[512, 1], offset: ?>>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.addf %p, %q : f32
    %t = arith.subf %s, %r : f32
    linalg.yield %t : f32
  }
  return
}

// A reduction over two dimensions, the inner one first.

// CHECK-LABEL: func.func @nested(
func.func @nested(%x: memref<2x3x24xf32, strided<[8, 64, 1], offset: ?>>, %w: memref<3x24x8xf32>, %tile: memref<2x8xf32>) {
  // CHECK: %[[R:.*]]:2 = scf.for %[[I:.*]] = %{{.*}} to %c3{{.*}} iter_args(%[[X:.*]] = %{{.*}}, %[[Y:.*]] = %{{.*}}) -> (vector<8xf32>, vector<8xf32>)
  // CHECK:   %[[S:.*]]:2 = scf.for %[[J:.*]] = %{{.*}} to %c24{{.*}} iter_args(%{{.*}} = %[[X]], %{{.*}} = %[[Y]])
  // CHECK:     vector.load %{{.*}}[%[[I]], %[[J]], %{{.*}}] : memref<3x24x8xf32>
  // CHECK:     memref.load %{{.*}}[%{{.*}}, %[[I]], %[[J]]]
  // FMA:       math.fma
  // SPLIT:     arith.mulf
  // CHECK:   scf.yield %[[S]]#0, %[[S]]#1
  // CHECK: vector.store %[[R]]#0
  linalg.generic {indexing_maps = [affine_map<(m, n, i, j) -> (m, i, j)>, affine_map<(m, n, i, j) -> (i, j, n)>, affine_map<(m, n, i, j) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%x, %w : memref<2x3x24xf32, strided<[8, 64, 1], offset: ?>>, memref<3x24x8xf32>) outs(%tile : memref<2x8xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  }
  return
}

// A panel that is packed for all tiles: while these are computed, the columns
// of the next panel are prefetched. Each of 16 tiles prefetches 8 of 128 rows,
// one row every 16 steps of K. Of a row that is not aligned, the line that has
// its end is missing: that of the next panel's column 15, 31 from this one's
// first.

// CHECK-LABEL: func.func @panels(
// CHECK-SAME:    %[[A:[^:]*]]: memref<32x128xf32>, %[[W:[^:]*]]: memref<128x1024xf32>
func.func @panels(%x: memref<32x128xf32>, %w: memref<128x1024xf32>, %o: memref<32x1024xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c1024 = arith.constant 1024 : index
  %panel = memref.alloca() : memref<128x16xf32>
  // CHECK: scf.for %[[J:.*]] = %c0
  scf.for %j = %c0 to %c1024 step %c16 {
    // CHECK: %[[NOW:.*]] = memref.subview %[[W]][0, %[[J]]] [128, 16]
    %now = memref.subview %w[0, %j] [128, 16] [1, 1] : memref<128x1024xf32> to memref<128x16xf32, strided<[1024, 1], offset: ?>>
    linalg.copy ins(%now : memref<128x16xf32, strided<[1024, 1], offset: ?>>) outs(%panel : memref<128x16xf32>)
    // CHECK: scf.for %[[I:.*]] = %c0
    scf.for %i = %c0 to %c32 step %c2 {
      // CHECK: %[[DONE:.*]] = arith.subi %[[I]], %c0
      // CHECK: %[[T:.*]] = arith.divui %[[DONE]], %c2
      // CHECK: %[[C8:.*]] = arith.constant 8 : index
      // CHECK: %[[FIRST:.*]] = arith.muli %{{.*}}, %[[C8]]
      // CHECK: scf.for %[[K:[^ ]*]] =
      // CHECK:   %[[C4:.*]] = arith.constant 4 : index
      // CHECK:   %[[S:.*]] = arith.shrui %[[K]], %[[C4]]
      // CHECK:   %[[ROW:.*]] = arith.addi %[[FIRST]], %[[S]]
      // CHECK:   %[[N:.*]] = arith.constant 31 : index
      // CHECK:   memref.prefetch %[[NOW]][%[[ROW]], %[[N]]], read, locality<2>, data
      // CHECK-NOT: memref.prefetch
      // CHECK:   %[[END:.*]] = arith.addi %[[K]], %c16
      // CHECK:   scf.for %{{.*}} = %[[K]] to %[[END]] step %c1
      // CHECK:     vector.load
      %rows = memref.subview %x[%i, 0] [2, 128] [1, 1] : memref<32x128xf32> to memref<2x128xf32, strided<[128, 1], offset: ?>>
      %tile = memref.subview %o[%i, %j] [2, 16] [1, 1] : memref<32x1024xf32> to memref<2x16xf32, strided<[1024, 1], offset: ?>>
      linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%rows, %panel : memref<2x128xf32, strided<[128, 1], offset: ?>>, memref<128x16xf32>) outs(%tile : memref<2x16xf32, strided<[1024, 1], offset: ?>>) {
      ^bb0(%p: f32, %q: f32, %s: f32):
        %r = arith.mulf %p, %q : f32
        %t = arith.addf %s, %r : f32
        linalg.yield %t : f32
      }
    }
  }
  return
}

// Panels are prefetched, too, where the last, narrower one is a branch of the
// grid loop. Nothing follows that one.

// CHECK-LABEL: func.func @last_panel_is_narrower(
func.func @last_panel_is_narrower(%x: memref<32x128xf32>, %w: memref<128x1032xf32>, %o: memref<32x1032xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c1024 = arith.constant 1024 : index
  %c1032 = arith.constant 1032 : index
  %panel = memref.alloca() : memref<128x16xf32>
  %narrow = memref.alloca() : memref<128x8xf32>
  scf.for %j = %c0 to %c1032 step %c16 {
    %whole = arith.cmpi ult, %j, %c1024 : index
    // CHECK: scf.if
    scf.if %whole {
      // CHECK: %[[NOW:.*]] = memref.subview %{{.*}} [128, 16]
      // CHECK: memref.prefetch %[[NOW]][
      %now = memref.subview %w[0, %j] [128, 16] [1, 1] : memref<128x1032xf32> to memref<128x16xf32, strided<[1032, 1], offset: ?>>
      linalg.copy ins(%now : memref<128x16xf32, strided<[1032, 1], offset: ?>>) outs(%panel : memref<128x16xf32>)
      scf.for %i = %c0 to %c32 step %c2 {
        %rows = memref.subview %x[%i, 0] [2, 128] [1, 1] : memref<32x128xf32> to memref<2x128xf32, strided<[128, 1], offset: ?>>
        %tile = memref.subview %o[%i, %j] [2, 16] [1, 1] : memref<32x1032xf32> to memref<2x16xf32, strided<[1032, 1], offset: ?>>
        linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%rows, %panel : memref<2x128xf32, strided<[128, 1], offset: ?>>, memref<128x16xf32>) outs(%tile : memref<2x16xf32, strided<[1032, 1], offset: ?>>) {
        ^bb0(%p: f32, %q: f32, %s: f32):
          %r = arith.mulf %p, %q : f32
          %t = arith.addf %s, %r : f32
          linalg.yield %t : f32
        }
      }
    // CHECK: } else {
    // CHECK-NOT: memref.prefetch
    // CHECK: return
    } else {
      %now = memref.subview %w[0, 1024] [128, 8] [1, 1] : memref<128x1032xf32> to memref<128x8xf32, strided<[1032, 1], offset: 1024>>
      linalg.copy ins(%now : memref<128x8xf32, strided<[1032, 1], offset: 1024>>) outs(%narrow : memref<128x8xf32>)
      scf.for %i = %c0 to %c32 step %c2 {
        %rows = memref.subview %x[%i, 0] [2, 128] [1, 1] : memref<32x128xf32> to memref<2x128xf32, strided<[128, 1], offset: ?>>
        %tile = memref.subview %o[%i, 1024] [2, 8] [1, 1] : memref<32x1032xf32> to memref<2x8xf32, strided<[1032, 1], offset: ?>>
        linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%rows, %narrow : memref<2x128xf32, strided<[128, 1], offset: ?>>, memref<128x8xf32>) outs(%tile : memref<2x8xf32, strided<[1032, 1], offset: ?>>) {
        ^bb0(%p: f32, %q: f32, %s: f32):
          %r = arith.mulf %p, %q : f32
          %t = arith.addf %s, %r : f32
          linalg.yield %t : f32
        }
      }
    }
  }
  return
}

// The next panel after one that is transposed as it is packed is 16 rows below.
// Each of 16 tiles prefetches a line of every row, one each 8 of 128 steps.

// CHECK-LABEL: func.func @transposed_panels(
func.func @transposed_panels(%x: memref<32x128xf32>, %w: memref<1024x128xf32>, %o: memref<32x1024xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c1024 = arith.constant 1024 : index
  %panel = memref.alloca() : memref<128x16xf32>
  scf.for %j = %c0 to %c1024 step %c16 {
    // CHECK: %[[NOW:.*]] = memref.subview %{{.*}}[%{{.*}}, 0] [16, 128]
    %now = memref.subview %w[%j, 0] [16, 128] [1, 1] : memref<1024x128xf32> to memref<16x128xf32, strided<[128, 1], offset: ?>>
    linalg.transpose ins(%now : memref<16x128xf32, strided<[128, 1], offset: ?>>) outs(%panel : memref<128x16xf32>) permutation = [1, 0]
    scf.for %i = %c0 to %c32 step %c2 {
      // CHECK: scf.for %[[K:[^ ]*]] = {{.*}} iter_args
      // CHECK:   %[[LINE:.*]] = arith.shrui %[[K]], %c3
      // CHECK:   %[[ROW:.*]] = arith.remui %[[LINE]], %c16
      // CHECK:   %[[BELOW:.*]] = arith.addi %[[ROW]], %{{.*}}
      // CHECK:   memref.prefetch %[[NOW]][%[[BELOW]], %{{.*}}], read, locality<2>, data
      %rows = memref.subview %x[%i, 0] [2, 128] [1, 1] : memref<32x128xf32> to memref<2x128xf32, strided<[128, 1], offset: ?>>
      %tile = memref.subview %o[%i, %j] [2, 16] [1, 1] : memref<32x1024xf32> to memref<2x16xf32, strided<[1024, 1], offset: ?>>
      linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%rows, %panel : memref<2x128xf32, strided<[128, 1], offset: ?>>, memref<128x16xf32>) outs(%tile : memref<2x16xf32, strided<[1024, 1], offset: ?>>) {
      ^bb0(%p: f32, %q: f32, %s: f32):
        %r = arith.mulf %p, %q : f32
        %t = arith.addf %s, %r : f32
        linalg.yield %t : f32
      }
    }
  }
  return
}

// K-blocking over patches: a block's rows of images are copied before its tiles,
// so these prefetch the next block's, and its rows of the gradient, which are
// read in place. The image's number is computed for the next block.

// CHECK-LABEL: func.func @blocks(
// CHECK-SAME:    %[[X:[^:]*]]: memref<64x64x64xf32>, %[[G:[^:]*]]: memref<4096x16xf32>
func.func @blocks(%x: memref<64x64x64xf32>, %g: memref<4096x16xf32>, %o: memref<16x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c4096 = arith.constant 4096 : index
  %image = memref.alloca() : memref<1x64x64xf32>
  // CHECK: scf.for %[[J:.*]] = %c0
  scf.for %j = %c0 to %c4096 step %c64 {
    %n = arith.divui %j, %c64 : index
    linalg.generic {indexing_maps = [affine_map<(i, h, c) -> (i, h, c)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%image : memref<1x64x64xf32>) {
    ^bb0(%s: f32):
      %h = linalg.index 1 : index
      %c = linalg.index 2 : index
      %v = memref.load %x[%n, %h, %c] : memref<64x64x64xf32>
      linalg.yield %v : f32
    }
    %rows = memref.subview %g[%j, 0] [64, 16] [1, 1] : memref<4096x16xf32> to memref<64x16xf32, strided<[16, 1], offset: ?>>
    scf.for %i = %c0 to %c16 step %c2 {
      // CHECK: %[[NEXT:.*]] = arith.addi %[[J]], %c64
      // CHECK: %[[N:.*]] = arith.divui %[[NEXT]], %c64
      // CHECK: scf.for %[[K:[^ ]*]] = {{.*}} iter_args
      // CHECK:   memref.prefetch %[[X]][%[[N]], %{{.*}}, %{{.*}}], read, locality<2>, data
      // CHECK:   memref.prefetch %{{.*}}[%{{.*}}, %{{.*}}], read, locality<2>, data : memref<64x16xf32, strided<[16, 1], offset: ?>>
      %a = memref.reinterpret_cast %image to offset: [%i], sizes: [64, 2], strides: [64, 1] : memref<1x64x64xf32> to memref<64x2xf32, strided<[64, 1], offset: ?>>
      %tile = memref.subview %o[%i, 0] [2, 16] [1, 1] : memref<16x16xf32> to memref<2x16xf32, strided<[16, 1], offset: ?>>
      linalg.generic {indexing_maps = [#at, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %rows : memref<64x2xf32, strided<[64, 1], offset: ?>>, memref<64x16xf32, strided<[16, 1], offset: ?>>) outs(%tile : memref<2x16xf32, strided<[16, 1], offset: ?>>) {
      ^bb0(%p: f32, %q: f32, %s: f32):
        %r = arith.mulf %p, %q : f32
        %t = arith.addf %s, %r : f32
        linalg.yield %t : f32
      }
    }
  }
  return
}

// Where the rows of both operands are steps of K, tiles prefetch both operands'
// rows of the next block: each tile those of its own columns. Columns that 16
// tiles share are prefetched once, four rows by each tile.

// CHECK-LABEL: func.func @rows_of_both(
func.func @rows_of_both(%x: memref<4096x32xf32>, %g: memref<4096x16xf32>, %o: memref<32x16xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c4096 = arith.constant 4096 : index
  scf.for %j = %c0 to %c4096 step %c64 {
    %block = memref.subview %x[%j, 0] [64, 32] [1, 1] : memref<4096x32xf32> to memref<64x32xf32, strided<[32, 1], offset: ?>>
    %rows = memref.subview %g[%j, 0] [64, 16] [1, 1] : memref<4096x16xf32> to memref<64x16xf32, strided<[16, 1], offset: ?>>
    scf.for %i = %c0 to %c32 step %c2 {
      // CHECK: %[[SHARE:.*]] = arith.muli %{{.*}}, %c4
      // CHECK: %[[NEXT:.*]] = arith.addi %[[SHARE]], %c64
      // CHECK: scf.for %[[K:[^ ]*]] = {{.*}} iter_args
      // CHECK:   %[[EACH:.*]] = arith.shrui %[[K]], %c0
      // CHECK:   %[[AHEAD:.*]] = arith.addi %{{.*}}, %[[EACH]]
      // CHECK:   memref.prefetch %{{.*}}[%[[AHEAD]], %{{.*}}], read, locality<2>, data : memref<64x2xf32, strided<[32, 1], offset: ?>>
      // CHECK:   %[[SOME:.*]] = arith.shrui %[[K]], %c4
      // CHECK:   %[[AHEAD:.*]] = arith.addi %[[NEXT]], %[[SOME]]
      // CHECK:   memref.prefetch %{{.*}}[%[[AHEAD]], %{{.*}}], read, locality<2>, data : memref<64x16xf32, strided<[16, 1], offset: ?>>
      // CHECK-NOT: memref.prefetch
      %a = memref.subview %block[0, %i] [64, 2] [1, 1] : memref<64x32xf32, strided<[32, 1], offset: ?>> to memref<64x2xf32, strided<[32, 1], offset: ?>>
      %tile = memref.subview %o[%i, 0] [2, 16] [1, 1] : memref<32x16xf32> to memref<2x16xf32, strided<[16, 1], offset: ?>>
      linalg.generic {indexing_maps = [#at, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %rows : memref<64x2xf32, strided<[32, 1], offset: ?>>, memref<64x16xf32, strided<[16, 1], offset: ?>>) outs(%tile : memref<2x16xf32, strided<[16, 1], offset: ?>>) {
      ^bb0(%p: f32, %q: f32, %s: f32):
        %r = arith.mulf %p, %q : f32
        %t = arith.addf %s, %r : f32
        linalg.yield %t : f32
      }
    }
  }
  return
}

// A dynamic K.
// CHECK-LABEL: func.func @any_depth(
// CHECK:      %[[END:.*]] = memref.dim %arg1, %c0
// CHECK:      scf.for %[[K:[^ ]*]] = %{{.*}} to %[[END]] step %{{.*}} iter_args
// CHECK:        vector.load %arg1[%[[K]], %{{.*}}]
// CHECK:        memref.load %arg0[%[[K]], %{{.*}}]
// CHECK-NOT:  linalg.generic
func.func @any_depth(%x: memref<?x2xf32>, %y: memref<?x16xf32>, %o: memref<2x16xf32>) {
  linalg.generic {indexing_maps = [#at, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : memref<?x2xf32>, memref<?x16xf32>) outs(%o : memref<2x16xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  }
  return
}

// Ten columns are one masked vector with AVX-512, else one of eight and one of
// two.
// CHECK-LABEL: func.func @ten_columns(
// CHECK:      vector.load %arg1{{.*}} vector<8xf32>
// CHECK:      vector.load %arg1{{.*}} vector<2xf32>
// CHECK-NOT:  vector.mask
// MASKS-LABEL: func.func @ten_columns(
// MASKS:      %[[START:.*]] = vector.maskedload %arg2[%{{.*}}], %{{.*}}, %{{.*}} : memref<1x10xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
// MASKS:      %[[SUM:.*]] = scf.for %[[K:[^ ]*]] = {{.*}} iter_args(%[[AT:.*]] = %[[START]])
// MASKS:        %[[USED:.*]] = arith.constant dense<[true, true, true, true, true, true, true, true, true, true, false, false, false, false, false, false]>
// MASKS:        %[[LINE:.*]] = vector.maskedload %arg1[%[[K]], %{{.*}}], %[[USED]], %{{.*}} : memref<32x10xf32>
// MASKS:        math.fma %{{.*}}, %[[LINE]], %[[AT]] : vector<16xf32>
// MASKS:      vector.maskedstore %arg2[%{{.*}}], %{{.*}}, %[[SUM]] : memref<1x10xf32>
// MASKS-NOT:  linalg.generic
func.func @ten_columns(%x: memref<1x32xf32>, %y: memref<32x10xf32>, %o: memref<1x10xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : memref<1x32xf32>, memref<32x10xf32>) outs(%o : memref<1x10xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  }
  return
}

// Three are in a vector of four. AVX2 loads it with a mask and stores it as
// vectors of two and one.
// CHECK-LABEL: func.func @three_columns(
// CHECK:      vector.maskedload %arg1{{.*}} into vector<4xf32>
// CHECK-NOT:  vector.load %arg1
// CHECK:      %[[TWO:.*]] = vector.shuffle %[[SUM:.*]], %[[SUM]] [0, 1] : vector<4xf32>
// CHECK:      vector.store %[[TWO]], %arg2{{.*}} vector<2xf32>
// CHECK:      %[[ONE:.*]] = vector.shuffle %[[SUM]], %[[SUM]] [2] : vector<4xf32>
// CHECK:      vector.store %[[ONE]], %arg2{{.*}} vector<1xf32>
// MASKS-LABEL: func.func @three_columns(
// MASKS:      vector.maskedload %arg1{{.*}} into vector<4xf32>
// MASKS-NOT:  vector.load %arg1
func.func @three_columns(%x: memref<1x32xf32>, %y: memref<32x3xf32>, %o: memref<1x3xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : memref<1x32xf32>, memref<32x3xf32>) outs(%o : memref<1x3xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  }
  return
}

// bfloat16 operands are packed in pairs of steps: the second operand instead of
// being copied, once for all tiles; the first one for each tile's rows.

// PAIRS-LABEL: func.func @pairs(
// PAIRS-SAME:    %[[A:[^:]*]]: memref<8x64xf32>, %[[B:[^:]*]]: memref<64x32xf32>
// MASKS-LABEL: func.func @pairs(
// MASKS: linalg.copy
// MASKS: math.fma
func.func @pairs(%x: memref<8x64xf32>, %w: memref<64x32xf32>, %o: memref<8x32xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  // PAIRS: %[[ROWS:.*]] = memref.alloca() {{.*}} : memref<2x32xf32>
  // PAIRS: %[[PANEL:.*]] = memref.alloca() : memref<64x32xf32>
  // PAIRS: scf.for %[[P:[^ ]*]] = %{{.*}} to %c32{{.*}} {
  // PAIRS: %[[ROW:.*]] = arith.addi %{{.*}}, %[[P]]
  // PAIRS: %[[EARLIER:.*]] = vector.load %[[B]]
  // PAIRS: %[[LATER:.*]] = vector.load %[[B]]
  // PAIRS: %[[UPPER:.*]] = vector.bitcast %[[EARLIER]] : vector<16xf32> to vector<16xi32>
  // PAIRS: arith.andi
  // PAIRS: vector.bitcast %[[LATER]]
  // PAIRS: arith.shrui
  // PAIRS: vector.store %{{.*}}, %[[PANEL]][%[[ROW]], %{{.*}}]
  // PAIRS-NOT: linalg.copy
  // PAIRS: scf.for
  %panel = memref.alloca() : memref<64x32xf32>
  linalg.copy ins(%w : memref<64x32xf32>) outs(%panel : memref<64x32xf32>)
  scf.for %i = %c0 to %c8 step %c2 {
    %a = memref.subview %x[%i, 0] [2, 64] [1, 1] : memref<8x64xf32> to memref<2x64xf32, strided<[64, 1], offset: ?>>
    %c = memref.subview %o[%i, 0] [2, 32] [1, 1] : memref<8x32xf32> to memref<2x32xf32, strided<[32, 1], offset: ?>>
    // PAIRS: vector.shuffle %{{.*}} [3, 1, 7, 5,
    // PAIRS: vector.store %{{.*}}, %[[ROWS]]
    // PAIRS: scf.for %[[K:[^ ]*]] = %{{.*}} to %c32{{.*}} iter_args
    // PAIRS: vector.load %[[PANEL]]
    // PAIRS: memref.load %[[ROWS]][%{{.*}}, %[[K]]]
    // PAIRS-COUNT-4: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
    // PAIRS-NOT: math.fma
    linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %panel : memref<2x64xf32, strided<[64, 1], offset: ?>>, memref<64x32xf32>) outs(%c : memref<2x32xf32, strided<[32, 1], offset: ?>>) attrs = {host.bfloat16_factors} {
    ^bb0(%p: f32, %q: f32, %s: f32):
      %r = arith.mulf %p, %q : f32
      %t = arith.addf %s, %r : f32
      linalg.yield %t : f32
    }
  }
  return
}

// Where several ops write the second operand, none of them packs it.

// PAIRS-LABEL: func.func @pairs_of_several_writers(
func.func @pairs_of_several_writers(%x: memref<8x64xf32>, %v: memref<64x32xf32>, %w: memref<64x32xf32>, %o: memref<8x32xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %panel = memref.alloca() : memref<64x32xf32>
  // PAIRS-COUNT-3: linalg.copy
  // PAIRS: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
  linalg.copy ins(%w : memref<64x32xf32>) outs(%panel : memref<64x32xf32>)
  linalg.copy ins(%v : memref<64x32xf32>) outs(%panel : memref<64x32xf32>)
  linalg.copy ins(%w : memref<64x32xf32>) outs(%panel : memref<64x32xf32>)
  scf.for %i = %c0 to %c8 step %c2 {
    %a = memref.subview %x[%i, 0] [2, 64] [1, 1] : memref<8x64xf32> to memref<2x64xf32, strided<[64, 1], offset: ?>>
    %c = memref.subview %o[%i, 0] [2, 32] [1, 1] : memref<8x32xf32> to memref<2x32xf32, strided<[32, 1], offset: ?>>
    linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %panel : memref<2x64xf32, strided<[64, 1], offset: ?>>, memref<64x32xf32>) outs(%c : memref<2x32xf32, strided<[32, 1], offset: ?>>) attrs = {host.bfloat16_factors} {
    ^bb0(%p: f32, %q: f32, %s: f32):
      %r = arith.mulf %p, %q : f32
      %t = arith.addf %s, %r : f32
      linalg.yield %t : f32
    }
  }
  return
}

// If K is odd, the last step's partner is -0 in the second operand: times 0 it
// changes no number. A transposed first operand is packed as columns; a matrix
// whose columns a loop selects is packed whole before the loop.

// PAIRS-LABEL: func.func @odd(
// PAIRS-SAME:    %[[A:[^:]*]]: memref<8x15xf32, strided<[1, 8]>>, %[[B:[^:]*]]: memref<15x64xf32>
func.func @odd(%x: memref<8x15xf32, strided<[1, 8]>>, %w: memref<15x64xf32>, %o: memref<8x64xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  // PAIRS-DAG: %[[ROWS:.*]] = memref.alloca() {{.*}} : memref<8x16xf32>
  // PAIRS-DAG: %[[PANEL:.*]] = memref.alloca() {{.*}} : memref<8x64xf32>
  // PAIRS: vector.store %{{.*}}, %[[PANEL]]
  // PAIRS: arith.constant dense<-0.000000e+00> : vector<16xf32>
  // PAIRS: vector.store %{{.*}}, %[[PANEL]]
  // PAIRS: scf.for
  scf.for %i = %c0 to %c8 step %c4 {
    // PAIRS: scf.for %[[COLUMN:.*]] = %{{.*}} to %c64
    scf.for %j = %c0 to %c64 step %c32 {
      %s = memref.subview %x[%i, 0] [4, 15] [1, 1] : memref<8x15xf32, strided<[1, 8]>> to memref<4x15xf32, strided<[1, 8], offset: ?>>
      %b = memref.subview %w[0, %j] [15, 32] [1, 1] : memref<15x64xf32> to memref<15x32xf32, strided<[64, 1], offset: ?>>
      %c = memref.subview %o[%i, %j] [4, 32] [1, 1] : memref<8x64xf32> to memref<4x32xf32, strided<[64, 1], offset: ?>>
      // PAIRS: memref.transpose
      // PAIRS: vector.load %[[PANEL]][%{{.*}}, %{{.*}}]
      // PAIRS-COUNT-8: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
      linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s, %b : memref<4x15xf32, strided<[1, 8], offset: ?>>, memref<15x32xf32, strided<[64, 1], offset: ?>>) outs(%c : memref<4x32xf32, strided<[64, 1], offset: ?>>) attrs = {host.bfloat16_factors} {
      ^bb0(%p: f32, %q: f32, %t: f32):
        %r = arith.mulf %p, %q : f32
        %u = arith.addf %t, %r : f32
        linalg.yield %u : f32
      }
    }
  }
  return
}

// An operand that the loop writes is not packed before it.

// PAIRS-LABEL: func.func @no_pairs(
// PAIRS-NOT: dpbf16ps
// PAIRS: return
func.func @no_pairs(%y: memref<8x64xf32>, %w: memref<64x32xf32>, %o: memref<8x32xf32>, %n: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%y, %w : memref<8x64xf32>, memref<64x32xf32>) outs(%o : memref<8x32xf32>) attrs = {host.bfloat16_factors} {
    ^bb0(%p: f32, %q: f32, %s: f32):
      %r = arith.mulf %p, %q : f32
      %t = arith.addf %s, %r : f32
      linalg.yield %t : f32
    }
    memref.store %n, %w[%i, %c0] : memref<64x32xf32>
  }
  return
}

// Blocks of 16 steps are summed separately; block i then joins the complete
// subtrees before it, as many as 1 + i has zeros at its end.

// CHECK-LABEL: func.func @block_tree(
// CHECK-SAME:    %[[A:[^:]*]]: memref<2x64xf32>, %[[B:[^:]*]]: memref<64x8xf32>, %[[C:[^:]*]]: memref<2x8xf32>)
func.func @block_tree(%x: memref<2x64xf32>, %w: memref<64x8xf32>, %o: memref<2x8xf32>) {
  // CHECK: %[[S:.*]] = memref.alloca() : memref<3xvector<8xf32>>
  // CHECK: %[[T:.*]] = memref.alloca() : memref<3xvector<8xf32>>
  // CHECK: %[[START:.*]] = vector.broadcast %{{.*}} : f32 to vector<8xf32>
  // CHECK: scf.for %[[K0:.*]] = %c0{{.*}} to %c64{{.*}} step %c16
  // CHECK: arith.addi %[[K0]], %c16
  // CHECK: %[[R:.*]]:2 = scf.for %[[K:.*]] = %[[K0]] to %{{.*}} iter_args(%{{.*}} = %[[START]]
  // CHECK: %[[I:.*]] = arith.divui %[[K0]], %c16
  // CHECK: %[[ZEROS:.*]] = math.cttz
  // CHECK: %[[LEVEL:.*]] = arith.index_cast %[[ZEROS]]
  // CHECK: %[[J:.*]]:2 = scf.for %[[L:.*]] = {{.*}} to %[[LEVEL]] {{.*}} iter_args(%[[RIGHT:[^ ]*]] = %[[R]]#0
  // CHECK: %[[LEFT:.*]] = memref.load %{{.*}}[%[[L]]] : memref<3xvector<8xf32>>
  // CHECK: arith.addf %[[LEFT]], %[[RIGHT]]
  // CHECK: memref.store %[[J]]#0, %{{.*}}[%[[LEVEL]]]
  // CHECK: %[[ROOT:.*]] = memref.load %{{.*}}[%c2{{.*}}] : memref<3xvector<8xf32>>
  // CHECK: vector.store %[[ROOT]], %[[C]]
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<2x8xf32>)
  linalg.generic {host.sum_block = 16 : i64, indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<2x64xf32>, memref<64x8xf32>) outs(%o : memref<2x8xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  }
  return
}
