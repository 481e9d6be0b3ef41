// RUN: ingot-opt %s --ingot-cpu-convert-kernels | FileCheck %s

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
