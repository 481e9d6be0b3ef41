// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --ingot-host-lower-entry-signatures | FileCheck %s

// An entry: context, arena, variables, feeds and fetches.

// CHECK-LABEL: func.func @step(
// CHECK-SAME:    %[[CTX:[^:]*]]: !llvm.ptr, %[[ARENA:[^:]*]]: !llvm.ptr, %[[VARIABLES:[^:]*]]: !llvm.ptr, %[[FEEDS:[^:]*]]: !llvm.ptr, %[[FETCHES:[^:]*]]: !llvm.ptr) -> i32
func.func @step(%w: memref<4xf32> {host.variable = 7 : i32}, %x: memref<4xf32> {host.feed = 1 : i32}, %y: memref<4xf32> {host.fetch = 0 : i32}, %arena: !llvm.ptr) {
  // CHECK: host.bind %[[VARIABLES]][7] : memref<4xf32>
  // CHECK: host.bind_tensor %[[FEEDS]][1] : memref<4xf32>
  // CHECK: host.bind_tensor %[[FETCHES]][0] : memref<4xf32>
  // CHECK: host.slice %[[ARENA]][0]
  %t = host.slice %arena[0] : memref<4xf32>
  memref.copy %w, %t : memref<4xf32> to memref<4xf32>
  memref.copy %x, %w : memref<4xf32> to memref<4xf32>
  memref.copy %t, %y : memref<4xf32> to memref<4xf32>
  // CHECK: %[[OK:.*]] = arith.constant 0 : i32
  // CHECK: return %[[OK]] : i32
  return
}
