// SPDX-License-Identifier: Apache-2.0
// Steps of optimizers are printed and parsed.
// RUN: ingot-opt %s | ingot-opt | FileCheck %s

// CHECK-LABEL: @apply_rms_prop
func.func @apply_rms_prop(%var: tensor<4xf32>, %ms: tensor<4xf32>, %mom: tensor<4xf32>, %lr: tensor<f32>, %rho: tensor<f32>, %momentum: tensor<f32>, %epsilon: tensor<f32>, %grad: tensor<4xf32>) {
  // CHECK: ingot.apply_rms_prop %{{.*}} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %0:3 = ingot.apply_rms_prop %var, %ms, %mom, %lr, %rho, %momentum, %epsilon, %grad : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// CHECK-LABEL: @apply_centered_rms_prop
func.func @apply_centered_rms_prop(%var: tensor<4xf32>, %mg: tensor<4xf32>, %ms: tensor<4xf32>, %mom: tensor<4xf32>, %lr: tensor<f32>, %rho: tensor<f32>, %momentum: tensor<f32>, %epsilon: tensor<f32>, %grad: tensor<4xf32>) {
  // CHECK: ingot.apply_centered_rms_prop %{{.*}} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %0:4 = ingot.apply_centered_rms_prop %var, %mg, %ms, %mom, %lr, %rho, %momentum, %epsilon, %grad : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// CHECK-LABEL: @apply_adagrad
func.func @apply_adagrad(%var: tensor<4xf32>, %accum: tensor<4xf32>, %lr: tensor<f32>, %grad: tensor<4xf32>) {
  // CHECK: ingot.apply_adagrad %{{.*}} {update_slots = false} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %0:2 = ingot.apply_adagrad %var, %accum, %lr, %grad {update_slots = false} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// CHECK-LABEL: @apply_adagrad_v2
func.func @apply_adagrad_v2(%var: tensor<4xf32>, %accum: tensor<4xf32>, %lr: tensor<f32>, %epsilon: tensor<f32>, %grad: tensor<4xf32>) {
  // CHECK: ingot.apply_adagrad_v2 %{{.*}} {update_slots = false} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %0:2 = ingot.apply_adagrad_v2 %var, %accum, %lr, %epsilon, %grad {update_slots = false} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// CHECK-LABEL: @apply_adagrad_da
func.func @apply_adagrad_da(%var: tensor<4xf32>, %sum: tensor<4xf32>, %squares: tensor<4xf32>, %grad: tensor<4xf32>, %x: tensor<f32>, %step: tensor<i64>) {
  // CHECK: ingot.apply_adagrad_da %{{.*}} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %0:3 = ingot.apply_adagrad_da %var, %sum, %squares, %grad, %x, %x, %x, %step : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// CHECK-LABEL: @apply_adadelta
func.func @apply_adadelta(%var: tensor<4xf32>, %accum: tensor<4xf32>, %accum_update: tensor<4xf32>, %lr: tensor<f32>, %rho: tensor<f32>, %epsilon: tensor<f32>, %grad: tensor<4xf32>) {
  // CHECK: ingot.apply_adadelta %{{.*}} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %0:3 = ingot.apply_adadelta %var, %accum, %accum_update, %lr, %rho, %epsilon, %grad : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// CHECK-LABEL: @apply_adam_with_amsgrad
func.func @apply_adam_with_amsgrad(%var: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>, %vhat: tensor<4xf32>, %beta1_power: tensor<f32>, %beta2_power: tensor<f32>, %lr: tensor<f32>, %beta1: tensor<f32>, %beta2: tensor<f32>, %epsilon: tensor<f32>, %grad: tensor<4xf32>) {
  // CHECK: ingot.apply_adam_with_amsgrad %{{.*}} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %0:4 = ingot.apply_adam_with_amsgrad %var, %m, %v, %vhat, %beta1_power, %beta2_power, %lr, %beta1, %beta2, %epsilon, %grad : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// CHECK-LABEL: @apply_ada_max
func.func @apply_ada_max(%var: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>, %beta1_power: tensor<f32>, %lr: tensor<f32>, %beta1: tensor<f32>, %beta2: tensor<f32>, %epsilon: tensor<f32>, %grad: tensor<4xf32>) {
  // CHECK: ingot.apply_ada_max %{{.*}} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %0:3 = ingot.apply_ada_max %var, %m, %v, %beta1_power, %lr, %beta1, %beta2, %epsilon, %grad : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// CHECK-LABEL: @apply_keras_momentum
func.func @apply_keras_momentum(%var: tensor<4xf32>, %accum: tensor<4xf32>, %lr: tensor<f32>, %grad: tensor<4xf32>, %momentum: tensor<f32>) {
  // CHECK: ingot.apply_keras_momentum %{{.*}} {use_nesterov = true} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
  %0:2 = ingot.apply_keras_momentum %var, %accum, %lr, %grad, %momentum {use_nesterov = true} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// CHECK-LABEL: @apply_ftrl
func.func @apply_ftrl(%var: tensor<4xf32>, %accum: tensor<4xf32>, %linear: tensor<4xf32>, %grad: tensor<4xf32>, %lr: tensor<f32>, %l1: tensor<f32>, %l2: tensor<f32>, %lr_power: tensor<f32>) {
  // CHECK: ingot.apply_ftrl %{{.*}} {multiply_linear_by_lr = true} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %0:3 = ingot.apply_ftrl %var, %accum, %linear, %grad, %lr, %l1, %l2, %lr_power {multiply_linear_by_lr = true} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// CHECK-LABEL: @apply_ftrl_v2
func.func @apply_ftrl_v2(%var: tensor<4xf32>, %accum: tensor<4xf32>, %linear: tensor<4xf32>, %grad: tensor<4xf32>, %lr: tensor<f32>, %l1: tensor<f32>, %l2: tensor<f32>, %l2_shrinkage: tensor<f32>, %lr_power: tensor<f32>) {
  // CHECK: ingot.apply_ftrl_v2 %{{.*}} {multiply_linear_by_lr = true} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %0:3 = ingot.apply_ftrl_v2 %var, %accum, %linear, %grad, %lr, %l1, %l2, %l2_shrinkage, %lr_power {multiply_linear_by_lr = true} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// CHECK-LABEL: @apply_proximal_gradient_descent
func.func @apply_proximal_gradient_descent(%var: tensor<4xf32>, %alpha: tensor<f32>, %l1: tensor<f32>, %l2: tensor<f32>, %delta: tensor<4xf32>) {
  // CHECK: ingot.apply_proximal_gradient_descent %{{.*}} : (tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = ingot.apply_proximal_gradient_descent %var, %alpha, %l1, %l2, %delta : (tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @apply_proximal_adagrad
func.func @apply_proximal_adagrad(%var: tensor<4xf32>, %accum: tensor<4xf32>, %lr: tensor<f32>, %l1: tensor<f32>, %l2: tensor<f32>, %grad: tensor<4xf32>) {
  // CHECK: ingot.apply_proximal_adagrad %{{.*}} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %0:2 = ingot.apply_proximal_adagrad %var, %accum, %lr, %l1, %l2, %grad : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// CHECK-LABEL: @apply_add_sign
func.func @apply_add_sign(%var: tensor<4xf32>, %m: tensor<4xf32>, %lr: tensor<f32>, %alpha: tensor<f32>, %sign_decay: tensor<f32>, %beta: tensor<f32>, %grad: tensor<4xf32>) {
  // CHECK: ingot.apply_add_sign %{{.*}} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %0:2 = ingot.apply_add_sign %var, %m, %lr, %alpha, %sign_decay, %beta, %grad : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// CHECK-LABEL: @apply_power_sign
func.func @apply_power_sign(%var: tensor<4xf32>, %m: tensor<4xf32>, %lr: tensor<f32>, %logbase: tensor<f32>, %sign_decay: tensor<f32>, %beta: tensor<f32>, %grad: tensor<4xf32>) {
  // CHECK: ingot.apply_power_sign %{{.*}} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %0:2 = ingot.apply_power_sign %var, %m, %lr, %logbase, %sign_decay, %beta, %grad : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// CHECK-LABEL: @optimizers
func.func @optimizers(%w: tensor<4xf32>, %s: tensor<f32>) {
  // CHECK: ingot.apply_gradient_descent %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = ingot.apply_gradient_descent %w, %s, %w : (tensor<4xf32>, tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.apply_momentum {{.*}} {use_nesterov = true} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
  %1, %2 = ingot.apply_momentum %w, %w, %s, %w, %s {use_nesterov = true} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: ingot.apply_adam
  // CHECK-SAME: -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %3, %4, %5 = ingot.apply_adam %w, %w, %w, %s, %s, %s, %s, %s, %s, %w
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32>)
      -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}
