// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --ingot-ptx-fold-fills-into-reductions | FileCheck %s

// A sum of rows starts from the constant. The two views are the same elements.

#all = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
// CHECK-LABEL: func.func private @sum(
// CHECK-NOT: linalg.fill
// CHECK: linalg.generic
// CHECK-SAME: outs(%{{.*}} : memref<16xf32, strided<[1], offset: ?>>) attrs = {host.starts = [0.000000e+00 : f32]}
func.func private @sum(%a: memref<8x16xf32>, %o: memref<64xf32>, %i: index) attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %filled = memref.subview %o[%i] [16] [1] : memref<64xf32> to memref<16xf32, strided<[1], offset: ?>>
  linalg.fill ins(%zero : f32) outs(%filled : memref<16xf32, strided<[1], offset: ?>>)
  %sums = memref.subview %o[%i] [16] [1] : memref<64xf32> to memref<16xf32, strided<[1], offset: ?>>
  linalg.generic {indexing_maps = [#all, #column], iterator_types = ["reduction", "parallel"]}
      ins(%a : memref<8x16xf32>) outs(%sums : memref<16xf32, strided<[1], offset: ?>>) {
  ^bb0(%x: f32, %s: f32):
    %t = arith.addf %s, %x : f32
    linalg.yield %t : f32
  }
  return
}

// -----

// A search has two results, each with its constant; one of them here is not
// filled.

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
// CHECK-LABEL: func.func private @search(
// CHECK-NOT: linalg.fill
// CHECK: {host.starts = [unit, 0 : i32]}
func.func private @search(%a: memref<8x16xf32>, %best: memref<8xf32>, %where: memref<8xi32>) attributes {host.kernel} {
  %zero = arith.constant 0 : i32
  linalg.fill ins(%zero : i32) outs(%where : memref<8xi32>)
  linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<8x16xf32>) outs(%best, %where : memref<8xf32>, memref<8xi32>) {
  ^bb0(%x: f32, %b: f32, %w: i32):
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i32
    %is = arith.cmpf ogt, %x, %b : f32
    %v = arith.select %is, %x, %b : f32
    %p = arith.select %is, %n, %w : i32
    linalg.yield %v, %p : f32, i32
  }
  return
}

// -----

// The fill stays: what is filled is another part, is read before the sum, or is
// read by it as an operand, too.

#all = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
// CHECK-LABEL: func.func private @others(
// CHECK: linalg.fill
// CHECK: linalg.generic
// CHECK-NOT: host.starts
// CHECK: linalg.fill
// CHECK: linalg.copy
// CHECK: linalg.generic
// CHECK-NOT: host.starts
// CHECK: linalg.fill
// CHECK: linalg.generic
// CHECK-NOT: host.starts
// CHECK: return
func.func private @others(%a: memref<8x16xf32>, %o: memref<32xf32>, %c: memref<16xf32>, %d: memref<16xf32>)
    attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<32xf32>)
  %half = memref.subview %o[16] [16] [1] : memref<32xf32> to memref<16xf32, strided<[1], offset: 16>>
  linalg.generic {indexing_maps = [#all, #column], iterator_types = ["reduction", "parallel"]}
      ins(%a : memref<8x16xf32>) outs(%half : memref<16xf32, strided<[1], offset: 16>>) {
  ^bb0(%x: f32, %s: f32):
    %t = arith.addf %s, %x : f32
    linalg.yield %t : f32
  }
  linalg.fill ins(%zero : f32) outs(%c : memref<16xf32>)
  linalg.copy ins(%c : memref<16xf32>) outs(%d : memref<16xf32>)
  linalg.generic {indexing_maps = [#all, #column], iterator_types = ["reduction", "parallel"]}
      ins(%a : memref<8x16xf32>) outs(%c : memref<16xf32>) {
  ^bb0(%x: f32, %s: f32):
    %t = arith.addf %s, %x : f32
    linalg.yield %t : f32
  }
  linalg.fill ins(%zero : f32) outs(%d : memref<16xf32>)
  linalg.generic {indexing_maps = [#all, #column, #column], iterator_types = ["reduction", "parallel"]}
      ins(%a, %d : memref<8x16xf32>, memref<16xf32>) outs(%d : memref<16xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  }
  return
}
