// SPDX-License-Identifier: Apache-2.0
// What is known of ensembles without running them.
// RUN: ingot-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: @one_member_as_it_is
// CHECK-SAME: (%[[H:.*]]: tensor<4x3xf32>)
// CHECK-NEXT: return %[[H]]
func.func @one_member_as_it_is(%h: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %one = ingot.constant dense<1.0> : tensor<f32>
  %0 = ingot.mixture(%h) weights(%one) : (tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// A matrix of ones adds columns up.
// CHECK-LABEL: @one_member_multiplied
// CHECK: ingot.mixture
func.func @one_member_multiplied(%h: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %ones = ingot.constant dense<1.0> : tensor<3x3xf32>
  %0 = ingot.mixture(%h) weights(%ones) : (tensor<4x3xf32>, tensor<3x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// CHECK-LABEL: @no_penalty_without_factors
// CHECK-DAG: %[[ZERO:.*]] = ingot.constant dense<0.000000e+00> : tensor<f32>
// CHECK-DAG: %[[P:.*]], %[[NORM:.*]] = ingot.complexity_penalty
// CHECK: return %[[ZERO]], %[[NORM]]
func.func @no_penalty_without_factors(%w: tensor<8x3xf32>, %r: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0:2 = ingot.complexity_penalty(%w) complexities(%r) {lambda = 0.0, beta = 0.0} : (tensor<8x3xf32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#0, %0#1 : tensor<f32>, tensor<f32>
}

// (AN-135): the graph's rule chooses a NaN; of several, or of a NaN and minus
// infinity, the first.
// CHECK-LABEL: @nan_is_the_smallest
// CHECK-SAME: (%{{.*}}: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>, %{{.*}}: tensor<4xf32>)
// CHECK: %[[ONE:.*]] = ingot.constant dense<1> : tensor<i64>
// CHECK: return %[[ONE]], %[[B]]
func.func @nan_is_the_smallest(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  %small = ingot.constant dense<-5.0> : tensor<f32>
  %nan = ingot.constant dense<0x7FC00000> : tensor<f32>
  %infinite = ingot.constant dense<0xFF800000> : tensor<f32>
  %0:2 = ingot.select_best(%small, %nan, %infinite) values(%a, %b, %c) {nan = "first"} : (tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<i64>, tensor<4xf32>
}

// (AN-137, 138): the native rule drops what is not finite, and says so where nothing
// is left.
// CHECK-LABEL: @what_is_not_finite_is_dropped
// CHECK-DAG: %[[TWO:.*]] = ingot.constant dense<2> : tensor<i64>
// CHECK-DAG: %[[NONE:.*]] = ingot.constant dense<-1> : tensor<i64>
// CHECK: return %[[TWO]], %[[NONE]]
func.func @what_is_not_finite_is_dropped() -> (tensor<i64>, tensor<i64>) {
  %nan = ingot.constant dense<0x7FC00000> : tensor<f32>
  %infinite = ingot.constant dense<0xFF800000> : tensor<f32>
  %one = ingot.constant dense<1.0> : tensor<f32>
  %0 = ingot.select_best(%nan, %infinite, %one, %one) {nan = "dropped"} : (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<i64>
  %1 = ingot.select_best(%nan, %infinite) {nan = "dropped"} : (tensor<f32>, tensor<f32>) -> tensor<i64>
  return %0, %1 : tensor<i64>, tensor<i64>
}

// (AN-062, AN-143): the previous ensemble is no candidate; one other is chosen
// unseen.
// CHECK-LABEL: @growth_is_forced
// CHECK-DAG: %[[ONE:.*]] = ingot.constant dense<1> : tensor<i64>
// CHECK-DAG: %[[TWO:.*]] = ingot.constant dense<2> : tensor<i64>
// CHECK: return %[[ONE]], %[[TWO]]
func.func @growth_is_forced(%loss: tensor<f32>) -> (tensor<i64>, tensor<i64>) {
  %small = ingot.constant dense<-5.0> : tensor<f32>
  %large = ingot.constant dense<7.0> : tensor<f32>
  %0 = ingot.select_best(%loss, %loss) {nan = "first", force_grow = true} : (tensor<f32>, tensor<f32>) -> tensor<i64>
  %one = ingot.constant dense<1.0> : tensor<f32>
  %1 = ingot.select_best(%small, %large, %one) {nan = "first", force_grow = true} : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<i64>
  return %0, %1 : tensor<i64>, tensor<i64>
}
