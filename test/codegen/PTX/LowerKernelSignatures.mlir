// RUN: ingot-opt %s --ingot-ptx-lower-kernel-signatures | FileCheck %s

// The slots of the table on a CPU, in their order: addresses, each with its
// buffer's dynamic sizes behind it.

// CHECK: func.func private @k(%{{.*}}: !llvm.ptr, %[[SIZE:.*]]: i64, %[[OUT:.*]]: !llvm.ptr)
func.func private @k(%a: memref<?x4xf32>, %o: memref<4xf32>) attributes {host.kernel} {
  // CHECK: llvm.insertvalue %[[SIZE]], %{{.*}}[3, 0]
  // CHECK: builtin.unrealized_conversion_cast %{{.*}} to memref<?x4xf32>
  // CHECK: llvm.insertvalue %[[OUT]]
  // CHECK: builtin.unrealized_conversion_cast %{{.*}} to memref<4xf32>
  %c0 = arith.constant 0 : index
  %x = memref.load %a[%c0, %c0] : memref<?x4xf32>
  memref.store %x, %o[%c0] : memref<4xf32>
  return
}
