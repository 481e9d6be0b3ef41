// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --ingot-ptx-split-iterations-across-thread-blocks | FileCheck %s

// 32 images of 4,096 elements: 16 blocks of 256 threads for each. Blocks of the
// same image are neighbours; facts are a block's.

#id = affine_map<(i, j) -> (i, j)>
// CHECK-LABEL: func.func private @images(
// CHECK-SAME: host.flops = 256 : i64, host.grid = array<i64: 512, 1>
// CHECK-NOT: host.strides
// CHECK: %[[BLOCK:.*]] = gpu.block_id x
// CHECK: %[[IMAGE:.*]] = arith.divui %[[BLOCK]], %c16
// CHECK-NOT: gpu.block_id
// CHECK: memref.subview %{{.*}}[%[[IMAGE]], 0]
// CHECK: {host.blocks = 16 : i64}
func.func private @images(%a: memref<32x4096xf32>, %o: memref<32x4096xf32>)
    attributes {host.kernel, host.grid = array<i64: 32, 1>, host.flops = 4096 : i64, host.strides = array<i64: 16384, 16384>} {
  %i = gpu.block_id x
  %x = memref.subview %a[%i, 0] [1, 4096] [1, 1] : memref<32x4096xf32> to memref<1x4096xf32, strided<[4096, 1], offset: ?>>
  %y = memref.subview %o[%i, 0] [1, 4096] [1, 1] : memref<32x4096xf32> to memref<1x4096xf32, strided<[4096, 1], offset: ?>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<1x4096xf32, strided<[4096, 1], offset: ?>>) outs(%y : memref<1x4096xf32, strided<[4096, 1], offset: ?>>) {
  ^bb0(%v: f32, %w: f32):
    %r = arith.addf %v, %v : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// One block becomes as many as are useful. All compute the temporary, and the
// first of them the small result.

#id = affine_map<(i) -> (i)>
#one = affine_map<(i) -> (0)>
// CHECK-LABEL: func.func private @small(
// CHECK-SAME: host.grid = array<i64: 32, 1>
// CHECK: %[[PART:.*]] = arith.remui %{{.*}}, %c32
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[PART]]
// CHECK-NOT: scf.if
// CHECK: linalg.generic
// CHECK: linalg.yield
// CHECK-NEXT: }
// CHECK: scf.if %[[FIRST]]
// CHECK-NEXT: linalg.generic
// CHECK-NOT: host.blocks
// CHECK: linalg.generic
// CHECK: {host.blocks = 32 : i64}
func.func private @small(%a: memref<8192xf32>, %s: memref<16xf32>, %m: memref<16xf32>, %o: memref<8192xf32>)
    attributes {host.kernel} {
  %t = memref.alloc() : memref<16xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%s : memref<16xf32>) outs(%t : memref<16xf32>) {
  ^bb0(%v: f32, %w: f32):
    %r = arith.mulf %v, %v : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%t : memref<16xf32>) outs(%m : memref<16xf32>) {
  ^bb0(%v: f32, %w: f32):
    %r = arith.addf %v, %v : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel"]}
      ins(%a, %t : memref<8192xf32>, memref<16xf32>) outs(%o : memref<8192xf32>) {
  ^bb0(%v: f32, %u: f32, %w: f32):
    %r = arith.addf %v, %u : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// Sums of long rows: their elements are few, but many threads compute each. A
// block has those of a sector of memory at least.

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
// CHECK-LABEL: func.func private @sums(
// CHECK-SAME: host.grid = array<i64: 0, 1, 2, 2>
// CHECK: {host.blocks = 2 : i64, host.starts
func.func private @sums(%a: memref<?x16x1024xf32>, %o: memref<?x16xf32>)
    attributes {host.kernel, host.grid = array<i64: 0, 1, 2, 1>} {
  %i = gpu.block_id x
  %x = memref.subview %a[%i, 0, 0] [1, 16, 1024] [1, 1, 1] : memref<?x16x1024xf32> to memref<16x1024xf32, strided<[1024, 1], offset: ?>>
  %y = memref.subview %o[%i, 0] [1, 16] [1, 1] : memref<?x16xf32> to memref<16xf32, strided<[1], offset: ?>>
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<16x1024xf32, strided<[1024, 1], offset: ?>>) outs(%y : memref<16xf32, strided<[1], offset: ?>>)
      attrs = {host.starts = [0.0 : f32]} {
  ^bb0(%v: f32, %s: f32):
    %r = arith.addf %v, %s : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// A chain of elementwise ops: a thread reads only what it has written itself.

#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func.func private @elementwise(
// CHECK-SAME: host.grid = array<i64: 32, 1>
// CHECK-COUNT-2: host.blocks = 32
func.func private @elementwise(%a: memref<8192xf32>, %o: memref<8192xf32>, %p: memref<8192xf32>) attributes {host.kernel} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : memref<8192xf32>) outs(%o : memref<8192xf32>) {
  ^bb0(%v: f32, %w: f32):
    %r = arith.addf %v, %v : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%o : memref<8192xf32>) outs(%p : memref<8192xf32>) {
  ^bb0(%v: f32, %w: f32):
    %r = arith.addf %v, %v : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// Not divided: an op reads what another writes, in other blocks, too.

#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
// CHECK-LABEL: func.func private @chain(
// CHECK-NOT: host.grid
// CHECK-NOT: host.blocks
// CHECK: return
func.func private @chain(%a: memref<96x96xf32>, %o: memref<96x96xf32>, %p: memref<96x96xf32>) attributes {host.kernel} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<96x96xf32>) outs(%o : memref<96x96xf32>) {
  ^bb0(%v: f32, %w: f32):
    %r = arith.addf %v, %v : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%o : memref<96x96xf32>) outs(%p : memref<96x96xf32>) {
  ^bb0(%v: f32, %w: f32):
    %r = arith.addf %v, %v : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// Not divided: the temporary is as much work as the result; a GEMM's tiles; a
// grid of 1,024 blocks; blocks whose number would not be linear in sizes; little
// work, of a rest of at most 4 rows.

#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func.func private @repeated(
// CHECK-NOT: host.blocks
// CHECK: return
func.func private @repeated(%a: memref<8192xf32>, %o: memref<8192xf32>) attributes {host.kernel} {
  %t = memref.alloc() : memref<8192xf32>
  linalg.copy ins(%a : memref<8192xf32>) outs(%t : memref<8192xf32>)
  linalg.copy ins(%t : memref<8192xf32>) outs(%o : memref<8192xf32>)
  return
}

// CHECK-LABEL: func.func private @tiles(
// CHECK-NOT: host.blocks
// CHECK: return
func.func private @tiles(%a: memref<8192xf32>, %o: memref<8192xf32>) attributes {host.kernel, host.threads = 256 : i64} {
  linalg.copy ins(%a : memref<8192xf32>) outs(%o : memref<8192xf32>)
  return
}

// CHECK-LABEL: func.func private @enough(
// CHECK-NOT: host.blocks
// CHECK: return
func.func private @enough(%a: memref<8192xf32>, %o: memref<8192xf32>) attributes {host.kernel, host.grid = array<i64: 1024, 1>} {
  linalg.copy ins(%a : memref<8192xf32>) outs(%o : memref<8192xf32>)
  return
}

// CHECK-LABEL: func.func private @uneven(
// CHECK-NOT: host.blocks
// CHECK: return
func.func private @uneven(%a: memref<?xf32>, %o: memref<8192xf32>) attributes {host.kernel, host.grid = array<i64: 0, 3, 1, 1>} {
  %c0 = arith.constant 0.0 : f32
  linalg.fill ins(%c0 : f32) outs(%o : memref<8192xf32>)
  return
}

#rest = affine_map<(i) -> (4, 50 - i)>
// CHECK-LABEL: func.func private @little(
// CHECK-NOT: host.blocks
// CHECK: return
func.func private @little(%a: memref<50x256xf32>, %o: memref<50x256xf32>) attributes {host.kernel, host.grid = array<i64: 50, 4>} {
  %block = gpu.block_id x
  %c4 = arith.constant 4 : index
  %i = arith.muli %block, %c4 : index
  %n = affine.min #rest(%i)
  %x = memref.subview %a[%i, 0] [%n, 256] [1, 1] : memref<50x256xf32> to memref<?x256xf32, strided<[256, 1], offset: ?>>
  %y = memref.subview %o[%i, 0] [%n, 256] [1, 1] : memref<50x256xf32> to memref<?x256xf32, strided<[256, 1], offset: ?>>
  memref.copy %x, %y : memref<?x256xf32, strided<[256, 1], offset: ?>> to memref<?x256xf32, strided<[256, 1], offset: ?>>
  return
}

// -----

// A small transpose has a block for each of its tiles, of 32 x 32 elements.

#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
// CHECK-LABEL: func.func private @transpose(
// CHECK-SAME: host.grid = array<i64: 6, 1>
// CHECK: {host.blocks = 6 : i64}
func.func private @transpose(%a: memref<96x64xf32>, %o: memref<64x96xf32>) attributes {host.kernel} {
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<96x64xf32>) outs(%o : memref<64x96xf32>) {
  ^bb0(%v: f32, %w: f32):
    linalg.yield %v : f32
  }
  return
}

// -----

// Which thread computes an element of a tile is not that of other ops, so an op
// that reads what another one writes is not divided if either has tiles.

#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
// CHECK-LABEL: func.func private @dependent_transpose(
// CHECK-NOT: host.blocks
// CHECK: return
func.func private @dependent_transpose(%a: memref<512x512xf32>, %o: memref<512x512xf32>, %p: memref<512x512xf32>)
    attributes {host.kernel} {
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<512x512xf32>) outs(%o : memref<512x512xf32>) {
  ^bb0(%v: f32, %w: f32):
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%o : memref<512x512xf32>) outs(%p : memref<512x512xf32>) {
  ^bb0(%v: f32, %w: f32):
    %r = arith.addf %v, %v : f32
    linalg.yield %r : f32
  }
  return
}
