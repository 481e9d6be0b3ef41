// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -ingot-cpu-lower-contractions-to-loops=use-fma=true | FileCheck %s --check-prefixes=CHECK,FMA
// RUN: ingot-opt %s -split-input-file -ingot-cpu-lower-contractions-to-loops | FileCheck %s --check-prefixes=CHECK,TWICE

// An element is one chain of multiply-adds in ascending order of K, from the
// accumulator's initial value; a transposed operand is read in place.
// CHECK-LABEL: func.func private @product(
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<8x4xf32>, %[[B:[a-z0-9]+]]: memref<8x?xf32>, %[[C:[a-z0-9]+]]: memref<4x?xf32>
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %c4
// CHECK: %[[COLUMNS:.*]] = memref.dim %[[B]]
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %[[COLUMNS]]
// CHECK: %[[START:.*]] = memref.load %[[C]][%[[I]], %[[J]]]
// CHECK: %[[SUM:.*]] = scf.for %[[K:.*]] = %{{.*}} to %c8{{.*}} iter_args(%[[S:.*]] = %[[START]])
// CHECK: %[[X:.*]] = memref.load %[[A]][%[[K]], %[[I]]]
// CHECK: %[[Y:.*]] = memref.load %[[B]][%[[K]], %[[J]]]
// FMA: %[[NEXT:.*]] = math.fma %[[X]], %[[Y]], %[[S]]
// TWICE: %[[P:.*]] = arith.mulf %[[X]], %[[Y]]
// TWICE: %[[NEXT:.*]] = arith.addf %[[S]], %[[P]]
// CHECK: scf.yield %[[NEXT]]
// CHECK: memref.store %[[SUM]], %[[C]][%[[I]], %[[J]]]
// CHECK-NOT: linalg.generic
func.func private @product(%a: memref<8x4xf32>, %b: memref<8x?xf32>, %c: memref<4x?xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x4xf32>, memref<8x?xf32>) outs(%c : memref<4x?xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// A sum of one operand's squares is not a GEMM: other passes lower it.
// CHECK-LABEL: func.func private @squares(
// CHECK: linalg.generic
func.func private @squares(%a: memref<8xf32>, %c: memref<f32>) {
  linalg.generic {
      indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]}
      ins(%a : memref<8xf32>) outs(%c : memref<f32>) {
  ^bb0(%x: f32, %s: f32):
    %0 = arith.mulf %x, %x : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// Two blocks of K, whose sums are added.
// CHECK-LABEL: func.func private @blocks(
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<4x8xf32>, %[[B:[a-z0-9]+]]: memref<8x5xf32>, %[[C:[a-z0-9]+]]: memref<4x5xf32>
// CHECK: %[[S:.*]] = memref.alloca() : memref<2xf32>
// CHECK: %[[START:.*]] = memref.load %[[C]]
// CHECK: scf.for %[[K0:.*]] = %c0{{.*}} to %c8{{.*}} step %c4
// CHECK: %[[K1:.*]] = arith.addi %[[K0]], %c4
// CHECK: %[[SUM:.*]] = scf.for %[[K:.*]] = %[[K0]] to %[[K1]] {{.*}} iter_args(%{{.*}} = %[[START]])
// CHECK: %[[JOINED:.*]] = scf.for {{.*}} iter_args(%[[RIGHT:.*]] = %[[SUM]])
// CHECK: %[[LEFT:.*]] = memref.load %[[S]]
// CHECK: arith.addf %[[LEFT]], %[[RIGHT]]
// CHECK: memref.store %[[JOINED]], %[[S]]
// CHECK: %[[ROOT:.*]] = memref.load %[[S]][%c1{{.*}}]
// CHECK: memref.store %[[ROOT]], %[[C]]
func.func private @blocks(%a: memref<4x8xf32>, %b: memref<8x5xf32>, %c: memref<4x5xf32>) {
  linalg.generic {host.sum_block = 4 : i64,
      indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<4x8xf32>, memref<8x5xf32>) outs(%c : memref<4x5xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
