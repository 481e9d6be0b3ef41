// RUN: ingot-opt %s --split-input-file --ingot-partition-kernels --canonicalize | FileCheck %s

#id = affine_map<(i) -> (i)>

// Blocks of about 32 KiB; the length divides the whole.

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

// A row's sum and what needs it run block by block of rows; what lies between
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

// What a body reads of a buffer that the kernel writes lies in the block.

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

// A slice is shorter than what it is taken from: where neither length is known,
// no block of the one is a block of the other.

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
