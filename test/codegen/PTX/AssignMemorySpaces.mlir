// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --allow-unregistered-dialect --split-input-file --ingot-ptx-assign-memory-spaces | FileCheck %s

// Temporaries share one block of bytes, the smallest first.

// CHECK: memref.global "private" @shared_shared : memref<528xi8, 3> = uninitialized
// CHECK-LABEL: func.func private @shared(%{{.*}}: memref<4xf32>)
// CHECK-SAME: host.shared = 528 : i64
// CHECK: %[[BYTES:.*]] = memref.get_global @shared_shared
func.func private @shared(%o: memref<4xf32>) attributes {host.kernel} {
  // CHECK: memref.view %[[BYTES]][%c16{{.*}}][] : memref<528xi8, 3> to memref<128xf32, 3>
  // CHECK: memref.memory_space_cast %{{.*}} : memref<128xf32, 3> to memref<128xf32>
  // CHECK: memref.view %[[BYTES]][%c0{{.*}}][] : memref<528xi8, 3> to memref<f32, 3>
  %a = memref.alloc() : memref<128xf32>
  %b = memref.alloc() : memref<f32>
  "test.use"(%a, %b, %o) : (memref<128xf32>, memref<f32>, memref<4xf32>) -> ()
  return
}

// -----

// A buffer leaves room for the sums of threads only if the kernel has sums.

// CHECK-LABEL: func.func private @without_sums(
// CHECK-SAME: host.shared = 46080 : i64
func.func private @without_sums(%o: memref<4xf32>) attributes {host.kernel} {
  %a = memref.alloc() : memref<11520xf32>
  "test.use"(%a, %o) : (memref<11520xf32>, memref<4xf32>) -> ()
  return
}
// CHECK-LABEL: func.func private @with_sums(
// CHECK-SAME: memref<46080xi8>
// CHECK-SAME: host.scratch = 46080 : i64
func.func private @with_sums(%x: memref<64x4xf32>, %o: memref<4xf32>) attributes {host.kernel} {
  %a = memref.alloc() : memref<11520xf32>
  "test.use"(%a, %o) : (memref<11520xf32>, memref<4xf32>) -> ()
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>], iterator_types = ["reduction", "parallel"]} ins(%x : memref<64x4xf32>) outs(%o : memref<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %out, %in : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Buffers that do not fit shared memory go to scratch memory, where each of the
// ten blocks has its part after the buffers that all share.

// CHECK-LABEL: func.func private @scratch(
// CHECK-SAME: %[[SCRATCH:[^ ]*]]: memref<656384xi8>)
// CHECK-SAME: host.scratch = 656384 : i64
func.func private @scratch(%o: memref<4xf32>) attributes {host.kernel, host.grid = array<i64: 80, 8>} {
  // CHECK: %[[BLOCK:.*]] = gpu.block_id x
  // CHECK: %[[PART:.*]] = arith.muli %[[BLOCK]], %c65536
  // CHECK: %[[START:.*]] = arith.addi %[[PART]], %c1024
  // CHECK: memref.view %[[SCRATCH]][%[[START]]][] : memref<656384xi8> to memref<16384xf32>
  // CHECK: memref.view %[[SCRATCH]][%c0{{.*}}][] : memref<656384xi8> to memref<256xf32>
  %own = memref.alloc() : memref<16384xf32>
  %all = memref.alloc() {host.all_blocks} : memref<256xf32>
  "test.use"(%own, %all, %o) : (memref<16384xf32>, memref<256xf32>, memref<4xf32>) -> ()
  return
}

// -----

// Shapes are private to threads.

// CHECK-LABEL: func.func private @shape(
// CHECK-NOT: host.shared
// CHECK: memref.alloca() : memref<1xindex>
func.func private @shape(%a: memref<4x4xf32>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %s = memref.alloc() : memref<1xindex>
  memref.store %c16, %s[%c0] : memref<1xindex>
  %r = memref.reshape %a(%s) : (memref<4x4xf32>, memref<1xindex>) -> memref<16xf32>
  "test.use"(%r) : (memref<16xf32>) -> ()
  return
}

// -----

// Scratch memory of dynamic size: the kernel's facts have an upper bound, 4 bytes
// for each element of the first argument, whose size is in slot 1, 8 for each
// row of the second one (slot 4), and padding between.

// CHECK-LABEL: func.func private @dynamic(
// CHECK-SAME: %[[A:[^ ]*]]: memref<?xf32>, %[[B:[^ ]*]]: memref<2x?xi32>, %[[SCRATCH:[^ ]*]]: memref<{{.*}}xi8>)
// CHECK-SAME: host.dynamic_scratch = array<i64: 30, 1, 4, 3, 8>
// CHECK: %[[N:.*]] = memref.dim %[[A]], %c0
// CHECK: %[[BYTES:.*]] = arith.muli %[[N]], %c4
// CHECK: %[[SUM:.*]] = arith.addi %c15{{.*}}, %[[BYTES]]
// CHECK: %[[SECOND:.*]] = arith.andi %[[SUM]], %c-16
// CHECK: memref.view %[[SCRATCH]][%c0{{.*}}][%{{.*}}] : memref<{{.*}}xi8> to memref<?xf32>
// CHECK: %[[START:.*]] = arith.addi %[[SECOND]], %c0
// CHECK: memref.view %[[SCRATCH]][%[[START]]][%{{.*}}] : memref<{{.*}}xi8> to memref<2x?xi32>
func.func private @dynamic(%a: memref<?xf32>, %b: memref<2x?xi32>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  %m = memref.dim %b, %c1 : memref<2x?xi32>
  %t = memref.alloc(%n) : memref<?xf32>
  %u = memref.alloc(%m) : memref<2x?xi32>
  "test.use"(%a, %t, %u) : (memref<?xf32>, memref<?xf32>, memref<2x?xi32>) -> ()
  return
}

// -----

// A dynamic number of blocks, each with its part: 64 KiB for every 8 elements of
// the input, and one more.

// CHECK-LABEL: func.func private @blocks(
// CHECK-SAME: host.dynamic_scratch = array<i64: 65536, 1, 8192>
// CHECK: %[[BLOCK:.*]] = gpu.block_id x
// CHECK: arith.muli %[[BLOCK]], %c65536
func.func private @blocks(%a: memref<?xf32>) attributes {host.kernel, host.grid = array<i64: 0, 8, 1, 1>} {
  %t = memref.alloc() : memref<16384xf32>
  "test.use"(%a, %t) : (memref<?xf32>, memref<16384xf32>) -> ()
  return
}

// -----

// A size that depends on a value, or is a product of sizes, is unknown at
// launch.

// CHECK: func.func private @value(memref<index>)
// CHECK-SAME: host.stays = "the sizes of its temporaries are not linear functions of the sizes of its arguments"
func.func private @value(%a: memref<index>) attributes {host.kernel} {
  %n = memref.load %a[] : memref<index>
  %t = memref.alloc(%n) : memref<?xf32>
  "test.use"(%a, %t) : (memref<index>, memref<?xf32>) -> ()
  return
}

// -----

// CHECK: func.func private @product(memref<?x?xf32>)
// CHECK-SAME: host.stays = "the sizes of its temporaries are not linear functions of the sizes of its arguments"
func.func private @product(%a: memref<?x?xf32>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?x?xf32>
  %m = memref.dim %a, %c1 : memref<?x?xf32>
  %t = memref.alloc(%n, %m) : memref<?x?xf32>
  "test.use"(%a, %t) : (memref<?x?xf32>, memref<?x?xf32>) -> ()
  return
}

// -----

// CHECK: func.func private @blocks_of_input(memref<?x?xf32>)
// CHECK-SAME: host.stays = "the grid and the temporaries of its blocks both have dynamic sizes"
func.func private @blocks_of_input(%a: memref<?x?xf32>) attributes {host.kernel, host.grid = array<i64: 0, 8, 1, 1>} {
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c1 : memref<?x?xf32>
  %t = memref.alloc(%n) : memref<?xf32>
  "test.use"(%a, %t) : (memref<?x?xf32>, memref<?xf32>) -> ()
  return
}

// -----

// Dynamic shared memory is a declaration without a size: it may exceed the static
// limit.

// CHECK: memref.global @given_dynamic : memref<0xi8, 3> {alignment = 1024 : i64}
// CHECK: func.func private @given(
// CHECK-SAME: host.dynamic_shared = 131072 : i64
func.func private @given(%a: memref<64xf32>) attributes {host.kernel} {
  // CHECK: %[[SHARED:.*]] = memref.get_global @given_dynamic : memref<0xi8, 3>
  // CHECK: %[[VIEW:.*]] = memref.view %[[SHARED]][%{{.*}}][] : memref<0xi8, 3> to memref<131072xi8, 3>
  // CHECK: memref.memory_space_cast %[[VIEW]]
  %t = memref.alloc() {alignment = 1024 : i64, host.dynamic_memory} : memref<131072xi8>
  "test.use"(%a, %t) : (memref<64xf32>, memref<131072xi8>) -> ()
  return
}
