// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --ingot-elide-result-copies | FileCheck %s

// A sum by segments, whose number is a value, lies in its result from the start.

// CHECK-LABEL: func.func private @segments(
// CHECK-SAME:    %[[O:[^:]*]]: memref<?x8xf32>) attributes
func.func private @segments(%n: index, %o: memref<?x8xf32>) attributes {host.kernel} {
  // CHECK-NOT: memref.alloc
  // CHECK: linalg.fill {{.*}} outs(%[[O]] :
  // CHECK-NEXT: return
  %zero = arith.constant 0.0 : f32
  %0 = memref.alloc(%n) : memref<?x8xf32>
  linalg.fill ins(%zero : f32) outs(%0 : memref<?x8xf32>)
  memref.copy %0, %o : memref<?x8xf32> to memref<?x8xf32>
  return
}

// A result may have dimensions besides.

// CHECK-LABEL: func.func private @keeps_dimensions(
// CHECK-SAME:    %[[O:[^:]*]]: memref<?x7x1xf32>) attributes
func.func private @keeps_dimensions(%n: index, %shape: memref<3xindex>, %o: memref<?x7x1xf32>) attributes {host.kernel} {
  // CHECK: %[[SUMS:.*]] = memref.collapse_shape %[[O]] {{\[}}[0], [1, 2]] : memref<?x7x1xf32> into memref<?x7xf32>
  // CHECK: linalg.fill {{.*}} outs(%[[SUMS]] :
  // CHECK-NEXT: return
  %zero = arith.constant 0.0 : f32
  %0 = memref.alloc(%n) : memref<?x7xf32>
  linalg.fill ins(%zero : f32) outs(%0 : memref<?x7xf32>)
  %1 = memref.reshape %0(%shape) : (memref<?x7xf32>, memref<3xindex>) -> memref<?x7x1xf32>
  memref.copy %1, %o : memref<?x7x1xf32> to memref<?x7x1xf32>
  return
}

// A result that is read, one that is changed after the copy, and one of a static
// size are left alone.

// CHECK-LABEL: func.func private @others(
func.func private @others(%n: index, %x: memref<?xf32>, %o: memref<?xf32>, %p: memref<?xf32>, %q: memref<4xf32>) attributes {host.kernel} {
  // CHECK-COUNT-3: memref.alloc
  // CHECK-COUNT-3: memref.copy
  %zero = arith.constant 0.0 : f32
  %0 = memref.alloc(%n) : memref<?xf32>
  %1 = memref.alloc(%n) : memref<?xf32>
  %2 = memref.alloc() : memref<4xf32>
  linalg.exp ins(%o : memref<?xf32>) outs(%0 : memref<?xf32>)
  linalg.exp ins(%x : memref<?xf32>) outs(%1 : memref<?xf32>)
  memref.copy %1, %p : memref<?xf32> to memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%1 : memref<?xf32>)
  linalg.fill ins(%zero : f32) outs(%2 : memref<4xf32>)
  memref.copy %0, %o : memref<?xf32> to memref<?xf32>
  memref.copy %2, %q : memref<4xf32> to memref<4xf32>
  return
}

// Other allocations of a result's size take it from the result.

// CHECK-LABEL: func.func private @counts(
// CHECK-SAME:    %[[N:[^:]*]]: memref<i64>, %[[O:[^:]*]]: memref<?x3xf32>) attributes
func.func private @counts(%n: memref<i64>, %o: memref<?x3xf32>) attributes {host.kernel} {
  // CHECK: linalg.fill {{.*}} outs(%[[O]] :
  // CHECK: %[[ROWS:.*]] = memref.dim %[[O]], %c0
  // CHECK: memref.alloc(%[[ROWS]]) : memref<?xi32>
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %0 = memref.load %n[] : memref<i64>
  %1 = arith.index_cast %0 : i64 to index
  %2 = memref.alloc(%1) : memref<?x3xf32>
  linalg.fill ins(%zero : f32) outs(%2 : memref<?x3xf32>)
  %3 = memref.alloc(%1) : memref<?xi32>
  linalg.fill ins(%none : i32) outs(%3 : memref<?xi32>)
  memref.copy %2, %o : memref<?x3xf32> to memref<?x3xf32>
  return
}
