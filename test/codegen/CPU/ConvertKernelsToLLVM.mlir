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

// Loops become blocks, and a view's offset is added to its buffer's address.

// CHECK-LABEL: llvm.func @tail(
// CHECK-NOT:     {{scf|affine|memref}}.
// CHECK:         llvm.br ^[[TEST:[a-z0-9]+]](%{{.*}} : i64)
// CHECK:       ^[[TEST]](%[[I:.*]]: i64):
// CHECK:         llvm.cond_br
// CHECK:         %[[REST:.*]] = llvm.srem %[[I]],
// CHECK:         llvm.add %{{.*}} : i64
// CHECK-NOT:     {{scf|affine|memref}}.
// CHECK:         llvm.store
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
