// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (mixture_c1)
func.func @a_weight_for_each_member(%h: tensor<4x8xf32>, %w: tensor<8x3xf32>) {
  // expected-error @+1 {{a mixture needs at least one member, and one weight for each member, but there are 2 members and 1 weights}}
  %0 = ingot.mixture(%h, %h) weights(%w) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// (mixture_c2)
func.func @weights_are_matrices_at_most(%h: tensor<4x8xf32>, %w: tensor<2x8x3xf32>) {
  // expected-error @+1 {{the weight of member 0 must be a scalar, a vector or a matrix, but has shape [2, 8, 3]}}
  %0 = ingot.mixture(%h) weights(%w) : (tensor<4x8xf32>, tensor<2x8x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// (mixture_c2)
func.func @matrices_weigh_matrices(%h: tensor<2x4x8xf32>, %w: tensor<8x3xf32>) {
  // expected-error @+1 {{member 0 of shape [2, 4, 8] cannot be weighted by a weight of shape [8, 3]}}
  %0 = ingot.mixture(%h) weights(%w) : (tensor<2x4x8xf32>, tensor<8x3xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

// (mixture_c3)
func.func @as_many_rows_as_columns(%h: tensor<4x8xf32>, %w: tensor<7x3xf32>) {
  // expected-error @+1 {{the last dimension of member 0 is 8, but the first dimension of its weight is 7}}
  %0 = ingot.mixture(%h) weights(%w) : (tensor<4x8xf32>, tensor<7x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// (mixture_c3)
func.func @a_number_for_each_class(%h: tensor<4x8xf32>, %w: tensor<7xf32>) {
  // expected-error @+1 {{the last dimension of member 0 is 8, but the first dimension of its weight is 7}}
  %0 = ingot.mixture(%h) weights(%w) : (tensor<4x8xf32>, tensor<7xf32>) -> tensor<4x8xf32>
  return
}

// -----

// (mixture_c4)
func.func @members_of_one_shape(%a: tensor<4x8xf32>, %b: tensor<5x8xf32>, %w: tensor<f32>) {
  // expected-error @+1 {{shapes of weighted members differ: [4, 8] of the previous members and [5, 8] of member 1}}
  %0 = ingot.mixture(%a, %b) weights(%w, %w) : (tensor<4x8xf32>, tensor<5x8xf32>, tensor<f32>, tensor<f32>) -> tensor<4x8xf32>
  return
}

// -----

// (mixture_c5)
func.func @a_bias_for_each_class(%h: tensor<4x8xf32>, %w: tensor<8x3xf32>, %b: tensor<8xf32>) {
  // expected-error @+1 {{the bias must be a vector as long as the last dimension of the weighted members, of shape [4, 3], but has shape [8]}}
  %0 = ingot.mixture(%h) weights(%w) bias(%b) : (tensor<4x8xf32>, tensor<8x3xf32>, tensor<8xf32>) -> tensor<4x3xf32>
  return
}

// -----

// (mixture_c6)
func.func @one_type(%h: tensor<4x8xf32>, %w: tensor<8x3xf64>) {
  // expected-error @+1 {{the operands have different element types: 'f32' and 'f64'}}
  %0 = ingot.mixture(%h) weights(%w) : (tensor<4x8xf32>, tensor<8x3xf64>) -> tensor<4x3xf32>
  return
}

// -----

// (mixture_grad_c1)
func.func @a_rank_for_each_member(%h: tensor<4x8xf32>, %g: tensor<4x3xf32>) {
  // expected-error @+1 {{each member needs the rank of its weight, but there are 1 members and 2 ranks}}
  %0 = ingot.mixture_grad(%h) of %g {weight_ranks = array<i64: 2, 2>} : (tensor<4x8xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  return
}

// -----

// (mixture_grad_c2)
func.func @members_as_large_as_the_gradient(%h: tensor<4x8xf32>, %g: tensor<4x3xf32>) {
  // expected-error @+1 {{with a weight of rank 0, member 0 and the gradient must have the same shape, but the shapes are [4, 8] and [4, 3]}}
  %0 = ingot.mixture_grad(%h) of %g {weight_ranks = array<i64: 0>} : (tensor<4x8xf32>, tensor<4x3xf32>) -> tensor<f32>
  return
}

// -----

// (mixture_grad_c2)
func.func @batches_of_one_size(%h: tensor<5x8xf32>, %g: tensor<4x3xf32>) {
  // expected-error @+1 {{with a weight of rank 2, member 0 and the gradient must be matrices with the same number of rows, but the shapes are [5, 8] and [4, 3]}}
  %0 = ingot.mixture_grad(%h) of %g {weight_ranks = array<i64: 2>} : (tensor<5x8xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  return
}

// -----

// (mixture_grad_c3)
func.func @a_bias_needs_classes(%h: tensor<f32>, %g: tensor<f32>) {
  // expected-error @+1 {{the gradient of a mixture with weight vectors or a bias must have at least one dimension, but is a scalar}}
  %0:2 = ingot.mixture_grad(%h) of %g {weight_ranks = array<i64: 0>, has_bias = true} : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<1xf32>)
  return
}

// -----

// (mixture_grad_c4)
func.func @one_type_of_gradients(%h: tensor<4x8xf32>, %g: tensor<4x3xf64>) {
  // expected-error @+1 {{the operands have different element types: 'f32' and 'f64'}}
  %0 = ingot.mixture_grad(%h) of %g {weight_ranks = array<i64: 2>} : (tensor<4x8xf32>, tensor<4x3xf64>) -> tensor<8x3xf32>
  return
}

// -----

// (complexity_penalty_c1)
func.func @a_complexity_for_each_weight(%w: tensor<8x3xf32>, %r: tensor<f32>) {
  // expected-error @+1 {{expected at least one weight, and one complexity for each weight, but there are 1 weights and 2 complexities}}
  %0, %1 = ingot.complexity_penalty(%w) complexities(%r, %r) {lambda = 0.1, beta = 0.0} : (tensor<8x3xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

// (complexity_penalty_c2)
func.func @complexities_are_scalars(%w: tensor<8x3xf32>, %r: tensor<2xf32>) {
  // expected-error @+1 {{the complexity of member 0 must be a scalar, but has shape [2]}}
  %0, %1 = ingot.complexity_penalty(%w) complexities(%r) {lambda = 0.1, beta = 0.0} : (tensor<8x3xf32>, tensor<2xf32>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

// (complexity_penalty_c3)
func.func @one_type_of_penalties(%w: tensor<8x3xf32>, %r: tensor<f64>) {
  // expected-error @+1 {{the operands have different element types: 'f32' and 'f64'}}
  %0, %1 = ingot.complexity_penalty(%w) complexities(%r) {lambda = 0.1, beta = 0.0} : (tensor<8x3xf32>, tensor<f64>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

// (complexity_penalty_c4)
func.func @no_reward_for_complexity(%w: tensor<8x3xf32>, %r: tensor<f32>) {
  // expected-error @+1 {{'lambda' and 'beta' must be finite and not negative}}
  %0, %1 = ingot.complexity_penalty(%w) complexities(%r) {lambda = -0.1, beta = 0.0} : (tensor<8x3xf32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

// (complexity_penalty_c4)
func.func @finite_factors(%w: tensor<8x3xf32>, %r: tensor<f32>) {
  // expected-error @+1 {{'lambda' and 'beta' must be finite and not negative}}
  %0, %1 = ingot.complexity_penalty(%w) complexities(%r) {lambda = 0.1, beta = 0x7FF0000000000000 : f64} : (tensor<8x3xf32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

// (ema_c1)
func.func @averages_of_one_shape(%biased: tensor<2xf32>, %step: tensor<f32>, %value: tensor<3xf32>) {
  // expected-error @+1 {{the average and the value must have the same shape and the step must be a scalar, but the shapes are [2], [3] and []}}
  %0:3 = ingot.ema %biased, %step, %value {rate = 0.1} : (tensor<2xf32>, tensor<f32>, tensor<3xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<f32>)
  return
}

// -----

// (ema_c1)
func.func @steps_are_counted_once(%biased: tensor<2xf32>, %step: tensor<2xf32>, %value: tensor<2xf32>) {
  // expected-error @+1 {{the average and the value must have the same shape and the step must be a scalar, but the shapes are [2], [2] and [2]}}
  %0:3 = ingot.ema %biased, %step, %value {rate = 0.1} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<f32>)
  return
}

// -----

// (ema_c2)
func.func @one_type_of_averages(%biased: tensor<f32>, %step: tensor<i64>, %value: tensor<f64>) {
  %s = ingot.cast %step {dst = f32} : (tensor<i64>) -> tensor<f32>
  // expected-error @+1 {{the operands have different element types: 'f32' and 'f64'}}
  %0:3 = ingot.ema %biased, %s, %value {rate = 0.1} : (tensor<f32>, tensor<f32>, tensor<f64>) -> (tensor<f32>, tensor<f32>, tensor<f32>)
  return
}

// -----

// (ema_c3)
func.func @averages_that_move(%biased: tensor<f32>, %step: tensor<f32>, %value: tensor<f32>) {
  // expected-error @+1 {{the rate must be larger than 0 and at most 1, but is 0}}
  %0:3 = ingot.ema %biased, %step, %value {rate = 0.0} : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>)
  return
}

// -----

// (select_best_c1)
func.func @something_besides_the_previous_ensemble(%a: tensor<f32>) {
  // expected-error @+1 {{expected the losses of at least one candidate (two with 'force_grow'), but the number of losses is 1}}
  %0 = ingot.select_best(%a) {nan = "first", force_grow = true} : (tensor<f32>) -> tensor<i64>
  return
}

// -----

// (select_best_c2)
func.func @losses_are_scalars(%a: tensor<2xf32>) {
  // expected-error @+1 {{loss 0 must be a scalar, but has shape [2]}}
  %0 = ingot.select_best(%a) {nan = "first"} : (tensor<2xf32>) -> tensor<i64>
  return
}

// -----

// (select_best_c2)
func.func @losses_of_one_type(%a: tensor<f32>, %b: tensor<f64>) {
  // expected-error @+1 {{the operands have different element types: 'f32' and 'f64'}}
  %0 = ingot.select_best(%a, %b) {nan = "first"} : (tensor<f32>, tensor<f64>) -> tensor<i64>
  return
}

// -----

// (select_best_c3)
func.func @a_value_for_each_candidate(%a: tensor<f32>, %v: tensor<4xf32>) {
  // expected-error @+1 {{3 values cannot be divided equally among 2 candidates}}
  %0, %1 = ingot.select_best(%a, %a) values(%v, %v, %v) {nan = "first"} : (tensor<f32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>)
  return
}

// -----

// (select_best_c4)
func.func @values_of_one_shape(%a: tensor<f32>, %v: tensor<4xf32>, %u: tensor<5xf32>) {
  // expected-error @+1 {{shapes of candidates' values differ: [4] and [5]}}
  %0, %1 = ingot.select_best(%a, %a) values(%v, %u) {nan = "first"} : (tensor<f32>, tensor<f32>, tensor<4xf32>, tensor<5xf32>) -> (tensor<i64>, tensor<4xf32>)
  return
}

// -----

// (select_best_c4)
func.func @values_of_one_type(%a: tensor<f32>, %v: tensor<4xf32>, %u: tensor<4xi32>) {
  // expected-error @+1 {{the operands have different element types: 'f32' and 'i32'}}
  %0, %1 = ingot.select_best(%a, %a) values(%v, %u) {nan = "first"} : (tensor<f32>, tensor<f32>, tensor<4xf32>, tensor<4xi32>) -> (tensor<i64>, tensor<4xf32>)
  return
}

// -----

// (select_best_c5)
func.func @rules_for_nan(%a: tensor<f32>) {
  // expected-error @+1 {{'nan' must be 'first' or 'dropped', but is 'last'}}
  %0 = ingot.select_best(%a) {nan = "last"} : (tensor<f32>) -> tensor<i64>
  return
}
