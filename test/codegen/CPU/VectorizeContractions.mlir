// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -ingot-cpu-vectorize-contractions="vector-bits=256 use-fma=true" | FileCheck %s --check-prefixes=CHECK,FMA
// RUN: ingot-opt %s -split-input-file -ingot-cpu-vectorize-contractions="vector-bits=256" | FileCheck %s --check-prefixes=CHECK,TWICE

// The sum runs inside of a row's pieces, which stay in registers: a vector, and
// a masked one of the last five elements. The batch, on which both factors
// depend, is the outermost loop.
// CHECK-LABEL: func.func private @batch(
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<2x4x9xf32>, %[[B:[a-z0-9]+]]: memref<2x9x13xf32>, %[[C:[a-z0-9]+]]: memref<2x4x13xf32>
// CHECK: scf.for %[[N:.*]] = %{{.*}} to %c2
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %c4
// CHECK: %[[FIRST:.*]] = vector.load %[[C]][%[[N]], %[[I]], %{{.*}}] : memref<2x4x13xf32>, vector<8xf32>
// CHECK: vector.maskedload %[[C]]{{.*}} into vector<8xf32>
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %c9{{.*}} iter_args(%[[S:.*]] = %[[FIRST]],
// CHECK: %[[ONE:.*]] = memref.load %[[A]][%[[N]], %[[I]], %[[K]]]
// CHECK: %[[X:.*]] = vector.broadcast %[[ONE]]
// CHECK: %[[Y:.*]] = vector.load %[[B]][%[[N]], %[[K]], %{{.*}}] : memref<2x9x13xf32>, vector<8xf32>
// FMA: math.fma %[[X]], %[[Y]], %[[S]] : vector<8xf32>
// TWICE: %[[P:.*]] = arith.mulf %[[X]], %[[Y]] : vector<8xf32>
// TWICE: arith.addf %[[S]], %[[P]] : vector<8xf32>
// CHECK-NOT: linalg.generic
func.func private @batch(%a: memref<2x4x9xf32>, %b: memref<2x9x13xf32>, %c: memref<2x4x13xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(n, i, j, k) -> (n, i, k)>, affine_map<(n, i, j, k) -> (n, k, j)>, affine_map<(n, i, j, k) -> (n, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<2x4x9xf32>, memref<2x9x13xf32>) outs(%c : memref<2x4x13xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// Where columns are far apart in a factor, some elements are added up side by
// side, each a chain of its own.
// CHECK-LABEL: func.func private @far_apart(
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<4x9xf32>, %[[B:[a-z0-9]+]]: memref<2x9xf32>, %[[C:[a-z0-9]+]]: memref<4x2xf32>
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %c4
// CHECK-COUNT-2: memref.load %[[C]][%[[I]],
// CHECK: %[[SUMS:.*]]:2 = scf.for %[[K:.*]] = %{{.*}} to %c9
// CHECK-COUNT-2: memref.load %[[B]][%{{.*}}, %[[K]]]
// CHECK: vector.extract %[[SUMS]]#0[0]
// CHECK: vector.extract %[[SUMS]]#1[0]
func.func private @far_apart(%a: memref<4x9xf32>, %b: memref<2x9xf32>, %c: memref<4x2xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<4x9xf32>, memref<2x9xf32>) outs(%c : memref<4x2xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// Any number of columns: four vectors at a time, vectors, single elements.
// CHECK-LABEL: func.func private @dynamic(
// CHECK: scf.for %{{.*}} step %c32
// CHECK: scf.for %{{.*}} step %c8
// CHECK: scf.for %{{.*}} step %c1{{ |_}}
// CHECK-NOT: linalg.generic
func.func private @dynamic(%a: memref<4x?xf32>, %b: memref<?x?xf32>, %c: memref<4x?xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<4x?xf32>, memref<?x?xf32>) outs(%c : memref<4x?xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// A factor none of whose elements is used twice makes it a multiplication and a
// sum, whose tree is another pass's.
// CHECK-LABEL: func.func private @weighted_sum(
// CHECK: linalg.generic
func.func private @weighted_sum(%a: memref<4x9xf32>, %b: memref<9xf32>, %c: memref<4xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : memref<4x9xf32>, memref<9xf32>) outs(%c : memref<4xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// Three blocks of K: two form a complete subtree, to which the third is added.
// CHECK-LABEL: func.func private @blocks(
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<4x9xf32>, %[[B:[a-z0-9]+]]: memref<9x8xf32>, %[[C:[a-z0-9]+]]: memref<4x8xf32>
// CHECK: %[[S:.*]] = memref.alloca() : memref<2xvector<8xf32>>
// CHECK: scf.for %[[K0:.*]] = %c0{{.*}} to %c9{{.*}} step %c3
// CHECK: %[[K1:.*]] = arith.addi %[[K0]], %c3
// CHECK: scf.for %[[K:.*]] = %[[K0]] to %[[K1]]
// CHECK: memref.store %{{.*}}, %[[S]]
// CHECK: %[[THIRD:.*]] = memref.load %[[S]][%c0{{.*}}]
// CHECK: %[[PAIR:.*]] = memref.load %[[S]][%c1{{.*}}]
// CHECK: %[[ROOT:.*]] = arith.addf %[[PAIR]], %[[THIRD]]
// CHECK: vector.store %[[ROOT]], %[[C]]
func.func private @blocks(%a: memref<4x9xf32>, %b: memref<9x8xf32>, %c: memref<4x8xf32>) {
  linalg.generic {host.sum_block = 3 : i64,
      indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<4x9xf32>, memref<9x8xf32>) outs(%c : memref<4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
