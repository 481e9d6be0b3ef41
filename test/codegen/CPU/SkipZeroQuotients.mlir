// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --ingot-cpu-skip-zero-quotients | FileCheck %s

// Sparse Adam's pass over all rows: no lane is divided where each divides a
// zero by a number above zero. The square root is not computed either.

// CHECK-LABEL: func.func @adam
// CHECK-SAME:    %[[M:.*]]: vector<8xf32>, %[[V:.*]]: vector<8xf32>, %[[EPSILON:.*]]: vector<8xf32>
func.func @adam(%m: vector<8xf32>, %v: vector<8xf32>, %epsilon: vector<8xf32>, %o: memref<64x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  // CHECK: scf.for
  // CHECK-NOT: math.sqrt
  // CHECK-DAG: %[[VALID:.*]] = arith.cmpf oge, %[[V]], %{{.*}} : vector<8xf32>
  // CHECK-DAG: %[[ABOVE:.*]] = arith.cmpf ogt, %[[EPSILON]], %{{.*}} : vector<8xf32>
  // CHECK-DAG: %[[DIVISIBLE:.*]] = arith.andi %[[VALID]], %[[ABOVE]]
  // CHECK-DAG: %[[BITS:.*]] = arith.bitcast %[[M]] : vector<8xf32> to vector<8xi32>
  // CHECK-DAG: %[[MAGNITUDE:.*]] = arith.shli %[[BITS]], %{{.*}} : vector<8xi32>
  // CHECK-DAG: %[[ZERO:.*]] = arith.cmpi eq, %[[MAGNITUDE]], %{{.*}} : vector<8xi32>
  // CHECK: %[[LANES:.*]] = arith.andi %[[ZERO]], %[[DIVISIBLE]] : vector<8xi1>
  // CHECK: %[[SKIPS:.*]] = vector.reduction <and>, %[[LANES]] : vector<8xi1> into i1
  // CHECK: %[[Q:.*]] = scf.if %[[SKIPS]] -> (vector<8xf32>) {
  // CHECK-NEXT: scf.yield %[[M]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: %[[ROOT:.*]] = math.sqrt %[[V]]
  // CHECK-NEXT: %[[DIVISOR:.*]] = arith.addf %[[ROOT]], %[[EPSILON]]
  // CHECK-NEXT: %[[QUOTIENT:.*]] = arith.divf %[[M]], %[[DIVISOR]]
  // CHECK-NEXT: scf.yield %[[QUOTIENT]]
  // CHECK: vector.store %[[Q]]
  scf.for %i = %c0 to %c64 step %c1 {
    %root = math.sqrt %v : vector<8xf32>
    %d = arith.addf %root, %epsilon : vector<8xf32>
    %q = arith.divf %m, %d : vector<8xf32>
    vector.store %q, %o[%i, %c0] : memref<64x8xf32>, vector<8xf32>
  } {host.grid_loop, host.grid_range}
  return
}

// -----

// The root of a sum, as in RMSProp, is above zero where the sum is. What the
// root is used for besides stays.

// CHECK-LABEL: func.func @root_of_sum
func.func @root_of_sum(%m: vector<4xf64>, %s: vector<4xf64>, %o: memref<64x8xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  // CHECK: math.sqrt
  // CHECK: arith.cmpf ogt, %arg1
  // CHECK: scf.if
  // CHECK: else
  // CHECK-NOT: math.sqrt
  // CHECK: arith.divf
  scf.for %i = %c0 to %c64 step %c1 {
    %root = math.sqrt %s : vector<4xf64>
    %q = arith.divf %m, %root : vector<4xf64>
    vector.store %q, %o[%i, %c0] : memref<64x8xf64>, vector<4xf64>
    vector.store %root, %o[%i, %c4] : memref<64x8xf64>, vector<4xf64>
  } {host.grid_loop, host.grid_range}
  return
}

// -----

// Rows that an index selects have a gradient, other kernels have no such rows,
// and a division alone is not worth a branch.

// CHECK-LABEL: func.func @others
// CHECK-NOT: vector.reduction
// CHECK: return
func.func @others(%m: vector<8xf32>, %v: vector<8xf32>, %here: i1, %o: memref<64x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    scf.if %here {
      %root = math.sqrt %v : vector<8xf32>
      %q = arith.divf %m, %root : vector<8xf32>
      vector.store %q, %o[%i, %c0] : memref<64x8xf32>, vector<8xf32>
    }
    %p = arith.divf %m, %v : vector<8xf32>
    vector.store %p, %o[%i, %c0] : memref<64x8xf32>, vector<8xf32>
  } {host.grid_loop, host.grid_range}
  scf.for %i = %c0 to %c64 step %c1 {
    %root = math.sqrt %v : vector<8xf32>
    %q = arith.divf %m, %root : vector<8xf32>
    vector.store %q, %o[%i, %c0] : memref<64x8xf32>, vector<8xf32>
  } {host.grid_loop}
  return
}
