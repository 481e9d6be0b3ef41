// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --ingot-cpu-sink-transposes --canonicalize --cse | FileCheck %s
// RUN: ingot-opt %s --split-input-file --ingot-cpu-sink-transposes="vector-bits=128" --canonicalize --cse | FileCheck %s --check-prefix=SSE

#id = affine_map<(m, n) -> (m, n)>
#column = affine_map<(m, n) -> (n)>
#row = affine_map<(m, n) -> (m)>
#none = affine_map<(m, n) -> ()>

// A bias for each of six channels, a value for each position and a factor are
// added before the transpose; so is what follows.

// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[NONE:.*]] = affine_map<(d0, d1) -> ()>
// CHECK-LABEL: func.func private @activation(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<6x192xf32>, %[[BIAS:[^:]*]]: tensor<6xf32>, %[[PLACE:[^:]*]]: tensor<192xf32>, %[[BY:[^:]*]]: tensor<f32>, %[[OUT:[^:]*]]: tensor<192x6xf32>)
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<6x192xf32>
// CHECK:         %[[A:.*]] = linalg.generic {indexing_maps = [#[[ID]], #[[ROW]], #[[COLUMN]], #[[NONE]], #[[ID]]], {{.*}}} ins(%[[X]], %[[BIAS]], %[[PLACE]], %[[BY]] : {{.*}}) outs(%[[E]] : tensor<6x192xf32>)
// CHECK:         %[[B:.*]] = linalg.generic {{.*}} ins(%[[A]] : tensor<6x192xf32>)
// CHECK:         %[[Y:.*]] = linalg.transpose ins(%[[B]] : tensor<6x192xf32>) outs(%[[OUT]] : tensor<192x6xf32>) permutation = [1, 0]
// CHECK:         return %[[Y]]
func.func private @activation(%x: tensor<6x192xf32>, %bias: tensor<6xf32>, %place: tensor<192xf32>, %by: tensor<f32>, %out: tensor<192x6xf32>) -> tensor<192x6xf32> attributes {host.kernel} {
  %e = tensor.empty() : tensor<192x6xf32>
  %t = linalg.transpose ins(%x : tensor<6x192xf32>) outs(%e : tensor<192x6xf32>) permutation = [1, 0]
  %y = linalg.generic {indexing_maps = [#id, #column, #row, #none, #id], iterator_types = ["parallel", "parallel"]} ins(%t, %bias, %place, %by : tensor<192x6xf32>, tensor<6xf32>, tensor<192xf32>, tensor<f32>) outs(%e : tensor<192x6xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    %1 = arith.addf %0, %c : f32
    %2 = arith.mulf %1, %d : f32
    linalg.yield %2 : f32
  } -> tensor<192x6xf32>
  %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<192x6xf32>) outs(%out : tensor<192x6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0 : f32
  } -> tensor<192x6xf32>
  return %z : tensor<192x6xf32>
}

// -----

#id = affine_map<(m, n) -> (m, n)>

// Several results would be several transposes.

// CHECK-LABEL: func.func private @two_results(
// CHECK:         %[[T:.*]] = linalg.transpose
// CHECK:         linalg.generic {{.*}} ins(%[[T]] : tensor<64x3xf32>)
// CHECK-NOT:     linalg.transpose
func.func private @two_results(%x: tensor<3x64xf32>, %y: tensor<64x3xf32>, %z: tensor<64x3xi1>) -> (tensor<64x3xf32>, tensor<64x3xi1>) attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x3xf32>
  %t = linalg.transpose ins(%x : tensor<3x64xf32>) outs(%e : tensor<64x3xf32>) permutation = [1, 0]
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%t : tensor<64x3xf32>) outs(%y, %z : tensor<64x3xf32>, tensor<64x3xi1>) {
  ^bb0(%a: f32, %o: f32, %p: i1):
    %0 = arith.cmpf ogt, %a, %zero : f32
    %1 = arith.maximumf %a, %zero : f32
    linalg.yield %1, %0 : f32, i1
  } -> (tensor<64x3xf32>, tensor<64x3xi1>)
  return %r#0, %r#1 : tensor<64x3xf32>, tensor<64x3xi1>
}

// -----

#id = affine_map<(m, n) -> (m, n)>

// An operand as large as the result would have to be transposed as well.

// CHECK-LABEL: func.func private @other_operand(
// CHECK:         %[[T:.*]] = linalg.transpose
// CHECK:         linalg.generic {{.*}} ins(%[[T]],
func.func private @other_operand(%x: tensor<3x64xf32>, %w: tensor<64x3xf32>, %y: tensor<64x3xf32>) -> tensor<64x3xf32> attributes {host.kernel} {
  %e = tensor.empty() : tensor<64x3xf32>
  %t = linalg.transpose ins(%x : tensor<3x64xf32>) outs(%e : tensor<64x3xf32>) permutation = [1, 0]
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%t, %w : tensor<64x3xf32>, tensor<64x3xf32>) outs(%y : tensor<64x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<64x3xf32>
  return %r : tensor<64x3xf32>
}

// -----

#id = affine_map<(m, n) -> (m, n)>

// Rows of four elements fill vectors of 128 bits, those of 256 they do not.

// CHECK-LABEL: func.func private @whole_vectors(
// CHECK:         linalg.generic
// CHECK:         linalg.transpose
// SSE-LABEL: func.func private @whole_vectors(
// SSE:         linalg.transpose
// SSE:         linalg.generic
func.func private @whole_vectors(%x: tensor<4x64xf32>, %y: tensor<64x4xf32>) -> tensor<64x4xf32> attributes {host.kernel} {
  %e = tensor.empty() : tensor<64x4xf32>
  %t = linalg.transpose ins(%x : tensor<4x64xf32>) outs(%e : tensor<64x4xf32>) permutation = [1, 0]
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%t : tensor<64x4xf32>) outs(%y : tensor<64x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<64x4xf32>
  return %r : tensor<64x4xf32>
}
