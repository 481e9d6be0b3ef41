// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --ingot-cpu-vectorize-transposes="vector-bits=128" | FileCheck %s

// Squares of four by four: rows are loaded, exchanged in two steps, and stored
// as the target's rows.

// CHECK-LABEL: func.func @squares(
// CHECK-SAME:    %[[A:[^:]*]]: memref<8x4xf32>, %[[T:[^:]*]]: memref<4x8xf32>)
func.func @squares(%a: memref<8x4xf32>, %t: memref<4x8xf32>) {
  // CHECK: scf.for %[[I:[^ ]*]] = %c0{{[_0-9]*}} to %c8{{[_0-9]*}} step %c4
  // CHECK: scf.for %[[J:[^ ]*]] = %c0{{[_0-9]*}} to %c4{{[_0-9]*}} step %c4
  // CHECK: %[[R0:.*]] = vector.load %[[A]][%[[I]], %[[J]]]
  // CHECK: %[[I1:.*]] = arith.addi %[[I]], %c1
  // CHECK: %[[R1:.*]] = vector.load %[[A]][%[[I1]], %[[J]]]
  // CHECK: %[[R2:.*]] = vector.load
  // CHECK: %[[R3:.*]] = vector.load
  // CHECK: %[[P0:.*]] = vector.shuffle %[[R0]], %[[R1]] [0, 4, 2, 6]
  // CHECK: %[[P1:.*]] = vector.shuffle %[[R0]], %[[R1]] [1, 5, 3, 7]
  // CHECK: %[[P2:.*]] = vector.shuffle %[[R2]], %[[R3]] [0, 4, 2, 6]
  // CHECK: %[[P3:.*]] = vector.shuffle %[[R2]], %[[R3]] [1, 5, 3, 7]
  // CHECK: %[[Q0:.*]] = vector.shuffle %[[P0]], %[[P2]] [0, 1, 4, 5]
  // CHECK: %[[Q2:.*]] = vector.shuffle %[[P0]], %[[P2]] [2, 3, 6, 7]
  // CHECK: %[[Q1:.*]] = vector.shuffle %[[P1]], %[[P3]] [0, 1, 4, 5]
  // CHECK: %[[Q3:.*]] = vector.shuffle %[[P1]], %[[P3]] [2, 3, 6, 7]
  // CHECK: vector.store %[[Q0]], %[[T]][%[[J]], %[[I]]]
  // CHECK: vector.store %[[Q1]], %[[T]]
  // CHECK: vector.store %[[Q2]], %[[T]]
  // CHECK: vector.store %[[Q3]], %[[T]]
  // CHECK-NOT: linalg.transpose
  linalg.transpose ins(%a : memref<8x4xf32>) outs(%t : memref<4x8xf32>) permutation = [1, 0]
  return
}

// Smaller squares, down to elements, cover the remainder.

// CHECK-LABEL: func.func @rests(
func.func @rests(%a: memref<4x7xf32>, %t: memref<7x4xf32>) {
  // CHECK-COUNT-4: vector.load {{.*}} vector<4xf32>
  // CHECK-COUNT-2: vector.load {{.*}} vector<2xf32>
  // CHECK: memref.load
  // CHECK-NOT: linalg.transpose
  linalg.transpose ins(%a : memref<4x7xf32>) outs(%t : memref<7x4xf32>) permutation = [1, 0]
  return
}

// Of unknown sizes: whole squares, then elements beside and below them.

// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME:    %[[A:[^:]*]]: memref<?x?xi64>
func.func @dynamic(%a: memref<?x?xi64>, %t: memref<?x?xi64>) {
  // CHECK: %[[ROWS:.*]] = memref.dim %[[A]]
  // CHECK: %[[COLUMNS:.*]] = memref.dim %[[A]]
  // CHECK: %[[ROWREST:.*]] = arith.remui %[[ROWS]], %c2
  // CHECK: %[[WHOLEROWS:.*]] = arith.subi %[[ROWS]], %[[ROWREST]]
  // CHECK: %[[WHOLECOLUMNS:.*]] = arith.subi %[[COLUMNS]]
  // CHECK: scf.for {{.*}} to %[[WHOLEROWS]] step %c2
  // CHECK: scf.for {{.*}} to %[[WHOLECOLUMNS]] step %c2
  // CHECK-COUNT-2: vector.load
  // CHECK: scf.for {{.*}} to %[[ROWS]] step %c1
  // CHECK: scf.for {{.*}} = %[[WHOLECOLUMNS]] to %[[COLUMNS]] step %c1
  // CHECK: memref.load
  // CHECK: scf.for {{.*}} = %[[WHOLEROWS]] to %[[ROWS]] step %c1
  // CHECK: scf.for {{.*}} to %[[WHOLECOLUMNS]] step %c1
  // CHECK: memref.load
  linalg.transpose ins(%a : memref<?x?xi64>) outs(%t : memref<?x?xi64>) permutation = [1, 0]
  return
}

// Six columns and any number of rows: squares of four, then of two.

// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[A:[^:]*]]: memref<?x6xf32>
func.func @rows(%a: memref<?x6xf32>, %t: memref<6x?xf32>) {
  // CHECK: %[[ROWS:.*]] = memref.dim %[[A]]
  // CHECK: %[[REST:.*]] = arith.remui %[[ROWS]], %c4
  // CHECK: %[[WHOLE:.*]] = arith.subi %[[ROWS]], %[[REST]]
  // CHECK: scf.for {{.*}} to %[[WHOLE]] step %c4
  // CHECK: scf.for {{.*}} = %c0{{[_0-9]*}} to %c4{{[_0-9]*}} step %c4
  // CHECK-COUNT-4: vector.load {{.*}} vector<4xf32>
  // CHECK: scf.for {{.*}} = %[[WHOLE]] to %[[ROWS]] step %c1
  // CHECK: memref.load
  // CHECK: arith.remui %[[ROWS]], %c2
  // CHECK: scf.for {{.*}} = %c4{{[_0-9]*}} to %c6{{[_0-9]*}} step %c2
  // CHECK-COUNT-2: vector.load {{.*}} vector<2xf32>
  // CHECK: memref.load
  linalg.transpose ins(%a : memref<?x6xf32>) outs(%t : memref<6x?xf32>) permutation = [1, 0]
  return
}

// The dimensions that are contiguous on either side make the squares; the
// others are loops around them.

// CHECK-LABEL: func.func @inner(
// CHECK-SAME:    %[[A:[^:]*]]: memref<4x3x8xf32>, %[[T:[^:]*]]: memref<3x8x4xf32>)
func.func @inner(%a: memref<4x3x8xf32>, %t: memref<3x8x4xf32>) {
  // CHECK: scf.for %[[K:[^ ]*]] = %c0{{[_0-9]*}} to %c3
  // CHECK: vector.load %[[A]][%{{[^,]*}}, %[[K]], %{{[^,]*}}]
  // CHECK: vector.store %{{.*}}, %[[T]][%[[K]], %{{[^,]*}}, %{{[^,]*}}]
  linalg.transpose ins(%a : memref<4x3x8xf32>) outs(%t : memref<3x8x4xf32>) permutation = [1, 2, 0]
  return
}

// A transpose that keeps the innermost dimension is lowered to loops like any
// other op, and so is one of elements that vectors do not hold.

// CHECK-LABEL: func.func @others(
func.func @others(%a: memref<4x3x8xf32>, %t: memref<3x4x8xf32>, %b: memref<4x4xi1>, %u: memref<4x4xi1>) {
  // CHECK-COUNT-2: linalg.transpose
  linalg.transpose ins(%a : memref<4x3x8xf32>) outs(%t : memref<3x4x8xf32>) permutation = [1, 0, 2]
  linalg.transpose ins(%b : memref<4x4xi1>) outs(%u : memref<4x4xi1>) permutation = [1, 0]
  return
}
