// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --ingot-ptx-distribute-loops-to-threads | FileCheck %s

// 1000 elements are at least two rounds of the largest block: a loop. An element
// that one op writes and another thread reads in the next op needs a barrier.

// CHECK-LABEL: func.func private @chain(
// CHECK-SAME: host.threads = 512 : i64
func.func private @chain(%a: memref<1024xf32>, %t: memref<1024xf32>, %o: memref<1024xf32>) attributes {host.kernel} {
  // CHECK: %[[THREAD:.*]] = gpu.thread_id x
  // CHECK: scf.for %[[I:.*]] = %[[THREAD]] to %c1024{{.*}} step %c512
  // CHECK:   %[[X:.*]] = memref.load %{{.*}}[%[[I]]]
  // CHECK:   %[[Y:.*]] = arith.addf %[[X]], %[[X]]
  // CHECK:   memref.store %[[Y]], %{{.*}}[%[[I]]]
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%a : memref<1024xf32>) outs(%t : memref<1024xf32>) {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.addf %x, %x : f32
    linalg.yield %0 : f32
  }
  // CHECK: }
  // CHECK-NEXT: gpu.barrier
  linalg.copy ins(%t : memref<1024xf32>) outs(%o : memref<1024xf32>)
  return
}

// -----

// 32 elements a thread: four at a time, whose loads come before their stores.

// CHECK-LABEL: func.func private @batches(
func.func private @batches(%a: memref<16384xf32>, %o: memref<16384xbf16>) attributes {host.kernel} {
  // CHECK: %[[THREAD:.*]] = gpu.thread_id x
  // CHECK: scf.for %[[I:.*]] = %[[THREAD]] to %c16384{{.*}} step %c2048
  // CHECK:   memref.load
  // CHECK-NOT: memref.store
  // CHECK:   memref.load
  // CHECK-NOT: memref.store
  // CHECK:   memref.load
  // CHECK-NOT: memref.store
  // CHECK:   memref.load
  // CHECK-NOT: memref.load
  // CHECK-COUNT-4: memref.store
  // CHECK: return
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%a : memref<16384xf32>) outs(%o : memref<16384xbf16>) {
  ^bb0(%x: f32, %y: bf16):
    %0 = arith.truncf %x : f32 to bf16
    linalg.yield %0 : bf16
  }
  return
}

// -----

// Ops on disjoint memory need no barrier.

// CHECK-LABEL: func.func private @apart(
// CHECK-NOT: gpu.barrier
func.func private @apart(%a: memref<64xf32>, %o: memref<64xf32>, %p: memref<64xf32>) attributes {host.kernel} {
  linalg.copy ins(%a : memref<64xf32>) outs(%o : memref<64xf32>)
  linalg.copy ins(%a : memref<64xf32>) outs(%p : memref<64xf32>)
  return
}

// -----

// Few rows: a warp sums one, each lane in the order of its columns, and then a
// tree of shuffles of one shape. Rounds of all lanes are a loop of known length.

// CHECK-LABEL: func.func private @rows(
func.func private @rows(%a: memref<16x1000xf32>, %o: memref<16xf32>) attributes {host.kernel} {
  // CHECK: %[[WARP:.*]] = arith.divui %{{.*}}, %c32
  // CHECK: %[[LANE:.*]] = arith.remui %{{.*}}, %c32
  // CHECK: %[[WHOLE:.*]] = scf.for %[[K:.*]] = %c0{{.*}} to %c992{{.*}} step %c32{{.*}} iter_args(%{{.*}} = %cst{{.*}})
  // CHECK:   arith.addi %[[LANE]], %[[K]]
  // CHECK:   arith.addf
  // CHECK: %[[NEXT:.*]] = arith.addi %[[LANE]], %c992
  // CHECK: scf.for %{{.*}} = %[[NEXT]] to %c1000{{.*}} step %c32{{.*}} iter_args(%{{.*}} = %[[WHOLE]])
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK: arith.cmpi eq, %[[LANE]], %c0
  // CHECK: memref.store
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<16x1000xf32>) outs(%o : memref<16xf32>) {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.addf %y, %x : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// One sum is the whole block's. Warps store their partial sums to shared memory,
// which are added in the order of warps.

// CHECK: memref.global "private" @all_partials : memref<1024xi8, 3> = uninitialized
// CHECK-LABEL: func.func private @all(
// CHECK-SAME: host.shared = 1024 : i64, host.threads = 512 : i64
func.func private @all(%a: memref<8192xf32>, %o: memref<f32>) attributes {host.kernel} {
  // CHECK: scf.for %{{.*}} = %{{.*}} to %c8192{{.*}} step %c512
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK: gpu.barrier
  // CHECK: memref.store %{{.*}} : memref<256xf32>
  // CHECK: gpu.barrier
  // CHECK-COUNT-16: memref.load %{{.*}} : memref<256xf32>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%a : memref<8192xf32>) outs(%o : memref<f32>) {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.addf %y, %x : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// A dynamic number of elements: chains of 64 sums of 64 sums of 64.

// CHECK-LABEL: func.func private @long(
func.func private @long(%a: memref<?xf32>, %o: memref<f32>) attributes {host.kernel} {
  // CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c1048576
  // CHECK:   scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c16384
  // CHECK:     scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c256
  // CHECK:       arith.addf
  // CHECK:     arith.addf
  // CHECK:   arith.addf
  // CHECK-COUNT-5: gpu.shuffle xor
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%a : memref<?xf32>) outs(%o : memref<f32>) {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.addf %y, %x : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// An argmax is a tree, too: lanes shuffle values and indices, one word and two,
// and of equal values the first one stays.

// CHECK-LABEL: func.func private @search(
func.func private @search(%a: memref<8192xf32>, %v: memref<f32>, %o: memref<i64>) attributes {host.kernel} {
  // CHECK: scf.for %{{.*}} = %{{.*}} to %c8192{{.*}} step %c512{{.*}} iter_args(%{{.*}}, %{{.*}})
  // CHECK-COUNT-15: gpu.shuffle xor
  // CHECK: gpu.barrier
  // CHECK: memref.store %{{.*}} : memref<256xf32>
  // CHECK: memref.store %{{.*}} : memref<128xi64>
  // CHECK: gpu.barrier
  // CHECK: arith.cmpi slt
  // CHECK: arith.cmpf ogt
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%a : memref<8192xf32>) outs(%v, %o : memref<f32>, memref<i64>) {
  ^bb0(%x: f32, %best: f32, %where: i64):
    %0 = linalg.index 0 : index
    %1 = arith.index_cast %0 : index to i64
    %2 = arith.cmpf ogt, %x, %best : f32
    %3 = arith.select %2, %x, %best : f32
    %4 = arith.select %2, %1, %where : i64
    linalg.yield %3, %4 : f32, i64
  }
  return
}

// -----

// An element of a GEMM is one chain in the order of K.

// CHECK-LABEL: func.func private @product(
func.func private @product(%a: memref<4x256xf32>, %b: memref<256x8xf32>, %o: memref<4x8xf32>) attributes {host.kernel} {
  // CHECK-NOT: gpu.shuffle
  // CHECK: scf.for %[[K:.*]] = %c0{{.*}} to %c256{{.*}} step %c1{{.*}} iter_args(%[[SUM:.*]] = %{{.*}})
  // CHECK:   %[[A:.*]] = memref.load
  // CHECK:   %[[B:.*]] = memref.load
  // CHECK:   math.fma %[[A]], %[[B]], %[[SUM]]
  linalg.matmul ins(%a, %b : memref<4x256xf32>, memref<256x8xf32>) outs(%o : memref<4x8xf32>)
  return
}

// The factors of sixteen steps of a long K are under way together.

// CHECK-LABEL: func.func private @long_product(
func.func private @long_product(%a: memref<4x512xf32>, %b: memref<512x8xf32>, %o: memref<4x8xf32>) attributes {host.kernel} {
  // CHECK: scf.for %{{.*}} = %c0{{.*}} to %c512{{.*}} step %c16
  // CHECK-COUNT-16: math.fma
  // CHECK-NOT: math.fma
  linalg.matmul ins(%a, %b : memref<4x512xf32>, memref<512x8xf32>) outs(%o : memref<4x8xf32>)
  return
}

// -----

// Sums of columns: lanes are neighbouring columns. 256 threads are 8 rows of 32,
// each of which sums every eighth row; then the first 32 threads combine the
// sums of a column, in order.

#all = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
// CHECK-LABEL: func.func private @columns(
// CHECK-SAME: host.shared = 2048 : i64, host.threads = 256 : i64
func.func private @columns(%a: memref<256x32xf32>, %o: memref<32xf32>) attributes {host.kernel, host.grid = array<i64: 4, 1>} {
  // CHECK: %[[THREAD:.*]] = gpu.thread_id x
  // CHECK: %[[COLUMN:.*]] = arith.remui %[[THREAD]], %c32
  // CHECK: %[[GROUP:.*]] = arith.divui %[[THREAD]], %c32
  // CHECK: scf.for %[[K:.*]] = %c0{{.*}} to %c256{{.*}} step %c8
  // CHECK:   arith.addi %[[GROUP]], %[[K]]
  // CHECK:   arith.addf
  // CHECK: gpu.barrier
  // CHECK-NEXT: memref.store %{{.*}}, %[[SUMS:.*]][%[[THREAD]]]
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: memref.load %[[SUMS]][%[[COLUMN]]]
  // CHECK-COUNT-7: memref.load %[[SUMS]]
  // CHECK: arith.cmpi eq, %[[GROUP]], %c0
  // CHECK-NOT: gpu.shuffle
  linalg.generic {indexing_maps = [#all, #column], iterator_types = ["reduction", "parallel"]}
      ins(%a : memref<256x32xf32>) outs(%o : memref<32xf32>) attrs = {host.starts = [0.0 : f32]} {
  ^bb0(%x: f32, %s: f32):
    %0 = arith.addf %s, %x : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// A loss picks the element of its label. If there is one, it is loaded; else the
// result is what it starts from. Labels of 8 bits have no place for 1,000 columns
// to tell apart: a loop.

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
// CHECK-LABEL: func.func private @picks(
func.func private @picks(%a: memref<64x1000xf32>, %label: memref<64xi32>, %o: memref<64xf32>) attributes {host.kernel} {
  // CHECK: %[[START:.*]] = arith.constant 0x7FC00000 : f32
  // CHECK: %[[LABEL:.*]] = memref.load
  // CHECK: %[[J:.*]] = arith.index_cast %[[LABEL]]
  // CHECK: %[[IS_THERE:.*]] = arith.cmpi ult, %[[J]], %c1000
  // CHECK: scf.if %[[IS_THERE]]
  // CHECK:   memref.load %{{.*}}[%{{.*}}, %[[J]]]
  // CHECK: } else {
  // CHECK-NEXT: scf.yield %[[START]]
  // CHECK-NOT: scf.for
  // CHECK: return
  linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a, %label : memref<64x1000xf32>, memref<64xi32>) outs(%o : memref<64xf32>) attrs = {host.starts = [0x7FC00000 : f32]} {
  ^bb0(%x: f32, %l: i32, %s: f32):
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i32
    %is = arith.cmpi eq, %n, %l : i32
    %0 = arith.select %is, %x, %s : f32
    linalg.yield %0 : f32
  }
  return
}

// CHECK-LABEL: func.func private @wraps(
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c1000
func.func private @wraps(%a: memref<64x1000xf32>, %label: memref<64xi8>, %o: memref<64xf32>) attributes {host.kernel} {
  linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a, %label : memref<64x1000xf32>, memref<64xi8>) outs(%o : memref<64xf32>) {
  ^bb0(%x: f32, %l: i8, %s: f32):
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i8
    %is = arith.cmpi eq, %n, %l : i8
    %0 = arith.select %is, %x, %s : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Scattered rows are updated in the order of the indices: all threads iterate
// over them together, with a barrier between iterations.

// CHECK-LABEL: func.func private @scatter(
func.func private @scatter(%i: memref<8xindex>, %u: memref<8x64xf32>, %t: memref<100x64xf32>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // CHECK: scf.for %{{.*}} = %c0 to %c8 step %c1
  // CHECK:   memref.load
  // CHECK:   memref.subview
  // CHECK:   memref.store
  // CHECK:   gpu.barrier
  // CHECK-NEXT: }
  scf.for %n = %c0 to %c8 step %c1 {
    %row = memref.load %i[%n] : memref<8xindex>
    %to = memref.subview %t[%row, 0] [1, 64] [1, 1] : memref<100x64xf32> to memref<1x64xf32, strided<[64, 1], offset: ?>>
    %from = memref.subview %u[%n, 0] [1, 64] [1, 1] : memref<8x64xf32> to memref<1x64xf32, strided<[64, 1], offset: ?>>
    linalg.add ins(%to, %from : memref<1x64xf32, strided<[64, 1], offset: ?>>, memref<1x64xf32, strided<[64, 1], offset: ?>>)
               outs(%to : memref<1x64xf32, strided<[64, 1], offset: ?>>)
  }
  return
}

// -----

// Only iterations that take the branch matter: each of 256 threads looks at four
// of 1,024 indices, warps note which match, and all threads run these in order,
// the lowest bit of the first mask first. Beyond the end nothing matches.

// CHECK-LABEL: func.func private @matches(
// CHECK-SAME: host.shared = 128 : i64, host.threads = 256 : i64
func.func private @matches(%i: memref<?xindex>, %u: memref<?x64xf32>, %t: memref<1000x64xf32>) attributes {host.kernel} {
  // CHECK: %[[MASKS:.*]] = memref.memory_space_cast
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %n = memref.dim %i, %c0 : memref<?xindex>
  // CHECK: scf.for %[[FIRST:[^ ]+]] = %c0{{.*}} to %[[N:[^ ]+]] step %c1024
  // CHECK: %[[LAST:.*]] = arith.subi %[[N]], %c1
  // CHECK: %[[IS_INSIDE:.*]] = arith.cmpi slt, %[[INDEX:.*]], %[[N]]
  // CHECK: %[[AT:.*]] = arith.minsi %[[INDEX]], %[[LAST]]
  // CHECK: %[[ROW:.*]] = memref.load %{{.*}}[%[[AT]]]
  // CHECK: %[[MATCHES:.*]] = arith.cmpi ult, %[[ROW]], %c8
  // CHECK: %[[BOTH:.*]] = arith.andi %[[IS_INSIDE]], %[[MATCHES]]
  // CHECK-COUNT-3: arith.minsi
  // CHECK: %[[MASK:.*]] = nvvm.vote.sync ballot %{{.*}}, %[[BOTH]]
  // CHECK: memref.store %[[MASK]], %[[MASKS]]
  // CHECK-COUNT-3: nvvm.vote.sync
  // CHECK: gpu.barrier
  // CHECK: nvvm.vote.sync
  // CHECK: scf.while
  // CHECK: memref.load %[[MASKS]]
  // CHECK: scf.while
  // CHECK: math.cttz
  // CHECK: memref.load
  // CHECK: arith.addf
  // CHECK: gpu.barrier
  // CHECK-NEXT: scf.yield
  // CHECK: gpu.barrier
  scf.for %k = %c0 to %n step %c1 {
    %row = memref.load %i[%k] : memref<?xindex>
    %isHere = arith.cmpi ult, %row, %c8 : index
    scf.if %isHere {
      %to = memref.subview %t[%row, 0] [1, 64] [1, 1] : memref<1000x64xf32> to memref<1x64xf32, strided<[64, 1], offset: ?>>
      %from = memref.subview %u[%k, 0] [1, 64] [1, 1] : memref<?x64xf32> to memref<1x64xf32, strided<[64, 1], offset: ?>>
      linalg.add ins(%to, %from : memref<1x64xf32, strided<[64, 1], offset: ?>>, memref<1x64xf32, strided<[64, 1], offset: ?>>)
                 outs(%to : memref<1x64xf32, strided<[64, 1], offset: ?>>)
    }
  }
  return
}

// -----

// Whether a later iteration takes the branch depends on what an earlier one has
// written: all run one after the other.

// CHECK-LABEL: func.func private @depends(
// CHECK-NOT: nvvm.vote.sync
// CHECK: scf.for
// CHECK: scf.if
func.func private @depends(%i: memref<512xindex>, %u: memref<512x64xindex>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c512 = arith.constant 512 : index
  scf.for %k = %c0 to %c512 step %c1 {
    %row = memref.load %i[%k] : memref<512xindex>
    %isHere = arith.cmpi ult, %row, %c8 : index
    scf.if %isHere {
      memref.store %c0, %i[%row] : memref<512xindex>
    }
  }
  return
}

// -----

// A scalar is stored by one thread.

// CHECK-LABEL: func.func private @once(
func.func private @once(%a: memref<f32>, %o: memref<f32>) attributes {host.kernel} {
  // CHECK: %[[X:.*]] = memref.load
  // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0
  // CHECK: scf.if %[[FIRST]] {
  // CHECK-NEXT: memref.store %[[X]]
  %x = memref.load %a[] : memref<f32>
  memref.store %x, %o[] : memref<f32>
  return
}

// -----

// A branch yields one of two buffers: a reader needs a barrier after writes to
// either.

// CHECK-LABEL: func.func private @handed_on(
// CHECK: %[[M:.*]] = scf.if
// CHECK: } else {
// CHECK: }
// CHECK-NEXT: gpu.barrier
// CHECK: memref.load %[[M]]
func.func private @handed_on(%c: i1, %a: memref<64xf32>, %t: memref<64xf32>, %u: memref<64xf32>, %o: memref<64xf32>) attributes {host.kernel} {
  linalg.copy ins(%a : memref<64xf32>) outs(%u : memref<64xf32>)
  %m = scf.if %c -> memref<64xf32> {
    linalg.exp ins(%a : memref<64xf32>) outs(%t : memref<64xf32>)
    scf.yield %t : memref<64xf32>
  } else {
    scf.yield %u : memref<64xf32>
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (63 - d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%m : memref<64xf32>) outs(%o : memref<64xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

// A transpose goes through a tile: a thread loads four elements along the
// operand's rows, which are in flight before it writes the tile, in which one
// element after each 32 is unused. After a barrier it stores along the result's
// rows.

#id = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
// CHECK: memref.global "private" @transpose_tile : memref<4224xi8, 3>
// CHECK-LABEL: func.func private @transpose(
// CHECK: %[[TILE:.*]] = memref.memory_space_cast %{{.*}} : memref<1055xf32, 3> to memref<1055xf32>
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK: %[[PADDING:.*]] = arith.divui %[[PLACE:.*]], %c32{{.*}} : index
// CHECK: %[[PADDED:.*]] = arith.addi %[[PLACE]], %[[PADDING]]
// CHECK-COUNT-4: memref.load %arg0
// CHECK: memref.store %{{.*}}, %[[TILE]][%[[PADDED]]]
// CHECK-COUNT-3: memref.store %{{.*}}, %[[TILE]]
// CHECK: gpu.barrier
// CHECK-COUNT-4: memref.load %[[TILE]]
// CHECK-NOT: memref.load
// CHECK-COUNT-4: memref.store %{{.*}}, %arg1
// CHECK: } {llvm.loop_annotation =
func.func private @transpose(%a: memref<96x128xf32>, %o: memref<128x96xf32>) attributes {host.kernel, host.threads = 256 : i64} {
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<96x128xf32>) outs(%o : memref<128x96xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

// So does what a fused op transposes, here a filter with its taps in reverse
// order, which a load in the body reads. The other operand is read directly,
// and elements beyond the sizes are left out.

#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK: memref.global "private" @filter_tile
// CHECK-LABEL: func.func private @filter(
// CHECK: %[[TILE:.*]] = memref.memory_space_cast
// CHECK: arith.cmpi ult
// CHECK: scf.if
// CHECK: %[[TAP:.*]] = arith.subi %c8{{.*}}, %{{.*}} : index
// CHECK: memref.load %arg0[%[[TAP]], %{{.*}}, %{{.*}}]
// CHECK: memref.store %{{.*}}, %[[TILE]]
// CHECK: gpu.barrier
// CHECK: scf.if
// CHECK: memref.load %arg1
// CHECK: memref.load %[[TILE]]
// CHECK-NOT: memref.load %arg0
// CHECK: memref.store %{{.*}}, %arg2
func.func private @filter(%a: memref<9x50x70xf32>, %b: memref<9x70x50xf32>, %o: memref<9x70x50xf32>) attributes {host.kernel} {
  %c8 = arith.constant 8 : index
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%b : memref<9x70x50xf32>) outs(%o : memref<9x70x50xf32>) {
  ^bb0(%x: f32, %y: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %tap = arith.subi %c8, %i : index
    %w = memref.load %a[%tap, %k, %j] : memref<9x50x70xf32>
    %s = arith.addf %w, %x : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// A temporary, or an operand that the op also writes, is read directly.

#id = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-NOT: @temporary_tile
// CHECK-LABEL: func.func private @temporary(
func.func private @temporary(%o: memref<64x64xf32>, %p: memref<64x64xf32>) attributes {host.kernel} {
  %t = memref.alloca() : memref<64x64xf32>
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<64x64xf32>) outs(%o : memref<64x64xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p : memref<64x64xf32>) outs(%p : memref<64x64xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

// Each thread sums a short row in order, from a tile that all have copied.

// CHECK: memref.global "private" @short_rows_tile
// CHECK-LABEL: func.func private @short_rows(
// CHECK: %[[TILE:.*]] = memref.memory_space_cast
// CHECK: memref.load %arg0
// CHECK: memref.store %{{.*}}, %[[TILE]]
// CHECK: gpu.barrier
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c10{{.*}} step %c1
// CHECK:   memref.load %[[TILE]]
// CHECK:   arith.addf
// CHECK: memref.store %{{.*}}, %arg1
func.func private @short_rows(%a: memref<256x10xf32>, %o: memref<256xf32>) attributes {host.kernel} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<256x10xf32>) outs(%o : memref<256xf32>) {
  ^bb0(%x: f32, %s: f32):
    %0 = arith.addf %s, %x : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// The rows of W in a small x * W^T are copied 32 columns at a time. Each element
// of the result is one chain of FMAs, carried from part to part.

// CHECK: memref.global "private" @small_product_tile
// CHECK-LABEL: func.func private @small_product(
// CHECK: %[[TILE:.*]] = memref.memory_space_cast
// CHECK: %[[SUM:.*]] = scf.for %[[PART:.*]] = %c0{{.*}} to %c100{{.*}} step %c32{{.*}} iter_args(%[[SO_FAR:.*]] = %{{.*}})
// CHECK:   gpu.barrier
// CHECK:   memref.load %arg1
// CHECK:   memref.store %{{.*}}, %[[TILE]]
// CHECK:   gpu.barrier
// CHECK:   %[[NEXT:.*]] = arith.addi %[[PART]], %c32
// CHECK:   %[[END:.*]] = arith.minui %[[NEXT]], %c100
// CHECK:   scf.for %{{.*}} = %[[PART]] to %[[END]] step %c1{{.*}} iter_args(%{{.*}} = %[[SO_FAR]])
// CHECK:     memref.load %arg0
// CHECK:     memref.load %[[TILE]]
// CHECK:     math.fma
// CHECK: memref.store %[[SUM]], %arg2
func.func private @small_product(%a: memref<8x100xf32>, %b: memref<32x100xf32>, %o: memref<8x32xf32>) attributes {host.kernel} {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x100xf32>, memref<32x100xf32>) outs(%o : memref<8x32xf32>) {
  ^bb0(%x: f32, %w: f32, %s: f32):
    %0 = arith.mulf %x, %w : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
