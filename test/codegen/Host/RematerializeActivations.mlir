// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --ingot-host-rematerialize-activations | FileCheck %s

// A buffer has 256 bytes. %a is computed early and read late; three buffers and the argument tables of four launches
// would have 840 bytes. With one more launch, two buffers and all tables have 600.

func.func private @exp(memref<64xf32>, memref<64xf32>) attributes {host.kernel, host.flops = 64 : i64, host.bytes = 512 : i64}
func.func private @mul(memref<64xf32>, memref<64xf32>, memref<64xf32>) attributes {host.kernel, host.flops = 64 : i64, host.bytes = 768 : i64}

// CHECK-LABEL: func.func @recomputes(
// CHECK-SAME:    %[[X:[^:]*]]: memref<64xf32>, %[[Y:[^:]*]]: memref<64xf32>)
func.func @recomputes(%x: memref<64xf32>, %y: memref<64xf32>) attributes {host.arena_limit = 600 : i64} {
  // CHECK-DAG:  %[[A:.*]] = memref.alloc() {alignment = 64 : i64}
  // CHECK:      host.launch @exp ins(%[[X]] : memref<64xf32>) outs(%[[A]] : memref<64xf32>)
  // CHECK-NEXT: host.launch @exp ins(%[[A]] : memref<64xf32>) outs(%[[B:.*]] : memref<64xf32>)
  // CHECK-NEXT: host.launch @exp ins(%[[B]] : memref<64xf32>) outs(%[[C:.*]] : memref<64xf32>)
  // CHECK-NEXT: %[[AGAIN:.*]] = memref.alloc() {alignment = 64 : i64}
  // CHECK-NEXT: host.launch @exp ins(%[[X]] : memref<64xf32>) outs(%[[AGAIN]] : memref<64xf32>)
  // CHECK-NEXT: host.launch @mul ins(%[[C]], %[[AGAIN]] : memref<64xf32>, memref<64xf32>) outs(%[[Y]] : memref<64xf32>)
  %a = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  %b = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  %c = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  host.launch @exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  host.launch @exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  host.launch @exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  host.launch @mul ins(%c, %a : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

// The same fits without, and without a limit everything does.

// CHECK-LABEL: func.func @fits(
// CHECK-COUNT-4: host.launch
// CHECK-NEXT:  return
func.func @fits(%x: memref<64xf32>, %y: memref<64xf32>) attributes {host.arena_limit = 840 : i64} {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  host.launch @exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  host.launch @exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  host.launch @exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  host.launch @mul ins(%c, %a : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

// CHECK-LABEL: func.func @has_no_limit(
// CHECK-COUNT-4: host.launch
// CHECK-NEXT:  return
func.func @has_no_limit(%x: memref<64xf32>, %y: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  host.launch @exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  host.launch @exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  host.launch @exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  host.launch @mul ins(%c, %a : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

// -----

// An earlier launch overwrites the variable %w, so %a can be recomputed for the launch before, but not for the one
// behind it.

func.func private @exp(memref<64xf32>, memref<64xf32>) attributes {host.kernel, host.flops = 64 : i64, host.bytes = 512 : i64}
func.func private @mul(memref<64xf32>, memref<64xf32>, memref<64xf32>) attributes {host.kernel, host.flops = 64 : i64, host.bytes = 768 : i64}

// CHECK-LABEL: func.func @variable_is_old(
// CHECK-COUNT-5: host.launch
// CHECK-NEXT:  host.launch @exp ins(%{{.*}}) outs(%[[W:.*]] : memref<64xf32>)
// CHECK-NEXT:  return
func.func @variable_is_old(%w: memref<64xf32> {host.variable = 0 : i32}, %y: memref<64xf32>) attributes {host.arena_limit = 0 : i64} {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  host.launch @exp ins(%w : memref<64xf32>) outs(%a : memref<64xf32>)
  host.launch @exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  host.launch @exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  host.launch @mul ins(%c, %a : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  host.launch @exp ins(%y : memref<64xf32>) outs(%w : memref<64xf32>)
  return
}

// CHECK-LABEL: func.func @variable_is_new(
// CHECK-COUNT-5: host.launch
// CHECK-NEXT:  return
func.func @variable_is_new(%w: memref<64xf32> {host.variable = 0 : i32}, %y: memref<64xf32>) attributes {host.arena_limit = 0 : i64} {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  host.launch @exp ins(%w : memref<64xf32>) outs(%a : memref<64xf32>)
  host.launch @exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  host.launch @exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  host.launch @exp ins(%c : memref<64xf32>) outs(%w : memref<64xf32>)
  host.launch @mul ins(%c, %a : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

// -----

// Readers see the recomputed buffer through views of their own, also in loops. The kernel's scratch memory, which
// nothing reads, is new as well.

func.func private @exp(memref<64xf32>, memref<64xf32>, memref<64xi8>) attributes {host.kernel, host.flops = 64 : i64, host.bytes = 512 : i64}
func.func private @row(memref<8xf32, strided<[1], offset: ?>>, memref<64xf32>) attributes {host.kernel}

// CHECK-LABEL: func.func @views(
// CHECK-SAME:    %[[X:[^:]*]]: memref<64xf32>
func.func @views(%x: memref<64xf32>, %y: memref<64xf32>) attributes {host.arena_limit = 0 : i64} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %a = memref.alloc() : memref<64xf32>
  %rows = memref.expand_shape %a [[0, 1]] output_shape [8, 8] : memref<64xf32> into memref<8x8xf32>
  %b = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  %s = memref.alloc() : memref<64xi8>
  %t = memref.alloc() : memref<64xi8>
  %u = memref.alloc() : memref<64xi8>
  // CHECK:      host.launch @exp
  // CHECK-NEXT: host.launch @exp
  // CHECK-NEXT: host.launch @exp
  host.launch @exp ins(%x : memref<64xf32>) outs(%a, %s : memref<64xf32>, memref<64xi8>)
  host.launch @exp ins(%a : memref<64xf32>) outs(%b, %t : memref<64xf32>, memref<64xi8>)
  host.launch @exp ins(%b : memref<64xf32>) outs(%c, %u : memref<64xf32>, memref<64xi8>)
  // CHECK:      memref.copy
  memref.copy %c, %y : memref<64xf32> to memref<64xf32>
  // CHECK-NEXT: %[[AGAIN:.*]] = memref.alloc() : memref<64xf32>
  // CHECK-NEXT: %[[SCRATCH:.*]] = memref.alloc() : memref<64xi8>
  // CHECK-NEXT: host.launch @exp ins(%[[X]] : memref<64xf32>) outs(%[[AGAIN]], %[[SCRATCH]] : memref<64xf32>, memref<64xi8>)
  // CHECK-NEXT: %[[ROWS:.*]] = memref.expand_shape %[[AGAIN]]
  // CHECK-NEXT: scf.for %[[I:.*]] =
  scf.for %i = %zero to %eight step %one {
    // CHECK-NEXT: memref.subview %[[ROWS]][%[[I]], 0] [1, 8] [1, 1]
    %row = memref.subview %rows[%i, 0] [1, 8] [1, 1] : memref<8x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    host.launch @row ins(%row : memref<8xf32, strided<[1], offset: ?>>) outs(%y : memref<64xf32>)
  }
  return
}

// -----

// Kept are: a result of a kernel of unknown cost, of an op of the runtime, and of a launch that updates what it has.

func.func private @unknown(memref<64xf32>, memref<64xf32>) attributes {host.kernel}
func.func private @exp(memref<64xf32>, memref<64xf32>) attributes {host.kernel, host.flops = 64 : i64, host.bytes = 512 : i64}
func.func private @all(memref<64xf32>, memref<64xf32>, memref<64xf32>, memref<64xf32>) attributes {host.kernel}

// CHECK-LABEL: func.func @kept(
// CHECK:         host.call
// CHECK-COUNT-7: host.launch
// CHECK-NEXT:    return
func.func @kept(%x: memref<64xf32>, %y: memref<64xf32>) attributes {host.arena_limit = 0 : i64} {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  %d = memref.alloc() : memref<64xf32>
  %e = memref.alloc() : memref<64xf32>
  host.call "ingot_op_sort" node "Sort" options {} ins(%x : memref<64xf32>) dtypes [1] outs(%b : memref<64xf32>) to [1]
  host.launch @unknown ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  host.launch @exp ins(%x : memref<64xf32>) outs(%c : memref<64xf32>)
  host.launch @exp ins(%x : memref<64xf32>) outs(%c : memref<64xf32>)
  host.launch @exp ins(%x : memref<64xf32>) outs(%d : memref<64xf32>)
  host.launch @unknown ins(%d : memref<64xf32>) outs(%e : memref<64xf32>)
  host.launch @exp ins(%e : memref<64xf32>) outs(%y : memref<64xf32>)
  host.launch @all ins(%a, %b, %c : memref<64xf32>, memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

// -----

// Each branch has a peak of its own.

func.func private @exp(memref<64xf32>, memref<64xf32>) attributes {host.kernel, host.flops = 64 : i64, host.bytes = 512 : i64}
func.func private @mul(memref<64xf32>, memref<64xf32>, memref<64xf32>) attributes {host.kernel, host.flops = 64 : i64, host.bytes = 768 : i64}

// CHECK-LABEL: func.func @branches(
func.func @branches(%x: memref<64xf32>, %y: memref<64xf32>, %full: i1) attributes {host.arena_limit = 700 : i64} {
  // CHECK:         scf.if
  // CHECK-COUNT-4: host.launch @exp
  // CHECK-NEXT:    host.launch @mul
  // CHECK-NEXT:    } else {
  // CHECK-NEXT:    memref.alloc
  // CHECK-NEXT:    host.launch @exp
  // CHECK-NEXT:    host.launch @exp
  // CHECK-NEXT:    }
  scf.if %full {
    %a = memref.alloc() : memref<64xf32>
    %b = memref.alloc() : memref<64xf32>
    %c = memref.alloc() : memref<64xf32>
    host.launch @exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
    host.launch @exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
    host.launch @exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
    host.launch @mul ins(%c, %a : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  } else {
    %a = memref.alloc() : memref<64xf32>
    host.launch @exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
    host.launch @exp ins(%a : memref<64xf32>) outs(%y : memref<64xf32>)
  }
  return
}

// -----

// An iterator's element is valid until the next one is requested: %a is kept, %b is not.

func.func private @exp(memref<64xf32>, memref<64xf32>) attributes {host.kernel, host.flops = 64 : i64, host.bytes = 512 : i64}
func.func private @mul(memref<64xf32>, memref<64xf32>, memref<64xf32>, memref<64xf32>) attributes {host.kernel, host.flops = 64 : i64, host.bytes = 768 : i64}

// CHECK-LABEL: func.func @elements(
// CHECK-SAME:    %[[X:[^:]*]]: memref<64xf32>
func.func @elements(%x: memref<64xf32>, %y: memref<64xf32>) attributes {host.arena_limit = 0 : i64} {
  // CHECK-COUNT-4: host.launch @exp
  // CHECK:         host.iterator_next
  // CHECK:         host.launch @exp ins(%[[X]] : memref<64xf32>)
  // CHECK-NEXT:    host.launch @mul
  // CHECK-NEXT:    return
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  %d = memref.alloc() : memref<64xf32>
  %e = host.iterator_next 0 : memref<64xf32>
  host.launch @exp ins(%e : memref<64xf32>) outs(%a : memref<64xf32>)
  host.launch @exp ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  host.launch @exp ins(%x : memref<64xf32>) outs(%c : memref<64xf32>)
  host.launch @exp ins(%c : memref<64xf32>) outs(%d : memref<64xf32>)
  %f = host.iterator_next 0 : memref<64xf32>
  host.launch @mul ins(%d, %a, %b : memref<64xf32>, memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

// -----

// %d is computed from %a, which is computed again for it; then both are computed again, for @useD. The second %d reads the
// second copy of %a, so that the first one does not stay in memory.

func.func private @mkA(memref<64xf32>, memref<1024xf32>) attributes {host.kernel, host.flops = 10 : i64, host.bytes = 10 : i64}
func.func private @mkE(memref<64xf32>, memref<2112xf32>) attributes {host.kernel, host.flops = 1000000 : i64, host.bytes = 10 : i64}
func.func private @mkG(memref<64xf32>, memref<1792xf32>) attributes {host.kernel, host.flops = 4 : i64, host.bytes = 4 : i64}
func.func private @mkP(memref<64xf32>, memref<2048xf32>) attributes {host.kernel}
func.func private @useP(memref<2048xf32>, memref<64xf32>) attributes {host.kernel}
func.func private @useE(memref<2112xf32>, memref<64xf32>) attributes {host.kernel}
func.func private @useG(memref<1792xf32>, memref<64xf32>) attributes {host.kernel}
func.func private @useA(memref<1024xf32>, memref<64xf32>) attributes {host.kernel}
func.func private @mkD(memref<1024xf32>, memref<512xf32>) attributes {host.kernel, host.flops = 10 : i64, host.bytes = 10 : i64}
func.func private @mkQ(memref<64xf32>, memref<1792xf32>) attributes {host.kernel}
func.func private @useD(memref<512xf32>, memref<64xf32>) attributes {host.kernel}

// CHECK-LABEL: func.func @repeats_readers_of_copies(
// CHECK:      host.launch @useE
// CHECK:      host.launch @mkA {{.*}} outs(%[[A1:.*]] : memref<1024xf32>)
// CHECK-NEXT: host.launch @mkD ins(%[[A1]] : memref<1024xf32>)
// CHECK:      host.launch @useG
// CHECK:      host.launch @mkA {{.*}} outs(%[[A2:.*]] : memref<1024xf32>)
// CHECK:      host.launch @mkD ins(%[[A2]] : memref<1024xf32>) outs(%[[D2:.*]] : memref<512xf32>)
// CHECK-NEXT: host.launch @useD ins(%[[D2]] : memref<512xf32>)
// CHECK-NEXT: host.launch @useA ins(%[[A2]] : memref<1024xf32>)
func.func @repeats_readers_of_copies(%x: memref<64xf32>, %y: memref<64xf32>) attributes {host.arena_limit = 0 : i64} {
  %a = memref.alloc() : memref<1024xf32>
  %e = memref.alloc() : memref<2112xf32>
  %p = memref.alloc() : memref<2048xf32>
  %d = memref.alloc() : memref<512xf32>
  %g = memref.alloc() : memref<1792xf32>
  %q = memref.alloc() : memref<1792xf32>
  host.launch @mkA ins(%x : memref<64xf32>) outs(%a : memref<1024xf32>)
  host.launch @mkE ins(%x : memref<64xf32>) outs(%e : memref<2112xf32>)
  host.launch @mkP ins(%x : memref<64xf32>) outs(%p : memref<2048xf32>)
  host.launch @useP ins(%p : memref<2048xf32>) outs(%y : memref<64xf32>)
  host.launch @useE ins(%e : memref<2112xf32>) outs(%y : memref<64xf32>)
  host.launch @mkD ins(%a : memref<1024xf32>) outs(%d : memref<512xf32>)
  host.launch @mkG ins(%x : memref<64xf32>) outs(%g : memref<1792xf32>)
  host.launch @mkQ ins(%x : memref<64xf32>) outs(%q : memref<1792xf32>)
  host.launch @useG ins(%q : memref<1792xf32>) outs(%y : memref<64xf32>)
  host.launch @useD ins(%d : memref<512xf32>) outs(%y : memref<64xf32>)
  host.launch @useA ins(%a : memref<1024xf32>) outs(%y : memref<64xf32>)
  host.launch @useG ins(%g : memref<1792xf32>) outs(%y : memref<64xf32>)
  return
}
