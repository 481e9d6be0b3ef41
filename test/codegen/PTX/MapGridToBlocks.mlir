// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --ingot-ptx-map-grid-to-blocks | FileCheck %s

// An iteration is a block; 11 of them, of 96 elements and a rest.

// CHECK-LABEL: func.func private @grid(
// CHECK-SAME: host.grid = array<i64: 1000, 96>
func.func private @grid(%o: memref<1000xf32>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c96 = arith.constant 96 : index
  %c1000 = arith.constant 1000 : index
  %x = arith.constant 1.0 : f32
  // CHECK: %[[BLOCK:.*]] = gpu.block_id x
  // CHECK: %[[DISTANCE:.*]] = arith.muli %[[BLOCK]], %c96
  // CHECK: %[[I:.*]] = arith.addi %c0, %[[DISTANCE]]
  // CHECK-NOT: scf.for
  // CHECK: memref.store %{{.*}}, %{{.*}}[%[[I]]]
  scf.for %i = %c0 to %c1000 step %c96 {
    memref.store %x, %o[%i] : memref<1000xf32>
  } {host.grid_loop}
  return
}

// -----

// Ops outside of the loop write memory private to each block; temporaries of the
// loop are shared by all blocks.

// CHECK-LABEL: func.func private @prelude(
// CHECK-SAME: host.grid = array<i64: 0, 8, 1, 1>
// CHECK: memref.alloc() : memref<f32>
// CHECK: memref.alloc() {host.all_blocks} : memref<64xf32>
// CHECK: gpu.block_id x
func.func private @prelude(%a: memref<?xf32>, %o: memref<64xf32>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %x = arith.constant 1.0 : f32
  %n = memref.dim %a, %c0 : memref<?xf32>
  %step = memref.alloc() : memref<f32>
  %all = memref.alloc() : memref<64xf32>
  memref.store %x, %step[] : memref<f32>
  scf.for %i = %c0 to %n step %c8 {
    %y = memref.load %step[] : memref<f32>
    memref.store %y, %all[%i] : memref<64xf32>
  } {host.grid_loop}
  return
}

// -----

// A result that is written beside the loop is written once: one block does all.

// CHECK-LABEL: func.func private @once(
// CHECK-NOT: host.grid
// CHECK-NOT: gpu.block_id
// CHECK: scf.for
func.func private @once(%o: memref<64xf32>, %s: memref<f32>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %x = arith.constant 1.0 : f32
  memref.store %x, %s[] : memref<f32>
  scf.for %i = %c0 to %c64 step %c8 {
    memref.store %x, %o[%i] : memref<64xf32>
  } {host.grid_loop}
  return
}
