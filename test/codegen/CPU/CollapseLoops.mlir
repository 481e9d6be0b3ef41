// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --ingot-cpu-collapse-loops | FileCheck %s

#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
#none = affine_map<(m, n) -> ()>
#id3 = affine_map<(b, m, n) -> (b, m, n)>
#outer = affine_map<(b, m, n) -> (b)>
#middle = affine_map<(b, m, n) -> (m)>

// Rows of ten, and a sum over all of them.

// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[A:[^:]*]]: memref<64x10xf32>, %[[O:[^:]*]]: memref<64x10xf32>, %[[S:[^:]*]]: memref<f32>)
// CHECK-DAG:     %[[FA:.*]] = memref.collapse_shape %[[A]] {{\[\[}}0, 1]] : memref<64x10xf32> into memref<640xf32>
// CHECK-DAG:     %[[FO:.*]] = memref.collapse_shape %[[O]]
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%[[FA]] : memref<640xf32>) outs(%[[FO]] : memref<640xf32>)
// CHECK:         linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%{{.*}} : memref<640xf32>) outs(%[[S]] : memref<f32>)
func.func @rows(%a: memref<64x10xf32>, %o: memref<64x10xf32>, %s: memref<f32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : memref<64x10xf32>) outs(%o : memref<64x10xf32>) {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.mulf %x, %x : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction", "reduction"]} ins(%o : memref<64x10xf32>) outs(%s : memref<f32>) {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.addf %y, %x : f32
    linalg.yield %0 : f32
  }
  return
}

// CHECK-LABEL: func.func @fill(
// CHECK:         iterator_types = ["parallel"]} ins(%{{.*}} : f32) outs(%{{.*}} : memref<640xf32>)
func.func @fill(%o: memref<64x10xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<64x10xf32>)
  return
}

// As far as all operands go along, and with any number of them.

// CHECK-LABEL: func.func @inner(
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%{{.*}}, %{{.*}} : memref<?x40xf32>, memref<?xf32>) outs(%{{.*}} : memref<?x40xf32>)
func.func @inner(%a: memref<?x4x10xf32>, %b: memref<?xf32>, %o: memref<?x4x10xf32>) {
  linalg.generic {indexing_maps = [#id3, #outer, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a, %b : memref<?x4x10xf32>, memref<?xf32>) outs(%o : memref<?x4x10xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.addf %x, %y : f32
    linalg.yield %0 : f32
  }
  return
}

// Rows that are long enough, a row that all share, rows that lie apart, and a
// body that asks where it is, stay as they are.

// CHECK-LABEL: func.func @others(
// CHECK-NOT:     memref.collapse_shape
func.func @others(%a: memref<64x64xf32>, %b: memref<64x10xf32>, %r: memref<10xf32>, %c: memref<64x10xf32, strided<[16, 1]>>, %i: memref<64x10xindex>) {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%a : memref<64x64xf32>) {
  ^bb0(%y: f32):
    %0 = arith.mulf %y, %y : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%r : memref<10xf32>) outs(%b : memref<64x10xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%c : memref<64x10xf32, strided<[16, 1]>>) {
  ^bb0(%y: f32):
    %0 = arith.mulf %y, %y : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%i : memref<64x10xindex>) {
  ^bb0(%y: index):
    %0 = linalg.index 1 : index
    linalg.yield %0 : index
  }
  return
}

// A bias of one channel keeps images' rows apart no more than a number does.

// CHECK-LABEL: func.func @one_channel(
// CHECK-SAME:    %[[X:[^:]*]]: memref<2x7x7x1xf32>, %[[BIAS:[^:]*]]: memref<1xf32>,
// CHECK-DAG:     %[[NUMBER:.*]] = memref.collapse_shape %[[BIAS]] [] : memref<1xf32> into memref<f32>
// CHECK-DAG:     %[[ALL:.*]] = memref.collapse_shape %[[X]] {{.*}} into memref<98xf32>
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%[[ALL]], %[[NUMBER]] : memref<98xf32>, memref<f32>) outs(%{{.*}} : memref<98xf32>)
func.func @one_channel(%x: memref<2x7x7x1xf32>, %bias: memref<1xf32>, %o: memref<2x7x7x1xf32>) {
  linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>, affine_map<(n, h, w, c) -> (c)>, affine_map<(n, h, w, c) -> (n, h, w, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x, %bias : memref<2x7x7x1xf32>, memref<1xf32>) outs(%o : memref<2x7x7x1xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }
  return
}

// Where no other operand has its loop, it stays as it is.

// CHECK-LABEL: func.func @sum_of_one(
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%{{.*}} : memref<1xf32>)
func.func @sum_of_one(%x: memref<1xf32>, %o: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<1xf32>) outs(%o : memref<8xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %s, %a : f32
    linalg.yield %t : f32
  }
  return
}

// Inner loops of a sum are one row to the vectorizer in any case, so that they
// are collapsed all or not at all: the factor of each n keeps all three.

#factor = affine_map<(b, m, n) -> (n)>
#none3 = affine_map<(b, m, n) -> ()>

// CHECK-LABEL: func.func @sums(
// CHECK:         iterator_types = ["reduction", "reduction", "reduction"]} ins(%{{.*}}, %{{.*}} : memref<2x4x10xf32>, memref<10xf32>)
// CHECK:         iterator_types = ["reduction"]} ins(%{{.*}} : memref<80xf32>)
func.func @sums(%a: memref<2x4x10xf32>, %b: memref<10xf32>, %s: memref<f32>) {
  linalg.generic {indexing_maps = [#id3, #factor, #none3], iterator_types = ["reduction", "reduction", "reduction"]} ins(%a, %b : memref<2x4x10xf32>, memref<10xf32>) outs(%s : memref<f32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#id3, #none3], iterator_types = ["reduction", "reduction", "reduction"]} ins(%a : memref<2x4x10xf32>) outs(%s : memref<f32>) {
  ^bb0(%x: f32, %z: f32):
    %1 = arith.addf %z, %x : f32
    linalg.yield %1 : f32
  }
  return
}

// As far as the buffers are contiguous: rows of a larger image are copied.

// CHECK-LABEL: func.func @crop(
// CHECK-SAME:    %[[A:[^:]*]]: memref<16x320x3xi8, strided<[?, 3, 1], offset: ?>>, %[[B:[^:]*]]: memref<16x320x3xi8>)
// CHECK-DAG:     %[[FA:.*]] = memref.collapse_shape %[[A]] {{\[\[}}0], [1, 2]] : memref<16x320x3xi8, strided<[?, 3, 1], offset: ?>> into memref<16x960xi8, strided<[?, 1], offset: ?>>
// CHECK-DAG:     %[[FB:.*]] = memref.collapse_shape %[[B]] {{\[\[}}0], [1, 2]]
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%[[FA]] : {{.*}}) outs(%[[FB]] : memref<16x960xi8>)
// CHECK-NOT:     memref.copy
func.func @crop(%a: memref<16x320x3xi8, strided<[?, 3, 1], offset: ?>>, %b: memref<16x320x3xi8>) {
  memref.copy %a, %b : memref<16x320x3xi8, strided<[?, 3, 1], offset: ?>> to memref<16x320x3xi8>
  return
}

// A contiguous copy becomes memcpy(), and columns have nothing to collapse.

// CHECK-LABEL: func.func @copies(
// CHECK-NEXT:    memref.copy
// CHECK-NEXT:    linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]}
func.func @copies(%a: memref<16x3xf32>, %b: memref<16x3xf32>, %c: memref<16x3xf32, strided<[8, 2]>>) {
  memref.copy %a, %b : memref<16x3xf32> to memref<16x3xf32>
  memref.copy %c, %b : memref<16x3xf32, strided<[8, 2]>> to memref<16x3xf32>
  return
}

// Rows of an image of three channels, each of which the body chooses.

// CHECK-LABEL: func.func @rows_of_image(
// CHECK-SAME:    %[[IMAGE:[^:]*]]: memref<?x224x3xf32>, %[[ROWS:[^:]*]]: memref<100xi32>, %[[O:[^:]*]]: memref<100x224x3xf32>)
// CHECK-DAG:     %[[FI:.*]] = memref.collapse_shape %[[IMAGE]] {{\[\[}}0], [1, 2]] : memref<?x224x3xf32> into memref<?x672xf32>
// CHECK-DAG:     %[[FO:.*]] = memref.collapse_shape %[[O]] {{\[\[}}0], [1, 2]]
// CHECK:         linalg.generic {{.*}} ins(%[[ROWS]] : memref<100xi32>) outs(%[[FO]] : memref<100x672xf32>)
// CHECK-NEXT:    ^bb0(%[[ROW:.*]]: i32, %{{.*}}: f32):
// CHECK-NEXT:      %[[R:.*]] = arith.index_cast %[[ROW]]
// CHECK-NEXT:      %[[I:.*]] = linalg.index 1
// CHECK-NEXT:      %[[X:.*]] = memref.load %[[FI]][%[[R]], %[[I]]] : memref<?x672xf32>
// CHECK-NEXT:      linalg.yield %[[X]]
func.func @rows_of_image(%image: memref<?x224x3xf32>, %rows: memref<100xi32>, %o: memref<100x224x3xf32>) {
  linalg.generic {indexing_maps = [#outer, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%rows : memref<100xi32>) outs(%o : memref<100x224x3xf32>) {
  ^bb0(%row: i32, %y: f32):
    %1 = linalg.index 1 : index
    %2 = linalg.index 2 : index
    %r = arith.index_cast %row : i32 to index
    %x = memref.load %image[%r, %1, %2] : memref<?x224x3xf32>
    linalg.yield %x : f32
  }
  return
}

// Not: a part of each row, columns that the body chooses, indices that it also
// computes with, and channels in another order.

// CHECK-LABEL: func.func @other_loads(
// CHECK-NOT:     memref.collapse_shape
// CHECK:         return
func.func @other_loads(%wide: memref<?x224x4xf32>, %image: memref<?x224x3xf32>, %columns: memref<224xi32>, %o: memref<100x224x3xf32>, %turned: memref<3x224xf32>) {
  linalg.generic {indexing_maps = [#id3], iterator_types = ["parallel", "parallel", "parallel"]} outs(%o : memref<100x224x3xf32>) {
  ^bb0(%y: f32):
    %0 = linalg.index 0 : index
    %1 = linalg.index 1 : index
    %2 = linalg.index 2 : index
    %x = memref.load %wide[%0, %1, %2] : memref<?x224x4xf32>
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [#middle, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%columns : memref<224xi32>) outs(%o : memref<100x224x3xf32>) {
  ^bb0(%column: i32, %y: f32):
    %0 = linalg.index 0 : index
    %2 = linalg.index 2 : index
    %c = arith.index_cast %column : i32 to index
    %x = memref.load %image[%0, %c, %2] : memref<?x224x3xf32>
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [#id3], iterator_types = ["parallel", "parallel", "parallel"]} outs(%o : memref<100x224x3xf32>) {
  ^bb0(%y: f32):
    %0 = linalg.index 0 : index
    %1 = linalg.index 1 : index
    %2 = linalg.index 2 : index
    %x = memref.load %image[%0, %1, %2] : memref<?x224x3xf32>
    %i = arith.index_cast %2 : index to i32
    %f = arith.sitofp %i : i32 to f32
    %s = arith.addf %x, %f : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id3], iterator_types = ["parallel", "parallel", "parallel"]} outs(%o : memref<100x224x3xf32>) {
  ^bb0(%y: f32):
    %1 = linalg.index 1 : index
    %2 = linalg.index 2 : index
    %x = memref.load %turned[%2, %1] : memref<3x224xf32>
    linalg.yield %x : f32
  }
  return
}
