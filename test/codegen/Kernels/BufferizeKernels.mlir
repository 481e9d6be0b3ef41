// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --ingot-bufferize-kernels --canonicalize | FileCheck %s

#id = affine_map<(i) -> (i)>

// A kernel takes buffers and writes its result to the last one; a variable
// that it reads and replaces is updated where it lies.

// CHECK-LABEL: func.func private @update(
// CHECK-SAME:    %[[G:[^:]*]]: memref<4xf32>, %[[W:[^:]*]]: memref<4xf32>) attributes {host.kernel}
func.func private @update(%g: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {host.kernel} {
  // CHECK-NOT: memref.alloc
  // CHECK: linalg.generic {{.*}} ins(%[[G]] : memref<4xf32>) outs(%[[W]] : memref<4xf32>)
  // CHECK-NOT: memref.copy
  // CHECK: return
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%g : tensor<4xf32>) outs(%w : tensor<4xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.subf %q, %p : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// Entries are not looked at.

// CHECK-LABEL: func.func @step(
// CHECK-SAME:    tensor<4xf32>
func.func @step(%w: tensor<4xf32>) -> tensor<4xf32> {
  return %w : tensor<4xf32>
}

// A result of many slices is assembled in place: the op that computes a slice
// writes it there.

// CHECK-LABEL: func.func private @stack(
// CHECK-SAME:    %[[X:[^:]*]]: memref<4x1xf32>, %[[Y:[^:]*]]: memref<4x8xf32>)
func.func private @stack(%x: tensor<4x1xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {host.kernel} {
  // CHECK-NOT: memref.alloc
  // CHECK: %[[FIRST:.*]] = memref.subview %[[Y]][0, 0] [4, 1] [1, 1]
  // CHECK: memref.copy %[[X]], %[[FIRST]]
  // CHECK: %[[SECOND:.*]] = memref.subview %[[Y]][0, 1] [4, 1] [1, 1]
  // CHECK: linalg.exp ins(%[[X]] : memref<4x1xf32>) outs(%[[SECOND]] :
  // CHECK-NOT: memref.alloc
  // CHECK-COUNT-6: memref.copy %[[X]],
  // CHECK-NEXT: return
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = tensor.insert_slice %x into %e[0, 0] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x8xf32>
  %s = tensor.extract_slice %0[0, 1] [4, 1] [1, 1] : tensor<4x8xf32> to tensor<4x1xf32>
  %c = linalg.exp ins(%x : tensor<4x1xf32>) outs(%s : tensor<4x1xf32>) -> tensor<4x1xf32>
  %1 = tensor.insert_slice %c into %0[0, 1] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x8xf32>
  %2 = tensor.insert_slice %x into %1[0, 2] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x8xf32>
  %3 = tensor.insert_slice %x into %2[0, 3] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x8xf32>
  %4 = tensor.insert_slice %x into %3[0, 4] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x8xf32>
  %5 = tensor.insert_slice %x into %4[0, 5] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x8xf32>
  %6 = tensor.insert_slice %x into %5[0, 6] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x8xf32>
  %7 = tensor.insert_slice %x into %6[0, 7] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x8xf32>
  return %7 : tensor<4x8xf32>
}

// So is one that starts with the result's argument, and that the kernel reads
// as well.

// CHECK-LABEL: func.func private @stack_and_sum(
// CHECK-SAME:    %[[X:[^:]*]]: memref<4x1xf32>, %[[Y:[^:]*]]: memref<4x8xf32>, %[[SUM:[^:]*]]: memref<f32>)
func.func private @stack_and_sum(%x: tensor<4x1xf32>, %y: tensor<4x8xf32>, %sum: tensor<f32>) -> (tensor<4x8xf32>, tensor<f32>) attributes {host.kernel} {
  // CHECK-NOT: memref.alloc
  // CHECK: memref.subview %[[Y]][0, 0] [4, 1] [1, 1]
  // CHECK-COUNT-8: memref.copy %[[X]],
  // CHECK-NOT: memref.alloc
  // CHECK: linalg.generic {{.*}} ins(%[[Y]] : memref<4x8xf32>) outs(%[[SUM]] : memref<f32>)
  // CHECK: return
  %0 = tensor.insert_slice %x into %y[0, 0] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x8xf32>
  %1 = tensor.insert_slice %x into %0[0, 1] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x8xf32>
  %2 = tensor.insert_slice %x into %1[0, 2] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x8xf32>
  %3 = tensor.insert_slice %x into %2[0, 3] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x8xf32>
  %4 = tensor.insert_slice %x into %3[0, 4] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x8xf32>
  %5 = tensor.insert_slice %x into %4[0, 5] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x8xf32>
  %6 = tensor.insert_slice %x into %5[0, 6] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x8xf32>
  %7 = tensor.insert_slice %x into %6[0, 7] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x8xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%7 : tensor<4x8xf32>) outs(%sum : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.addf %out, %in : f32
    linalg.yield %a : f32
  } -> tensor<f32>
  return %7, %z : tensor<4x8xf32>, tensor<f32>
}

// One that is still read as it was before a slice is left to the analysis.

// CHECK-LABEL: func.func private @read_between(
func.func private @read_between(%x: tensor<4x1xf32>, %y: tensor<4x8xf32>, %z: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) attributes {host.kernel} {
  // CHECK: memref.alloc
  // CHECK: return
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = tensor.insert_slice %x into %e[0, 0] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x8xf32>
  %1 = tensor.insert_slice %x into %0[0, 1] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x8xf32>
  %2 = tensor.insert_slice %x into %1[0, 2] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x8xf32>
  %3 = tensor.insert_slice %x into %2[0, 3] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x8xf32>
  %4 = tensor.insert_slice %x into %3[0, 4] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x8xf32>
  %5 = tensor.insert_slice %x into %4[0, 5] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x8xf32>
  %6 = tensor.insert_slice %x into %5[0, 6] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x8xf32>
  %7 = tensor.insert_slice %x into %6[0, 7] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x8xf32>
  return %6, %7 : tensor<4x8xf32>, tensor<4x8xf32>
}

// A loop that changes some rows of an input does so in the result's buffer,
// which starts as a copy.

// CHECK-LABEL: func.func private @some_rows(
// CHECK-SAME:    %[[X:[^:]*]]: memref<100x8xf32>, %[[I:[^:]*]]: memref<4xindex>, %[[ROW:[^:]*]]: memref<8xf32>, %[[Y:[^:]*]]: memref<100x8xf32>)
func.func private @some_rows(%x: tensor<100x8xf32>, %i: tensor<4xindex>, %row: tensor<8xf32>, %y: tensor<100x8xf32>) -> tensor<100x8xf32> attributes {host.kernel} {
  // CHECK-NOT: memref.alloc
  // CHECK: memref.copy %[[X]], %[[Y]]
  // CHECK: scf.for
  // CHECK: memref.subview %[[Y]]
  // CHECK: }
  // CHECK-NEXT: return
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %j = %c0 to %c4 step %c1 iter_args(%t = %x) -> tensor<100x8xf32> {
    %at = tensor.extract %i[%j] : tensor<4xindex>
    %n = tensor.insert_slice %row into %t[%at, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<100x8xf32>
    scf.yield %n : tensor<100x8xf32>
  }
  return %r : tensor<100x8xf32>
}

// Small values that CSE has left one empty tensor have a buffer each.

// CHECK-LABEL: func.func private @keys(
// CHECK-DAG:     %[[FIRST:.*]] = memref.alloc() {{.*}} : memref<4xf32>
// CHECK-DAG:     %[[SECOND:.*]] = memref.alloc() {{.*}} : memref<4xf32>
// CHECK:         linalg.exp {{.*}} outs(%[[FIRST]] :
// CHECK:         linalg.log {{.*}} outs(%[[SECOND]] :
func.func private @keys(%a: tensor<4xf32>, %o: tensor<4xf32>, %p: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {host.kernel} {
  %e = tensor.empty() : tensor<4xf32>
  %x = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.negf ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  %y = linalg.log ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.negf ins(%y : tensor<4xf32>) outs(%p : tensor<4xf32>) -> tensor<4xf32>
  return %r, %s : tensor<4xf32>, tensor<4xf32>
}
