// SPDX-License-Identifier: Apache-2.0
// Ensemble ops are expanded: large ones before fusion, all of them in kernels.
// RUN: ingot-opt %s -ingot-decompose-ensemble-ops | FileCheck %s
// RUN: ingot-opt %s -ingot-decompose-ensemble-ops=all=true | FileCheck %s --check-prefix=LOOPS

// CHECK-LABEL: func.func @large
// CHECK-SAME: (%[[A:.*]]: tensor<256x512xf32>, %[[B:.*]]: tensor<256x10xf32>, %[[W:.*]]: tensor<512x10xf32>, %[[V:.*]]: tensor<10xf32>, %[[BIAS:.*]]: tensor<10xf32>)
// CHECK-NEXT: %[[P:.*]] = ingot.matmul %[[A]], %[[W]]
// CHECK-NEXT: %[[S:.*]] = ingot.add %[[BIAS]], %[[P]]
// CHECK-NEXT: %[[Q:.*]] = ingot.mul %[[B]], %[[V]]
// CHECK-NEXT: %[[T:.*]] = ingot.add %[[S]], %[[Q]]
// CHECK-NEXT: return %[[T]]
func.func @large(%a: tensor<256x512xf32>, %b: tensor<256x10xf32>, %w: tensor<512x10xf32>, %v: tensor<10xf32>, %bias: tensor<10xf32>) -> tensor<256x10xf32> {
  %0 = ingot.mixture(%a, %b) weights(%w, %v) bias(%bias) : (tensor<256x512xf32>, tensor<256x10xf32>, tensor<512x10xf32>, tensor<10xf32>, tensor<10xf32>) -> tensor<256x10xf32>
  return %0 : tensor<256x10xf32>
}

// CHECK-LABEL: func.func @open
// CHECK-NOT: ingot.mixture
func.func @open(%a: tensor<?x64xf32>, %w: tensor<64x10xf32>) -> tensor<?x10xf32> {
  %0 = ingot.mixture(%a) weights(%w) : (tensor<?x64xf32>, tensor<64x10xf32>) -> tensor<?x10xf32>
  return %0 : tensor<?x10xf32>
}

// The bias is added last; a small mixture stays until it is in a kernel.
// CHECK-LABEL: func.func @small
// CHECK: ingot.mixture
// LOOPS-LABEL: func.func @small
// LOOPS-SAME: (%[[A:.*]]: tensor<64x8xf32>, %[[B:.*]]: tensor<64x10xf32>, %[[W:.*]]: tensor<8x10xf32>, %[[S:.*]]: tensor<f32>, %[[BIAS:.*]]: tensor<10xf32>)
// LOOPS-NEXT: %[[P:.*]] = ingot.matmul %[[A]], %[[W]]
// LOOPS-NEXT: %[[Q:.*]] = ingot.mul %[[B]], %[[S]]
// LOOPS-NEXT: %[[T:.*]] = ingot.add %[[P]], %[[Q]]
// LOOPS-NEXT: ingot.add %[[T]], %[[BIAS]]
func.func @small(%a: tensor<64x8xf32>, %b: tensor<64x10xf32>, %w: tensor<8x10xf32>, %s: tensor<f32>, %bias: tensor<10xf32>) -> tensor<64x10xf32> {
  %0 = ingot.mixture(%a, %b) weights(%w, %s) bias(%bias) {bias_last = true} : (tensor<64x8xf32>, tensor<64x10xf32>, tensor<8x10xf32>, tensor<f32>, tensor<10xf32>) -> tensor<64x10xf32>
  return %0 : tensor<64x10xf32>
}

// LOOPS-LABEL: func.func @gradients
// LOOPS-SAME: (%[[A:.*]]: tensor<64x8xf32>, %[[B:.*]]: tensor<64x10xf32>, %[[G:.*]]: tensor<64x10xf32>)
// LOOPS: ingot.matmul %[[A]], %[[G]] {transpose_a = true}
// LOOPS: %[[P:.*]] = ingot.mul %[[G]], %[[B]]
// LOOPS: %[[ALL:.*]] = ingot.constant dense<[0, 1]>
// LOOPS: ingot.sum %[[P]], %[[ALL]] {{.*}} -> tensor<f32>
// LOOPS: %[[FIRST:.*]] = ingot.constant dense<0> : tensor<1xi32>
// LOOPS: ingot.sum %[[G]], %[[FIRST]] {{.*}} -> tensor<10xf32>
func.func @gradients(%a: tensor<64x8xf32>, %b: tensor<64x10xf32>, %g: tensor<64x10xf32>) -> (tensor<8x10xf32>, tensor<f32>, tensor<10xf32>) {
  %0:3 = ingot.mixture_grad(%a, %b) of %g {weight_ranks = array<i64: 2, 0>, has_bias = true} : (tensor<64x8xf32>, tensor<64x10xf32>, tensor<64x10xf32>) -> (tensor<8x10xf32>, tensor<f32>, tensor<10xf32>)
  return %0#0, %0#1, %0#2 : tensor<8x10xf32>, tensor<f32>, tensor<10xf32>
}

// (AN-156): (λ r + β) of each norm, from the first member to the last.
// LOOPS-LABEL: func.func @penalty
// LOOPS-SAME: (%[[V:.*]]: tensor<f32>, %[[W:.*]]: tensor<f32>, %[[R:.*]]: tensor<f32>)
// LOOPS: %[[LAMBDA:.*]] = ingot.constant dense<1.000000e-01>
// LOOPS: %[[LR:.*]] = ingot.mul %[[LAMBDA]], %[[R]]
// LOOPS: %[[BETA:.*]] = ingot.constant dense<0.00999999977>
// LOOPS: %[[GAMMA:.*]] = ingot.add %[[LR]], %[[BETA]]
// LOOPS: %[[NORM:.*]] = ingot.abs %[[V]]
// LOOPS: %[[FIRST:.*]] = ingot.mul %[[GAMMA]], %[[NORM]]
// LOOPS: ingot.abs %[[W]]
// LOOPS: %[[SECOND:.*]] = ingot.mul
// LOOPS: ingot.add %[[FIRST]], %[[SECOND]]
func.func @penalty(%v: tensor<f32>, %w: tensor<f32>, %r: tensor<f32>) -> tensor<f32> {
  %0:3 = ingot.complexity_penalty(%v, %w) complexities(%r, %r) {lambda = 0.1, beta = 0.01} : (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>)
  return %0#0 : tensor<f32>
}

// (AN-130, AN-131): the decay is 1 minus the rate, in float32.
// LOOPS-LABEL: func.func @average
// LOOPS-SAME: (%[[B:.*]]: tensor<f32>, %[[STEP:.*]]: tensor<f32>, %[[X:.*]]: tensor<f32>)
// LOOPS: %[[RATE:.*]] = ingot.constant dense<1.000000e-01>
// LOOPS: %[[ONE:.*]] = ingot.constant dense<1.000000e+00>
// LOOPS: %[[D:.*]] = ingot.sub %[[B]], %[[X]]
// LOOPS: %[[C:.*]] = ingot.mul %[[D]], %[[RATE]]
// LOOPS: %[[NEW:.*]] = ingot.sub %[[B]], %[[C]]
// LOOPS: %[[NEXT:.*]] = ingot.add %[[STEP]], %[[ONE]]
// LOOPS: %[[DECAY:.*]] = ingot.sub %[[ONE]], %[[RATE]]
// LOOPS: %[[POWER:.*]] = ingot.pow %[[DECAY]], %[[NEXT]]
// LOOPS: %[[LEFT:.*]] = ingot.sub %[[ONE]], %[[POWER]]
// LOOPS: %[[MEAN:.*]] = ingot.real_div %[[NEW]], %[[LEFT]]
// LOOPS: return %[[MEAN]], %[[NEW]], %[[NEXT]]
func.func @average(%b: tensor<f32>, %step: tensor<f32>, %x: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %0:3 = ingot.ema %b, %step, %x {rate = 0.1} : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>)
  return %0#0, %0#1, %0#2 : tensor<f32>, tensor<f32>, tensor<f32>
}
