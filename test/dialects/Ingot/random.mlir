// SPDX-License-Identifier: Apache-2.0
// Random numbers read back as they were written, with the shapes they draw.
// RUN: ingot-opt %s | ingot-opt | FileCheck %s
// RUN: ingot-opt %s -mlir-print-op-generic | ingot-opt | FileCheck %s

// CHECK-LABEL: @draws
func.func @draws(%shape: tensor<2xi32>, %key: tensor<1xi64>, %counter: tensor<2xi64>, %alg: tensor<i32>, %lo: tensor<i64>) {
  // CHECK: ingot.stateless_random_uniform_int {{.*}} -> tensor<?x?xi64>
  %0 = ingot.stateless_random_uniform_int %shape, %key, %counter, %alg, %lo, %lo : (tensor<2xi32>, tensor<1xi64>, tensor<2xi64>, tensor<i32>, tensor<i64>, tensor<i64>) -> tensor<?x?xi64>
  // CHECK: ingot.stateless_random_uniform_full_int {{.*}} {dtype = i32} : {{.*}} -> tensor<?x?xi32>
  %1 = ingot.stateless_random_uniform_full_int %shape, %key, %counter, %alg {dtype = i32} : (tensor<2xi32>, tensor<1xi64>, tensor<2xi64>, tensor<i32>) -> tensor<?x?xi32>
  // CHECK: ingot.stateless_random_normal {{.*}} {dtype = f32} : {{.*}} -> tensor<?x?xf32>
  %2 = ingot.stateless_random_normal %shape, %key, %counter, %alg {dtype = f32} : (tensor<2xi32>, tensor<1xi64>, tensor<2xi64>, tensor<i32>) -> tensor<?x?xf32>
  // CHECK: ingot.stateless_truncated_normal {{.*}} {dtype = f64} : {{.*}} -> tensor<?x?xf64>
  %3 = ingot.stateless_truncated_normal %shape, %key, %counter, %alg {dtype = f64} : (tensor<2xi32>, tensor<1xi64>, tensor<2xi64>, tensor<i32>) -> tensor<?x?xf64>
  return
}

// CHECK-LABEL: @threefry
func.func @threefry(%keys: tensor<5x2xui32>, %counters: tensor<5xui64>, %key: tensor<2xui32>, %counter: tensor<ui64>, %shape: tensor<2xi32>) {
  // CHECK: ingot.threefry_bits {{.*}} {dtype = ui32} : (tensor<5x2xui32>, tensor<5xui64>, tensor<2xi32>) -> tensor<5x?x?xui32>
  %0 = ingot.threefry_bits %keys, %counters, %shape {dtype = ui32} : (tensor<5x2xui32>, tensor<5xui64>, tensor<2xi32>) -> tensor<5x?x?xui32>
  %few = ingot.constant dense<[3, 4]> : tensor<2xi32>
  // CHECK: ingot.threefry_bits {{.*}} {dtype = ui64} : (tensor<2xui32>, tensor<ui64>, tensor<2xi32>) -> tensor<3x4xui64>
  %1 = ingot.threefry_bits %key, %counter, %few {dtype = ui64} : (tensor<2xui32>, tensor<ui64>, tensor<2xi32>) -> tensor<3x4xui64>
  return
}

// CHECK-LABEL: @rows_and_classes
func.func @rows_and_classes(%v: tensor<?x3xf32>, %n: tensor<i32>, %key: tensor<1xi64>, %counter: tensor<2xi64>) {
  // CHECK: ingot.random_shuffle %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?x3xf32>, tensor<1xi64>, tensor<2xi64>) -> tensor<?x3xf32>
  %0 = ingot.random_shuffle %v, %key, %counter : (tensor<?x3xf32>, tensor<1xi64>, tensor<2xi64>) -> tensor<?x3xf32>
  // CHECK: ingot.multinomial {{.*}} {dtype = i64} : {{.*}} -> tensor<?x?xi64>
  %1 = ingot.multinomial %v, %n, %key, %counter {dtype = i64} : (tensor<?x3xf32>, tensor<i32>, tensor<1xi64>, tensor<2xi64>) -> tensor<?x?xi64>
  return
}

// CHECK-LABEL: @skips
func.func @skips(%state: tensor<3xui64>, %shape: tensor<2xi32>) {
  // CHECK: ingot.random_skip %{{.*}}, %{{.*}} {factor = 256 : i64} : (tensor<3xui64>, tensor<2xi32>) -> tensor<3xui64>
  %0 = ingot.random_skip %state, %shape {factor = 256 : i64} : (tensor<3xui64>, tensor<2xi32>) -> tensor<3xui64>
  return
}

// CHECK-LABEL: @candidates
func.func @candidates(%t: tensor<?x1xi64>, %key: tensor<1xi64>, %counter: tensor<2xi64>) {
  // CHECK: ingot.candidate_sample {{.*}} : {{.*}} -> (tensor<5xi64>, tensor<?x1xf32>, tensor<5xf32>)
  %s, %e, %f = ingot.candidate_sample %t, %key, %counter {num_sampled = 5 : i64, range_max = 9 : i64, unique = true, distribution = "uniform"} : (tensor<?x1xi64>, tensor<1xi64>, tensor<2xi64>) -> (tensor<5xi64>, tensor<?x1xf32>, tensor<5xf32>)
  // CHECK: ingot.accidental_hits {{.*}} : (tensor<?x1xi64>, tensor<5xi64>) -> (tensor<?xi32>, tensor<?xi64>, tensor<?xf32>)
  %r, %p, %w = ingot.accidental_hits %t, %s : (tensor<?x1xi64>, tensor<5xi64>) -> (tensor<?xi32>, tensor<?xi64>, tensor<?xf32>)
  return
}

// CHECK-LABEL: @parameters
func.func @parameters(%shape: tensor<2xi32>, %a: tensor<3xf32>, %n: tensor<?xi64>, %any: tensor<*xf32>, %key: tensor<1xi64>, %counter: tensor<2xi64>) {
  // CHECK: ingot.random_gamma {{.*}} {dtype = f32} : {{.*}} -> tensor<?x?x3xf32>
  %0 = ingot.random_gamma %shape, %a, %key, %counter {dtype = f32} : (tensor<2xi32>, tensor<3xf32>, tensor<1xi64>, tensor<2xi64>) -> tensor<?x?x3xf32>
  // CHECK: ingot.random_gamma {{.*}} {dtype = f32} : {{.*}} -> tensor<*xf32>
  %1 = ingot.random_gamma %shape, %any, %key, %counter {dtype = f32} : (tensor<2xi32>, tensor<*xf32>, tensor<1xi64>, tensor<2xi64>) -> tensor<*xf32>
  // CHECK: ingot.random_poisson {{.*}} {dtype = i32} : {{.*}} -> tensor<?x?x?xi32>
  %2 = ingot.random_poisson %shape, %n, %key, %counter {dtype = i32} : (tensor<2xi32>, tensor<?xi64>, tensor<1xi64>, tensor<2xi64>) -> tensor<?x?x?xi32>
  // CHECK: ingot.random_gamma_grad %{{.*}}, %{{.*}} : (tensor<3xf32>, tensor<?x?x3xf32>) -> tensor<?x?x3xf32>
  %3 = ingot.random_gamma_grad %a, %0 : (tensor<3xf32>, tensor<?x?x3xf32>) -> tensor<?x?x3xf32>
  return
}
