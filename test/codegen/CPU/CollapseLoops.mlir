// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --ingot-cpu-collapse-loops | FileCheck %s

#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
#none = affine_map<(m, n) -> ()>
#id3 = affine_map<(b, m, n) -> (b, m, n)>
#outer = affine_map<(b, m, n) -> (b)>

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
