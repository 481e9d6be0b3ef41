// RUN: ingot-opt %s --ingot-cpu-vectorize-products="vector-bits=256 fma=true" | FileCheck %s --check-prefixes=CHECK,FMA
// RUN: ingot-opt %s --ingot-cpu-vectorize-products="vector-bits=256 fma=false" | FileCheck %s --check-prefixes=CHECK,SPLIT

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

// A tile that was filled with a number starts with it: nothing is stored to be
// loaded. What is read behind the product of a large tensor, and written, is
// fetched before: a row of a vector and a half has two lines.

// CHECK-LABEL: func.func @filled(
// CHECK-SAME:    %{{[^:]*}}: memref<2x64xf32>, %{{[^:]*}}: memref<64x24xf32>, %{{[^:]*}}: memref<512x512xf32>, %{{[^:]*}}: memref<16x24xf32>
func.func @filled(%x: memref<2x64xf32>, %w: memref<64x24xf32>, %large: memref<512x512xf32>, %small: memref<16x24xf32>, %i: index) {
  %zero = arith.constant 0.0 : f32
  %tile = memref.alloca() : memref<2x24xf32>
  // CHECK-NOT: linalg.fill
  // CHECK: %[[V:.*]] = memref.subview %{{.*}} : memref<512x512xf32>
  // CHECK-COUNT-4: memref.prefetch %[[V]][{{.*}}], write, locality<3>, data
  // CHECK-NOT: memref.prefetch
  // CHECK-NOT: vector.load
  // CHECK: vector.broadcast %{{.*}} : f32 to vector<8xf32>
  // CHECK: scf.for
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

// A sum over two dimensions, the inner one first.

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
