// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --ingot-partition-kernels-into-blocks --canonicalize | FileCheck %s
// RUN: ingot-opt %s --split-input-file --ingot-partition-kernels-into-blocks="leave-small" --canonicalize | FileCheck %s --check-prefixes=CHECK,LEAVE
// RUN: ingot-opt %s --split-input-file --ingot-partition-kernels-into-blocks="part-bytes=4096" --canonicalize | FileCheck %s --check-prefix=PARTS
// RUN: ingot-opt %s --split-input-file --ingot-partition-kernels-into-blocks="max-ranges=256 inner-multiple=8 block-bytes=96" --canonicalize | FileCheck %s --check-prefix=SMALL
// RUN: ingot-opt %s --split-input-file --ingot-partition-kernels-into-blocks="least-multiple=16" --canonicalize | FileCheck %s --check-prefix=SHORT
// RUN: ingot-opt %s --split-input-file --ingot-partition-kernels-into-blocks="inner-multiple=8 transposed-multiple=32 block-bytes=8192" --canonicalize | FileCheck %s --check-prefix=TURNED

#id = affine_map<(i) -> (i)>

// Blocks of about 32 KiB; the length divides the whole.

// SMALL-LABEL: func.func private @elements
// SMALL:          memref.subview %{{.*}}[%{{.*}}] [16] [1]
// CHECK-LABEL: func.func private @elements
// CHECK-DAG:     %[[STEP:.*]] = arith.constant 4096 : index
// CHECK-DAG:     %[[END:.*]] = arith.constant 65536 : index
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %[[END]] step %[[STEP]] {
// CHECK:           memref.subview %{{.*}}[%[[I]]] [4096] [1]
// CHECK:           linalg.generic
// CHECK-SAME:        ins(%{{.*}} : memref<4096xf32, strided<[1], offset: ?>>) outs(%{{.*}} : memref<4096xf32, strided<[1], offset: ?>>)
// CHECK:         } {host.grid_loop}
func.func private @elements(%a: memref<65536xf32>, %o: memref<65536xf32>) attributes {host.kernel} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<65536xf32>) outs(%o : memref<65536xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %x : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#id = affine_map<(i) -> (i)>

// A prime length leaves a shorter last block, between whole vectors all the
// same; the body knows the indices of the whole.

// CHECK-LABEL: func.func private @rest
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK:           %[[SIZE:.*]] = affine.min #{{.*}}(%[[I]])
// CHECK:           memref.subview %{{.*}}[%[[I]]] [%[[SIZE]]] [1]
// CHECK:           %[[HERE:.*]] = linalg.index 0
// CHECK:           arith.addi %[[HERE]], %[[I]]
// CHECK:         } {host.grid_loop}
func.func private @rest(%a: memref<65537xf32>, %o: memref<65537xi64>) attributes {host.kernel} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<65537xf32>) outs(%o : memref<65537xi64>) {
  ^bb0(%x: f32, %y: i64):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i64
    linalg.yield %k : i64
  }
  return
}

// -----

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// A row's sum and its users run block by block of rows; the temporary between
// them is as large as a block. The scalar that all share is computed before.

// CHECK-LABEL: func.func private @rows
// CHECK-DAG:     %[[SHARED:.*]] = memref.alloc() : memref<f32>
// CHECK:         linalg.generic {{.*}} outs(%[[SHARED]] : memref<f32>)
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %[[STEP:.*]] {
// CHECK:           %[[SUMS:.*]] = memref.alloc() : memref<[[N:[0-9]+]]xf32>
// CHECK:           linalg.fill ins(%{{.*}}) outs(%[[SUMS]] : memref<[[N]]xf32>)
// CHECK:           linalg.generic {{.*}} outs(%[[SUMS]] : memref<[[N]]xf32>)
// CHECK:           linalg.generic {{.*}} ins(%{{.*}}, %[[SUMS]], %[[SHARED]] : memref<[[N]]x256xf32, strided<[256, 1], offset: ?>>
// CHECK:         } {host.grid_loop}
func.func private @rows(%a: memref<1024x256xf32>, %scale: memref<f32>, %o: memref<1024x256xf32>) attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %shared = memref.alloc() : memref<f32>
  linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%scale : memref<f32>) outs(%shared : memref<f32>) {
  ^bb0(%x: f32, %y: f32):
    %s = math.sqrt %x : f32
    linalg.yield %s : f32
  }
  %sums = memref.alloc() : memref<1024xf32>
  linalg.fill ins(%zero : f32) outs(%sums : memref<1024xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%a : memref<1024x256xf32>) outs(%sums : memref<1024xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %y, %x : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#all, #row, affine_map<(i, j) -> ()>, #all], iterator_types = ["parallel", "parallel"]} ins(%a, %sums, %shared : memref<1024x256xf32>, memref<1024xf32>, memref<f32>) outs(%o : memref<1024x256xf32>) {
  ^bb0(%x: f32, %y: f32, %f: f32, %z: f32):
    %s = arith.divf %x, %y : f32
    %t = arith.mulf %s, %f : f32
    linalg.yield %t : f32
  }
  return
}

// -----

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// Any number of rows: launches know it from the argument.

// CHECK-LABEL: func.func private @open(
// CHECK-SAME:    %{{.*}}: memref<?x256xf32>, %[[A:.*]]: memref<?xf32>
// CHECK:         %[[ROWS:.*]] = memref.dim %[[A]], %c0
// CHECK:         scf.for %{{.*}} = %c0 to %[[ROWS]] step
// CHECK:           linalg.fill
// CHECK:         } {host.grid_loop}
func.func private @open(%a: memref<?x256xf32>, %o: memref<?xf32>) attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<?xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%a : memref<?x256xf32>) outs(%o : memref<?xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %y, %x : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#col = affine_map<(i, j) -> (j)>
#all = affine_map<(i, j) -> (i, j)>

// Sums of columns are cut between columns: each keeps its order. A block is
// several cache lines wide.

// CHECK-LABEL: func.func private @columns
// CHECK:         scf.for %{{.*}} = %c0 to %c1024 step %c64 {
// CHECK:           memref.subview %{{.*}}[0, %{{.*}}] [512, 64] [1, 1]
// CHECK:         } {host.grid_loop}
func.func private @columns(%a: memref<512x1024xf32>, %o: memref<1024xf32>) attributes {host.kernel} {
  linalg.generic {indexing_maps = [#all, #col], iterator_types = ["reduction", "parallel"]} ins(%a : memref<512x1024xf32>) outs(%o : memref<1024xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %y, %x : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#id = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>

// All of the first op is needed for any of the second: nothing to share.

// CHECK-LABEL: func.func private @barrier
// CHECK-NOT:     scf.for
func.func private @barrier(%a: memref<65536xf32>, %s: memref<f32>, %o: memref<65536xf32>) attributes {host.kernel} {
  linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]} ins(%a : memref<65536xf32>) outs(%s : memref<f32>) {
  ^bb0(%x: f32, %y: f32):
    %t = arith.addf %y, %x : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [#id, #none, #id], iterator_types = ["parallel"]} ins(%a, %s : memref<65536xf32>, memref<f32>) outs(%o : memref<65536xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %t = arith.mulf %x, %y : f32
    linalg.yield %t : f32
  }
  return
}

// -----

#id = affine_map<(i) -> (i)>

// Some microseconds of work stay one loop.

// CHECK-LABEL: func.func private @little
// CHECK-NOT:     scf.for
func.func private @little(%a: memref<4096xf32>, %o: memref<4096xf32>) attributes {host.kernel} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<4096xf32>) outs(%o : memref<4096xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %x : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// A body's loads from a buffer that the kernel writes are within the block.

// CHECK-LABEL: func.func private @own_rows
// CHECK:         scf.for
// CHECK:         } {host.grid_loop}
// CHECK-LABEL: func.func private @others_rows
// CHECK-NOT:     scf.for
func.func private @own_rows(%a: memref<1024x64xf32>, %t: memref<1024x64xf32>, %o: memref<1024x64xf32>) attributes {host.kernel} {
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%a : memref<1024x64xf32>) outs(%t : memref<1024x64xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%o : memref<1024x64xf32>) {
  ^bb0(%y: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %last = arith.constant 63 : index
    %k = arith.subi %last, %j : index
    %x = memref.load %t[%i, %k] : memref<1024x64xf32>
    linalg.yield %x : f32
  }
  return
}
func.func private @others_rows(%a: memref<1024x64xf32>, %t: memref<1024x64xf32>, %o: memref<1024x64xf32>) attributes {host.kernel} {
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%a : memref<1024x64xf32>) outs(%t : memref<1024x64xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%o : memref<1024x64xf32>) {
  ^bb0(%y: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %last = arith.constant 1023 : index
    %k = arith.subi %last, %i : index
    %l = arith.subi %last, %j : index
    %x = memref.load %t[%k, %l] : memref<1024x64xf32>
    linalg.yield %x : f32
  }
  return
}

// -----

#all = affine_map<(i, j) -> (i, j)>

// Rows that are too long for the stack stay in one buffer for all blocks.

// CHECK-LABEL: func.func private @long_rows
// CHECK:         %[[T:.*]] = memref.alloc() : memref<64x100000xf32>
// CHECK:         scf.for
// CHECK-NOT:       memref.alloc
// CHECK:           memref.subview %[[T]]
// CHECK:         } {host.grid_loop}
func.func private @long_rows(%a: memref<64x100000xf32>, %o: memref<64x100000xf32>) attributes {host.kernel} {
  %t = memref.alloc() : memref<64x100000xf32>
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%a : memref<64x100000xf32>) outs(%t : memref<64x100000xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = math.exp %x : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%t : memref<64x100000xf32>) outs(%o : memref<64x100000xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %x : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#row = affine_map<(i) -> (i)>

// A slice is shorter than its source: with dynamic lengths a block of one is no
// block of the other.

// CHECK-LABEL: func.func private @first_elements
// CHECK-NOT:     scf.for
func.func private @first_elements(%a: memref<?xf32>, %o: memref<?xf32>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  %t = memref.alloc(%n) : memref<?xf32>
  linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]} ins(%a : memref<?xf32>) outs(%t : memref<?xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = math.exp %x : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#row], iterator_types = ["parallel"]} outs(%o : memref<?xf32>) {
  ^bb0(%y: f32):
    %i = linalg.index 0 : index
    %x = memref.load %t[%i] : memref<?xf32>
    linalg.yield %x : f32
  }
  return
}

// -----

#id = affine_map<(i) -> (i)>

// The updated rows are known at run time only: a range of rows scans all indices.
// Iterations may be merged.

// CHECK-LABEL: func.func private @row_updates
// CHECK:         scf.for %[[FIRST:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK:           %[[SIZE:.*]] = affine.min #{{.*}}(%[[FIRST]])
// CHECK:           scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK:             %[[ROW:.*]] = memref.load %{{.*}}[%[[I]]] : memref<512xindex>
// CHECK:             %[[INSIDE:.*]] = arith.cmpi ult, %[[ROW]], %{{.*}} : index
// CHECK:             %[[DISTANCE:.*]] = arith.subi %[[ROW]], %[[FIRST]] : index
// CHECK:             %[[HERE:.*]] = arith.cmpi ult, %[[DISTANCE]], %[[SIZE]] : index
// CHECK:             %[[BOTH:.*]] = arith.andi %[[INSIDE]], %[[HERE]] : i1
// CHECK:             scf.if %[[BOTH]] {
// CHECK:               memref.subview %{{.*}}[%[[ROW]], 0] [1, 64] [1, 1] : memref<1024x64xf32>
// CHECK:         } {host.grid_loop, host.grid_range}
// SMALL-LABEL: func.func private @row_updates
// SMALL:          scf.for %{{.*}} = %c0 to %c1024 step %c4 {
func.func private @row_updates(%indices: memref<512xindex>, %new: memref<512x64xf32>, %table: memref<1024x64xf32>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  %c1024 = arith.constant 1024 : index
  scf.for %i = %c0 to %c512 step %c1 {
    %row = memref.load %indices[%i] : memref<512xindex>
    %inside = arith.cmpi ult, %row, %c1024 : index
    scf.if %inside {
      %from = memref.subview %new[%i, 0] [1, 64] [1, 1] : memref<512x64xf32> to memref<64xf32, strided<[1], offset: ?>>
      %to = memref.subview %table[%row, 0] [1, 64] [1, 1] : memref<1024x64xf32> to memref<64xf32, strided<[1], offset: ?>>
      linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%from : memref<64xf32, strided<[1], offset: ?>>) outs(%to : memref<64xf32, strided<[1], offset: ?>>) {
      ^bb0(%x: f32, %y: f32):
        %s = arith.addf %x, %y : f32
        linalg.yield %s : f32
      }
    }
  }
  return
}

// -----

// An op that fills the table, and one that reads all of it afterwards, are cut
// along the same rows.

// CHECK-LABEL: func.func private @filled_first
// CHECK:         scf.for %[[FIRST:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK:           %[[SIZE:.*]] = affine.min #{{.*}}(%[[FIRST]])
// CHECK:           %[[PART:.*]] = memref.subview %{{.*}}[%[[FIRST]]] [%[[SIZE]]] [1] : memref<1024xi32>
// CHECK:           linalg.fill ins(%{{.*}} : i32) outs(%[[PART]]
// CHECK:           scf.for
// CHECK:             scf.if
// CHECK:               memref.store
// CHECK:           memref.copy
// CHECK:         } {host.grid_loop, host.grid_range}
func.func private @filled_first(%indices: memref<512xindex>, %counts: memref<1024xi32>, %result: memref<1024xi32>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  %c1024 = arith.constant 1024 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  linalg.fill ins(%zero : i32) outs(%counts : memref<1024xi32>)
  scf.for %i = %c0 to %c512 step %c1 {
    %row = memref.load %indices[%i] : memref<512xindex>
    %inside = arith.cmpi ult, %row, %c1024 : index
    scf.if %inside {
      %old = memref.load %counts[%row] : memref<1024xi32>
      %new = arith.addi %old, %one : i32
      memref.store %new, %counts[%row] : memref<1024xi32>
    }
  }
  memref.copy %counts, %result : memref<1024xi32> to memref<1024xi32>
  return
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(j) -> (j)>

// An average that decays everywhere, and takes up some rows: part by part, of
// which each has a quarter as many rows as there are indices, or more.

// CHECK-LABEL: func.func private @decay
// CHECK-NOT:     arith.maxui
// CHECK:       } {host.grid_loop, host.grid_range}

// PARTS-LABEL: func.func private @decay
// PARTS-DAG:     %[[LEAST:.*]] = arith.constant 8 : index
// PARTS-DAG:     %[[FOUR:.*]] = arith.constant 4 : index
// PARTS:         %[[COUNT:.*]] = memref.dim %{{.*}}, %{{.*}} : memref<?xindex>
// PARTS:         scf.for %[[FIRST:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// PARTS:           %[[RANGE:.*]] = affine.min #{{.*}}(%[[FIRST]])
// PARTS:           %[[QUARTER:.*]] = arith.divui %[[COUNT]], %[[FOUR]] : index
// PARTS:           %[[STEP:.*]] = arith.maxui %[[QUARTER]], %[[LEAST]] : index
// PARTS:           %[[END:.*]] = arith.addi %[[FIRST]], %[[RANGE]] : index
// PARTS:           scf.for %[[BEGIN:.*]] = %[[FIRST]] to %[[END]] step %[[STEP]] {
// PARTS:             %[[LEFT:.*]] = arith.subi %[[END]], %[[BEGIN]] : index
// PARTS:             %[[SIZE:.*]] = arith.minsi %[[STEP]], %[[LEFT]] : index
// PARTS:             %[[PART:.*]] = memref.subview %{{.*}}[%[[BEGIN]], 0] [%[[SIZE]], 64] [1, 1]
// PARTS:             linalg.generic {{.*}} outs(%[[PART]]
// PARTS:             scf.for
// PARTS:               arith.subi %{{.*}}, %[[BEGIN]] : index
// PARTS:               arith.cmpi ult, %{{.*}}, %[[SIZE]] : index
// PARTS:         } {host.grid_loop, host.grid_range}
func.func private @decay(%indices: memref<?xindex>, %new: memref<?x64xf32>, %old: memref<1024x64xf32>, %table: memref<1024x64xf32>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  %rate = arith.constant 0.9 : f32
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%old : memref<1024x64xf32>) outs(%table : memref<1024x64xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.mulf %x, %rate : f32
    linalg.yield %s : f32
  }
  %n = memref.dim %indices, %c0 : memref<?xindex>
  scf.for %i = %c0 to %n step %c1 {
    %row = memref.load %indices[%i] : memref<?xindex>
    %inside = arith.cmpi ult, %row, %c1024 : index
    scf.if %inside {
      %from = memref.subview %new[%i, 0] [1, 64] [1, 1] : memref<?x64xf32> to memref<64xf32, strided<[1], offset: ?>>
      %to = memref.subview %table[%row, 0] [1, 64] [1, 1] : memref<1024x64xf32> to memref<64xf32, strided<[1], offset: ?>>
      linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]} ins(%from : memref<64xf32, strided<[1], offset: ?>>) outs(%to : memref<64xf32, strided<[1], offset: ?>>) {
      ^bb0(%x: f32, %y: f32):
        %s = arith.addf %x, %y : f32
        linalg.yield %s : f32
      }
    }
  }
  return
}

// -----

// A row that depends on another one, and an index that the kernel computes, are
// no range's own.

// CHECK-LABEL: func.func private @reads_its_neighbor
// CHECK-NOT:     host.grid_loop
// CHECK-LABEL: func.func private @computes_its_indices
// CHECK-NOT:     host.grid_loop
func.func private @reads_its_neighbor(%indices: memref<512xindex>, %table: memref<1024xi32>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  %c1023 = arith.constant 1023 : index
  scf.for %i = %c0 to %c512 step %c1 {
    %row = memref.load %indices[%i] : memref<512xindex>
    %inside = arith.cmpi ult, %row, %c1023 : index
    scf.if %inside {
      %next = arith.addi %row, %c1 : index
      %old = memref.load %table[%next] : memref<1024xi32>
      memref.store %old, %table[%row] : memref<1024xi32>
    }
  }
  return
}

func.func private @computes_its_indices(%given: memref<1024xindex>, %indices: memref<1024xindex>, %table: memref<1024xindex>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  memref.copy %given, %indices : memref<1024xindex> to memref<1024xindex>
  scf.for %i = %c0 to %c1024 step %c1 {
    %row = memref.load %indices[%i] : memref<1024xindex>
    %inside = arith.cmpi ult, %row, %c1024 : index
    scf.if %inside {
      memref.store %i, %table[%row] : memref<1024xindex>
    }
  }
  return
}

// -----

#id = affine_map<(i) -> (i)>

// Each block runs a scan's loop; its state shrinks to a block.

// CHECK-LABEL: func.func private @scan
// CHECK:         scf.for %[[FIRST:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK:           %[[TOTAL:.*]] = memref.alloc() : memref<[[N:[0-9]+]]xf32>
// CHECK:           linalg.fill ins(%{{.*}} : f32) outs(%[[TOTAL]]
// CHECK:           scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK:             linalg.generic
// CHECK-SAME:          memref<[[N]]xf32
// CHECK:         } {host.grid_loop}
func.func private @scan(%x: memref<64x4096xf32>, %sums: memref<64x4096xf32>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %total = memref.alloc() : memref<4096xf32>
  linalg.fill ins(%zero : f32) outs(%total : memref<4096xf32>)
  scf.for %i = %c0 to %c64 step %c1 {
    %from = memref.subview %x[%i, 0] [1, 4096] [1, 1] : memref<64x4096xf32> to memref<4096xf32, strided<[1], offset: ?>>
    %to = memref.subview %sums[%i, 0] [1, 4096] [1, 1] : memref<64x4096xf32> to memref<4096xf32, strided<[1], offset: ?>>
    linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%from : memref<4096xf32, strided<[1], offset: ?>>) outs(%to, %total : memref<4096xf32, strided<[1], offset: ?>>, memref<4096xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %s = arith.addf %a, %c : f32
      linalg.yield %s, %s : f32, f32
    }
  }
  return
}

// -----

#row = affine_map<(i, j) -> (i, j)>

// A temporary as long as the input shrinks to a block as well, though it is the
// first that could tell how long that is.

// CHECK-LABEL: func.func private @dynamic
// CHECK-NOT:     memref.alloc(%
// CHECK:         scf.for
// CHECK:           memref.alloc() : memref<{{[0-9]+}}x16xf32>
// CHECK:         } {host.grid_loop}
func.func private @dynamic(%x: memref<?x16xf32>, %o: memref<?x16xf32>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?x16xf32>
  %t = memref.alloc(%n) : memref<?x16xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<?x16xf32>)
  linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%x : memref<?x16xf32>) outs(%t : memref<?x16xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }
  linalg.copy ins(%t : memref<?x16xf32>) outs(%o : memref<?x16xf32>)
  return
}

// -----

// A moving average beside a batch normalization: 16 channels are no images, and
// share nothing that is written with them. The first block does them.

// LEAVE-LABEL: func.func private @beside(
// LEAVE-SAME:    %[[X:[^:]*]]: memref<32x1024x16xf32>, %[[SUMS:[^:]*]]: memref<24x16xf32>, %[[Y:[^:]*]]: memref<32x1024x16xf32>, %[[MEAN:[^:]*]]: memref<16xf32>)
// LEAVE-NOT:   linalg
// LEAVE:       scf.for %[[I:.*]] = %[[ZERO:.*]] to %{{.*}} step
// LEAVE-NEXT:    %[[FIRST:.*]] = arith.cmpi eq, %[[I]], %[[ZERO]] : index
// LEAVE-NEXT:    scf.if %[[FIRST]] {
// LEAVE-NEXT:      linalg.fill {{.*}} outs(%[[MEAN]] : memref<16xf32>)
// LEAVE-NEXT:      linalg.generic {{.*}} ins(%[[SUMS]] : memref<24x16xf32>) outs(%[[MEAN]] : memref<16xf32>)
// LEAVE:         }
// LEAVE:         memref.subview %[[X]][%[[I]], 0, 0]
// LEAVE:         linalg.generic {{.*}}"parallel", "parallel", "parallel"]
// LEAVE:       } {host.grid_loop}
func.func private @beside(%x: memref<32x1024x16xf32>, %sums: memref<24x16xf32>, %y: memref<32x1024x16xf32>, %mean: memref<16xf32>) attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%mean : memref<16xf32>)
  linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (c)>], iterator_types = ["reduction", "parallel"]} ins(%sums : memref<24x16xf32>) outs(%mean : memref<16xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %s, %a : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [affine_map<(n, p, c) -> (n, p, c)>, affine_map<(n, p, c) -> (n, p, c)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : memref<32x1024x16xf32>) outs(%y : memref<32x1024x16xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.negf %a : f32
    linalg.yield %t : f32
  }
  return
}

// -----

// An op whose result the others read cannot be left out: then nothing is cut.

// CHECK-LABEL: func.func private @needed(
// CHECK-NOT:   scf.for
func.func private @needed(%x: memref<32x1024x16xf32>, %sums: memref<24x16xf32>, %y: memref<32x1024x16xf32>, %mean: memref<16xf32>) attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%mean : memref<16xf32>)
  linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (c)>], iterator_types = ["reduction", "parallel"]} ins(%sums : memref<24x16xf32>) outs(%mean : memref<16xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %s, %a : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [affine_map<(n, p, c) -> (n, p, c)>, affine_map<(n, p, c) -> (c)>, affine_map<(n, p, c) -> (n, p, c)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %mean : memref<32x1024x16xf32>, memref<16xf32>) outs(%y : memref<32x1024x16xf32>) {
  ^bb0(%a: f32, %m: f32, %s: f32):
    %t = arith.subf %a, %m : f32
    linalg.yield %t : f32
  }
  return
}

// -----

// A window that reads neighbouring rows is cut along images only: rows of a block
// would need those of the next.

// CHECK-LABEL: func.func private @around(
// CHECK-SAME:    %[[X:[^:]*]]: memref<64x34x1024xf32>, %[[Y:[^:]*]]: memref<64x32x1024xf32>)
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK:           memref.subview %[[X]][%[[I]], 0, 0] [1, 34, 1024] [1, 1, 1]
// CHECK:           linalg.generic {{.*}}"reduction"
// CHECK:         } {host.grid_loop}
func.func private @around(%x: memref<64x34x1024xf32>, %y: memref<64x32x1024xf32>) attributes {host.kernel} {
  %taps = memref.alloc() : memref<3xi8>
  linalg.generic {indexing_maps = [affine_map<(n, y, c, r) -> (n, y + r, c)>, affine_map<(n, y, c, r) -> (r)>, affine_map<(n, y, c, r) -> (n, y, c)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %taps : memref<64x34x1024xf32>, memref<3xi8>) outs(%y : memref<64x32x1024xf32>) {
  ^bb0(%a: f32, %t: i8, %s: f32):
    %u = arith.addf %s, %a : f32
    linalg.yield %u : f32
  }
  return
}

// -----

// With one image only dimensions without windows can be cut.

// CHECK-LABEL: func.func private @one_image(
// CHECK-NOT:     memref.subview %{{.*}}[0, %
// CHECK:         linalg.generic {{.*}}"reduction"
func.func private @one_image(%x: memref<1x514x64xf32>, %y: memref<1x512x64xf32>) attributes {host.kernel} {
  %taps = memref.alloc() : memref<3xi8>
  linalg.generic {indexing_maps = [affine_map<(n, y, c, r) -> (n, y + r, c)>, affine_map<(n, y, c, r) -> (r)>, affine_map<(n, y, c, r) -> (n, y, c)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %taps : memref<1x514x64xf32>, memref<3xi8>) outs(%y : memref<1x512x64xf32>) {
  ^bb0(%a: f32, %t: i8, %s: f32):
    %u = arith.addf %s, %a : f32
    linalg.yield %u : f32
  }
  return
}

// -----

// A buffer that is read in another shape is as small as a block, too: rows are
// transposed, and are channels in the other shape.

// CHECK-LABEL: func.func private @shapes(
// CHECK-SAME:    %[[X:[^:]*]]: memref<512x128xf32>, %[[Y:[^:]*]]: memref<1x128x1x512xf32>)
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK:           %[[OWN:.*]] = memref.alloc() : memref<[[N:[0-9]+]]x512xf32>
// CHECK:           linalg.transpose {{.*}} outs(%[[OWN]] : memref<[[N]]x512xf32>) permutation = [1, 0]
// CHECK:           %[[VIEW:.*]] = memref.expand_shape %[[OWN]] {{.*}} output_shape [1, [[N]], 1, 512]
// CHECK:           linalg.generic {{.*}} ins(%[[VIEW]] : memref<1x[[N]]x1x512xf32>)
// CHECK:         } {host.grid_loop}
func.func private @shapes(%x: memref<512x128xf32>, %y: memref<1x128x1x512xf32>) attributes {host.kernel} {
  %t = memref.alloc() : memref<128x512xf32>
  linalg.transpose ins(%x : memref<512x128xf32>) outs(%t : memref<128x512xf32>) permutation = [1, 0]
  %v = memref.expand_shape %t [[0, 1], [2, 3]] output_shape [1, 128, 1, 512] : memref<128x512xf32> into memref<1x128x1x512xf32>
  linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v : memref<1x128x1x512xf32>) outs(%y : memref<1x128x1x512xf32>) {
  ^bb0(%a: f32, %s: f32):
    %r = arith.negf %a : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// And so is one that is read in a shape of another shape.

// CHECK-LABEL: func.func private @shapes_of_shapes(
// CHECK:         scf.for
// CHECK:           %[[OWN:.*]] = memref.alloc() : memref<[[N:[0-9]+]]x20x64xf32>
// CHECK:           linalg.generic {{.*}} outs(%[[OWN]] : memref<[[N]]x20x64xf32>)
// CHECK:           %[[FLAT:.*]] = memref.collapse_shape %[[OWN]]
// CHECK:           %[[VIEW:.*]] = memref.expand_shape %[[FLAT]] {{.*}} into memref<[[N]]x10x128xf32>
// CHECK:           linalg.generic {{.*}} ins(%[[VIEW]] : memref<[[N]]x10x128xf32>)
func.func private @shapes_of_shapes(%x: memref<640x20x64xf32>, %y: memref<640x10x128xf32>) attributes {host.kernel} {
  %t = memref.alloc() : memref<640x20x64xf32>
  linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : memref<640x20x64xf32>) outs(%t : memref<640x20x64xf32>) {
  ^bb0(%a: f32, %s: f32):
    %r = arith.negf %a : f32
    linalg.yield %r : f32
  }
  %c = memref.collapse_shape %t [[0], [1, 2]] : memref<640x20x64xf32> into memref<640x1280xf32>
  %v = memref.expand_shape %c [[0], [1, 2]] output_shape [640, 10, 128] : memref<640x1280xf32> into memref<640x10x128xf32>
  linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v : memref<640x10x128xf32>) outs(%y : memref<640x10x128xf32>) {
  ^bb0(%a: f32, %s: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// Rows of an argument may be collapsed, as those of a draw are, where no number
// of blocks divides the elements.

// CHECK-LABEL: func.func private @collapsed(
// CHECK-DAG:     %[[FX:.*]] = memref.collapse_shape %{{.*}} : memref<2708x1433xf32> into memref<3880564xf32>
// CHECK-DAG:     %[[FY:.*]] = memref.collapse_shape %{{.*}} : memref<2708x1433xf32> into memref<3880564xf32>
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %[[N:.*]] {
// CHECK:           %[[SIZE:.*]] = affine.min
// CHECK-DAG:       memref.subview %[[FX]][%[[I]]] [%[[SIZE]]] [1]
// CHECK-DAG:       memref.subview %[[FY]][%[[I]]] [%[[SIZE]]] [1]
// CHECK:         } {host.grid_loop}
func.func private @collapsed(%x: memref<2708x1433xf32>, %y: memref<2708x1433xf32>) attributes {host.kernel} {
  %fx = memref.collapse_shape %x [[0, 1]] : memref<2708x1433xf32> into memref<3880564xf32>
  %fy = memref.collapse_shape %y [[0, 1]] : memref<2708x1433xf32> into memref<3880564xf32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%fx : memref<3880564xf32>) outs(%fy : memref<3880564xf32>) {
  ^bb0(%a: f32, %s: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  }
  return
}

// An argument that is written in one shape and read in another is not divided:
// a block would read what another one writes.

// CHECK-LABEL: func.func private @two_shapes(
// CHECK-NOT:     host.grid_loop
// CHECK:         return
func.func private @two_shapes(%x: memref<640x30x50xf32>, %y: memref<640x30x50xf32>, %z: memref<19200x50xf32>) attributes {host.kernel} {
  %fx = memref.collapse_shape %x [[0, 1, 2]] : memref<640x30x50xf32> into memref<960000xf32>
  %fy = memref.collapse_shape %y [[0, 1, 2]] : memref<640x30x50xf32> into memref<960000xf32>
  %rows = memref.collapse_shape %y [[0, 1], [2]] : memref<640x30x50xf32> into memref<19200x50xf32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%fx : memref<960000xf32>) outs(%fy : memref<960000xf32>) {
  ^bb0(%a: f32, %s: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%rows : memref<19200x50xf32>) outs(%z : memref<19200x50xf32>) {
  ^bb0(%a: f32, %s: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// A kernel with much work is divided into two blocks, and into blocks of few
// channels, rather than not at all; a matrix product and one with little work
// are not.

#image = affine_map<(n, y, x, c) -> (n, y, x, c)>
#channels = affine_map<(n, y, x, c) -> (c)>

// SHORT-LABEL: func.func private @sums_of_channels(
// SHORT-DAG:     %[[STEP:.*]] = arith.constant 16 : index
// SHORT:         scf.for %{{.*}} = %{{.*}} to %{{.*}} step %[[STEP]] {
// SHORT:           memref.subview %{{.*}}[0, 0, 0, %{{.*}}] [16, 56, 56, 16] [1, 1, 1, 1]
// SHORT:         } {host.grid_loop}
// CHECK-LABEL: func.func private @sums_of_channels(
// CHECK-NOT:     host.grid_loop
// CHECK:         return
func.func private @sums_of_channels(%x: memref<16x56x56x32xf32>, %y: memref<32xf32>) attributes {host.kernel} {
  linalg.generic {indexing_maps = [#image, #channels], iterator_types = ["reduction", "reduction", "reduction", "parallel"]} ins(%x : memref<16x56x56x32xf32>) outs(%y : memref<32xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %s, %a : f32
    linalg.yield %t : f32
  }
  return
}

// SHORT-LABEL: func.func private @few_sums(
// SHORT-NOT:     host.grid_loop
// SHORT:         return
// CHECK-LABEL: func.func private @few_sums(
func.func private @few_sums(%x: memref<16x8x8x32xf32>, %y: memref<32xf32>) attributes {host.kernel} {
  linalg.generic {indexing_maps = [#image, #channels], iterator_types = ["reduction", "reduction", "reduction", "parallel"]} ins(%x : memref<16x8x8x32xf32>) outs(%y : memref<32xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %s, %a : f32
    linalg.yield %t : f32
  }
  return
}

// SHORT-LABEL: func.func private @narrow_product(
// SHORT-NOT:     host.grid_loop
// SHORT:         return
// CHECK-LABEL: func.func private @narrow_product(
func.func private @narrow_product(%a: memref<8192x3xf32>, %b: memref<8192x32xf32>, %y: memref<3x32xf32>) attributes {host.kernel} {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<8192x3xf32>, memref<8192x32xf32>) outs(%y : memref<3x32xf32>) {
  ^bb0(%x: f32, %w: f32, %s: f32):
    %p = arith.mulf %x, %w : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  }
  return
}

// -----

#id = affine_map<(i) -> (i)>

// Two keys in one buffer: the second one would overwrite the first one before
// the loop reads it.

// CHECK-LABEL: func.func private @one_buffer
// CHECK-NOT:     scf.for
// CHECK-LABEL: func.func private @two_buffers
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : memref<2xi32>)
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : memref<2xi32>)
// CHECK:         scf.for
// CHECK:         } {host.grid_loop}
func.func private @one_buffer(%a: memref<2xi32>, %b: memref<2xi32>, %o: memref<65536xi32>, %p: memref<65536xi32>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %key = memref.alloc() : memref<2xi32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<2xi32>) outs(%key : memref<2xi32>) {
  ^bb0(%x: i32, %y: i32):
    %s = arith.addi %x, %x : i32
    linalg.yield %s : i32
  }
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%o : memref<65536xi32>) {
  ^bb0(%y: i32):
    %k = memref.load %key[%c0] : memref<2xi32>
    linalg.yield %k : i32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%b : memref<2xi32>) outs(%key : memref<2xi32>) {
  ^bb0(%x: i32, %y: i32):
    %s = arith.addi %x, %x : i32
    linalg.yield %s : i32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%o : memref<65536xi32>) outs(%p : memref<65536xi32>) {
  ^bb0(%x: i32, %y: i32):
    %k = memref.load %key[%c0] : memref<2xi32>
    %s = arith.addi %x, %k : i32
    linalg.yield %s : i32
  }
  return
}
func.func private @two_buffers(%a: memref<2xi32>, %b: memref<2xi32>, %o: memref<65536xi32>, %p: memref<65536xi32>) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %key = memref.alloc() : memref<2xi32>
  %other = memref.alloc() : memref<2xi32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<2xi32>) outs(%key : memref<2xi32>) {
  ^bb0(%x: i32, %y: i32):
    %s = arith.addi %x, %x : i32
    linalg.yield %s : i32
  }
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%o : memref<65536xi32>) {
  ^bb0(%y: i32):
    %k = memref.load %key[%c0] : memref<2xi32>
    linalg.yield %k : i32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%b : memref<2xi32>) outs(%other : memref<2xi32>) {
  ^bb0(%x: i32, %y: i32):
    %s = arith.addi %x, %x : i32
    linalg.yield %s : i32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%o : memref<65536xi32>) outs(%p : memref<65536xi32>) {
  ^bb0(%x: i32, %y: i32):
    %k = memref.load %other[%c0] : memref<2xi32>
    %s = arith.addi %x, %k : i32
    linalg.yield %s : i32
  }
  return
}

// -----

// Along a dimension in which only some operands are contiguous, blocks hold
// whole tiles where a target has some. A bias is too small to count.

#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>

// TURNED-LABEL: func.func private @transpose
// TURNED-DAG:     %[[STEP:.*]] = arith.constant 32 : index
// TURNED:         scf.for %{{.*}} = %{{.*}} to %{{.*}} step %[[STEP]] {
// TURNED-DAG:       memref.subview %{{.*}}[0, %{{.*}}] [4096, 32] [1, 1]
// TURNED-DAG:       memref.subview %{{.*}}[%{{.*}}, 0] [32, 4096] [1, 1]
func.func private @transpose(%a: memref<4096x4096xf32>, %o: memref<4096x4096xf32>) attributes {host.kernel} {
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<4096x4096xf32>) outs(%o : memref<4096x4096xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// TURNED-LABEL: func.func private @bias
// TURNED-DAG:     %[[STEP:.*]] = arith.constant 1 : index
// TURNED:         scf.for %{{.*}} = %{{.*}} to %{{.*}} step %[[STEP]] {
func.func private @bias(%a: memref<4096x4096xf32>, %r: memref<4096xf32>, %o: memref<4096x4096xf32>) attributes {host.kernel} {
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %r : memref<4096x4096xf32>, memref<4096xf32>) outs(%o : memref<4096x4096xf32>) {
  ^bb0(%x: f32, %s: f32, %y: f32):
    %0 = arith.addf %x, %s : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

#id = affine_map<(i) -> (i)>

// A store outside of the loop stays there, unless it overwrites memory that the
// loop has read.

// CHECK-LABEL: func.func private @stored_later
// CHECK-NOT:     scf.for
// CHECK-LABEL: func.func private @gathers
// CHECK-NOT:     scf.for
func.func private @stored_later(%a: memref<f32>, %o: memref<65536xf32>, %p: memref<65536xf32>) attributes {host.kernel} {
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %scale = memref.alloc() : memref<f32>
  memref.store %one, %scale[] : memref<f32>
  linalg.generic {indexing_maps = [affine_map<(i) -> ()>, #id], iterator_types = ["parallel"]} ins(%scale : memref<f32>) outs(%o : memref<65536xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  memref.store %two, %scale[] : memref<f32>
  linalg.generic {indexing_maps = [affine_map<(i) -> ()>, #id], iterator_types = ["parallel"]} ins(%scale : memref<f32>) outs(%p : memref<65536xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  return
}

// A small op whose body loads memory that the loop writes is not moved before it.

func.func private @gathers(%a: memref<65536xf32>, %o: memref<65536xf32>, %p: memref<65536xf32>) attributes {host.kernel} {
  %c7 = arith.constant 7 : index
  %one = memref.alloc() : memref<f32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<65536xf32>) outs(%o : memref<65536xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %x : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} outs(%one : memref<f32>) {
  ^bb0(%y: f32):
    %x = memref.load %o[%c7] : memref<65536xf32>
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> ()>, #id], iterator_types = ["parallel"]} ins(%one : memref<f32>) outs(%p : memref<65536xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  return
}
