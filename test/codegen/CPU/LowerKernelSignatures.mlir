// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --ingot-cpu-lower-kernel-signatures | FileCheck %s

// Buffers come from the table of arguments; of the loop that may be split, the
// kernel computes the iterations it is given.

// CHECK-LABEL: func.func private @grid(
// CHECK-SAME:    %[[TABLE:.*]]: !llvm.ptr, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64)
// CHECK-SAME:    host.grid = array<i64: 64, 8>
func.func private @grid(%a: memref<64xf32>, %o: memref<64xf32>) attributes {host.kernel} {
  // CHECK: host.bind %[[TABLE]][0] : memref<64xf32>
  // CHECK: host.bind %[[TABLE]][1] : memref<64xf32>
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  // CHECK: %[[FIRST:.*]] = arith.index_cast %[[BEGIN]] : i64 to index
  // CHECK: %[[FROM:.*]] = arith.muli %[[FIRST]], %{{.*}} : index
  // CHECK: %[[LOWER:.*]] = arith.addi %{{.*}}, %[[FROM]] : index
  // CHECK: arith.index_cast %[[END]] : i64 to index
  // CHECK: %[[UPPER:.*]] = arith.minsi
  // CHECK: scf.for %{{.*}} = %[[LOWER]] to %[[UPPER]]
  scf.for %i = %c0 to %c64 step %c8 {
    %x = memref.load %a[%i] : memref<64xf32>
    memref.store %x, %o[%i] : memref<64xf32>
  } {host.grid_loop}
  return
}

// -----

// The second buffer's size is in the third slot, after two addresses: three
// iterations for each 16 rows.

// CHECK-LABEL: func.func private @dynamic(
// CHECK-SAME:    host.grid = array<i64: 0, 16, 2, 3>
func.func private @dynamic(%a: memref<4xf32>, %o: memref<?xf32>) attributes {host.kernel} {
  // CHECK: host.bind %{{.*}}[0] : memref<4xf32>
  // CHECK: host.bind %{{.*}}[1] : memref<?xf32>
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %n = memref.dim %o, %c0 : memref<?xf32>
  %m = arith.muli %n, %c3 : index
  scf.for %i = %c0 to %m step %c16 {
    %x = memref.load %a[%c0] : memref<4xf32>
    memref.store %x, %o[%c0] : memref<?xf32>
  } {host.grid_loop}
  return
}

// -----

// A loop over something else than sizes is no grid, nor is one that is not
// marked.

// CHECK-LABEL: func.func private @data(
// CHECK-NOT:     host.grid =
func.func private @data(%a: memref<i64>, %o: memref<64xf32>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 1.0 : f32
  %n = memref.load %a[] : memref<i64>
  %m = arith.index_cast %n : i64 to index
  // CHECK: scf.for %{{.*}} = %c0 to
  scf.for %i = %c0 to %m step %c1 {
    memref.store %x, %o[%i] : memref<64xf32>
  } {host.grid_loop}
  return
}

// -----

// An op outside of the loop would run once for every range, while others still
// write: a copy prevents a grid.

// CHECK-LABEL: func.func private @copies(
// CHECK-NOT:     host.grid =
// CHECK-NOT:     host.strides
func.func private @copies(%a: memref<64xf32>, %t: memref<64xf32>, %o: memref<64xf32>) attributes {host.kernel, host.strides = array<i64: 32, 32, 0>} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  // CHECK: scf.for %{{.*}} = %c0 to %c64
  scf.for %i = %c0 to %c64 step %c8 {
    %x = memref.load %a[%i] : memref<64xf32>
    memref.store %x, %t[%i] : memref<64xf32>
  } {host.grid_loop}
  memref.copy %t, %o : memref<64xf32> to memref<64xf32>
  return
}

// -----

// Blocks that may be merged are: one block spans the whole range.

// CHECK-LABEL: func.func private @range(
// CHECK-SAME:    host.grid = array<i64: 100, 8>
// CHECK:         %[[UPPER:.*]] = arith.minsi
// CHECK:         %[[ALL:.*]] = arith.subi %[[UPPER]], %[[LOWER:.*]] : index
// CHECK:         %[[STEP:.*]] = arith.maxsi %[[ALL]], %{{.*}} : index
// CHECK:         scf.for %[[I:.*]] = %[[LOWER]] to %[[UPPER]] step %[[STEP]] {
// CHECK-NOT:       affine.min
// CHECK:           memref.subview %{{.*}}[%[[I]]] [%[[ALL]]] [1]
func.func private @range(%o: memref<100xf32>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c100 = arith.constant 100 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c100 step %c8 {
    %size = affine.min affine_map<(i) -> (8, -i + 100)>(%i)
    %part = memref.subview %o[%i] [%size] [1] : memref<100xf32> to memref<?xf32, strided<[1], offset: ?>>
    linalg.fill ins(%zero : f32) outs(%part : memref<?xf32, strided<[1], offset: ?>>)
  } {host.grid_loop, host.grid_range}
  return
}
