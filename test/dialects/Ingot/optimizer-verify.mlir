// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (optimizer_c1)
func.func @slot_of_another_shape(%var: tensor<4xf32>, %accum: tensor<5xf32>, %lr: tensor<f32>, %grad: tensor<4xf32>) {
  // expected-error @+1 {{shapes differ: [4] of the variable and [5] of the accumulator}}
  %0:2 = ingot.apply_adagrad %var, %accum, %lr, %grad : (tensor<4xf32>, tensor<5xf32>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// (optimizer_c1)
func.func @gradient_of_another_type(%var: tensor<4xf32>, %accum: tensor<4xf32>, %lr: tensor<f32>, %grad: tensor<4xf64>) {
  // expected-error @+1 {{element types differ: 'f32' of the variable and 'f64' of the gradient}}
  %0:2 = ingot.apply_adagrad %var, %accum, %lr, %grad : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf64>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// (optimizer_c2)
func.func @rate_of_several_numbers(%var: tensor<4xf32>, %accum: tensor<4xf32>, %lr: tensor<4xf32>, %grad: tensor<4xf32>) {
  // expected-error @+1 {{the learning rate must be a scalar of 'f32', but is 'tensor<4xf32>'}}
  %0:2 = ingot.apply_adagrad %var, %accum, %lr, %grad : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// (optimizer_c1)
func.func @gradient_has_the_variables_shape(%w: tensor<4xf32>, %g: tensor<5xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{shapes differ: [4] of the variable and [5] of the gradient}}
  %0 = ingot.apply_gradient_descent %w, %s, %g : (tensor<4xf32>, tensor<f32>, tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

// (optimizer_c1)
func.func @slots_have_the_variables_type(%w: tensor<4xf32>, %a: tensor<4xf64>, %s: tensor<f32>) {
  // expected-error @+1 {{element types differ: 'f32' of the variable and 'f64' of the accumulator}}
  %0, %1 = ingot.apply_momentum %w, %a, %s, %w, %s : (tensor<4xf32>, tensor<4xf64>, tensor<f32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// (optimizer_c2)
func.func @hyperparameters_are_scalars(%w: tensor<4xf32>, %s: tensor<f32>, %e: tensor<1xf32>) {
  // expected-error @+1 {{epsilon must be a scalar of 'f32', but is 'tensor<1xf32>'}}
  %0, %1, %2 = ingot.apply_adam %w, %w, %w, %s, %s, %s, %s, %s, %e, %w
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<1xf32>, tensor<4xf32>)
      -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// (optimizer_c2)
func.func @hyperparameters_have_the_variables_type(%w: tensor<4xf32>, %s: tensor<f64>) {
  // expected-error @+1 {{the learning rate must be a scalar of 'f32', but is 'tensor<f64>'}}
  %0 = ingot.apply_gradient_descent %w, %s, %w : (tensor<4xf32>, tensor<f64>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// (optimizer_c3)
func.func @the_step_is_a_scalar(%w: tensor<4xf32>, %s: tensor<f32>, %n: tensor<1xi64>) {
  // expected-error @+1 {{the global step must be a scalar of i64, but is 'tensor<1xi64>'}}
  %0:3 = ingot.apply_adagrad_da %w, %w, %w, %w, %s, %s, %s, %n : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<1xi64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}
