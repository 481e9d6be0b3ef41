// RUN: ingot-opt %s --allow-unregistered-dialect --split-input-file --ingot-ptx-place-memory | FileCheck %s

// Temporaries share one block of bytes, the smallest in front.

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

// What shared memory has no room for goes to scratch memory, where each of the
// ten blocks has its part behind what all of them see.

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

// A shape is each thread's own.

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

// CHECK: func.func private @dynamic(memref<?xf32>)
// CHECK-SAME: host.stays = "its temporaries are as large as its input"
func.func private @dynamic(%a: memref<?xf32>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  %t = memref.alloc(%n) : memref<?xf32>
  linalg.copy ins(%a : memref<?xf32>) outs(%t : memref<?xf32>)
  return
}

// -----

// CHECK: func.func private @blocks(memref<?xf32>)
// CHECK-SAME: host.stays = "its blocks, as many as its input says, need more than shared memory"
func.func private @blocks(%a: memref<?xf32>) attributes {host.kernel, host.grid = array<i64: 0, 8, 1, 1>} {
  %t = memref.alloc() : memref<16384xf32>
  "test.use"(%a, %t) : (memref<?xf32>, memref<16384xf32>) -> ()
  return
}

// -----

// What a launch gives is a declaration without a size: it may be more than every
// GPU has.

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
