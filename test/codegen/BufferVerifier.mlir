// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --ingot-test-moves --verify-diagnostics -o /dev/null

#id = affine_map<(i) -> (i)>

// A second value is computed in the buffer of a first one before that is read.

func.func private @overwritten(%a: memref<8xf32>, %b: memref<8xf32>, %o: memref<8xf32>, %p: memref<8xf32>) {
  %t = memref.alloc() : memref<8xf32>
  linalg.exp ins(%a : memref<8xf32>) outs(%t : memref<8xf32>)
  // expected-error @below {{reads a buffer that another op has overwritten, in 'overwritten' after pass 'ingot-test-moves': this is a bug in Ingot, not in the graph}}
  linalg.negf {test.name = "first"} ins(%t : memref<8xf32>) outs(%o : memref<8xf32>)
  linalg.exp {test.before = "first"} ins(%b : memref<8xf32>) outs(%t : memref<8xf32>)
  linalg.negf ins(%t : memref<8xf32>) outs(%p : memref<8xf32>)
  return
}

// -----

// Loads in a body are read, and views of a buffer are the buffer.

#id = affine_map<(i) -> (i)>
func.func private @loads(%a: memref<2x4xf32>, %o: memref<8xf32>) {
  %c3 = arith.constant 3 : index
  %t = memref.alloc() : memref<2x4xf32>
  %flat = memref.collapse_shape %t [[0, 1]] : memref<2x4xf32> into memref<8xf32>
  linalg.exp {test.name = "write"} ins(%a : memref<2x4xf32>) outs(%t : memref<2x4xf32>)
  // expected-error @below {{reads a buffer that another op has overwritten}}
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%o : memref<8xf32>) attrs = {test.before = "write"} {
  ^bb0(%y: f32):
    %x = memref.load %flat[%c3] : memref<8xf32>
    linalg.yield %x : f32
  }
  return
}

// -----

// Parts of a buffer that do not overlap may come in any order.

func.func private @parts(%a: memref<4xf32>, %b: memref<4xf32>, %o: memref<8xf32>) {
  %t = memref.alloc() : memref<8xf32>
  %low = memref.subview %t[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  %high = memref.subview %t[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  linalg.exp {test.name = "first"} ins(%a : memref<4xf32>) outs(%low : memref<4xf32, strided<[1]>>)
  linalg.exp {test.before = "first"} ins(%b : memref<4xf32>) outs(%high : memref<4xf32, strided<[1], offset: 4>>)
  linalg.negf ins(%t : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}

// -----

// A read sees the write that comes after it in the previous iteration.

func.func private @carried(%a: memref<8xf32>, %o: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<8xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<8xf32>)
  scf.for %i = %c0 to %c4 step %c1 {
    // expected-error @below {{reads a buffer that another op has overwritten}}
    linalg.negf {test.name = "read"} ins(%t : memref<8xf32>) outs(%o : memref<8xf32>)
    linalg.exp {test.before = "read"} ins(%a : memref<8xf32>) outs(%t : memref<8xf32>)
  }
  return
}

// -----

// A buffer that two values share in place of two, whose times overlap.

func.func private @shared(%a: memref<8xf32>, %b: memref<8xf32>, %o: memref<8xf32>) {
  %t = memref.alloc() {test.name = "t"} : memref<8xf32>
  %u = memref.alloc() {test.like = "t"} : memref<8xf32>
  linalg.exp ins(%a : memref<8xf32>) outs(%t : memref<8xf32>)
  // expected-error @below {{reads a buffer that another op has overwritten}}
  linalg.exp ins(%b : memref<8xf32>) outs(%u : memref<8xf32>)
  linalg.add ins(%t, %u : memref<8xf32>, memref<8xf32>) outs(%o : memref<8xf32>)
  return
}

// -----

// Two buffers of an arena in one place, whose times overlap.

func.func @arena(%w: memref<8xf32>, %arena: !llvm.ptr) {
  %t = host.slice %arena[0] : memref<8xf32>
  %u = host.slice %arena[32] {test.to = 16} : memref<8xf32>
  memref.copy %w, %t : memref<8xf32> to memref<8xf32>
  memref.copy %w, %u : memref<8xf32> to memref<8xf32>
  // expected-error @below {{reads a buffer that another op has overwritten}}
  memref.copy %t, %w : memref<8xf32> to memref<8xf32>
  return
}

// -----

// Blocks of a grid that share memory which one of them writes.

func.func private @blocks(%a: memref<8x4xf32>, %o: memref<8x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %t = memref.alloc() : memref<4xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    %x = memref.subview %a[%i, 0] [1, 4] [1, 1] : memref<8x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    %y = memref.subview %o[%i, 0] [1, 4] [1, 1] : memref<8x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    // expected-error @below {{reads a buffer that another op has overwritten}}
    linalg.exp ins(%x : memref<4xf32, strided<[1], offset: ?>>) outs(%t : memref<4xf32>)
    linalg.negf ins(%t : memref<4xf32>) outs(%y : memref<4xf32, strided<[1], offset: ?>>)
  } {test.grid}
  return
}
