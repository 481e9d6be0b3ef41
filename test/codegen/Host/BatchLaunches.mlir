// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --ingot-host-batch-launches | FileCheck %s
// RUN: ingot-opt %s --split-input-file --ingot-host-batch-launches --ingot-host-build-kernel-launch-tables | FileCheck %s --check-prefix=ROWS

// Three members of one, two and three equal layers, and an output each. Ready
// layers are batched; outputs wait until all are ready, and are batched, too.
// Operands stay where they are.

func.func private @layer(memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>) attributes {host.kernel}
func.func private @output(memref<4x4xf32>, memref<4x4xf32>) attributes {host.kernel}

// CHECK-LABEL: func.func @members(
// CHECK-SAME:    %[[X:[^:]*]]: memref<4x4xf32> {host.feed = 0 : i32}
// CHECK-SAME:    %[[A:[^:]*]]: memref<4x4xf32> {host.variable = 0 : i32}, %[[B:[^:]*]]: memref<4x4xf32> {host.variable = 1 : i32}, %[[C:[^:]*]]: memref<4x4xf32> {host.variable = 2 : i32}
// CHECK-SAME:    host.batches = ["batched 9 launches into 4", "one batch of 3 launches: 'a/1', 'b/1', 'c/1'",
// CHECK-SAME:    "one batch of 2 launches: 'b/2', 'c/2'", "'b/2' is not batched with 'b/1' of the same kernel, because the former depends on the latter",
// CHECK-SAME:    "'c/3' is not batched with 'c/2' of the same kernel, because the former depends on the latter",
// CHECK-SAME:    "one batch of 3 launches: 'a/out', 'b/out', 'c/out'"]
// CHECK:       host.launch @layer ins(%[[X]], %[[A]] : {{.*}}) outs(%[[A1:[^ ]*]] : {{.*}}) {host.members = 3 : i64}
// CHECK-NEXT:  host.launch @layer ins(%[[X]], %[[B]] : {{.*}}) outs(%[[B1:[^ ]*]] : memref<4x4xf32>){{$}}
// CHECK-NEXT:  host.launch @layer ins(%[[X]], %[[C]] : {{.*}}) outs(%[[C1:[^ ]*]] : memref<4x4xf32>){{$}}
// CHECK-NEXT:  host.launch @layer ins(%[[B1]], {{.*}}) outs(%[[B2:[^ ]*]] : {{.*}}) {host.members = 2 : i64}
// CHECK-NEXT:  host.launch @layer ins(%[[C1]], {{.*}}) outs(%[[C2:[^ ]*]] : memref<4x4xf32>){{$}}
// CHECK-NEXT:  host.launch @layer ins(%[[C2]], {{.*}}) outs(%[[C3:[^ ]*]] : memref<4x4xf32>){{$}}
// CHECK-NEXT:  host.launch @output ins(%[[A1]] : {{.*}}) {host.members = 3 : i64}
// CHECK-NEXT:  host.launch @output ins(%[[B2]] :
// CHECK-NEXT:  host.launch @output ins(%[[C3]] :
// CHECK-NEXT:  return

// ROWS-LABEL: func.func @members(
// ROWS: host.run {{.*}} nodes ["a/1", "b/1", "c/1", "b/2", "c/2", "c/3", "a/out", "b/out", "c/out"] members [3, 2, 1, 3]
func.func @members(%x: memref<4x4xf32> {host.feed = 0 : i32}, %a: memref<4x4xf32> {host.variable = 0 : i32}, %b: memref<4x4xf32> {host.variable = 1 : i32}, %c: memref<4x4xf32> {host.variable = 2 : i32}, %arena: !llvm.ptr) attributes {host.arena = 640 : i64} {
  %a1 = host.slice %arena[0] : memref<4x4xf32>
  host.launch @layer ins(%x, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%a1 : memref<4x4xf32>) loc("a/1")
  %a2 = host.slice %arena[64] : memref<4x4xf32>
  host.launch @output ins(%a1 : memref<4x4xf32>) outs(%a2 : memref<4x4xf32>) loc("a/out")
  %b1 = host.slice %arena[128] : memref<4x4xf32>
  host.launch @layer ins(%x, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%b1 : memref<4x4xf32>) loc("b/1")
  %b2 = host.slice %arena[192] : memref<4x4xf32>
  host.launch @layer ins(%b1, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%b2 : memref<4x4xf32>) loc("b/2")
  %b3 = host.slice %arena[256] : memref<4x4xf32>
  host.launch @output ins(%b2 : memref<4x4xf32>) outs(%b3 : memref<4x4xf32>) loc("b/out")
  %c1 = host.slice %arena[320] : memref<4x4xf32>
  host.launch @layer ins(%x, %c : memref<4x4xf32>, memref<4x4xf32>) outs(%c1 : memref<4x4xf32>) loc("c/1")
  %c2 = host.slice %arena[384] : memref<4x4xf32>
  host.launch @layer ins(%c1, %c : memref<4x4xf32>, memref<4x4xf32>) outs(%c2 : memref<4x4xf32>) loc("c/2")
  %c3 = host.slice %arena[448] : memref<4x4xf32>
  host.launch @layer ins(%c2, %c : memref<4x4xf32>, memref<4x4xf32>) outs(%c3 : memref<4x4xf32>) loc("c/3")
  %c4 = host.slice %arena[512] : memref<4x4xf32>
  host.launch @output ins(%c3 : memref<4x4xf32>) outs(%c4 : memref<4x4xf32>) loc("c/out")
  return
}

// -----

// An update depends on readers of the old value and on the op that computes the
// new one; two updates of one variable are never batched.

func.func private @read(memref<4xf32>, memref<4xf32>) attributes {host.kernel}
func.func private @update(memref<4xf32>, memref<4xf32>) attributes {host.kernel}

// CHECK-LABEL: func.func @updates(
// CHECK-SAME:    host.batches = ["'w/twice' is not batched with 'w' of the same kernel, because the former depends on the latter"]
// CHECK:       host.launch @read ins(%[[W:[^ ]*]] :
// CHECK-NEXT:  host.launch @update {{.*}} outs(%[[W]] : memref<4xf32>){{$}}
// CHECK-NEXT:  host.launch @update {{.*}} outs(%[[W]] : memref<4xf32>){{$}}
func.func @updates(%w: memref<4xf32> {host.variable = 0 : i32}, %arena: !llvm.ptr) attributes {host.arena = 64 : i64} {
  %t = host.slice %arena[0] : memref<4xf32>
  host.launch @read ins(%w : memref<4xf32>) outs(%t : memref<4xf32>) loc("reader")
  host.launch @update ins(%t : memref<4xf32>) outs(%w : memref<4xf32>) loc("w")
  host.launch @update ins(%t : memref<4xf32>) outs(%w : memref<4xf32>) loc("w/twice")
  return
}

// -----

// Buffers that share addresses have an order, though no value goes from one to
// the other.

func.func private @k(memref<4xf32>, memref<4xf32>) attributes {host.kernel}

// CHECK-LABEL: func.func @shares_addresses(
// CHECK-NOT: host.members
func.func @shares_addresses(%x: memref<4xf32> {host.feed = 0 : i32}, %arena: !llvm.ptr) attributes {host.arena = 24 : i64} {
  %a = host.slice %arena[0] : memref<4xf32>
  %b = host.slice %arena[8] : memref<4xf32>
  host.launch @k ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  host.launch @k ins(%x : memref<4xf32>) outs(%b : memref<4xf32>)
  return
}

// -----

// Grids of dynamic sizes are not batched.

func.func private @k(memref<?xf32>, memref<f32>) attributes {host.kernel}

// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME:    host.batches = ["launches of kernel 'k' are not batched: their sizes are dynamic"]
// CHECK-NOT: host.members
func.func @dynamic(%x: memref<?xf32> {host.feed = 0 : i32}, %arena: !llvm.ptr) attributes {host.arena = 128 : i64} {
  %a = host.slice %arena[0] : memref<f32>
  %b = host.slice %arena[64] : memref<f32>
  host.launch @k ins(%x : memref<?xf32>) outs(%a : memref<f32>)
  host.launch @k ins(%x : memref<?xf32>) outs(%b : memref<f32>)
  return
}

// -----

// As many members as find room in a core's cache are one launch: three touch
// 10,752 bytes each, two have no room at all.

func.func private @three(memref<896xf32>, memref<896xf32>, memref<896xf32>) attributes {host.kernel}
func.func private @one(memref<4096xf32>, memref<16xf32>) attributes {host.kernel}

// CHECK-LABEL: func.func @large(
// CHECK-SAME:    "launches of kernel 'one' are not batched: each accesses 16448 bytes, and a batch may access at most 32768"
// CHECK-SAME:    "batched 6 launches into 4", "one batch of 3 launches: 'a', 'b', 'c'"]
// CHECK:       host.launch @three {{.*}} {host.members = 3 : i64}
// CHECK-NEXT:  host.launch @three {{.*}} : memref<896xf32>){{$}}
// CHECK-NEXT:  host.launch @three {{.*}} : memref<896xf32>){{$}}
// CHECK-NEXT:  host.launch @three {{.*}} : memref<896xf32>){{$}}
// CHECK-NEXT:  host.launch @one {{.*}} : memref<16xf32>){{$}}
// CHECK-NEXT:  host.launch @one {{.*}} : memref<16xf32>){{$}}
func.func @large(%x: memref<896xf32> {host.feed = 0 : i32}, %y: memref<4096xf32> {host.feed = 1 : i32}, %arena: !llvm.ptr) attributes {host.arena = 1048576 : i64} {
  %a = host.slice %arena[0] : memref<896xf32>
  %b = host.slice %arena[4096] : memref<896xf32>
  %c = host.slice %arena[8192] : memref<896xf32>
  %d = host.slice %arena[12288] : memref<896xf32>
  %e = host.slice %arena[16384] : memref<16xf32>
  %f = host.slice %arena[16448] : memref<16xf32>
  host.launch @three ins(%x, %x : memref<896xf32>, memref<896xf32>) outs(%a : memref<896xf32>) loc("a")
  host.launch @three ins(%x, %x : memref<896xf32>, memref<896xf32>) outs(%b : memref<896xf32>) loc("b")
  host.launch @three ins(%x, %x : memref<896xf32>, memref<896xf32>) outs(%c : memref<896xf32>) loc("c")
  host.launch @three ins(%x, %x : memref<896xf32>, memref<896xf32>) outs(%d : memref<896xf32>) loc("d")
  host.launch @one ins(%y : memref<4096xf32>) outs(%e : memref<16xf32>)
  host.launch @one ins(%y : memref<4096xf32>) outs(%f : memref<16xf32>)
  return
}

// -----

// A check of a feed, which may end the run, is hoisted above the launches, as in
// tables: they stay one run.

func.func private @k(memref<4xf32>, memref<4xf32>) attributes {host.kernel}

// CHECK-LABEL: func.func @checks(
// CHECK: host.call
// CHECK: host.launch {{.*}} {host.members = 2 : i64}
// CHECK-NEXT: host.launch
func.func @checks(%x: memref<4xf32> {host.feed = 0 : i32}, %arena: !llvm.ptr) attributes {host.arena = 128 : i64} {
  %a = host.slice %arena[0] : memref<4xf32>
  %b = host.slice %arena[64] : memref<4xf32>
  host.launch @k ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  host.call "ingot_op_require_numbers" node "loss" options {} ins(%x : memref<4xf32>) dtypes [1] to []
  host.launch @k ins(%x : memref<4xf32>) outs(%b : memref<4xf32>)
  return
}

// -----

// Launches that no other depends on wait until all of their kernel are ready: a
// bias's update of the first layer is batched with that of the second.

func.func private @back(memref<4xf32>, memref<4xf32>) attributes {host.kernel}
func.func private @back2(memref<4xf32>, memref<4xf32>) attributes {host.kernel}
func.func private @bias(memref<4xf32>, memref<4xf32>) attributes {host.kernel}

// CHECK-LABEL: func.func @updates_come_last(
// CHECK:       host.launch @back2
// CHECK-NEXT:  host.launch @bias {{.*}} {host.members = 2 : i64}
// CHECK-NEXT:  host.launch @bias
// CHECK-NEXT:  return
func.func @updates_come_last(%x: memref<4xf32> {host.feed = 0 : i32}, %u: memref<4xf32> {host.variable = 0 : i32}, %v: memref<4xf32> {host.variable = 1 : i32}, %arena: !llvm.ptr) attributes {host.arena = 128 : i64} {
  %a = host.slice %arena[0] : memref<4xf32>
  %b = host.slice %arena[64] : memref<4xf32>
  host.launch @back ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  host.launch @bias ins(%a : memref<4xf32>) outs(%u : memref<4xf32>)
  host.launch @back2 ins(%a : memref<4xf32>) outs(%b : memref<4xf32>)
  host.launch @bias ins(%b : memref<4xf32>) outs(%v : memref<4xf32>)
  return
}
