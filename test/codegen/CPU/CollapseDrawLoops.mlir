// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --ingot-cpu-collapse-draw-loops | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#one = affine_map<(i, j) -> ()>

// Dropout of rows of 37: its numbers are those of the elements' positions.

// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<64x37xf32>
// CHECK:         %[[C:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1]] : tensor<64x37xf32> into tensor<2368xf32>
// CHECK:         %[[R:.*]] = linalg.generic {{.*}}["parallel"]} ins(%[[C]], %{{.*}} : tensor<2368xf32>, tensor<f32>) outs(%{{.*}} : tensor<2368xf32>)
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %[[AT:.*]] = linalg.index 0
// CHECK-NEXT:      %[[NUMBER:.*]] = arith.index_cast %[[AT]]
// CHECK-NEXT:      host.random_bits %{{.*}}, %[[NUMBER]] : i32
// CHECK-NOT:       linalg.index
// CHECK:         %[[E:.*]] = tensor.expand_shape %[[R]] {{\[\[}}0, 1]] output_shape [64, 37]
// CHECK:         return %[[E]]
func.func @rows(%x: tensor<64x37xf32>, %rate: tensor<f32>, %o: tensor<64x37xf32>) -> tensor<64x37xf32> {
  %none = arith.constant 0 : i64
  %width = arith.constant 37 : index
  %r = linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %rate : tensor<64x37xf32>, tensor<f32>) outs(%o : tensor<64x37xf32>) {
  ^bb0(%a: f32, %p: f32, %y: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.muli %i, %width : index
    %place = arith.addi %row, %j : index
    %number = arith.index_cast %place : index to i64
    %b = host.random_bits %none, %none, %none, %number : i32
    %f = arith.uitofp %b : i32 to f32
    %k = arith.cmpf oge, %f, %p : f32
    %s = arith.select %k, %a, %p : f32
    linalg.yield %s : f32
  } -> tensor<64x37xf32>
  return %r : tensor<64x37xf32>
}

// -----

#id = affine_map<(i, j, k) -> (i, j, k)>

// Three loops, with the index as the lowering makes it.

// CHECK-LABEL: func.func @three(
// CHECK:         linalg.generic {{.*}}["parallel"]} outs(%{{.*}} : tensor<30xi32>)
func.func @three(%o: tensor<2x3x5xi32>) -> tensor<2x3x5xi32> {
  %zero = arith.constant 0 : index
  %none = arith.constant 0 : i64
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel"]} outs(%o : tensor<2x3x5xi32>) {
  ^bb0(%y: i32):
    %m0 = arith.muli %zero, %c2 : index
    %i = linalg.index 0 : index
    %p0 = arith.addi %m0, %i : index
    %m1 = arith.muli %p0, %c3 : index
    %j = linalg.index 1 : index
    %p1 = arith.addi %m1, %j : index
    %m2 = arith.muli %p1, %c5 : index
    %k = linalg.index 2 : index
    %p2 = arith.addi %m2, %k : index
    %number = arith.index_cast %p2 : index to i64
    %b = host.random_bits %none, %none, %none, %number : i32
    linalg.yield %b : i32
  } -> tensor<2x3x5xi32>
  return %r : tensor<2x3x5xi32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
#left = affine_map<(i, j) -> (i)>

// Rows that begin with a block need no collapsing.

// CHECK-LABEL: func.func @whole_blocks(
// CHECK-NOT:     tensor.collapse_shape
// CHECK:         return
func.func @whole_blocks(%o: tensor<37x64xi32>) -> tensor<37x64xi32> {
  %none = arith.constant 0 : i64
  %width = arith.constant 64 : index
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%o : tensor<37x64xi32>) {
  ^bb0(%y: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.muli %i, %width : index
    %place = arith.addi %row, %j : index
    %number = arith.index_cast %place : index to i64
    %b = host.random_bits %none, %none, %none, %number : i32
    linalg.yield %b : i32
  } -> tensor<37x64xi32>
  return %r : tensor<37x64xi32>
}

// All rows read the same operand.

// CHECK-LABEL: func.func @shared_row(
// CHECK-NOT:     tensor.collapse_shape
// CHECK:         return
func.func @shared_row(%x: tensor<37xi32>, %o: tensor<64x37xi32>) -> tensor<64x37xi32> {
  %none = arith.constant 0 : i64
  %width = arith.constant 37 : index
  %r = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<37xi32>) outs(%o : tensor<64x37xi32>) {
  ^bb0(%a: i32, %y: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.muli %i, %width : index
    %place = arith.addi %row, %j : index
    %number = arith.index_cast %place : index to i64
    %b = host.random_bits %none, %none, %none, %number : i32
    %s = arith.addi %a, %b : i32
    linalg.yield %s : i32
  } -> tensor<64x37xi32>
  return %r : tensor<64x37xi32>
}

// The numbers follow the columns.

// CHECK-LABEL: func.func @by_columns(
// CHECK-NOT:     tensor.collapse_shape
// CHECK:         return
func.func @by_columns(%o: tensor<64x37xi32>) -> tensor<64x37xi32> {
  %none = arith.constant 0 : i64
  %width = arith.constant 64 : index
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%o : tensor<64x37xi32>) {
  ^bb0(%y: i32):
    %i = linalg.index 1 : index
    %j = linalg.index 0 : index
    %row = arith.muli %i, %width : index
    %place = arith.addi %row, %j : index
    %number = arith.index_cast %place : index to i64
    %b = host.random_bits %none, %none, %none, %number : i32
    linalg.yield %b : i32
  } -> tensor<64x37xi32>
  return %r : tensor<64x37xi32>
}

// The column has another use.

// CHECK-LABEL: func.func @reads_index(
// CHECK-NOT:     tensor.collapse_shape
// CHECK:         return
func.func @reads_index(%o: tensor<64x37xi32>) -> tensor<64x37xi32> {
  %none = arith.constant 0 : i64
  %width = arith.constant 37 : index
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%o : tensor<64x37xi32>) {
  ^bb0(%y: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.muli %i, %width : index
    %place = arith.addi %row, %j : index
    %number = arith.index_cast %place : index to i64
    %b = host.random_bits %none, %none, %none, %number : i32
    %c = arith.index_cast %j : index to i32
    %s = arith.addi %b, %c : i32
    linalg.yield %s : i32
  } -> tensor<64x37xi32>
  return %r : tensor<64x37xi32>
}

// The grid of a kernel that updates an operand is over its rows.

// CHECK-LABEL: func.func @updates(
// CHECK-NOT:     tensor.collapse_shape
// CHECK:         return
func.func @updates(%o: tensor<64x37xi32>) -> tensor<64x37xi32> {
  %none = arith.constant 0 : i64
  %width = arith.constant 37 : index
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%o : tensor<64x37xi32>) {
  ^bb0(%y: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.muli %i, %width : index
    %place = arith.addi %row, %j : index
    %number = arith.index_cast %place : index to i64
    %b = host.random_bits %none, %none, %none, %number : i32
    %s = arith.addi %b, %y : i32
    linalg.yield %s : i32
  } -> tensor<64x37xi32>
  return %r : tensor<64x37xi32>
}

// So is that of a kernel with other loops over rows.

// CHECK-LABEL: func.func @sums_rows(
// CHECK-NOT:     tensor.collapse_shape
// CHECK:         return
func.func @sums_rows(%n: tensor<64xi32>, %o: tensor<64x37xi32>) -> tensor<64x37xi32> {
  %none = arith.constant 0 : i64
  %width = arith.constant 37 : index
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%o : tensor<64x37xi32>) {
  ^bb0(%y: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.muli %i, %width : index
    %place = arith.addi %row, %j : index
    %number = arith.index_cast %place : index to i64
    %b = host.random_bits %none, %none, %none, %number : i32
    linalg.yield %b : i32
  } -> tensor<64x37xi32>
  %s = linalg.generic {indexing_maps = [#id, #left], iterator_types = ["parallel", "reduction"]} ins(%r : tensor<64x37xi32>) outs(%n : tensor<64xi32>) {
  ^bb0(%a: i32, %y: i32):
    %t = arith.addi %a, %y : i32
    linalg.yield %t : i32
  } -> tensor<64xi32>
  return %r : tensor<64x37xi32>
}

// An update may also read its destination as an operand.

// CHECK-LABEL: func.func @reads_destination(
// CHECK-NOT:     tensor.collapse_shape
// CHECK:         return
func.func @reads_destination(%o: tensor<64x37xi32>) -> tensor<64x37xi32> {
  %none = arith.constant 0 : i64
  %width = arith.constant 37 : index
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%o : tensor<64x37xi32>) outs(%o : tensor<64x37xi32>) {
  ^bb0(%x: i32, %y: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.muli %i, %width : index
    %place = arith.addi %row, %j : index
    %number = arith.index_cast %place : index to i64
    %b = host.random_bits %none, %none, %none, %number : i32
    %s = arith.addi %b, %x : i32
    linalg.yield %s : i32
  } -> tensor<64x37xi32>
  return %r : tensor<64x37xi32>
}
