// RUN: ingot-opt %s --split-input-file --ingot-host-find-host-memory | FileCheck %s

// An entry reads 4 bytes of its arena and writes variable 3; what only kernels
// touch, variable 5 and the rest of the arena, is none of the host's.

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
