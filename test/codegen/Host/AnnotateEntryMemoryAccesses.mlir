// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --ingot-host-annotate-entry-memory-accesses | FileCheck %s

// An entry reads 4 bytes of its arena and writes variable 3; memory that only
// kernels access, variable 5 and the rest of the arena, is not listed.

func.func private @k(memref<4xf32>, memref<f32>) attributes {host.kernel}

// CHECK-LABEL: func.func @step(
// CHECK-SAME: host.memory = array<i64: 0, 0, 64, 4, 1, 1, 3, 8>
func.func @step(%s: memref<i64> {host.variable = 3 : i32}, %w: memref<4xf32> {host.variable = 5 : i32}, %arena: !llvm.ptr) attributes {host.arena = 192 : i64} {
  %t = host.slice %arena[64] : memref<f32>
  host.set_argument %arena[128], %w : memref<4xf32>
  host.run %arena [@k] arguments [128] nodes ["a"]
  %loss = memref.load %t[] : memref<f32>
  %one = arith.fptosi %loss : f32 to i64
  memref.store %one, %s[] : memref<i64>
  return
}

// -----

// Of a buffer that a branch chooses nothing is known: all is the host's.

// CHECK-LABEL: func.func @chosen(
// CHECK-SAME: host.memory = array<i64: 0, 1, 0, 192, 1, 1, 3, 8>
func.func @chosen(%s: memref<i64> {host.variable = 3 : i32}, %c: i1, %arena: !llvm.ptr) attributes {host.arena = 192 : i64} {
  %t = host.slice %arena[64] : memref<i64>
  %either = arith.select %c, %t, %s : memref<i64>
  %one = arith.constant 1 : i64
  memref.store %one, %either[] : memref<i64>
  return
}

// -----

// An index is 8 bytes; complex numbers have no size here.

// CHECK-LABEL: func.func @indices(
// CHECK-SAME: host.memory = array<i64: 0, 0, 64, 16, 1, 0, 3, 0>
func.func @indices(%z: memref<4xcomplex<f32>> {host.variable = 3 : i32}, %arena: !llvm.ptr) attributes {host.arena = 192 : i64} {
  %t = host.slice %arena[64] : memref<2xindex>
  %zero = arith.constant 0 : index
  %place = memref.load %t[%zero] : memref<2xindex>
  %number = memref.load %z[%place] : memref<4xcomplex<f32>>
  return
}

// -----

// Where kernels may run on a device, the runtime makes copies, and brings fetched
// or summarized values to the host on demand: these are not listed. Memory that
// the entry's own code reads is.

func.func private @k(memref<4xf32>, memref<f32>) attributes {host.kernel}

// CHECK-LABEL: func.func @on_device(
// CHECK-SAME: host.copies = ["feed 'x:0', 16 bytes: copied to the device", "summary 'loss', 4 bytes: copied to the host in steps whose summaries are written", "fetch 'loss:0', 4 bytes: copied to the host when it is read", "the entry reads 4 bytes: copied to the host after the kernels that compute them"]
// CHECK-SAME: host.memory = array<i64: 0, 0, 68, 4>
func.func @on_device(%s: memref<f32> {host.variable = 3 : i32}, %x: memref<4xf32> {host.feed = 0 : i32}, %f: memref<f32> {host.fetch = 0 : i32}, %arena: !llvm.ptr) -> i1
    attributes {host.on_device, host.arena = 192 : i64, host.entry = #host.entry<name = "step", role = step, feeds = ["x:0"], feed_types = [tensor<4xf32>], fetches = ["loss:0"], fetch_types = [tensor<f32>], assigned = []>} {
  %t = host.slice %arena[64] : memref<f32>
  %u = host.slice %arena[68] : memref<f32>
  host.set_argument %arena[128], %x : memref<4xf32>
  host.run %arena [@k] arguments [128] nodes ["a"]
  host.scalar_summary "loss", 1, %t : memref<f32>
  // CHECK: memref.copy {{.*}} {host.copied_there}
  memref.copy %t, %f : memref<f32> to memref<f32>
  // CHECK: memref.copy {{.*}} {host.copied_there}
  memref.copy %t, %s : memref<f32> to memref<f32>
  %value = memref.load %u[] : memref<f32>
  %zero = arith.constant 0.0 : f32
  %isPositive = arith.cmpf ogt, %value, %zero : f32
  return %isPositive : i1
}

// -----

// The entry's own code reads and writes fetch 2.

// CHECK-LABEL: func.func @fetched(
// CHECK-SAME: host.memory = array<i64: 2, 1, 2, 4>
func.func @fetched(%f: memref<f32> {host.fetch = 2 : i32}, %arena: !llvm.ptr) attributes {host.arena = 128 : i64} {
  %x = memref.load %f[] : memref<f32>
  %y = arith.addf %x, %x : f32
  memref.store %y, %f[] : memref<f32>
  return
}

// -----

// Of two buffers of dynamic size the entry's own code reads one. The contents of
// the other stay on the device.

func.func private @fill(memref<?xf32>) attributes {host.kernel}

// CHECK-LABEL: func.func @dynamic(
func.func @dynamic(%n: index, %arena: !llvm.ptr) -> f32 attributes {host.arena = 128 : i64, host.on_device} {
  // CHECK: %[[READ:.*]] = host.allocate(%{{.*}}) : memref<?xf32>
  // CHECK: %[[KEPT:.*]] = host.allocate(%{{.*}}) {host.for_kernels} : memref<?xf32>
  %read = host.allocate(%n) : memref<?xf32>
  %kept = host.allocate(%n) : memref<?xf32>
  host.set_argument %arena[64], %read : memref<?xf32>
  host.set_argument %arena[80], %kept : memref<?xf32>
  host.run %arena [@fill, @fill] arguments [64, 80] nodes ["a", "b"]
  %zero = arith.constant 0 : index
  %x = memref.load %read[%zero] : memref<?xf32>
  // CHECK: host.release %[[READ]] : memref<?xf32>
  // CHECK: host.release %[[KEPT]] {host.for_kernels} : memref<?xf32>
  host.release %read : memref<?xf32>
  host.release %kept : memref<?xf32>
  return %x : f32
}

// -----

// What slices exchange is where the runtime finds it, on the host or on the
// device: only the slice's number and the number of rows are the host's.
// CHECK-LABEL: func.func @exchanges(
// CHECK-SAME: host.memory = array<i64: 0, 1, 64, 8, 0, 1, 72, 8>
func.func @exchanges(%arena: !llvm.ptr) attributes {host.arena = 512 : i64, host.on_device} {
  %slice = host.slice %arena[64] : memref<i64>
  %rows = host.slice %arena[72] : memref<i64>
  %places = host.slice %arena[128] : memref<3x16xf32>
  %sum = host.slice %arena[320] : memref<4xf32>
  host.call "ingot_op_exchange_add" node "n" options {kind = 1 : i64} ins(%slice, %places, %rows : memref<i64>, memref<3x16xf32>, memref<i64>) dtypes [9, 1, 9] to []
  host.call "ingot_op_exchange_finish_in_place" node "n" options {kind = 1 : i64} ins(%rows, %places : memref<i64>, memref<3x16xf32>) dtypes [9, 1] to []
  %r = host.call "ingot_op_exchange_finish" node "m" options {kind = 1 : i64} ins(%rows : memref<i64>) dtypes [9] outs(%sum : memref<4xf32>) to [1] {static_results = array<i1: true>} -> memref<4xf32>
  return
}
