// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --ingot-ptx-lower-kernel-signatures | FileCheck %s

// The slots of the table on a CPU, in their order: addresses, each followed by
// its buffer's dynamic sizes.

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

// A tensor map is passed by value, after all other parameters.

// CHECK-NOT: memref.global
// CHECK: func.func private @copies(%{{.*}}: !llvm.ptr, %[[MAP:.*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>})
memref.global "private" @copies_map0 : memref<128xi8>
func.func private @copies(%a: memref<64x64xbf16>) attributes {host.kernel, host.maps = [array<i64: 0, 2, 64, 0, 64, 64, 0, 64>]} {
  // CHECK: llvm.insertvalue %[[MAP]]
  // CHECK: builtin.unrealized_conversion_cast %{{.*}} to memref<128xi8>
  %map = memref.get_global @copies_map0 : memref<128xi8>
  %address = memref.extract_aligned_pointer_as_index %map : memref<128xi8> -> index
  %c0 = arith.constant 0 : index
  %x = arith.constant 1.0 : bf16
  memref.store %x, %a[%c0, %address] : memref<64x64xbf16>
  return
}
