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
