// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --ingot-host-plan-arena | FileCheck %s
// RUN: ingot-opt %s --split-input-file --ingot-host-plan-arena=bytes-apart=4096 | FileCheck %s --check-prefix=APART

// %a is dead before %c is written: they share an address. %b lives beside
// both and has one of its own. Offsets are multiples of 64.

// CHECK-LABEL: func.func @shares(
// CHECK-SAME:    %[[ARENA:[^:]*]]: !llvm.ptr) attributes {host.arena = 512 : i64}
// Small buffers share no addresses, so that launches on them can run in parallel.
// APART-LABEL: func.func @shares(
// APART-SAME:    %[[ARENA:[^:]*]]: !llvm.ptr) attributes {host.arena = 768 : i64}
// APART-DAG: host.slice %[[ARENA]][0] : memref<64xf32>
// APART-DAG: host.slice %[[ARENA]][256] : memref<64xf32>
// APART-DAG: host.slice %[[ARENA]][512] : memref<64xf32>
func.func @shares(%in: memref<64xf32>, %out: memref<64xf32>) {
  // CHECK-DAG: %[[A:.*]] = host.slice %[[ARENA]][0] : memref<64xf32>
  // CHECK-DAG: %[[B:.*]] = host.slice %[[ARENA]][256] : memref<64xf32>
  // CHECK: memref.copy %{{.*}}, %[[A]]
  // CHECK: memref.copy %[[A]], %[[B]]
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  memref.copy %in, %a : memref<64xf32> to memref<64xf32>
  memref.copy %a, %b : memref<64xf32> to memref<64xf32>
  // CHECK: memref.copy %[[B]], %[[C:.*]] :
  memref.copy %b, %c : memref<64xf32> to memref<64xf32>
  // CHECK: memref.copy %[[C]],
  memref.copy %c, %out : memref<64xf32> to memref<64xf32>
  return
}

// -----

// A view keeps its buffer alive: %a is read through it at the end, so that no
// other buffer may take its place.

// CHECK-LABEL: func.func @views(
// CHECK-SAME:    {host.arena = 512 : i64}
func.func @views(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  %view = memref.expand_shape %a [[0, 1]] output_shape [8, 8] : memref<64xf32> into memref<8x8xf32>
  memref.copy %in, %a : memref<64xf32> to memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  memref.copy %in, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %out : memref<64xf32> to memref<64xf32>
  %flat = memref.collapse_shape %view [[0, 1]] : memref<8x8xf32> into memref<64xf32>
  memref.copy %flat, %out : memref<64xf32> to memref<64xf32>
  return
}

// -----

// Sizes that are no multiple of the alignment are rounded up.

// CHECK-LABEL: func.func @aligned(
// CHECK-SAME:    {host.arena = 128 : i64}
func.func @aligned(%in: memref<3xf32>, %out: memref<3xf32>) {
  // CHECK-DAG: host.slice %{{.*}}[0] : memref<3xf32>
  // CHECK-DAG: host.slice %{{.*}}[64] : memref<3xf32>
  %a = memref.alloc() : memref<3xf32>
  %b = memref.alloc() : memref<3xf32>
  memref.copy %in, %a : memref<3xf32> to memref<3xf32>
  memref.copy %a, %b : memref<3xf32> to memref<3xf32>
  memref.copy %b, %out : memref<3xf32> to memref<3xf32>
  return
}

// -----

// Kernels may run on a device: %b, which the entry's own code reads, shares no
// addresses with %a and %c, which are dead and not yet alive.

func.func private @k(memref<64xf32>) attributes {host.kernel}

// CHECK-LABEL: func.func @apart_from_the_device(
// CHECK-SAME:    {host.arena = 512 : i64, host.on_device}
func.func @apart_from_the_device() -> f32 attributes {host.on_device} {
  // CHECK-DAG: %[[A:.*]] = host.slice %{{.*}}[0] : memref<64xf32>
  // CHECK-DAG: %[[B:.*]] = host.slice %{{.*}}[256] : memref<64xf32>
  // CHECK-DAG: %[[C:.*]] = host.slice %{{.*}}[0] : memref<64xf32>
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  %zero = arith.constant 0 : index
  host.launch @k outs(%a : memref<64xf32>)
  host.launch @k outs(%b : memref<64xf32>)
  %x = memref.load %b[%zero] : memref<64xf32>
  host.launch @k outs(%c : memref<64xf32>)
  return %x : f32
}
