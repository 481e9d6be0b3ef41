// SPDX-License-Identifier: Apache-2.0
// Reshapes between kernels become views; those in kernels stay.
// RUN: ingot-opt %s -ingot-lower-reshapes-to-views | FileCheck %s

// CHECK-LABEL: ingot.entry @split
ingot.entry @split role(other) feeds ["x:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<64x36xf32>):
  %s = ingot.constant dense<[64, 9, 4]> : tensor<3xi64>
  // CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2]] output_shape [64, 9, 4] : tensor<64x36xf32> into tensor<64x9x4xf32>
  %y = ingot.reshape %x, %s : (tensor<64x36xf32>, tensor<3xi64>) -> tensor<64x9x4xf32>
  ingot.return %y : tensor<64x9x4xf32>
}

// CHECK-LABEL: ingot.entry @regroup
ingot.entry @regroup role(other) feeds ["x:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<6x4xf32>):
  %s = ingot.constant dense<[8, 3]> : tensor<2xi64>
  // CHECK: tensor.collapse_shape {{.*}} into tensor<24xf32>
  // CHECK: tensor.expand_shape {{.*}} into tensor<8x3xf32>
  %y = ingot.reshape %x, %s : (tensor<6x4xf32>, tensor<2xi64>) -> tensor<8x3xf32>
  ingot.return %y : tensor<8x3xf32>
}

// CHECK-LABEL: func.func private @kernel
func.func private @kernel(%x: tensor<6x4xf32>, %o: tensor<24x1xf32>) -> tensor<24x1xf32> attributes {host.kernel} {
  %s = ingot.constant dense<[24, 1]> : tensor<2xi64>
  // CHECK: ingot.reshape
  %y = ingot.reshape %x, %s : (tensor<6x4xf32>, tensor<2xi64>) -> tensor<24x1xf32>
  return %y : tensor<24x1xf32>
}

// With a dynamic batch, too: its size follows from the number of elements.
// CHECK-LABEL: ingot.entry @any_batch
ingot.entry @any_batch role(other) feeds ["x:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<?x64x32xf32>):
  %s = ingot.constant dense<[-1, 32, 32]> : tensor<3xi64>
  // CHECK: %[[D:.*]] = tensor.dim %{{.*}}, %c0
  // CHECK: %[[M:.*]] = arith.muli %[[D]], %c2
  // CHECK: %[[B:.*]] = arith.divui %[[M]], %c1
  // CHECK: %[[F:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0, 1, 2]] : tensor<?x64x32xf32> into tensor<?xf32>
  // CHECK: tensor.expand_shape %[[F]] {{\[\[}}0, 1, 2]] output_shape [%[[B]], 32, 32] : tensor<?xf32> into tensor<?x32x32xf32>
  %y = ingot.reshape %x, %s : (tensor<?x64x32xf32>, tensor<3xi64>) -> tensor<?x32x32xf32>
  ingot.return %y : tensor<?x32x32xf32>
}

// Rows are slices; the loop counter is read at the start of an iteration.
// CHECK-LABEL: ingot.entry @rows
ingot.entry @rows role(other) feeds ["x:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<5x16xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  // CHECK: %[[ROOM:.*]] = tensor.empty() : tensor<5x16xf32>
  %room = ingot.rows_empty : tensor<5x16xf32>
  // CHECK: ingot.while(%{{.*}}, %[[ROOM]])
  %f:2 = ingot.while(%zero, %room) : (tensor<i32>, tensor<5x16xf32>) -> (tensor<i32>, tensor<5x16xf32>) test {
  ^bb0(%i: tensor<i32>, %r: tensor<5x16xf32>):
    %c = ingot.constant dense<true> : tensor<i1>
    ingot.condition %c : tensor<i1>
  } body {
  // CHECK: body
  // CHECK: ^bb0(%[[I:.*]]: tensor<i32>, %[[R:.*]]: tensor<5x16xf32>):
  ^bb0(%i: tensor<i32>, %r: tensor<5x16xf32>):
    // CHECK-DAG: %[[N:.*]] = tensor.extract %[[I]][]
    // CHECK-DAG: %[[LAST:.*]] = arith.constant 4 : index
    // CHECK: arith.subi %[[LAST]]
    // CHECK: %[[ROW:.*]] = tensor.extract_slice %{{.*}}[%{{.*}}, 0] [1, 16] [1, 1] : tensor<5x16xf32> to tensor<16xf32>
    %x1 = ingot.rows_get %x, %i {from_end} : (tensor<5x16xf32>, tensor<i32>) -> tensor<16xf32>
    // CHECK: tensor.insert_slice %[[ROW]] into %[[R]][%{{.*}}, 0] [1, 16] [1, 1] : tensor<16xf32> into tensor<5x16xf32>
    %s = ingot.rows_set %r, %i, %x1 : (tensor<5x16xf32>, tensor<i32>, tensor<16xf32>) -> tensor<5x16xf32>
    ingot.result %i, %s : tensor<i32>, tensor<5x16xf32>
  }
  ingot.return %f#1 : tensor<5x16xf32>
}
