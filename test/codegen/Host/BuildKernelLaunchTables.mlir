// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --verify-diagnostics --ingot-host-build-kernel-launch-tables | FileCheck %s

// Two launches are one run. Addresses that never change are set once: a buffer
// of the arena, a variable, a constant. A feed's address is set before each run,
// and ops without effects are hoisted above it.

func.func private @first(memref<4xf32>, memref<4xf32>) attributes {host.kernel}
func.func private @second(memref<4xf32>, memref<2x2xf32>, memref<4xf32>) attributes {host.kernel}
memref.global "private" constant @data : memref<2x2xf32> = dense<2.0>

// CHECK-LABEL: func.func @step(
// CHECK-SAME:    %[[X:[^:]*]]: memref<4xf32> {host.feed = 0 : i32}
// CHECK-SAME:    %[[ARENA:[^:]*]]: !llvm.ptr)
// Buffers take 64 bytes: five slots follow them.
// CHECK-SAME:    host.arena = 104 : i64
// CHECK-SAME:    host.arguments = [#host.argument<9, arena, 0>, #host.argument<10, arena, 0>, #host.argument<11, constant, 0, @data>, #host.argument<12, variable, 3>]
func.func @step(%w: memref<4xf32> {host.variable = 3 : i32}, %x: memref<4xf32> {host.feed = 0 : i32}, %arena: !llvm.ptr) attributes {host.arena = 64 : i64} {
  // CHECK-NOT: host.launch
  // CHECK: memref.get_global
  // CHECK: host.set_argument %[[ARENA]][64], %[[X]] : memref<4xf32>
  // CHECK-NEXT: host.run %[[ARENA]] [@first, @second] arguments [64, 80] nodes ["a", "b + c"]
  // CHECK-NEXT: return
  %t = host.slice %arena[0] : memref<4xf32>
  host.launch @first ins(%x : memref<4xf32>) outs(%t : memref<4xf32>) loc("a")
  %c = memref.get_global @data : memref<2x2xf32>
  host.launch @second ins(%t, %c : memref<4xf32>, memref<2x2xf32>) outs(%w : memref<4xf32>) loc(fused["b", "c"])
  return
}

// -----

// An op between launches that may access memory ends a run: here a copy of the
// first one's result.

func.func private @k(memref<4xf32>, memref<4xf32>) attributes {host.kernel}

// CHECK-LABEL: func.func @copies
func.func @copies(%w: memref<4xf32> {host.variable = 0 : i32}, %v: memref<4xf32> {host.variable = 1 : i32}, %arena: !llvm.ptr) attributes {host.arena = 0 : i64} {
  // CHECK: host.run %{{.*}} [@k] arguments [0]
  // CHECK-NEXT: memref.copy
  // CHECK-NEXT: host.run %{{.*}} [@k] arguments [16]
  host.launch @k ins(%w : memref<4xf32>) outs(%v : memref<4xf32>)
  memref.copy %v, %w : memref<4xf32> to memref<4xf32>
  host.launch @k ins(%w : memref<4xf32>) outs(%v : memref<4xf32>)
  return
}

// -----

// A copy of memory that no launch has changed, to where none reads, is hoisted
// above them: a copy of a variable's old value.

func.func private @k(memref<4xf32>, memref<4xf32>) attributes {host.kernel}

// CHECK-LABEL: func.func @sets_aside
func.func @sets_aside(%w: memref<4xf32> {host.variable = 0 : i32}, %v: memref<4xf32> {host.variable = 1 : i32}, %u: memref<4xf32> {host.variable = 2 : i32}, %arena: !llvm.ptr) attributes {host.arena = 64 : i64} {
  // CHECK: %[[OLD:.*]] = host.slice %{{.*}}[32]
  // CHECK-NEXT: memref.copy %{{.*}}, %[[OLD]]
  // CHECK: host.run %{{.*}} [@k, @k] arguments [64, 80]
  %x = host.iterator_next 0 : memref<4xf32>
  %t = host.slice %arena[0] : memref<4xf32>
  host.launch @k ins(%x : memref<4xf32>) outs(%t : memref<4xf32>)
  %old = host.slice %arena[32] : memref<4xf32>
  memref.copy %u, %old : memref<4xf32> to memref<4xf32>
  host.launch @k ins(%t : memref<4xf32>) outs(%u : memref<4xf32>)
  return
}

// -----

// One to where a launch has looked does not: the arena's buffers may share
// addresses.

func.func private @k(memref<4xf32>, memref<4xf32>) attributes {host.kernel}

// CHECK-LABEL: func.func @writes_again
func.func @writes_again(%w: memref<4xf32> {host.variable = 0 : i32}, %v: memref<4xf32> {host.variable = 1 : i32}, %arena: !llvm.ptr) attributes {host.arena = 64 : i64} {
  // CHECK: host.run %{{.*}} [@k] arguments [64]
  // CHECK: memref.copy
  // CHECK: host.run %{{.*}} [@k] arguments [80]
  %t = host.slice %arena[0] : memref<4xf32>
  host.launch @k ins(%t : memref<4xf32>) outs(%v : memref<4xf32>)
  %old = host.slice %arena[8] : memref<4xf32>
  memref.copy %w, %old : memref<4xf32> to memref<4xf32>
  host.launch @k ins(%old : memref<4xf32>) outs(%w : memref<4xf32>)
  return
}

// -----

// A check of memory that no launch writes, such as an iterator's labels, is
// hoisted above the run with its operands.

func.func private @k(memref<4xf32>, memref<4xf32>) attributes {host.kernel}
memref.global "private" constant @sizes : memref<2xi64> = dense<4>

// CHECK-LABEL: func.func @checks_of_input
func.func @checks_of_input(%w: memref<4xf32> {host.variable = 0 : i32}, %v: memref<4xf32> {host.variable = 1 : i32}, %arena: !llvm.ptr) attributes {host.arena = 0 : i64} {
  // CHECK: %[[LABELS:.*]] = host.iterator_next
  // CHECK: %[[SIZES:.*]] = memref.get_global @sizes
  // CHECK: host.call "ingot_op_require_indices" node "loss" options {} ins(%[[LABELS]], %[[SIZES]] :
  // CHECK: host.run %{{.*}} [@k, @k] arguments [0, 16]
  %labels = host.iterator_next 0 : memref<4xi32>
  host.launch @k ins(%w : memref<4xf32>) outs(%v : memref<4xf32>)
  %sizes = memref.get_global @sizes : memref<2xi64>
  host.call "ingot_op_require_indices" node "loss" options {} ins(%labels, %sizes : memref<4xi32>, memref<2xi64>) dtypes [3, 9] to []
  host.launch @k ins(%v : memref<4xf32>) outs(%w : memref<4xf32>)
  return
}

// -----

// A check of a launch's result stays after it.

func.func private @k(memref<4xf32>, memref<4xf32>) attributes {host.kernel}

// CHECK-LABEL: func.func @checks_of_results
func.func @checks_of_results(%w: memref<4xf32> {host.variable = 0 : i32}, %v: memref<4xf32> {host.variable = 1 : i32}, %arena: !llvm.ptr) attributes {host.arena = 0 : i64} {
  // CHECK: host.run %{{.*}} [@k] arguments [0]
  // CHECK-NEXT: host.call
  // CHECK: host.run %{{.*}} [@k] arguments [16]
  host.launch @k ins(%w : memref<4xf32>) outs(%v : memref<4xf32>)
  host.call "ingot_op_require_numbers" node "loss" options {} ins(%v : memref<4xf32>) dtypes [1] to []
  host.launch @k ins(%v : memref<4xf32>) outs(%w : memref<4xf32>)
  return
}

// -----

// A buffer of dynamic size takes a slot more for each, and so does a variable
// that the kernel takes for one.

func.func private @dynamic(memref<?x4xf32>, memref<?x4xf32>) attributes {host.kernel}

// CHECK-LABEL: func.func @sizes
// CHECK-SAME: host.arguments = []
func.func @sizes(%x: memref<?x4xf32> {host.feed = 0 : i32}, %w: memref<2x4xf32> {host.variable = 0 : i32}, %arena: !llvm.ptr) attributes {host.arena = 0 : i64} {
  // CHECK: %[[CAST:.*]] = memref.cast
  // CHECK: host.set_argument %{{.*}}[0], %{{.*}} : memref<?x4xf32>
  // CHECK: host.set_argument %{{.*}}[16], %[[CAST]] : memref<?x4xf32>
  // CHECK: host.run %{{.*}} [@dynamic] arguments [0]
  %c = memref.cast %w : memref<2x4xf32> to memref<?x4xf32>
  host.launch @dynamic ins(%x : memref<?x4xf32>) outs(%c : memref<?x4xf32>)
  return
}

// -----

// A launch in a loop is a run of its own there.

func.func private @k(memref<4xf32>, memref<4xf32>) attributes {host.kernel}

// CHECK-LABEL: func.func @loop
func.func @loop(%w: memref<4xf32> {host.variable = 0 : i32}, %v: memref<4xf32> {host.variable = 1 : i32}, %n: index, %arena: !llvm.ptr) attributes {host.arena = 0 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: host.run
  // CHECK: scf.for
  // CHECK:   host.run
  // CHECK: }
  host.launch @k ins(%w : memref<4xf32>) outs(%v : memref<4xf32>)
  scf.for %i = %c0 to %n step %c1 {
    host.launch @k ins(%v : memref<4xf32>) outs(%w : memref<4xf32>)
  }
  return
}

// -----

// A row has 32 bits for the number of a slot.

func.func private @first(memref<4xf32>, memref<4xf32>) attributes {host.kernel}

// expected-error@+1 {{needs 48 GiB of temporary memory, more than 32 GiB; train with smaller batches}}
func.func @step(%x: memref<4xf32> {host.feed = 0 : i32}, %arena: !llvm.ptr) attributes {host.arena = 51539607552 : i64} {
  %t = host.slice %arena[0] : memref<4xf32>
  host.launch @first ins(%x : memref<4xf32>) outs(%t : memref<4xf32>) loc("a")
  return
}
