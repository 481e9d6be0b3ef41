// RUN: ingot-opt %s --split-input-file --ingot-cpu-lower-signatures | FileCheck %s

// Buffers come from the table of addresses; where the outermost loop may be
// split, the kernel computes the iterations it is given.

// CHECK-LABEL: func.func private @grid(
// CHECK-SAME:    %[[TABLE:.*]]: !llvm.ptr, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64)
// CHECK-SAME:    host.grid = 8 : i64
func.func private @grid(%a: memref<64xf32>, %o: memref<64xf32>) attributes {host.kernel} {
  // CHECK: host.bind %[[TABLE]][0] : memref<64xf32>
  // CHECK: host.bind %[[TABLE]][1] : memref<64xf32>
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  // CHECK: %[[FIRST:.*]] = arith.index_cast %[[BEGIN]] : i64 to index
  // CHECK: %[[FROM:.*]] = arith.muli %[[FIRST]], %{{.*}} : index
  // CHECK: %[[LOWER:.*]] = arith.addi %{{.*}}, %[[FROM]] : index
  // CHECK: arith.index_cast %[[END]] : i64 to index
  // CHECK: scf.for %{{.*}} = %[[LOWER]] to
  scf.for %i = %c0 to %c64 step %c8 {
    %x = memref.load %a[%i] : memref<64xf32>
    memref.store %x, %o[%i] : memref<64xf32>
  } {host.grid_loop}
  return
}

// -----

// As many iterations as the second argument's first dimension has blocks of 8.

// CHECK-LABEL: func.func private @open(
// CHECK-SAME:    host.grid = [8, 1, 0]
func.func private @open(%a: memref<64xf32>, %o: memref<?xf32>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = memref.dim %o, %c0 : memref<?xf32>
  // CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c8
  scf.for %i = %c0 to %n step %c8 {
    %x = memref.load %a[%i] : memref<64xf32>
    memref.store %x, %o[%i] : memref<?xf32>
  } {host.grid_loop}
  return
}

// -----

// What stands beside the loop would run once for every range, while others
// still write: a copy forbids a grid.

// CHECK-LABEL: func.func private @copies(
// CHECK-NOT:     host.grid =
func.func private @copies(%a: memref<64xf32>, %t: memref<64xf32>, %o: memref<64xf32>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  // CHECK: scf.for %{{.*}} = %c0 to %c64
  scf.for %i = %c0 to %c64 step %c8 {
    %x = memref.load %a[%i] : memref<64xf32>
    memref.store %x, %t[%i] : memref<64xf32>
  } {host.grid_loop}
  memref.copy %t, %o : memref<64xf32> to memref<64xf32>
  return
}

// -----

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
