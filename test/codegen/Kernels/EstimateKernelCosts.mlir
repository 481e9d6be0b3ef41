// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --ingot-estimate-kernel-costs="flops-of-division=14 flops-of-square-root=20 flops-of-random-number=80" | FileCheck %s

#id = affine_map<(i) -> (i)>

// One iteration of the grid: 4096 sums of two numbers, read once each as float32
// and written once; then 16384 of them in a plain kernel.

// CHECK-LABEL: func.func private @block
// CHECK-SAME:    host.bytes = 32768 : i64, host.flops = 4096 : i64
// CHECK-SAME:    host.strides = array<i64: 16384, 16384>
// CHECK:         host.grid_loop
func.func private @block(%a: memref<65536xf32>, %o: memref<65536xf32>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c4096 = arith.constant 4096 : index
  %c65536 = arith.constant 65536 : index
  scf.for %i = %c0 to %c65536 step %c4096 {
    %0 = memref.subview %a[%i] [4096] [1] : memref<65536xf32> to memref<4096xf32, strided<[1], offset: ?>>
    %1 = memref.subview %o[%i] [4096] [1] : memref<65536xf32> to memref<4096xf32, strided<[1], offset: ?>>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%0 : memref<4096xf32, strided<[1], offset: ?>>) outs(%1 : memref<4096xf32, strided<[1], offset: ?>>) {
    ^bb0(%x: f32, %y: f32):
      %s = arith.addf %x, %x : f32
      linalg.yield %s : f32
    }
  } {host.grid_loop}
  return
}

// CHECK-LABEL: func.func private @whole
// CHECK-SAME:    host.bytes = 131072 : i64, host.flops = 16384 : i64
func.func private @whole(%a: memref<16384xf32>, %o: memref<16384xf32>) attributes {host.kernel} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<16384xf32>) outs(%o : memref<16384xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %x : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// The rows of the first operand are read for every tile, but count once: they
// stay in the cache. 8 x 64 x 256 products and sums; 8 x 64 + 64 x 256 + 8 x 256
// numbers of 4 bytes.

// CHECK-LABEL: func.func private @tiles
// CHECK-SAME:    host.bytes = 75776 : i64, host.flops = 262144 : i64
func.func private @tiles(%x: memref<64x64xf32>, %w: memref<64x256xf32>, %o: memref<64x256xf32>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  scf.for %i = %c0 to %c64 step %c8 {
    scf.for %j = %c0 to %c256 step %c32 {
      %0 = memref.subview %x[%i, 0] [8, 64] [1, 1] : memref<64x64xf32> to memref<8x64xf32, strided<[64, 1], offset: ?>>
      %1 = memref.subview %w[0, %j] [64, 32] [1, 1] : memref<64x256xf32> to memref<64x32xf32, strided<[256, 1], offset: ?>>
      %2 = memref.subview %o[%i, %j] [8, 32] [1, 1] : memref<64x256xf32> to memref<8x32xf32, strided<[256, 1], offset: ?>>
      linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%0, %1 : memref<8x64xf32, strided<[64, 1], offset: ?>>, memref<64x32xf32, strided<[256, 1], offset: ?>>) outs(%2 : memref<8x32xf32, strided<[256, 1], offset: ?>>) {
      ^bb0(%p: f32, %q: f32, %s: f32):
        %r = arith.mulf %p, %q : f32
        %t = arith.addf %s, %r : f32
        linalg.yield %t : f32
      }
    }
  } {host.grid_loop}
  return
}

// -----

#id = affine_map<(i) -> (i)>

// A size that is not known counts as 64: 64 square roots, each of which takes as
// long as 20 operations.

// CHECK-LABEL: func.func private @open
// CHECK-SAME:    host.bytes = 512 : i64, host.flops = 1280 : i64
func.func private @open(%a: memref<?xf32>, %o: memref<?xf32>) attributes {host.kernel} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<?xf32>) outs(%o : memref<?xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = math.sqrt %x : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#id = affine_map<(i) -> (i)>

// Too little for a second thread: a kernel without a grid, measured as a whole.

// CHECK-LABEL: func.func private @little
// CHECK-SAME:    host.bytes = 512 : i64, host.flops = 64 : i64
// CHECK-NOT:     host.grid_loop
func.func private @little(%a: memref<64xf32>, %o: memref<64xf32>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c16 {
    %0 = memref.subview %a[%i] [16] [1] : memref<64xf32> to memref<16xf32, strided<[1], offset: ?>>
    %1 = memref.subview %o[%i] [16] [1] : memref<64xf32> to memref<16xf32, strided<[1], offset: ?>>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%0 : memref<16xf32, strided<[1], offset: ?>>) outs(%1 : memref<16xf32, strided<[1], offset: ?>>) {
    ^bb0(%x: f32, %y: f32):
      %s = arith.addf %x, %x : f32
      linalg.yield %s : f32
    }
  } {host.grid_loop}
  return
}

// -----

#all = affine_map<(i, j) -> (i, j)>

// The parts of a range are measured as one part of four rows, however long they
// are: 4 x 1024 negations of numbers of 4 bytes, and quotients of as many. These
// count as 4 operations only, as they may be left out for rows of zeros.

// CHECK-LABEL: func.func private @parts
// CHECK-SAME:    host.bytes = 32768 : i64, host.flops = 20480 : i64
// CHECK:         {host.grid_loop, host.grid_range}
func.func private @parts(%part: index, %table: memref<64x1024xf32>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  scf.for %first = %c0 to %c64 step %c4 {
    %size = affine.min affine_map<(i) -> (4, -i + 64)>(%first)
    %end = arith.addi %first, %size : index
    scf.for %begin = %first to %end step %part {
      %rest = arith.subi %end, %begin : index
      %count = arith.minsi %part, %rest : index
      %rows = memref.subview %table[%begin, 0] [%count, 1024] [1, 1] : memref<64x1024xf32> to memref<?x1024xf32, strided<[1024, 1], offset: ?>>
      linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%rows : memref<?x1024xf32, strided<[1024, 1], offset: ?>>) {
      ^bb0(%x: f32):
        %n = arith.negf %x : f32
        linalg.yield %n : f32
      }
      linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%rows : memref<?x1024xf32, strided<[1024, 1], offset: ?>>) {
      ^bb0(%x: f32):
        %q = arith.divf %x, %x : f32
        linalg.yield %q : f32
      }
    }
  } {host.grid_loop, host.grid_range}
  return
}

// -----

// A range of rows is measured by its share: 16 of them take two loads and a
// store, of 8 bytes each, for 8192 indices.

// CHECK-LABEL: func.func private @range
// CHECK-SAME:    host.bytes = 12288 : i64, host.flops = 0 : i64
// CHECK:         {host.grid_loop, host.grid_range}
func.func private @range(%indices: memref<8192xindex>, %table: memref<64xf32>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c8192 = arith.constant 8192 : index
  scf.for %first = %c0 to %c64 step %c4 {
    %size = affine.min affine_map<(i) -> (4, -i + 64)>(%first)
    scf.for %i = %c0 to %c8192 step %c1 {
      %row = memref.load %indices[%i] : memref<8192xindex>
      %distance = arith.subi %row, %first : index
      %here = arith.cmpi ult, %distance, %size : index
      scf.if %here {
        %x = memref.load %table[%row] : memref<64xf32>
        %y = arith.addf %x, %x : f32
        memref.store %y, %table[%row] : memref<64xf32>
      }
    }
  } {host.grid_loop, host.grid_range}
  return
}

// -----

#row = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>

// Rows private to an iteration, with the last block in a branch; the second
// argument is read by all iterations, the third is cut along columns, and the
// fourth is also read outside of the grid.

// CHECK-LABEL: func.func private @rows
// CHECK-SAME:    host.strides = array<i64: 262144, 0, 0, 0, 262144>
func.func private @rows(%a: memref<136x1024xf32>, %b: memref<1024xf32>, %c: memref<8x136xf32>, %d: memref<136x1024xf32>, %o: memref<136x1024xf32>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c136 = arith.constant 136 : index
  %first = memref.load %d[%c0, %c0] : memref<136x1024xf32>
  scf.for %i = %c0 to %c136 step %c64 {
    %isWhole = arith.cmpi ult, %i, %c128 : index
    %column = memref.subview %c[0, %i] [8, 8] [1, 1] : memref<8x136xf32> to memref<8x8xf32, strided<[136, 1], offset: ?>>
    %corner = memref.load %column[%c0, %c0] : memref<8x8xf32, strided<[136, 1], offset: ?>>
    scf.if %isWhole {
      %0 = memref.subview %a[%i, 0] [64, 1024] [1, 1] : memref<136x1024xf32> to memref<64x1024xf32, strided<[1024, 1], offset: ?>>
      %1 = memref.subview %o[%i, 0] [64, 1024] [1, 1] : memref<136x1024xf32> to memref<64x1024xf32, strided<[1024, 1], offset: ?>>
      linalg.generic {indexing_maps = [#row, #column, #row], iterator_types = ["parallel", "parallel"]} ins(%0, %b : memref<64x1024xf32, strided<[1024, 1], offset: ?>>, memref<1024xf32>) outs(%1 : memref<64x1024xf32, strided<[1024, 1], offset: ?>>) {
      ^bb0(%x: f32, %y: f32, %z: f32):
        %s = arith.addf %x, %y : f32
        %t = arith.addf %s, %first : f32
        linalg.yield %t : f32
      }
    } else {
      %0 = memref.subview %a[128, 0] [8, 1024] [1, 1] : memref<136x1024xf32> to memref<8x1024xf32, strided<[1024, 1], offset: 131072>>
      %1 = memref.subview %o[128, 0] [8, 1024] [1, 1] : memref<136x1024xf32> to memref<8x1024xf32, strided<[1024, 1], offset: 131072>>
      linalg.generic {indexing_maps = [#row, #column, #row], iterator_types = ["parallel", "parallel"]} ins(%0, %b : memref<8x1024xf32, strided<[1024, 1], offset: 131072>>, memref<1024xf32>) outs(%1 : memref<8x1024xf32, strided<[1024, 1], offset: 131072>>) {
      ^bb0(%x: f32, %y: f32, %z: f32):
        %s = arith.addf %x, %y : f32
        %t = arith.addf %s, %corner : f32
        linalg.yield %t : f32
      }
    }
  } {host.grid_loop}
  return
}

// -----

#row = affine_map<(i, j) -> (i, j)>

// Rows of the next block are not private to an iteration.

// CHECK-LABEL: func.func private @neighbours
// CHECK-SAME:    host.strides = array<i64: 0, 262144>
func.func private @neighbours(%a: memref<192x1024xf32>, %o: memref<128x1024xf32>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  scf.for %i = %c0 to %c128 step %c64 {
    %next = arith.addi %i, %c64 : index
    %0 = memref.subview %a[%next, 0] [64, 1024] [1, 1] : memref<192x1024xf32> to memref<64x1024xf32, strided<[1024, 1], offset: ?>>
    %1 = memref.subview %o[%i, 0] [64, 1024] [1, 1] : memref<128x1024xf32> to memref<64x1024xf32, strided<[1024, 1], offset: ?>>
    linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%0 : memref<64x1024xf32, strided<[1024, 1], offset: ?>>) outs(%1 : memref<64x1024xf32, strided<[1024, 1], offset: ?>>) {
    ^bb0(%x: f32, %z: f32):
      %s = arith.addf %x, %x : f32
      linalg.yield %s : f32
    }
  } {host.grid_loop}
  return
}

// -----

#row = affine_map<(i, j) -> (i, j)>

// Rows of some columns are an iteration's own as well; a row of all that one
// iteration reads besides is not.

// CHECK-LABEL: func.func private @columns
// CHECK-SAME:    host.strides = array<i64: 262144, 0, 131072>
func.func private @columns(%a: memref<128x1024xf32>, %b: memref<128x1024xf32>, %o: memref<128x512xf32>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %left = memref.subview %a[0, 0] [128, 512] [1, 1] : memref<128x1024xf32> to memref<128x512xf32, strided<[1024, 1]>>
  %right = memref.subview %a[0, 512] [128, 512] [1, 1] : memref<128x1024xf32> to memref<128x512xf32, strided<[1024, 1], offset: 512>>
  %other = memref.subview %b[0, 0] [128, 512] [1, 1] : memref<128x1024xf32> to memref<128x512xf32, strided<[1024, 1]>>
  scf.for %i = %c0 to %c128 step %c64 {
    %0 = memref.subview %left[%i, 0] [64, 512] [1, 1] : memref<128x512xf32, strided<[1024, 1]>> to memref<64x512xf32, strided<[1024, 1], offset: ?>>
    %1 = memref.subview %right[%i, 0] [64, 512] [1, 1] : memref<128x512xf32, strided<[1024, 1], offset: 512>> to memref<64x512xf32, strided<[1024, 1], offset: ?>>
    %2 = memref.subview %o[%i, 0] [64, 512] [1, 1] : memref<128x512xf32> to memref<64x512xf32, strided<[512, 1], offset: ?>>
    %3 = memref.load %other[%c0, %c0] : memref<128x512xf32, strided<[1024, 1]>>
    linalg.generic {indexing_maps = [#row, #row, #row], iterator_types = ["parallel", "parallel"]} ins(%0, %1 : memref<64x512xf32, strided<[1024, 1], offset: ?>>, memref<64x512xf32, strided<[1024, 1], offset: ?>>) outs(%2 : memref<64x512xf32, strided<[512, 1], offset: ?>>) {
    ^bb0(%x: f32, %y: f32, %z: f32):
      %s = arith.addf %x, %y : f32
      %t = arith.addf %s, %3 : f32
      linalg.yield %t : f32
    }
  } {host.grid_loop}
  return
}

// -----

// A random number counts as the multiply-adds that take as long.

// CHECK-LABEL: func.func private @numbers
// CHECK-SAME:    host.flops = 5120 : i64
func.func private @numbers(%o: memref<64xi32>) attributes {host.kernel} {
  %zero = arith.constant 0 : i64
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%o : memref<64xi32>) {
  ^bb0(%y: i32):
    %i = linalg.index 0 : index
    %at = arith.index_cast %i : index to i64
    %r = host.random_bits %zero, %zero, %zero, %at : i32
    linalg.yield %r : i32
  }
  return
}
