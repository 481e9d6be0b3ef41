// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --ingot-cpu-vectorize-depthwise-convolutions="vector-bits=512 num-registers=32" -split-input-file | FileCheck %s
// RUN: ingot-opt %s --ingot-cpu-vectorize-depthwise-convolutions="vector-bits=256 num-registers=16 fma=false" -split-input-file | FileCheck %s --check-prefix=NARROW

// The accumulators of four neighbours start from the fill's value, and stay in
// registers over all rows of taps. In a row each filter tap is loaded once, and so
// is each of the six pixels under the four windows, for all sums that read it:
// the first for one, the third for three.

// CHECK-LABEL: func.func @neighbours(
// CHECK-SAME:    %[[IMAGE:[^:]*]]: memref<2x6x6x16xf32>, %[[FILTER:[^:]*]]: memref<3x3x16xf32>, %[[SUMS:[^:]*]]: memref<2x4x4x16xf32>)
// CHECK-NOT:     linalg.fill
// CHECK:         scf.for %[[N:.*]] = %c0{{.*}} to %c2
// CHECK:         scf.for %[[Y:.*]] = %c0{{.*}} to %c4
// CHECK:         scf.for %[[X:.*]] = %c0{{.*}} to %c4{{.*}} step %c4
// CHECK:         scf.for %[[C:.*]] = %c0{{.*}} to %c16{{.*}} step %c16
// CHECK:         %[[SUM:.*]]:4 = scf.for %[[R:.*]] = %c0{{.*}} to %c3{{.*}} step %c1{{.*}} iter_args(%[[S0:.*]] = %{{.*}}, %[[S1:.*]] = %{{.*}}, %[[S2:.*]] = %{{.*}}, %[[S3:.*]] = %{{.*}}) -> (vector<16xf32>
// CHECK:           %[[F0:.*]] = vector.load %[[FILTER]][%[[R]], %c0{{.*}}, %[[C]]]
// CHECK:           %[[F1:.*]] = vector.load %[[FILTER]][%[[R]], %c1{{.*}}, %[[C]]]
// CHECK:           %[[F2:.*]] = vector.load %[[FILTER]][%[[R]], %c2{{.*}}, %[[C]]]
// CHECK:           %[[ROW:.*]] = affine.apply #{{.*}}(%[[Y]], %[[R]])
// CHECK:           %[[X0:.*]] = vector.load %[[IMAGE]][%[[N]], %{{.*}}, %{{.*}}, %[[C]]]
// CHECK-NEXT:      %[[S00:.*]] = math.fma %[[X0]], %[[F0]], %[[S0]] : vector<16xf32>
// CHECK:           %[[X1:.*]] = vector.load %[[IMAGE]]
// CHECK-NEXT:      %[[S01:.*]] = math.fma %[[X1]], %[[F1]], %[[S00]]
// CHECK-NEXT:      %[[S10:.*]] = math.fma %[[X1]], %[[F0]], %[[S1]]
// CHECK:           %[[X2:.*]] = vector.load %[[IMAGE]]
// CHECK-NEXT:      math.fma %[[X2]], %[[F2]], %[[S01]]
// CHECK-NEXT:      math.fma %[[X2]], %[[F1]], %[[S10]]
// CHECK-NEXT:      math.fma %[[X2]], %[[F0]], %[[S2]]
// CHECK-COUNT-3:   vector.load %[[IMAGE]]
// CHECK-NOT:       vector.load
// CHECK:           scf.yield
// CHECK:         vector.store %[[SUM]]#0, %[[SUMS]]
// CHECK:         vector.store %[[SUM]]#3, %[[SUMS]]
// CHECK-NOT:     linalg.generic

// NARROW-LABEL: func.func @neighbours(
// NARROW:         step %c8
// NARROW:         %[[P:.*]] = arith.mulf %{{.*}}, %{{.*}} : vector<8xf32>
// NARROW-NEXT:    arith.addf %{{.*}}, %[[P]] : vector<8xf32>
func.func @neighbours(%image: memref<2x6x6x16xf32>, %filter: memref<3x3x16xf32>, %sums: memref<2x4x4x16xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%sums : memref<2x4x4x16xf32>)
  linalg.generic {indexing_maps = [affine_map<(n, y, x, r, s, c) -> (n, y + r, x + s, c)>, affine_map<(n, y, x, r, s, c) -> (r, s, c)>, affine_map<(n, y, x, r, s, c) -> (n, y, x, c)>],
                  iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "parallel"]}
      ins(%image, %filter : memref<2x6x6x16xf32>, memref<3x3x16xf32>) outs(%sums : memref<2x4x4x16xf32>) {
  ^bb0(%x: f32, %f: f32, %s: f32):
    %p = arith.mulf %x, %f : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  }
  return
}

// -----

// Flipped taps are filter indices that count down; remainders of columns and
// channels are a shorter strip and shorter vectors.

// CHECK-LABEL: func.func @backwards(
// CHECK-SAME:    %[[IMAGE:[^:]*]]: memref<1x14x15x20xf32>, %[[FILTER:[^:]*]]: memref<2x3x20xf32>
// CHECK:         scf.for %{{.*}} = %c0{{.*}} to %c12{{.*}} step %c12
// CHECK:         scf.for %{{.*}} = %c0{{.*}} to %c16{{.*}} step %c16
// CHECK:         scf.for %[[R:.*]] = %c0{{.*}} to %c2
// CHECK:         %[[TAP:.*]] = affine.apply #{{.*}}(%[[R]])
// CHECK:         vector.load %[[FILTER]][%[[TAP]], %c2{{.*}}, %{{.*}}] : {{.*}}, vector<16xf32>
// CHECK:         scf.for %{{.*}} = %c16{{.*}} to %c20{{.*}} step %c4
// CHECK:         iter_args({{.*}}) -> (vector<4xf32>, {{(vector<4xf32>, )+}}vector<4xf32>)
// CHECK:         scf.for %{{.*}} = %c0{{.*}} to %c16{{.*}} step %c16
// CHECK:         iter_args({{.*}}) -> (vector<16xf32>)
// CHECK-NOT:     linalg.generic
func.func @backwards(%image: memref<1x14x15x20xf32>, %filter: memref<2x3x20xf32>, %taps: memref<2x3xi8>, %sums: memref<1x13x13x20xf32>) {
  linalg.generic {indexing_maps = [affine_map<(n, y, x, r, s, c) -> (n, y + r, x + s, c)>, affine_map<(n, y, x, r, s, c) -> (1 - r, 2 - s, c)>, affine_map<(n, y, x, r, s, c) -> (r, s)>, affine_map<(n, y, x, r, s, c) -> (n, y, x, c)>],
                  iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "parallel"]}
      ins(%image, %filter, %taps : memref<1x14x15x20xf32>, memref<2x3x20xf32>, memref<2x3xi8>) outs(%sums : memref<1x13x13x20xf32>) {
  ^bb0(%x: f32, %f: f32, %tap: i8, %s: f32):
    %p = arith.mulf %x, %f : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  }
  return
}

// -----

// Any number of images, and of channels in a block of them; by steps of two,
// every second element is seen by two windows.

// CHECK-LABEL: func.func @any(
// CHECK-SAME:    %[[IMAGE:[^:]*]]: memref<?x9x9x?xf32>, {{.*}}, %[[SUMS:[^:]*]]: memref<?x4x4x?xf32>)
// CHECK-DAG:     %[[COUNT:.*]] = memref.dim %[[SUMS]], %c0
// CHECK:         scf.for %{{.*}} = %c0{{.*}} to %[[COUNT]]
// CHECK:         %[[SIZE:.*]] = memref.dim %[[SUMS]], %c3
// CHECK:         %[[REST:.*]] = arith.remui %[[SIZE]], %c16
// CHECK:         %[[WHOLE:.*]] = arith.subi %[[SIZE]], %[[REST]]
// CHECK:         scf.for %{{.*}} = %c0{{.*}} to %[[WHOLE]] step %c16
// CHECK-COUNT-3:   vector.load {{.*}} memref<3x3x?xf32>
// CHECK-COUNT-9:   vector.load %[[IMAGE]]
// CHECK-NOT:       vector.load
// CHECK:         scf.for %{{.*}} = %[[WHOLE]] to %[[SIZE]] step %c1
// CHECK:         vector<1xf32>
func.func @any(%image: memref<?x9x9x?xf32>, %filter: memref<3x3x?xf32>, %sums: memref<?x4x4x?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(n, y, x, r, s, c) -> (n, y * 2 + r, x * 2 + s, c)>, affine_map<(n, y, x, r, s, c) -> (r, s, c)>, affine_map<(n, y, x, r, s, c) -> (n, y, x, c)>],
                  iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "parallel"]}
      ins(%image, %filter : memref<?x9x9x?xf32>, memref<3x3x?xf32>) outs(%sums : memref<?x4x4x?xf32>) {
  ^bb0(%x: f32, %f: f32, %s: f32):
    %p = arith.mulf %x, %f : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  }
  return
}

// -----

// In a filter's gradient, the taps are in registers for four windows in a row at
// a time: the gradients of these are loaded once, and each pixel once for all
// taps of a row that read it. All channels of the four windows come before the
// next windows.

// CHECK-LABEL: func.func @filter(
// CHECK-SAME:    %[[IMAGE:[^:]*]]: memref<2x6x6x16xf32>, %[[DY:[^:]*]]: memref<2x4x4x16xf32>, %[[DW:[^:]*]]: memref<3x3x16xf32>)
// CHECK:         linalg.fill {{.*}} outs(%[[DW]] : memref<3x3x16xf32>)
// CHECK:         scf.for %[[N:.*]] = %c0{{.*}} to %c2
// CHECK:         scf.for %[[Y:.*]] = %c0{{.*}} to %c4
// CHECK:         scf.for %[[X:.*]] = %c0{{.*}} to %c4{{.*}} step %c4
// CHECK:         scf.for %[[C:.*]] = %c0{{.*}} to %c16{{.*}} step %c16
// CHECK:         scf.for %{{.*}} = %c0{{.*}} to %c3{{.*}} step %c3
// CHECK:           %[[S00:.*]] = vector.load %[[DW]]
// CHECK:           %[[S01:.*]] = vector.load %[[DW]]
// CHECK-COUNT-7:   vector.load %[[DW]]
// CHECK:           %[[G0:.*]] = vector.load %[[DY]][%[[N]], %[[Y]], %[[X]], %[[C]]]
// CHECK:           %[[G1:.*]] = vector.load %[[DY]]
// CHECK-COUNT-2:   vector.load %[[DY]]
// CHECK:           %[[X0:.*]] = vector.load %[[IMAGE]]
// CHECK-NEXT:      %[[T00:.*]] = math.fma %[[X0]], %[[G0]], %[[S00]] : vector<16xf32>
// CHECK:           %[[X1:.*]] = vector.load %[[IMAGE]]
// CHECK-NEXT:      math.fma %[[X1]], %[[G0]], %[[S01]]
// CHECK-NEXT:      math.fma %[[X1]], %[[G1]], %[[T00]]
// CHECK-COUNT-16:  vector.load %[[IMAGE]]
// CHECK-NOT:       vector.load
// CHECK-COUNT-9:   vector.store %{{.*}}, %[[DW]]
// CHECK-NOT:     linalg.generic
func.func @filter(%image: memref<2x6x6x16xf32>, %dy: memref<2x4x4x16xf32>, %dw: memref<3x3x16xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%dw : memref<3x3x16xf32>)
  linalg.generic {indexing_maps = [affine_map<(n, y, x, r, s, c) -> (n, y + r, x + s, c)>, affine_map<(n, y, x, r, s, c) -> (n, y, x, c)>, affine_map<(n, y, x, r, s, c) -> (r, s, c)>],
                  iterator_types = ["reduction", "reduction", "reduction", "parallel", "parallel", "parallel"]}
      ins(%image, %dy : memref<2x6x6x16xf32>, memref<2x4x4x16xf32>) outs(%dw : memref<3x3x16xf32>) {
  ^bb0(%x: f32, %g: f32, %s: f32):
    %p = arith.mulf %x, %g : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  }
  return
}
