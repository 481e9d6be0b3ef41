// RUN: ingot-opt %s --split-input-file --ingot-ptx-tile-products | FileCheck %s

// 16 tiles of 64 by 64. The product and what follows it stay in registers: of
// the temporary nothing is left.

// CHECK-LABEL: func.func private @layer(
// CHECK-SAME: host.grid = array<i64: 16, 1>, host.kernel, host.threads = 256 : i64
func.func private @layer(%a: memref<256x200xf32>, %w: memref<200x256xf32>, %bias: memref<256xf32>, %o: memref<256x256xf32>) attributes {host.kernel} {
  // CHECK-NOT: memref<256x256xf32> to
  // CHECK: scf.execute_region no_inline
  // CHECK: %[[BLOCK:.*]] = gpu.block_id x
  // CHECK: memref.alloc() : memref<4352xi8>
  // CHECK: %[[SUMS:.*]]:16 = scf.for %{{.*}} iter_args(
  // CHECK:   gpu.barrier
  // CHECK-COUNT-4: memref.store %{{.*}} : memref<16x68xf32>
  // CHECK-COUNT-4: memref.store %{{.*}} : memref<16x68xf32>
  // CHECK:   gpu.barrier
  // CHECK:   memref.load %{{.*}} : memref<16x17xvector<4xf32>>
  // CHECK:   math.fma
  // The last 8 steps of the sum are no whole chunk.
  // CHECK: gpu.barrier
  // CHECK: math.fma
  // CHECK: scf.if
  // CHECK:   memref.load %{{.*}} : memref<256xf32>
  // CHECK:   arith.addf
  // CHECK:   memref.store %{{.*}} : memref<256x256xf32>
  // CHECK: } {host.by_threads}
  // CHECK-NOT: linalg.
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<256x256xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<256x256xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : memref<256x200xf32>, memref<200x256xf32>) outs(%t : memref<256x256xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%t, %bias : memref<256x256xf32>, memref<256xf32>) outs(%o : memref<256x256xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %0 = arith.addf %x, %y : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// A dynamic number of rows: a grid that is linear in it, and at least as long
// as three tiles for each 64 rows.

// CHECK-LABEL: func.func private @dynamic(
// CHECK-SAME: host.grid = array<i64: 126, 64, 1, 3>
func.func private @dynamic(%a: memref<?x256xf32>, %w: memref<256x192xf32>, %o: memref<?x192xf32>) attributes {host.kernel} {
  // CHECK: memref.load %{{.*}} : memref<?x192xf32>
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : memref<?x256xf32>, memref<256x192xf32>) outs(%o : memref<?x192xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// Transposed operands are read as they lie; a product of many tiles has those
// of 128 by 128, in which a thread has 64 elements.

// CHECK-LABEL: func.func private @transposed(
// CHECK-SAME: host.grid = array<i64: 256, 1>
func.func private @transposed(%a: memref<512x2048xf32>, %w: memref<2048x512xf32>, %o: memref<2048x2048xf32>) attributes {host.kernel} {
  // CHECK: scf.for %{{.*}} iter_args(%{{.*}} -> (f32, f32
  // CHECK: memref.store %{{.*}} : memref<16x132xf32>
  // CHECK-COUNT-64: math.fma
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<2048x2048xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : memref<512x2048xf32>, memref<2048x512xf32>) outs(%o : memref<2048x2048xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// What another block reads must not be written: here the second operand is
// updated by its own product.

// CHECK-LABEL: func.func private @in_place(
// CHECK-NOT: gpu.block_id
func.func private @in_place(%a: memref<256x256xf32>, %w: memref<256x256xf32>) attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<256x256xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<256x256xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : memref<256x256xf32>, memref<256x256xf32>) outs(%t : memref<256x256xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<256x256xf32>) outs(%w : memref<256x256xf32>) {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.subf %y, %x : f32
    linalg.yield %0 : f32
  }
  return
}
