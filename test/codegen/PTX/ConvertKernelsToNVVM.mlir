// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --ingot-ptx-convert-kernels-to-nvvm | FileCheck %s

// CHECK: llvm.mlir.global private @k_shared() {addr_space = 3 : i32{{.*}}} : !llvm.array<64 x i8>
memref.global "private" @k_shared : memref<64xi8, 3> = uninitialized

// CHECK: llvm.func @k(%[[X:.*]]: f32, %[[Y:.*]]: f32)
// CHECK-SAME: nvvm.kernel
// CHECK-SAME: nvvm.reqntid = array<i32: 64>
func.func private @k(%x: f32, %y: f32) attributes {host.kernel, host.threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  // CHECK: nvvm.read.ptx.sreg.tid.x : i32
  %thread = gpu.thread_id x
  // CHECK: nvvm.read.ptx.sreg.ctaid.x : i32
  %block = gpu.block_id x
  // CHECK: llvm.intr.sqrt(%[[X]])
  %root = math.sqrt %x : f32
  // CHECK: llvm.fdiv %{{.*}}, %[[Y]]
  %quotient = arith.divf %root, %y : f32
  // CHECK: nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : f32 -> f32
  %one = arith.constant 1 : i32
  %width = arith.constant 32 : i32
  %other, %valid = gpu.shuffle xor %quotient, %one, %width : f32
  // CHECK: nvvm.barrier0
  gpu.barrier
  %shared = memref.get_global @k_shared : memref<64xi8, 3>
  %view = memref.view %shared[%c0][] : memref<64xi8, 3> to memref<16xf32, 3>
  // CHECK: llvm.addrspacecast %{{.*}} : !llvm.ptr<3> to !llvm.ptr
  %place = memref.memory_space_cast %view : memref<16xf32, 3> to memref<16xf32>
  memref.store %other, %place[%thread] : memref<16xf32>
  return
}

// A kernel that goes through more iterations than it has blocks has one block on
// a processor at a time, and reads its maps where they are passed.

// CHECK: llvm.func @goes_on(%{{.*}}: i64, %{{.*}}: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant})
// CHECK-SAME: nvvm.minctasm = 1 : i32
func.func private @goes_on(%size: i64, %map: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>}) attributes {host.kernel, host.persistent, host.threads = 64 : i64} {
  // CHECK: nvvm.read.ptx.sreg.nctaid.x : i32
  %blocks = gpu.grid_dim x
  %number = arith.index_cast %blocks : index to i64
  llvm.store %number, %map : i64, !llvm.ptr
  return
}
