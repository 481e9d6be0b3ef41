// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --ingot-cpu-vectorize-loops=vector-bits=256 | FileCheck %s

#id = affine_map<(i) -> (i)>
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// Whole vectors in a loop, then a half, then the remainder one by one.

// CHECK-LABEL: func.func @tail
func.func @tail(%a: memref<29xf32>, %o: memref<29xf32>) {
  // CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
  // CHECK:   vector.load %{{.*}} : memref<29xf32>, vector<8xf32>
  // CHECK:   arith.addf %{{.*}} : vector<8xf32>
  // CHECK:   vector.store %{{.*}} : memref<29xf32>, vector<8xf32>
  // CHECK: }
  // CHECK: vector.load %{{.*}} : memref<29xf32>, vector<4xf32>
  // CHECK: memref.load %{{.*}} : memref<29xf32>
  // CHECK: arith.addf %{{.*}} : f32
  // CHECK: memref.store
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<29xf32>) outs(%o : memref<29xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %x : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// A sum along the innermost dimension: 16 accumulators, whatever the vector width, starting
// from the identity; they are reduced and added to the destination's element.

// CHECK-LABEL: func.func @sum
func.func @sum(%a: memref<4x20xf32>, %o: memref<4xf32>) {
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
  // CHECK: %[[LANES:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[ZERO]]) -> (vector<16xf32>)
  // CHECK:   %[[X:.*]] = vector.load
  // CHECK:   arith.addf %[[ACC]], %[[X]] : vector<16xf32>
  // CHECK: vector.reduction <add>, %[[LANES]], %{{.*}} : vector<16xf32> into f32
  // CHECK-COUNT-4: arith.addf %{{.*}} : f32
  // CHECK: memref.store
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%a : memref<4x20xf32>) outs(%o : memref<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %y, %x : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// Two results that depend on each other are no reduction of lanes (arg max).

// CHECK-LABEL: func.func @argmax
func.func @argmax(%a: memref<4x32xf32>, %m: memref<4xf32>, %o: memref<4xi64>) {
  // CHECK-NOT: vector.
  // CHECK: arith.select
  linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%a : memref<4x32xf32>) outs(%m, %o : memref<4xf32>, memref<4xi64>) {
  ^bb0(%x: f32, %best: f32, %at: i64):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %c = arith.cmpf ogt, %x, %best : f32
    %b = arith.select %c, %x, %best : f32
    %i = arith.select %c, %k, %at : i64
    linalg.yield %b, %i : f32, i64
  }
  return
}

// -----

// Long sums: 64 vectors are a block, 64 such blocks the next one, and so on. Each level starts from the neutral element.

// CHECK-LABEL: func.func @long
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK-DAG:     %[[LEVEL2:.*]] = arith.constant 65536 : index
// CHECK:         %[[SUM:.*]] = scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %[[LEVEL2]] iter_args(%[[S2:.*]] = %[[ZERO]])
// CHECK:           %[[B1:.*]] = scf.for %{{.*}} = %[[I]] to %{{.*}} step %[[LEVEL1:.*]] iter_args(%[[S1:.*]] = %[[ZERO]])
// CHECK:             %[[B0:.*]] = scf.for {{.*}} iter_args(%[[S0:.*]] = %[[ZERO]])
// CHECK:               arith.addf %[[S0]], %{{.*}} : vector<16xf32>
// CHECK:             arith.addf %[[S1]], %[[B0]] : vector<16xf32>
// CHECK:           arith.addf %[[S2]], %[[B1]] : vector<16xf32>
// CHECK:         vector.reduction <add>, %[[SUM]]
func.func @long(%a: memref<1000000xf32>, %o: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%a : memref<1000000xf32>) outs(%o : memref<f32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %y, %x : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Sums over rows as well: for each vector of columns, four at a time, 64 rows
// are a block.

// CHECK-LABEL: func.func @columns
// CHECK:         scf.for %[[COLUMN:.*]] = %c0 to %c64 step %c32 {
// CHECK:           %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<8xf32>
// CHECK:           %[[SUM:.*]]:4 = scf.for %{{.*}} step %c262144 iter_args(%{{.*}} = %[[ZERO]], %{{.*}} = %[[ZERO]], %{{.*}} = %[[ZERO]], %{{.*}} = %[[ZERO]])
// CHECK:             scf.for %{{.*}} step %c4096 iter_args(%{{.*}} = %[[ZERO]],
// CHECK:               scf.for %{{.*}} step %c64_{{[0-9]+}} iter_args(%{{.*}} = %[[ZERO]],
// CHECK:                 scf.for %[[ROW:.*]] = %{{.*}} step %c1 iter_args(%[[S:[a-z0-9]+]] = %[[ZERO]],
// CHECK:                   %[[X:.*]] = vector.load %{{.*}}[%[[ROW]], %[[COLUMN]]]
// CHECK:                   arith.addf %[[S]], %[[X]] : vector<8xf32>
// CHECK:           arith.addf %{{.*}}, %[[SUM]]#0 : vector<8xf32>
func.func @columns(%a: memref<?x64xf32>, %o: memref<64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]} ins(%a : memref<?x64xf32>) outs(%o : memref<64xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %y, %x : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Several dimensions: the sums along the inner one are the leaves of the outer
// one's tree.

// CHECK-LABEL: func.func @rows_of_rows
// CHECK:         scf.for {{.*}} iter_args(%[[ALL:.*]] = %{{.*}}) -> (f32)
// CHECK:           %[[ROW:.*]] = vector.reduction <add>
// CHECK:           arith.addf %{{.*}}, %[[ROW]] : f32
func.func @rows_of_rows(%a: memref<?x64xf32>, %o: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%a : memref<?x64xf32>) outs(%o : memref<f32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %y, %x : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Neighbours draw numbers that follow each other. Rows of 40 begin with a
// block, those of 33 need not; the key is read once.

// CHECK-LABEL: func.func @draw
// CHECK:         %[[KEY:.*]] = memref.load %{{.*}}[%c0{{.*}}] : memref<1xi64>
// CHECK:         scf.for
// CHECK-NOT:       memref.load
// CHECK:           scf.for
// CHECK:             host.random_bits %[[KEY]], %{{.*}} aligned : vector<8xi32>
// CHECK-LABEL: func.func @draw_anywhere
// CHECK:         host.random_bits %{{.*}}, %{{[a-z0-9_]+}} : vector<8xi32>
// CHECK:         host.random_bits %{{.*}} : i32
func.func @draw(%key: memref<1xi64>, %o: memref<6x40xi32>) {
  %zero = arith.constant 0 : index
  %none = arith.constant 0 : i64
  %width = arith.constant 40 : index
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%o : memref<6x40xi32>) {
  ^bb0(%y: i32):
    %k = memref.load %key[%zero] : memref<1xi64>
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.muli %i, %width : index
    %place = arith.addi %row, %j : index
    %number = arith.index_cast %place : index to i64
    %r = host.random_bits %k, %none, %none, %number : i32
    linalg.yield %r : i32
  }
  return
}
func.func @draw_anywhere(%key: memref<1xi64>, %o: memref<6x33xi32>) {
  %zero = arith.constant 0 : index
  %none = arith.constant 0 : i64
  %width = arith.constant 33 : index
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%o : memref<6x33xi32>) {
  ^bb0(%y: i32):
    %k = memref.load %key[%zero] : memref<1xi64>
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.muli %i, %width : index
    %place = arith.addi %row, %j : index
    %number = arith.index_cast %place : index to i64
    %r = host.random_bits %k, %none, %none, %number : i32
    linalg.yield %r : i32
  }
  return
}

// -----

// Booleans are bytes in memory.

// CHECK-LABEL: func.func @booleans
// CHECK:         %[[BYTES:.*]] = builtin.unrealized_conversion_cast %{{.*}} : memref<32xi1> to memref<32xi8>
// CHECK:         %[[X:.*]] = vector.load %[[BYTES]]
// CHECK:         %[[MASK:.*]] = arith.cmpi ne, %[[X]], %{{.*}} : vector<{{[0-9]+}}xi8>
// CHECK:         arith.select %[[MASK]]
// CHECK:         %[[WIDE:.*]] = arith.extui %{{.*}} : vector<{{[0-9]+}}xi1> to vector<{{[0-9]+}}xi8>
// CHECK:         vector.store %[[WIDE]], %{{.*}} : memref<32xi8>
func.func @booleans(%m: memref<32xi1>, %x: memref<32xf32>, %o: memref<32xf32>, %n: memref<32xi1>) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%m, %x : memref<32xi1>, memref<32xf32>) outs(%o, %n : memref<32xf32>, memref<32xi1>) {
  ^bb0(%c: i1, %v: f32, %y: f32, %z: i1):
    %s = arith.select %c, %v, %zero : f32
    %p = arith.cmpf ogt, %s, %zero : f32
    linalg.yield %s, %p : f32, i1
  }
  return
}

// -----

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// The order of a sum does not depend on operands: a row that is strided has 16 partial sums like a contiguous one, each of
// whose elements is loaded alone; and the accumulator's type alone tells how many there are, not the wider operand's.

// CHECK-LABEL: func.func @strided_sum
func.func @strided_sum(%a: memref<4x20xf32, strided<[40, 2]>>, %b: memref<4x20xf64>, %o: memref<4xf32>) {
  // CHECK:         scf.for {{.*}} -> (vector<16xf32>)
  // CHECK-COUNT-16:  memref.load %{{.*}} : memref<4x20xf32, strided<[40, 2]>>
  // CHECK:           vector.from_elements {{.*}} : vector<16xf32>
  // CHECK:         vector.reduction <add>, %{{.*}}, %{{.*}} : vector<16xf32> into f32
  // CHECK-COUNT-4: memref.load %{{.*}} : memref<4x20xf32, strided<[40, 2]>>
  // CHECK:         vector.from_elements {{.*}} : vector<4xf32>
  // CHECK-COUNT-4: arith.addf %{{.*}} : f32
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%a : memref<4x20xf32, strided<[40, 2]>>) outs(%o : memref<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %y, %x : f32
    linalg.yield %s : f32
  }
  // CHECK: arith.truncf %{{.*}} : vector<16xf64> to vector<16xf32>
  // CHECK: vector.reduction <add>, %{{.*}}, %{{.*}} : vector<16xf32> into f32
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%b : memref<4x20xf64>) outs(%o : memref<4xf32>) {
  ^bb0(%x: f64, %y: f32):
    %t = arith.truncf %x : f64 to f32
    %s = arith.addf %y, %t : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#factor = affine_map<(i, j) -> (j)>
#none = affine_map<(i, j) -> ()>

// Short inner loops are one row, collapsed or not: 30 elements in 16 partial sums, the last 14 one by one.

// CHECK-LABEL: func.func @rows_as_one
func.func @rows_as_one(%a: memref<3x10xf32>, %b: memref<10xf32>, %o: memref<f32>) {
  // CHECK:     scf.for {{.*}} -> (vector<16xf32>)
  // CHECK:       arith.remui
  // CHECK:       arith.divui
  // CHECK:       vector.from_elements {{.*}} : vector<16xf32>
  // CHECK:     vector.reduction <add>, %{{.*}}, %{{.*}} : vector<16xf32> into f32
  // CHECK-COUNT-14: arith.addf %{{.*}} : f32
  linalg.generic {indexing_maps = [#all, #factor, #none], iterator_types = ["reduction", "reduction"]} ins(%a, %b : memref<3x10xf32>, memref<10xf32>) outs(%o : memref<f32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>

// Only loads are repeated for each lane, the body is not: it is computed on vectors, of 16 lanes in the loop and of 8, 4, 2 and 1
// for the 15 elements that are left.

// CHECK-LABEL: func.func @gathered_body
func.func @gathered_body(%a: memref<4x99xf32>, %b: memref<4x31xf32, strided<[62, 2]>>, %at: memref<31xi64>, %o: memref<4xf32>) {
  // CHECK:         scf.for {{.*}} -> (vector<16xf32>)
  // CHECK-COUNT-16:  memref.load %{{.*}} : memref<4x31xf32, strided<[62, 2]>>
  // CHECK:           %[[INDICES:.*]] = vector.load %{{.*}} : memref<31xi64>, vector<16xi64>
  // CHECK:           %[[PLACES:.*]] = arith.index_cast %[[INDICES]] : vector<16xi64> to vector<16xindex>
  // CHECK:           %[[LAST:.*]] = vector.extract %[[PLACES]][15] : index from vector<16xindex>
  // CHECK-COUNT-15:  memref.load %{{.*}} : memref<4x99xf32>
  // CHECK:           memref.load %{{.*}}[%{{.*}}, %[[LAST]]] : memref<4x99xf32>
  // CHECK:           math.tanh %{{.*}} : vector<16xf32>
  // CHECK-NOT:       math.tanh
  // CHECK:         vector.reduction <add>
  // CHECK:         math.tanh %{{.*}} : vector<8xf32>
  // CHECK-COUNT-8: arith.addf %{{.*}} : f32
  // CHECK:         math.tanh %{{.*}} : vector<4xf32>
  // CHECK-COUNT-4: arith.addf %{{.*}} : f32
  // CHECK:         math.tanh %{{.*}} : vector<2xf32>
  // CHECK-COUNT-2: arith.addf %{{.*}} : f32
  // CHECK:         math.tanh %{{.*}} : f32
  // CHECK:         arith.addf %{{.*}} : f32
  // CHECK-NOT:     math.tanh
  // CHECK:         return
  linalg.generic {indexing_maps = [#all, #column, #row], iterator_types = ["parallel", "reduction"]} ins(%b, %at : memref<4x31xf32, strided<[62, 2]>>, memref<31xi64>) outs(%o : memref<4xf32>) {
  ^bb0(%x: f32, %k: i64, %y: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %k : i64 to index
    %v = memref.load %a[%i, %j] : memref<4x99xf32>
    %p = arith.mulf %x, %v : f32
    %t = math.tanh %p : f32
    %s = arith.addf %y, %t : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// Numbers that are not consecutive are drawn in a loop over lanes.

// CHECK-LABEL: func.func @every_other_draw
func.func @every_other_draw(%key: i64, %a: memref<4x32xf32>, %o: memref<4xf32>) {
  // CHECK:      scf.for {{.*}} -> (vector<16xf32>)
  // CHECK:        %[[NUMBERS:.*]] = arith.index_cast %{{.*}} : vector<16xindex> to vector<16xi64>
  // CHECK:        %[[BITS:.*]] = scf.for %[[LANE:[a-z0-9]+]] = %{{.*}} iter_args(%[[SOME:.*]] = %{{.*}}) -> (vector<16xi32>)
  // CHECK:          %[[NUMBER:.*]] = vector.extract %[[NUMBERS]][%[[LANE]]] : i64 from vector<16xi64>
  // CHECK:          %[[ONE:.*]] = host.random_bits %{{.*}}, %[[NUMBER]] : i32
  // CHECK:          %[[MORE:.*]] = vector.insert %[[ONE]], %[[SOME]] [%[[LANE]]] : i32 into vector<16xi32>
  // CHECK:          scf.yield %[[MORE]]
  // CHECK:        arith.uitofp %[[BITS]] : vector<16xi32> to vector<16xf32>
  %none = arith.constant 0 : i64
  %two = arith.constant 2 : index
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%a : memref<4x32xf32>) outs(%o : memref<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %j = linalg.index 1 : index
    %place = arith.muli %j, %two : index
    %number = arith.index_cast %place : index to i64
    %r = host.random_bits %key, %none, %none, %number : i32
    %f = arith.uitofp %r : i32 to f32
    %p = arith.mulf %x, %f : f32
    %s = arith.addf %y, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#factor = affine_map<(i, j) -> (i)>
#none = affine_map<(i, j) -> ()>

// If lanes never cross the end of the innermost loop, they are loaded as vectors. A factor of each i is the same in all lanes.

// CHECK-LABEL: func.func @whole_rows
func.func @whole_rows(%a: memref<3x32xf32>, %b: memref<3xf32>, %m: memref<3x32xi1, strided<[64, 2]>>, %o: memref<f32>) {
  // CHECK:     scf.for {{.*}} -> (vector<16xf32>)
  // CHECK:       vector.load %{{.*}} : memref<3x32xf32>, vector<16xf32>
  // CHECK:       %[[FACTOR:.*]] = memref.load %{{.*}} : memref<3xf32>
  // CHECK-NOT:   memref.load %{{.*}} : memref<3xf32>
  // CHECK-COUNT-16: memref.load %{{.*}} : memref<3x32xi8, strided<[64, 2]>>
  // CHECK:       %[[BYTES:.*]] = vector.from_elements {{.*}} : vector<16xi8>
  // CHECK:       arith.cmpi ne, %[[BYTES]], %{{.*}} : vector<16xi8>
  // CHECK:       vector.broadcast %[[FACTOR]] : f32 to vector<16xf32>
  linalg.generic {indexing_maps = [#all, #factor, #all, #none], iterator_types = ["reduction", "reduction"]} ins(%a, %b, %m : memref<3x32xf32>, memref<3xf32>, memref<3x32xi1, strided<[64, 2]>>) outs(%o : memref<f32>) {
  ^bb0(%x: f32, %y: f32, %c: i1, %z: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.select %c, %p, %x : f32
    %s = arith.addf %z, %q : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#none = affine_map<(i, j) -> ()>

// A branch has no vector form. The values that it captures differ between lanes as the condition does, or although it does not.

// CHECK-LABEL: func.func @branches
func.func @branches(%a: memref<4x3xf32>, %b: memref<4x3xf32>, %o: memref<f32>, %c: i1) {
  // CHECK:      scf.for {{.*}} -> (vector<8xf32>)
  // CHECK-DAG:    %[[ROWS:.*]] = vector.from_elements {{.*}} : vector<8xindex>
  // CHECK-DAG:    %[[COLUMNS:.*]] = vector.from_elements {{.*}} : vector<8xindex>
  // CHECK:        scf.for %[[LANE:[a-z0-9]+]] = %{{.*}} -> (vector<8xf32>)
  // CHECK-DAG:      %[[ROW:.*]] = vector.extract %[[ROWS]][%[[LANE]]] : index from vector<8xindex>
  // CHECK-DAG:      %[[COLUMN:.*]] = vector.extract %[[COLUMNS]][%[[LANE]]] : index from vector<8xindex>
  // CHECK:          scf.if %{{.*}} -> (f32)
  // CHECK:            memref.load %{{.*}}[%[[ROW]], %[[COLUMN]]] : memref<4x3xf32>
  // CHECK:        scf.for {{.*}} -> (vector<8xf32>)
  // CHECK:          scf.if %{{.*}} -> (f32)
  // CHECK:            memref.load %{{.*}}[%{{.*}}, %{{.*}}] : memref<4x3xf32>
  // CHECK:        arith.mulf {{.*}} : vector<8xf32>
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2 : index
  linalg.generic {indexing_maps = [#all, #none], iterator_types = ["reduction", "reduction"]} ins(%a : memref<4x3xf32>) outs(%o : memref<f32>) {
  ^bb0(%x: f32, %z: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %inside = arith.cmpi ult, %j, %two : index
    %v = scf.if %inside -> f32 {
      %l = memref.load %b[%i, %j] : memref<4x3xf32>
      scf.yield %l : f32
    } else {
      scf.yield %zero : f32
    }
    %w = scf.if %c -> f32 {
      %l = memref.load %b[%i, %j] : memref<4x3xf32>
      scf.yield %l : f32
    } else {
      scf.yield %x : f32
    }
    %p = arith.mulf %v, %w : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// An index that a branch returns is not the same in all lanes if only the branch's condition is.

// CHECK-LABEL: func.func @index_of_a_branch
func.func @index_of_a_branch(%a: memref<4x32xf32>, %b: memref<99xf32>, %at: memref<32xindex>, %o: memref<4xf32>, %c: i1) {
  // CHECK:      scf.for {{.*}} -> (vector<16xf32>)
  // CHECK:        %[[INDICES:.*]] = scf.for {{.*}} -> (vector<16xindex>)
  // CHECK:        vector.extract %[[INDICES]][15] : index from vector<16xindex>
  // CHECK-COUNT-16: memref.load %{{.*}} : memref<99xf32>
  // CHECK:        arith.mulf {{.*}} : vector<16xf32>
  %first = arith.constant 0 : index
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%a : memref<4x32xf32>) outs(%o : memref<4xf32>) {
  ^bb0(%x: f32, %z: f32):
    %j = linalg.index 1 : index
    %k = scf.if %c -> index {
      %l = memref.load %at[%j] : memref<32xindex>
      scf.yield %l : index
    } else {
      scf.yield %first : index
    }
    %v = memref.load %b[%k] : memref<99xf32>
    %p = arith.mulf %x, %v : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// A maximum has one result in any order: two vectors of 16 lanes beside each
// other, then one that ends with the row. Lanes are compared as integers, in
// which a NaN is the largest.

// CHECK-LABEL: func.func @maximum
// CHECK-SAME:    %[[A:[^:]*]]: memref<4x45xf32>, %[[O:[^:]*]]: memref<4xf32>
func.func @maximum(%a: memref<4x45xf32>, %o: memref<4xf32>) {
  // CHECK: %[[OLD:.*]] = memref.load %[[O]]
  // CHECK: %[[START:.*]] = vector.broadcast %[[OLD]] : f32 to vector<16xf32>
  // CHECK: %[[PARTS:.*]]:2 = scf.for {{.*}} iter_args(%[[P:.*]] = %[[START]], %[[Q:.*]] = %[[START]])
  // CHECK:   %[[X:.*]] = vector.load
  // CHECK:   arith.maximumf %[[P]], %[[X]] : vector<16xf32>
  // CHECK:   %[[Y:.*]] = vector.load
  // CHECK:   arith.maximumf %[[Q]], %[[Y]] : vector<16xf32>
  // CHECK: %[[LAST:.*]] = arith.constant 29 : index
  // CHECK: %[[Z:.*]] = vector.load %[[A]][%{{.*}}, %[[LAST]]]
  // CHECK: %[[P2:.*]] = arith.maximumf %[[PARTS]]#0, %[[Z]] : vector<16xf32>
  // CHECK: %[[BOTH:.*]] = arith.maximumf %[[P2]], %[[PARTS]]#1 : vector<16xf32>
  // CHECK: %[[BITS:.*]] = arith.bitcast %[[BOTH]] : vector<16xf32> to vector<16xi32>
  // CHECK: arith.cmpf uno, %[[BOTH]], %[[BOTH]]
  // CHECK: arith.andi %[[BITS]]
  // CHECK: arith.select
  // CHECK: %[[BEST:.*]] = vector.reduction <maxsi>, %{{.*}} : vector<16xi32> into i32
  // CHECK: arith.bitcast %{{.*}} : i32 to f32
  // CHECK-NOT: maximumf
  // CHECK: memref.store
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%a : memref<4x45xf32>) outs(%o : memref<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.maximumf %y, %x : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// A short row of doubles: the NaN of a minimum is below all numbers.

// CHECK-LABEL: func.func @minimum
func.func @minimum(%a: memref<4x7xf64>, %o: memref<4xf64>) {
  // CHECK: vector.load %{{.*}} : memref<4x7xf64>, vector<4xf64>
  // CHECK: arith.minimumf
  // CHECK: arith.constant 3 : index
  // CHECK: vector.load %{{.*}} : memref<4x7xf64>, vector<4xf64>
  // CHECK: arith.minimumf
  // CHECK: arith.ori %{{.*}} : vector<4xi64>
  // CHECK: vector.reduction <minsi>, %{{.*}} : vector<4xi64> into i64
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%a : memref<4x7xf64>) outs(%o : memref<4xf64>) {
  ^bb0(%x: f64, %y: f64):
    %s = arith.minimumf %x, %y : f64
    linalg.yield %s : f64
  }
  return
}

// -----

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// The element at one place of each row is one load, and none if the place is
// outside.

// CHECK-LABEL: func.func @pick
// CHECK-SAME:    %[[A:[^:]*]]: memref<4x1000xf32>, %[[L:[^:]*]]: memref<4xi32>, %[[O:[^:]*]]: memref<4xf32>
func.func @pick(%a: memref<4x1000xf32>, %l: memref<4xi32>, %o: memref<4xf32>) {
  // CHECK: scf.for %[[I:.*]] = %c0{{.*}} to %c4{{.*}}
  // CHECK-NOT: scf.for
  // CHECK:   %[[LABEL:.*]] = memref.load %[[L]][%[[I]]]
  // CHECK:   %[[J:.*]] = arith.index_cast %[[LABEL]] : i32 to index
  // CHECK:   %[[INSIDE:.*]] = arith.cmpi ult, %[[J]], %c1000
  // CHECK:   scf.if %[[INSIDE]]
  // CHECK:     memref.load %[[A]][%[[I]], %[[J]]]
  // CHECK:     memref.store %{{.*}}, %[[O]][%[[I]]]
  linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%a, %l : memref<4x1000xf32>, memref<4xi32>) outs(%o : memref<4xf32>) {
  ^bb0(%x: f32, %label: i32, %y: f32):
    %j = linalg.index 1 : index
    %place = arith.index_cast %j : index to i32
    %here = arith.cmpi eq, %place, %label : i32
    %s = arith.select %here, %x, %y : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// Bytes do not tell all indices of the row apart: several may be chosen.

// CHECK-LABEL: func.func @no_pick
func.func @no_pick(%a: memref<4x1000xf32>, %l: memref<4xi8>, %o: memref<4xf32>) {
  // CHECK: scf.for
  // CHECK:   scf.for
  // CHECK-NOT: scf.if
  linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%a, %l : memref<4x1000xf32>, memref<4xi8>) outs(%o : memref<4xf32>) {
  ^bb0(%x: f32, %label: i8, %y: f32):
    %j = linalg.index 1 : index
    %place = arith.index_cast %j : index to i8
    %here = arith.cmpi eq, %place, %label : i8
    %s = arith.select %here, %x, %y : f32
    linalg.yield %s : f32
  }
  return
}
