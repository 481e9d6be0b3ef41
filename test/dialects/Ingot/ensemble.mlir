// SPDX-License-Identifier: Apache-2.0
// Ops on ensembles, with the shapes that follow from their operands'.
// RUN: ingot-opt %s | ingot-opt | FileCheck %s
// RUN: ingot-opt %s -ingot-infer-shapes | FileCheck %s --check-prefix=SHAPES

// CHECK-LABEL: func.func @mixtures
// SHAPES-LABEL: func.func @mixtures
func.func @mixtures(%h: tensor<?x8xf32>, %w: tensor<8x3xf32>, %l: tensor<64x3xf32>, %s: tensor<f32>, %v: tensor<3xf32>) -> tensor<?x3xf32> {
  // CHECK: ingot.mixture(%{{.*}}, %{{.*}}, %{{.*}}) weights(%{{.*}}, %{{.*}}, %{{.*}}) bias(%{{.*}}) :
  // SHAPES: ingot.mixture{{.*}} -> tensor<64x3xf32>
  %0 = ingot.mixture(%h, %l, %l) weights(%w, %s, %v) bias(%v) : (tensor<?x8xf32>, tensor<64x3xf32>, tensor<64x3xf32>, tensor<8x3xf32>, tensor<f32>, tensor<3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  // CHECK: ingot.mixture(%{{.*}}) weights(%{{.*}}) bias(%{{.*}}) {bias_last = true} :
  // SHAPES: ingot.mixture{{.*}} -> tensor<?x3xf32>
  %1 = ingot.mixture(%h) weights(%w) bias(%v) {bias_last = true} : (tensor<?x8xf32>, tensor<8x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  %2 = ingot.add %0, %1 : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  return %2 : tensor<?x3xf32>
}

// CHECK-LABEL: func.func @gradients
// SHAPES-LABEL: func.func @gradients
func.func @gradients(%h: tensor<64x8xf32>, %l: tensor<64x3xf32>, %g: tensor<64x3xf32>) -> (tensor<?x?xf32>, tensor<f32>, tensor<?xf32>, tensor<?xf32>) {
  // CHECK: ingot.mixture_grad(%{{.*}}, %{{.*}}, %{{.*}}) of %{{.*}} {has_bias = true, weight_ranks = array<i64: 2, 0, 1>} :
  // SHAPES: ingot.mixture_grad{{.*}} -> (tensor<8x3xf32>, tensor<f32>, tensor<3xf32>, tensor<3xf32>)
  %0:4 = ingot.mixture_grad(%h, %l, %l) of %g {weight_ranks = array<i64: 2, 0, 1>, has_bias = true} : (tensor<64x8xf32>, tensor<64x3xf32>, tensor<64x3xf32>, tensor<64x3xf32>) -> (tensor<?x?xf32>, tensor<f32>, tensor<?xf32>, tensor<?xf32>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<?x?xf32>, tensor<f32>, tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @penalties
func.func @penalties(%w: tensor<8x3xf32>, %s: tensor<f32>, %r: tensor<f32>) -> tensor<f32> {
  // CHECK: %penalty, %norms:2 = ingot.complexity_penalty(%{{.*}}, %{{.*}}) complexities(%{{.*}}, %{{.*}}) {beta = 1.000000e-02 : f64, lambda = 1.000000e-01 : f64} :
  %0:3 = ingot.complexity_penalty(%w, %s) complexities(%r, %r) {lambda = 0.1, beta = 0.01} : (tensor<8x3xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>)
  return %0#0 : tensor<f32>
}

// CHECK-LABEL: func.func @averages
// SHAPES-LABEL: func.func @averages
func.func @averages(%biased: tensor<?xf32>, %step: tensor<f32>, %value: tensor<2xf32>) -> tensor<?xf32> {
  // CHECK: %average, %new_biased, %new_step = ingot.ema %{{.*}}, %{{.*}}, %{{.*}} {rate = 1.000000e-01 : f64} :
  // SHAPES: ingot.ema{{.*}} -> (tensor<2xf32>, tensor<2xf32>, tensor<f32>)
  %0:3 = ingot.ema %biased, %step, %value {rate = 0.1} : (tensor<?xf32>, tensor<f32>, tensor<2xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<f32>)
  return %0#0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @selections
// SHAPES-LABEL: func.func @selections
func.func @selections(%a: tensor<f32>, %b: tensor<f32>, %u: tensor<?x!ingot.string>, %v: tensor<4x!ingot.string>) -> (tensor<i64>, tensor<?x!ingot.string>) {
  // CHECK: %index, %chosen = ingot.select_best(%{{.*}}, %{{.*}}) values(%{{.*}}, %{{.*}}) {force_grow = true, nan = "dropped"} :
  // SHAPES: ingot.select_best{{.*}} -> (tensor<i64>, tensor<4x!ingot.string>)
  %0:2 = ingot.select_best(%a, %b) values(%u, %v) {nan = "dropped", force_grow = true} : (tensor<f32>, tensor<f32>, tensor<?x!ingot.string>, tensor<4x!ingot.string>) -> (tensor<i64>, tensor<?x!ingot.string>)
  return %0#0, %0#1 : tensor<i64>, tensor<?x!ingot.string>
}
