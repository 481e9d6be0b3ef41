// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-lower-to-linalg -split-input-file | FileCheck %s

// Each input is copied to its slice; the slices cover the result.
// CHECK-LABEL: func.func private @concat
// CHECK-SAME: (%[[A:.*]]: tensor<2x3xf32>, %[[B:.*]]: tensor<4x3xf32>,
// CHECK: %[[FIRST:.*]] = linalg.copy ins(%[[A]]
// CHECK: %[[PART:.*]] = tensor.insert_slice %[[FIRST]] into %{{.*}}[0, 0] [2, 3] [1, 1]
// CHECK: %[[SECOND:.*]] = linalg.copy ins(%[[B]]
// CHECK: tensor.insert_slice %[[SECOND]] into %[[PART]][2, 0] [4, 3] [1, 1]
func.func private @concat(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>, %o: tensor<6x3xf32>) -> tensor<6x3xf32> attributes {host.kernel} {
  %axis = ingot.constant dense<0> : tensor<i32>
  %0 = ingot.concat %axis, %a, %b : (tensor<i32>, tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<6x3xf32>
  return %0 : tensor<6x3xf32>
}

// -----

// An index selects by its position in the new dimension.
// CHECK-LABEL: func.func private @one_hot
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
// CHECK: ^bb0(%[[INDEX:.*]]: i32, %[[ON:.*]]: f32, %[[OFF:.*]]: f32,
// CHECK: %[[CLASS:.*]] = arith.index_cast %[[INDEX]] : i32 to index
// CHECK: %[[HERE:.*]] = linalg.index 1 : index
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[CLASS]], %[[HERE]] : index
// CHECK: arith.select %[[SAME]], %[[ON]], %[[OFF]] : f32
func.func private @one_hot(%i: tensor<5xi32>, %o: tensor<5x3xf32>) -> tensor<5x3xf32> attributes {host.kernel} {
  %d = ingot.constant dense<3> : tensor<i32>
  %on = ingot.constant dense<1.0> : tensor<f32>
  %off = ingot.constant dense<0.0> : tensor<f32>
  %0 = ingot.one_hot %i, %d, %on, %off : (tensor<5xi32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}

// -----

// Pieces of static width are slices even if the number of rows is dynamic.

// CHECK-LABEL: func.func private @split_rows(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x6xf32>
// CHECK: tensor.extract_slice %[[X]][0, 0] [%{{.*}}, 3] [1, 1] : tensor<?x6xf32> to tensor<?x3xf32>
// CHECK: tensor.extract_slice %[[X]][0, 3] [%{{.*}}, 3] [1, 1] : tensor<?x6xf32> to tensor<?x3xf32>
// CHECK-NOT: tensor.extract %
func.func private @split_rows(%x: tensor<?x6xf32>, %o: tensor<?x3xf32>, %p: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>) attributes {host.kernel} {
  %axis = ingot.constant dense<-1> : tensor<i32>
  %0:2 = ingot.split %axis, %x {count = 2 : i64} : (tensor<i32>, tensor<?x6xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>)
  return %0#0, %0#1 : tensor<?x3xf32>, tensor<?x3xf32>
}
