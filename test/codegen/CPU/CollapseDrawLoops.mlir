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
#swap = affine_map<(i, j) -> (j, i)>

// Rows that begin with a block, a row that all rows share, another order of the numbers, and an index that is read otherwise.

// CHECK-LABEL: func.func @stay(
// CHECK-NOT:     tensor.collapse_shape
// CHECK:         return
func.func @stay(%x: tensor<37xi32>, %t: tensor<37x64xi32>, %o: tensor<64x37xi32>, %w: tensor<37x64xi32>) -> (tensor<37x64xi32>, tensor<64x37xi32>, tensor<64x37xi32>, tensor<64x37xi32>) {
  %none = arith.constant 0 : i64
  %c37 = arith.constant 37 : index
  %c64 = arith.constant 64 : index
  %whole = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%w : tensor<37x64xi32>) {
  ^bb0(%y: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.muli %i, %c64 : index
    %place = arith.addi %row, %j : index
    %number = arith.index_cast %place : index to i64
    %b = host.random_bits %none, %none, %none, %number : i32
    linalg.yield %b : i32
  } -> tensor<37x64xi32>
  %shared = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<37xi32>) outs(%o : tensor<64x37xi32>) {
  ^bb0(%a: i32, %y: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.muli %i, %c37 : index
    %place = arith.addi %row, %j : index
    %number = arith.index_cast %place : index to i64
    %b = host.random_bits %none, %none, %none, %number : i32
    %s = arith.addi %a, %b : i32
    linalg.yield %s : i32
  } -> tensor<64x37xi32>
  %swapped = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%o : tensor<64x37xi32>) {
  ^bb0(%y: i32):
    %i = linalg.index 1 : index
    %j = linalg.index 0 : index
    %row = arith.muli %i, %c64 : index
    %place = arith.addi %row, %j : index
    %number = arith.index_cast %place : index to i64
    %b = host.random_bits %none, %none, %none, %number : i32
    linalg.yield %b : i32
  } -> tensor<64x37xi32>
  %read = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%o : tensor<64x37xi32>) {
  ^bb0(%y: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.muli %i, %c37 : index
    %place = arith.addi %row, %j : index
    %number = arith.index_cast %place : index to i64
    %b = host.random_bits %none, %none, %none, %number : i32
    %c = arith.index_cast %j : index to i32
    %s = arith.addi %b, %c : i32
    linalg.yield %s : i32
  } -> tensor<64x37xi32>
  return %whole, %shared, %swapped, %read : tensor<37x64xi32>, tensor<64x37xi32>, tensor<64x37xi32>, tensor<64x37xi32>
}
