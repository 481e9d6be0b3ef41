// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --ingot-lower-allocs-to-stack-or-scratch=max-operand-bytes=131072 | FileCheck %s

// Small scratch lives on the stack, taken once though it was allocated in a
// loop; large scratch is the caller's, one block for all of a kernel.

// CHECK-LABEL: func.func private @small(
// CHECK-SAME:    %{{.*}}: memref<64xf32>) attributes {host.kernel}
func.func private @small(%o: memref<64xf32>) attributes {host.kernel} {
  // CHECK: %[[T:.*]] = memref.alloca() {alignment = 64 : i64} : memref<64xf32>
  // CHECK: scf.for
  // CHECK-NOT: memref.alloc
  // CHECK: memref.copy %[[T]], %{{.*}}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %t = memref.alloc() : memref<64xf32>
    memref.copy %t, %o : memref<64xf32> to memref<64xf32>
  }
  return
}

// CHECK-LABEL: func.func private @large(
// CHECK-SAME:    %[[O:[^:]*]]: memref<128x128xf32>, %[[S:[^:]*]]: memref<98304xi8>) attributes {host.kernel, host.scratch = 98304 : i64}
func.func private @large(%o: memref<128x128xf32>) attributes {host.kernel} {
  // CHECK-NOT: memref.alloc
  // CHECK-DAG: %[[T:.*]] = memref.view %[[S]][%c0{{.*}}][] : memref<98304xi8> to memref<128x128xf32>
  // CHECK-DAG: %[[U:.*]] = memref.view %[[S]][%c65536{{.*}}][] : memref<98304xi8> to memref<64x128xf32>
  // CHECK: memref.copy %[[T]], %[[O]]
  %t = memref.alloc() : memref<128x128xf32>
  %u = memref.alloc() : memref<64x128xf32>
  memref.copy %t, %o : memref<128x128xf32> to memref<128x128xf32>
  %part = memref.subview %o[0, 0] [64, 128] [1, 1] : memref<128x128xf32> to memref<64x128xf32, strided<[128, 1]>>
  memref.copy %u, %part : memref<64x128xf32> to memref<64x128xf32, strided<[128, 1]>>
  return
}

// Buffers that blocks of a grid only read are private to each thread, up to 128 KiB here.

// CHECK-LABEL: func.func private @packed(
// CHECK-NOT:   host.scratch
func.func private @packed(%w: memref<64x128xf32>, %o: memref<64x128xf32>) attributes {host.kernel} {
  // CHECK: %[[T:.*]] = memref.alloca() {alignment = 64 : i64} : memref<64x128xf32>
  // CHECK: memref.copy %{{.*}}, %[[T]]
  // CHECK: scf.for
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %t = memref.alloc() : memref<64x128xf32>
  memref.copy %w, %t : memref<64x128xf32> to memref<64x128xf32>
  scf.for %i = %c0 to %c64 step %c8 {
    %from = memref.subview %t[%i, 0] [8, 128] [1, 1] : memref<64x128xf32> to memref<8x128xf32, strided<[128, 1], offset: ?>>
    %to = memref.subview %o[%i, 0] [8, 128] [1, 1] : memref<64x128xf32> to memref<8x128xf32, strided<[128, 1], offset: ?>>
    memref.copy %from, %to : memref<8x128xf32, strided<[128, 1], offset: ?>> to memref<8x128xf32, strided<[128, 1], offset: ?>>
  } {host.grid_loop}
  return
}

// Buffers that blocks write, and others may read, are shared by all threads.

// CHECK-LABEL: func.func private @written(
// CHECK-SAME:    host.scratch = 32768 : i64
func.func private @written(%w: memref<64x128xf32>, %o: memref<64x128xf32>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %t = memref.alloc() : memref<64x128xf32>
  scf.for %i = %c0 to %c64 step %c8 {
    %from = memref.subview %w[%i, 0] [8, 128] [1, 1] : memref<64x128xf32> to memref<8x128xf32, strided<[128, 1], offset: ?>>
    %to = memref.subview %t[%i, 0] [8, 128] [1, 1] : memref<64x128xf32> to memref<8x128xf32, strided<[128, 1], offset: ?>>
    memref.copy %from, %to : memref<8x128xf32, strided<[128, 1], offset: ?>> to memref<8x128xf32, strided<[128, 1], offset: ?>>
  } {host.grid_loop}
  memref.copy %t, %o : memref<64x128xf32> to memref<64x128xf32>
  return
}
