// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --ingot-cpu-transpose-short-reductions --canonicalize | FileCheck %s

#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>

// A softmax over ten classes, of any number of rows: largest, differences and
// sum run over columns, in which each lane has a row of its own; the product
// with the label's row asks for its column by the other index. Rows come back
// where they are returned.

// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[LANE:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func private @softmax(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<?x10xf32>
// CHECK:         %[[T:.*]] = linalg.transpose ins(%[[X]] : tensor<?x10xf32>) outs(%{{.*}} : tensor<10x?xf32>) permutation = [1, 0]
// CHECK:         %[[MAX:.*]] = linalg.generic {indexing_maps = [#[[ID]], #[[LANE]]], iterator_types = ["reduction", "parallel"]} ins(%[[T]] : tensor<10x?xf32>)
// CHECK:         %[[EXP:.*]] = linalg.generic {indexing_maps = [#[[ID]], #[[LANE]], #[[ID]]], iterator_types = ["parallel", "parallel"]} ins(%[[T]], %[[MAX]] :
// CHECK:           linalg.index 0
// CHECK:         %[[BACK:.*]] = linalg.transpose ins(%[[EXP]] : tensor<10x?xf32>) outs(%{{.*}} : tensor<?x10xf32>) permutation = [1, 0]
// CHECK:         linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins(%[[EXP]] :
// CHECK:         return %[[BACK]],
func.func private @softmax(%x: tensor<?x10xf32>, %e: tensor<?x10xf32>, %m: tensor<?xf32>, %s: tensor<?xf32>) -> (tensor<?x10xf32>, tensor<?xf32>) attributes {host.kernel} {
  %max = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x10xf32>) outs(%m : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maximumf %b, %a : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %exp = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %max : tensor<?x10xf32>, tensor<?xf32>) outs(%e : tensor<?x10xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    %2 = arith.mulf %1, %f : f32
    linalg.yield %2 : f32
  } -> tensor<?x10xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%exp : tensor<?x10xf32>) outs(%s : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %b, %a : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  return %exp, %sum : tensor<?x10xf32>, tensor<?xf32>
}

// -----

#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>

// An op whose operands are there as rows stays so, and so do rows that are
// long, few, or without a reduction in their kernel.

// CHECK-LABEL: func.func private @sum_of_two(
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]}
// CHECK:         %[[T:.*]] = linalg.transpose ins(%[[SUM]] :
// CHECK:         linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins(%[[T]] :
func.func private @sum_of_two(%x: tensor<64x10xf32>, %y: tensor<64x10xf32>, %s: tensor<64xf32>) -> tensor<64xf32> attributes {host.kernel} {
  %e = tensor.empty() : tensor<64x10xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<64x10xf32>, tensor<64x10xf32>) outs(%e : tensor<64x10xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<64x10xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%z : tensor<64x10xf32>) outs(%s : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %b, %a : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  return %sum : tensor<64xf32>
}

// CHECK-LABEL: func.func private @long(
// CHECK-NOT:     linalg.transpose
func.func private @long(%x: tensor<64x32xf32>, %s: tensor<64xf32>) -> tensor<64xf32> attributes {host.kernel} {
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x32xf32>) outs(%s : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %b, %a : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  return %sum : tensor<64xf32>
}

// CHECK-LABEL: func.func private @few(
// CHECK-NOT:     linalg.transpose
func.func private @few(%x: tensor<15x10xf32>, %s: tensor<15xf32>) -> tensor<15xf32> attributes {host.kernel} {
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<15x10xf32>) outs(%s : tensor<15xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %b, %a : f32
    linalg.yield %0 : f32
  } -> tensor<15xf32>
  return %sum : tensor<15xf32>
}

// CHECK-LABEL: func.func private @elementwise(
// CHECK-NOT:     linalg.transpose
func.func private @elementwise(%x: tensor<64x10xf32>, %e: tensor<64x10xf32>) -> tensor<64x10xf32> attributes {host.kernel} {
  %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x10xf32>) outs(%e : tensor<64x10xf32>) {
  ^bb0(%a: f32, %c: f32):
    %0 = arith.mulf %a, %a : f32
    linalg.yield %0 : f32
  } -> tensor<64x10xf32>
  return %z : tensor<64x10xf32>
}
