// SPDX-License-Identifier: Apache-2.0
// An update is one elementwise op in the place of its variables; terms of
// hyperparameters only are computed once.
// RUN: ingot-opt %s -ingot-lower-to-linalg | FileCheck %s

// CHECK-LABEL: func.func private @momentum
// CHECK-SAME: (%[[VAR:.*]]: tensor<4xf32>, %[[ACCUM:.*]]: tensor<4xf32>, %[[LR:.*]]: tensor<f32>, %[[GRAD:.*]]: tensor<4xf32>, %[[MOMENTUM:.*]]: tensor<f32>) -> {{.*}}
func.func private @momentum(%var: tensor<4xf32>, %accum: tensor<4xf32>, %lr: tensor<f32>, %grad: tensor<4xf32>, %momentum: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {host.kernel} {
  // CHECK: linalg.generic
  // CHECK-SAME: ins(%[[LR]], %[[GRAD]], %[[MOMENTUM]] : tensor<f32>, tensor<4xf32>, tensor<f32>)
  // CHECK-SAME: outs(%[[VAR]], %[[ACCUM]] : tensor<4xf32>, tensor<4xf32>)
  // CHECK: ^bb0(%[[L:.*]]: f32, %[[G:.*]]: f32, %[[M:.*]]: f32, %[[V:.*]]: f32, %[[A:.*]]: f32):
  // CHECK: %[[KEPT:.*]] = arith.mulf %[[A]], %[[M]]
  // CHECK: %[[NEW:.*]] = arith.addf %[[KEPT]], %[[G]]
  // CHECK: %[[CHANGE:.*]] = arith.mulf %[[NEW]], %[[L]]
  // CHECK: %[[STEPPED:.*]] = arith.subf %[[V]], %[[CHANGE]]
  // CHECK: linalg.yield %[[STEPPED]], %[[NEW]]
  %0:2 = ingot.apply_momentum %var, %accum, %lr, %grad, %momentum : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// Adam's powers and rate are combined to one number before the loop.
// CHECK-LABEL: func.func private @adam
func.func private @adam(%var: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>, %p1: tensor<f32>, %p2: tensor<f32>, %lr: tensor<f32>, %beta1: tensor<f32>, %beta2: tensor<f32>, %epsilon: tensor<f32>, %grad: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) attributes {host.kernel} {
  // CHECK: %[[RATE:.*]] = linalg.generic {{.*}} iterator_types = []} ins(%arg3, %arg4, %arg5 :
  // CHECK: math.sqrt
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg6, %arg7, %arg8, %arg9, %[[RATE]] : {{.*}}) outs(%arg0, %arg1, %arg2 :
  // CHECK-COUNT-1: arith.divf
  // CHECK-NOT: arith.divf
  %0:3 = ingot.apply_adam %var, %m, %v, %p1, %p2, %lr, %beta1, %beta2, %epsilon, %grad : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1, %0#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
