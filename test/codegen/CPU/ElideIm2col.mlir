// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --ingot-cpu-elide-im2col --canonicalize --cse | FileCheck %s

#seen = affine_map<(n, y, x, r, e) -> (n, y + r, x * 8 + e)>
#all = affine_map<(n, y, x, r, e) -> (n, y, x, r, e)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// Six patches in a row of an image: an implicit GEMM reads the image, where
// patches are 8 elements apart, and their rows of taps 64.

// CHECK-DAG: #[[FIRST:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-DAG: #[[SECOND:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d3, d1)>
// CHECK-LABEL: func.func private @rows
// CHECK-NOT:  memref.alloc
// CHECK:      scf.for %[[I:.*]] = %c0 to %c24 step %c6
// CHECK:        %[[A:.*]] = memref.reinterpret_cast %arg0 to offset: [%{{.*}}], sizes: [6, 3, 24], strides: [8, 64, 1]
// CHECK:        %[[B:.*]] = memref.expand_shape %arg1 {{\[\[}}0, 1], [2]] output_shape [3, 24, 16]
// CHECK:        linalg.generic {indexing_maps = [#[[FIRST]], #[[SECOND]], #{{.*}}], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%[[A]], %[[B]] : {{.*}}
func.func private @rows(%rows: memref<1x6x64xf32>, %w: memref<72x16xf32>, %out: memref<24x16xf32>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %c24 = arith.constant 24 : index
  %p = memref.alloc() : memref<1x4x6x3x24xf32>
  linalg.generic {indexing_maps = [#seen, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%rows : memref<1x6x64xf32>) outs(%p : memref<1x4x6x3x24xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  }
  %m = memref.collapse_shape %p [[0, 1, 2], [3, 4]] : memref<1x4x6x3x24xf32> into memref<24x72xf32>
  scf.for %i = %c0 to %c24 step %c6 {
    %a = memref.subview %m[%i, 0] [6, 72] [1, 1] : memref<24x72xf32> to memref<6x72xf32, strided<[72, 1], offset: ?>>
    %o = memref.subview %out[%i, 0] [6, 16] [1, 1] : memref<24x16xf32> to memref<6x16xf32, strided<[16, 1], offset: ?>>
    linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %w : memref<6x72xf32, strided<[72, 1], offset: ?>>, memref<72x16xf32>) outs(%o : memref<6x16xf32, strided<[16, 1], offset: ?>>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %q = arith.mulf %x, %y : f32
      %z = arith.addf %s, %q : f32
      linalg.yield %z : f32
    }
  }
  return
}

// -----

#seen = affine_map<(n, y, x, r, e) -> (n, y * 2 + r, x * 16 + e)>
#all = affine_map<(n, y, x, r, e) -> (n, y, x, r, e)>
#at = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// A sum over patches runs along the columns and then the rows that they were
// made of, in their order.

// CHECK-LABEL: func.func private @sum
// CHECK-NOT:  memref.alloc
// CHECK:        %[[A:.*]] = memref.reinterpret_cast %arg0 to offset: [%{{.*}}], sizes: [12, 4, 3], strides: [1, 128, 16]
// CHECK:        memref.expand_shape %arg1 {{\[\[}}0, 1], [2]] output_shape [4, 3, 16]
// CHECK:        linalg.generic {{.*}} "reduction", "reduction"]} ins(%[[A]],
func.func private @sum(%rows: memref<1x7x64xf32>, %dy: memref<12x16xf32>, %out: memref<24x16xf32>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c12 = arith.constant 12 : index
  %c24 = arith.constant 24 : index
  %p = memref.alloc() : memref<1x4x3x1x24xf32>
  linalg.generic {indexing_maps = [#seen, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%rows : memref<1x7x64xf32>) outs(%p : memref<1x4x3x1x24xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  }
  %m = memref.collapse_shape %p [[0, 1, 2], [3, 4]] : memref<1x4x3x1x24xf32> into memref<12x24xf32>
  scf.for %i = %c0 to %c24 step %c12 {
    %a = memref.subview %m[0, %i] [12, 12] [1, 1] : memref<12x24xf32> to memref<12x12xf32, strided<[24, 1], offset: ?>>
    %o = memref.subview %out[%i, 0] [12, 16] [1, 1] : memref<24x16xf32> to memref<12x16xf32, strided<[16, 1], offset: ?>>
    linalg.generic {indexing_maps = [#at, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %dy : memref<12x12xf32, strided<[24, 1], offset: ?>>, memref<12x16xf32>) outs(%o : memref<12x16xf32, strided<[16, 1], offset: ?>>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %q = arith.mulf %x, %y : f32
      %z = arith.addf %s, %q : f32
      linalg.yield %z : f32
    }
  }
  return
}

// -----

#seen = affine_map<(n, y, x, r, e) -> (n, y + r, x * 16 + e)>
#all = affine_map<(n, y, x, r, e) -> (n, y, x, r, e)>
#first = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// im2col may be the second operand, whose elements are loaded as vectors. A
// tile's depth need not divide a row of taps.

// CHECK-LABEL: func.func private @second
// CHECK-NOT:  memref.alloc
// CHECK:        %[[A:.*]] = memref.reinterpret_cast %arg0 to offset: [{{.*}}], sizes: [4, 3, 20], strides: [64, 16, 1]
// CHECK:        %[[DY:.*]] = memref.expand_shape %arg1 {{\[\[}}0, 1], [2]] output_shape [4, 3, 5]
// CHECK:        linalg.generic {{.*}} "reduction", "reduction"]} ins(%[[DY]], %[[A]] :
// CHECK:        memref.reinterpret_cast %arg0 to offset: [{{.*}}], sizes: [4, 3, 4], strides: [64, 16, 1]
func.func private @second(%rows: memref<1x7x64xf32>, %dy: memref<12x5xf32>, %out: memref<5x24xf32>) attributes {host.kernel} {
  %p = memref.alloc() : memref<1x4x3x1x24xf32>
  linalg.generic {indexing_maps = [#seen, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%rows : memref<1x7x64xf32>) outs(%p : memref<1x4x3x1x24xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  }
  %m = memref.collapse_shape %p [[0, 1, 2], [3, 4]] : memref<1x4x3x1x24xf32> into memref<12x24xf32>
  %t = memref.subview %m[0, 0] [12, 20] [1, 1] : memref<12x24xf32> to memref<12x20xf32, strided<[24, 1]>>
  %o = memref.subview %out[0, 0] [5, 20] [1, 1] : memref<5x24xf32> to memref<5x20xf32, strided<[24, 1]>>
  linalg.generic {indexing_maps = [#first, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%dy, %t : memref<12x5xf32>, memref<12x20xf32, strided<[24, 1]>>) outs(%o : memref<5x20xf32, strided<[24, 1]>>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %q = arith.mulf %x, %y : f32
    %z = arith.addf %s, %q : f32
    linalg.yield %z : f32
  }
  %u = memref.subview %m[0, 20] [12, 4] [1, 1] : memref<12x24xf32> to memref<12x4xf32, strided<[24, 1], offset: 20>>
  %v = memref.subview %out[0, 20] [5, 4] [1, 1] : memref<5x24xf32> to memref<5x4xf32, strided<[24, 1], offset: 20>>
  linalg.generic {indexing_maps = [#first, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%dy, %u : memref<12x5xf32>, memref<12x4xf32, strided<[24, 1], offset: 20>>) outs(%v : memref<5x4xf32, strided<[24, 1], offset: 20>>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %q = arith.mulf %x, %y : f32
    %z = arith.addf %s, %q : f32
    linalg.yield %z : f32
  }
  return
}

// -----

#seen = affine_map<(n, y, x, r, e) -> (n, y + r, x * 8 + e)>
#all = affine_map<(n, y, x, r, e) -> (n, y, x, r, e)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// Four patches begin in a row of six and end in the next one: they are made,
// of neighbours where they lie.

// CHECK-LABEL: func.func private @across
// CHECK:      %[[P:.*]] = memref.alloc() : memref<1x4x6x3x24xf32>
// CHECK:      %[[VIEW:.*]] = memref.reinterpret_cast %arg0 to offset: [0], sizes: [1, 4, 6, 3, 24], strides: [384, 64, 8, 64, 1]
// CHECK:      linalg.copy ins(%[[VIEW]] : {{.*}}) outs(%[[P]] :
// CHECK:      memref.collapse_shape %[[P]]
func.func private @across(%rows: memref<1x6x64xf32>, %w: memref<72x16xf32>, %out: memref<24x16xf32>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c24 = arith.constant 24 : index
  %p = memref.alloc() : memref<1x4x6x3x24xf32>
  linalg.generic {indexing_maps = [#seen, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%rows : memref<1x6x64xf32>) outs(%p : memref<1x4x6x3x24xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  }
  %m = memref.collapse_shape %p [[0, 1, 2], [3, 4]] : memref<1x4x6x3x24xf32> into memref<24x72xf32>
  scf.for %i = %c0 to %c24 step %c4 {
    %a = memref.subview %m[%i, 0] [4, 72] [1, 1] : memref<24x72xf32> to memref<4x72xf32, strided<[72, 1], offset: ?>>
    %o = memref.subview %out[%i, 0] [4, 16] [1, 1] : memref<24x16xf32> to memref<4x16xf32, strided<[16, 1], offset: ?>>
    linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %w : memref<4x72xf32, strided<[72, 1], offset: ?>>, memref<72x16xf32>) outs(%o : memref<4x16xf32, strided<[16, 1], offset: ?>>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %q = arith.mulf %x, %y : f32
      %z = arith.addf %s, %q : f32
      linalg.yield %z : f32
    }
  }
  return
}

// -----

#channel = affine_map<(d0, d1, d2, d3, d4) -> (d4)>
#all = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>

// A broadcast to five dimensions is no im2col, whichever sizes are dynamic.

// CHECK-LABEL: func.func private @broadcast
// CHECK-NOT:  memref.reinterpret_cast
// CHECK:      linalg.generic {{.*}} ins(%arg0 : memref<8xf32>) outs(%arg1 : memref<?x2x4x5x8xf32>)
// CHECK:      linalg.generic {{.*}} ins(%arg0 : memref<8xf32>) outs(%arg2 : memref<3x2x?x5x8xf32>)
// CHECK:      linalg.generic {{.*}} ins(%arg0 : memref<8xf32>) outs(%arg3 : memref<3x2x4x5x8xf32>)
func.func private @broadcast(%of: memref<8xf32>, %batch: memref<?x2x4x5x8xf32>, %inner: memref<3x2x?x5x8xf32>, %static: memref<3x2x4x5x8xf32>) attributes {host.kernel} {
  linalg.generic {indexing_maps = [#channel, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%of : memref<8xf32>) outs(%batch : memref<?x2x4x5x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  }
  linalg.generic {indexing_maps = [#channel, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%of : memref<8xf32>) outs(%inner : memref<3x2x?x5x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  }
  linalg.generic {indexing_maps = [#channel, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%of : memref<8xf32>) outs(%static : memref<3x2x4x5x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  }
  return
}

// -----

#one = affine_map<(d0, d1, d2, d3, d4) -> ()>
#turned = affine_map<(d0, d1, d2, d3, d4) -> (d4, d3, d2, d1, d0)>
#all = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>

// Nor are a scalar that is spread and a transpose.

// CHECK-LABEL: func.func private @permuted
// CHECK-NOT:  memref.reinterpret_cast
// CHECK:      linalg.generic {{.*}} ins(%arg0 : memref<f32>) outs(%arg2 : memref<?x2x4x5x8xf32>)
// CHECK:      linalg.generic {{.*}} ins(%arg1 : memref<8x5x4x2x3xf32>) outs(%arg3 : memref<3x2x4x5x8xf32>)
func.func private @permuted(%of: memref<f32>, %from: memref<8x5x4x2x3xf32>, %batch: memref<?x2x4x5x8xf32>, %to: memref<3x2x4x5x8xf32>) attributes {host.kernel} {
  linalg.generic {indexing_maps = [#one, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%of : memref<f32>) outs(%batch : memref<?x2x4x5x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  }
  linalg.generic {indexing_maps = [#turned, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%from : memref<8x5x4x2x3xf32>) outs(%to : memref<3x2x4x5x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  }
  return
}

// -----

#half = affine_map<(n, y, x, r, e) -> (n, y floordiv 2 + r, x * 8 + e)>
#later = affine_map<(n, y, x, r, e) -> (n, y + r + 1, x * 8 + e)>
#seen = affine_map<(n, y, x, r, e) -> (n, y + r, x * 8 + e)>
#all = affine_map<(n, y, x, r, e) -> (n, y, x, r, e)>

// A view has one stride a dimension and begins at the image's first element: a
// quotient has no such stride, and a constant begins elsewhere. An op with a
// second result has more to compute than a copy.

// CHECK-LABEL: func.func private @nonlinear
// CHECK-NOT:  memref.reinterpret_cast
// CHECK-COUNT-3: linalg.generic
func.func private @nonlinear(%rows: memref<1x8x64xf32>, %p: memref<1x4x6x3x24xf32>, %q: memref<1x4x6x3x24xf32>, %r: memref<1x4x6x3x24xf32>, %s: memref<1x4x6x3x24xf32>) attributes {host.kernel} {
  linalg.generic {indexing_maps = [#half, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%rows : memref<1x8x64xf32>) outs(%p : memref<1x4x6x3x24xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  }
  linalg.generic {indexing_maps = [#later, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%rows : memref<1x8x64xf32>) outs(%q : memref<1x4x6x3x24xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  }
  linalg.generic {indexing_maps = [#seen, #all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%rows : memref<1x8x64xf32>) outs(%r, %s : memref<1x4x6x3x24xf32>, memref<1x4x6x3x24xf32>) {
  ^bb0(%i: f32, %o: f32, %t: f32):
    %d = arith.addf %i, %i : f32
    linalg.yield %i, %d : f32, f32
  }
  return
}
