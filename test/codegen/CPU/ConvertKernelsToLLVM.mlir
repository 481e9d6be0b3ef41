// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --ingot-cpu-convert-kernels-to-llvm | FileCheck %s

// A buffer's address is a slot of the table, and a dynamic size the next.

// CHECK-LABEL: llvm.func @kernel(
// CHECK-SAME:    %[[TABLE:[^:]*]]: !llvm.ptr,
func.func private @kernel(%table: !llvm.ptr, %begin: i64, %end: i64) attributes {host.kernel} {
  // CHECK: %[[FIRST:.*]] = llvm.getelementptr %[[TABLE]][0] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  // CHECK: llvm.load %[[FIRST]] : !llvm.ptr -> !llvm.ptr
  %a = host.bind %table[0] : memref<?xf32>
  // CHECK: %[[SIZE:.*]] = llvm.getelementptr %[[TABLE]][1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  // CHECK: llvm.load %[[SIZE]] : !llvm.ptr -> i64
  // CHECK-NOT: memref.
  // CHECK: llvm.store
  // CHECK: llvm.return
  %i = arith.index_cast %begin : i64 to index
  %x = arith.constant 1.0 : f32
  memref.store %x, %a[%i] : memref<?xf32>
  return
}

// Loops become blocks, and a view's offset is added to its buffer's address. A
// loop that has an iteration tests at its end whether there is another one.

// CHECK-LABEL: llvm.func @tail(
// CHECK-NOT:     {{scf|affine|memref}}.
// CHECK:         llvm.br ^[[BODY:[a-z0-9]+]](%{{.*}} : i64)
// CHECK:       ^[[BODY]](%[[I:.*]]: i64):
// CHECK-NOT:     llvm.cond_br
// CHECK:         %[[REST:.*]] = llvm.srem %[[I]],
// CHECK:         llvm.add %{{.*}} : i64
// CHECK-NOT:     {{scf|affine|memref}}.
// CHECK:         llvm.store
// CHECK:         %[[NEXT:.*]] = llvm.add %[[I]],
// CHECK:         %[[IS_MORE:.*]] = llvm.icmp "slt" %[[NEXT]],
// CHECK:         llvm.cond_br %[[IS_MORE]], ^[[BODY]](%[[NEXT]] : i64),
func.func @tail(%arguments: !llvm.ptr) attributes {host.kernel} {
  %a = host.bind %arguments[0] : memref<8xf32>
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %half = memref.subview %a[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  scf.for %i = %c0 to %c4 step %c1 {
    %j = affine.apply affine_map<(d0) -> (d0 mod 4)>(%i)
    memref.store %zero, %half[%j] : memref<4xf32, strided<[1], offset: 4>>
  }
  return
}

// A loop that may have no iteration tests at its beginning.

// CHECK-LABEL: llvm.func @dynamic(
// CHECK:         llvm.br ^[[TEST:[a-z0-9]+]](%{{.*}} : i64)
// CHECK:       ^[[TEST]](%[[I:.*]]: i64):
// CHECK-NEXT:    %[[IS_MORE:.*]] = llvm.icmp "slt" %[[I]],
// CHECK-NEXT:    llvm.cond_br %[[IS_MORE]],
func.func @dynamic(%arguments: !llvm.ptr, %end: i64) attributes {host.kernel} {
  %a = host.bind %arguments[0] : memref<8xf32>
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.index_cast %end : i64 to index
  scf.for %i = %c0 to %n step %c1 {
    memref.store %zero, %a[%i] : memref<8xf32>
  }
  return
}

// What the last iteration of a loop yields is what the loop yields.

// CHECK-LABEL: llvm.func @sum(
// CHECK:       ^[[BODY:[a-z0-9]+]](%[[I:[^:]*]]: i64, %[[SUM:[^:]*]]: f32):
// CHECK:         %[[MORE:.*]] = llvm.fadd %[[SUM]],
// CHECK:         llvm.cond_br %{{.*}}, ^[[BODY]](%{{.*}}, %[[MORE]] : i64, f32),
// CHECK:         llvm.store %[[MORE]],
func.func @sum(%arguments: !llvm.ptr) attributes {host.kernel} {
  %a = host.bind %arguments[0] : memref<8xf32>
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %total = scf.for %i = %c0 to %c8 step %c1 iter_args(%sum = %zero) -> f32 {
    %x = memref.load %a[%i] : memref<8xf32>
    %more = arith.addf %sum, %x : f32
    scf.yield %more : f32
  }
  memref.store %total, %a[%c0] : memref<8xf32>
  return
}
