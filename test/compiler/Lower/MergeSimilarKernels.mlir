// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -ingot-outline-kernels -ingot-lower-to-linalg -ingot-merge-similar-kernels | FileCheck %s
// RUN: ingot-opt %s -split-input-file -ingot-outline-kernels -ingot-lower-to-linalg -ingot-merge-similar-kernels -ingot-deduplicate-kernels \
// RUN:   | FileCheck %s --check-prefix=SHARED

// Two kernels differ in one constant, and a third one in its function. The
// constant that the first two have in common remains in them.
// CHECK-LABEL: ingot.entry @step
// CHECK: %[[HALF:.*]] = arith.constant dense<5.000000e-01> : tensor<f32>
// CHECK: host.launch @half ins(%{{.*}}, %[[HALF]] : tensor<4xf32>, tensor<f32>)
// CHECK: %[[THIRD:.*]] = arith.constant dense<2.500000e-01> : tensor<f32>
// CHECK: host.launch @third ins(%{{.*}}, %[[THIRD]] : tensor<4xf32>, tensor<f32>)
// CHECK: host.launch @sum ins(%{{[^,]*}} : tensor<4xf32>)
// CHECK-LABEL: func.func private @half(
// CHECK-SAME: %{{[^:]*}}: tensor<4xf32>, %[[ARGUMENT:[^:]*]]: tensor<f32>, %{{[^:]*}}: tensor<4xf32>
// CHECK: tensor.extract %[[ARGUMENT]][] : tensor<f32>
// CHECK: arith.constant 3.000000e+00 : f32
// SHARED-LABEL: ingot.entry @step
// SHARED: host.launch @half ins
// SHARED: host.launch @half ins
// SHARED: host.launch @sum ins
ingot.entry @step role(step) feeds ["x:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<4xf32>):
  %a = ingot.fusion "half" -> tensor<4xf32> {
    %0 = ingot.constant dense<0.5> : tensor<f32>
    %1 = ingot.constant dense<3.0> : tensor<f32>
    %2 = ingot.mul %x, %0 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %3 = ingot.add %2, %1 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ingot.return %3 : tensor<4xf32>
  }
  %b = ingot.fusion "third" -> tensor<4xf32> {
    %0 = ingot.constant dense<0.25> : tensor<f32>
    %1 = ingot.constant dense<3.0> : tensor<f32>
    %2 = ingot.mul %a, %0 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %3 = ingot.add %2, %1 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ingot.return %3 : tensor<4xf32>
  }
  %c = ingot.fusion "sum" -> tensor<4xf32> {
    %0 = ingot.constant dense<0.5> : tensor<f32>
    %1 = ingot.constant dense<3.0> : tensor<f32>
    %2 = ingot.add %b, %0 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %3 = ingot.mul %2, %1 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ingot.return %3 : tensor<4xf32>
  }
  ingot.return %c : tensor<4xf32>
}

// -----

// One kernel has no constant in common with another one: types differ.
// CHECK-LABEL: ingot.entry @types
// CHECK: host.launch @float ins(%{{[^,]*}} : tensor<4xf32>)
// CHECK: host.launch @double ins(%{{[^,]*}} : tensor<4xf64>)
ingot.entry @types role(step) feeds ["x:0", "z:0"] fetches ["y:0", "u:0"] variables [] updates [] {
^bb0(%x: tensor<4xf32>, %z: tensor<4xf64>):
  %a = ingot.fusion "float" -> tensor<4xf32> {
    %0 = ingot.constant dense<0.5> : tensor<f32>
    %1 = ingot.mul %x, %0 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ingot.return %1 : tensor<4xf32>
  }
  %b = ingot.fusion "double" -> tensor<4xf64> {
    %0 = ingot.constant dense<0.25> : tensor<f64>
    %1 = ingot.mul %z, %0 : (tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
    ingot.return %1 : tensor<4xf64>
  }
  ingot.return %a, %b : tensor<4xf32>, tensor<4xf64>
}

// -----

// The constants are the first ops of the kernels, and both differ.
// CHECK-LABEL: ingot.entry @clip
// CHECK: host.launch @one ins(%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}} : tensor<4xf32>, tensor<f32>, tensor<f32>)
// CHECK: host.launch @two ins(%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}} : tensor<4xf32>, tensor<f32>, tensor<f32>)
// CHECK-LABEL: func.func private @one(
// CHECK-SAME: %{{[^:]*}}: tensor<4xf32>, %[[LOW:[^:]*]]: tensor<f32>, %[[HIGH:[^:]*]]: tensor<f32>, %{{[^:]*}}: tensor<4xf32>
// CHECK-DAG: %[[A:.*]] = tensor.extract %[[LOW]][] : tensor<f32>
// CHECK-DAG: %[[B:.*]] = tensor.extract %[[HIGH]][] : tensor<f32>
// CHECK: arith.maximumf %{{.*}}, %[[A]]
// CHECK: arith.minimumf %{{.*}}, %[[B]]
ingot.entry @clip role(step) feeds ["x:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<4xf32>):
  %0 = tensor.empty() : tensor<4xf32>
  %a = host.launch @one ins(%x : tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  %1 = tensor.empty() : tensor<4xf32>
  %b = host.launch @two ins(%a : tensor<4xf32>) outs(%1 : tensor<4xf32>) -> tensor<4xf32>
  ingot.return %b : tensor<4xf32>
}
func.func private @one(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> attributes {host.kernel} {
  %low = arith.constant -1.0 : f32
  %high = arith.constant 1.0 : f32
  %z = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %low : f32
    %1 = arith.minimumf %0, %high : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %z : tensor<4xf32>
}
func.func private @two(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> attributes {host.kernel} {
  %low = arith.constant -2.0 : f32
  %high = arith.constant 2.0 : f32
  %z = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %low : f32
    %1 = arith.minimumf %0, %high : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %z : tensor<4xf32>
}

// -----

// Initializers of layers of the same shape differ in their keys and in where
// their random numbers begin. The index of the draw is no parameter, nor is a
// tensor whose elements are used as indices.
// CHECK-LABEL: ingot.entry @init
// CHECK-DAG: %[[KEY:.*]] = arith.constant dense<5> : tensor<i64>
// CHECK-DAG: %[[BEGIN:.*]] = arith.constant dense<[0, 7]> : tensor<2xi64>
// CHECK: host.launch @first ins(%{{[^,]*}}, %[[KEY]], %[[BEGIN]] : tensor<2xi64>, tensor<i64>, tensor<2xi64>)
// CHECK: host.launch @later ins(%{{[^,]*}} : tensor<2xi64>)
// CHECK: host.launch @row ins(%{{[^,]*}} : tensor<2xi64>)
// CHECK: host.launch @other_row ins(%{{[^,]*}} : tensor<2xi64>)
// CHECK-LABEL: func.func private @first(
// CHECK-SAME: %[[STATE:[^:]*]]: tensor<2xi64>, %[[KEY:[^:]*]]: tensor<i64>, %[[BEGIN:[^:]*]]: tensor<2xi64>, %{{[^:]*}}: tensor<4xi64>
// CHECK: %[[K:.*]] = tensor.extract %[[KEY]][] : tensor<i64>
// CHECK: linalg.add ins(%[[STATE]], %[[BEGIN]] :
// CHECK: host.random_bits %[[K]],
// SHARED-LABEL: ingot.entry @init
// SHARED: host.launch @first ins
// SHARED: host.launch @first ins
// SHARED: host.launch @later ins
// SHARED: host.launch @row ins
// SHARED: host.launch @other_row ins
ingot.entry @init role(init) feeds ["s:0"] fetches ["a:0", "b:0", "c:0", "d:0", "e:0"] variables [] updates [] {
^bb0(%s: tensor<2xi64>):
  %0 = tensor.empty() : tensor<4xi64>
  %a = host.launch @first ins(%s : tensor<2xi64>) outs(%0 : tensor<4xi64>) -> tensor<4xi64>
  %b = host.launch @second ins(%s : tensor<2xi64>) outs(%0 : tensor<4xi64>) -> tensor<4xi64>
  %c = host.launch @later ins(%s : tensor<2xi64>) outs(%0 : tensor<4xi64>) -> tensor<4xi64>
  %1 = tensor.empty() : tensor<i64>
  %d = host.launch @row ins(%s : tensor<2xi64>) outs(%1 : tensor<i64>) -> tensor<i64>
  %e = host.launch @other_row ins(%s : tensor<2xi64>) outs(%1 : tensor<i64>) -> tensor<i64>
  ingot.return %a, %b, %c, %d, %e : tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<i64>, tensor<i64>
}
func.func private @first(%s: tensor<2xi64>, %y: tensor<4xi64>) -> tensor<4xi64> attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %key = arith.constant 5 : i64
  %at = arith.constant 0 : i64
  %begin = arith.constant dense<[0, 7]> : tensor<2xi64>
  %e = tensor.empty() : tensor<2xi64>
  %c = linalg.add ins(%s, %begin : tensor<2xi64>, tensor<2xi64>) outs(%e : tensor<2xi64>) -> tensor<2xi64>
  %low = tensor.extract %c[%c0] : tensor<2xi64>
  %high = tensor.extract %c[%c1] : tensor<2xi64>
  %r = host.random_bits %key, %low, %high, %at : i64
  %z = linalg.fill ins(%r : i64) outs(%y : tensor<4xi64>) -> tensor<4xi64>
  return %z : tensor<4xi64>
}
func.func private @second(%s: tensor<2xi64>, %y: tensor<4xi64>) -> tensor<4xi64> attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %key = arith.constant 6 : i64
  %at = arith.constant 0 : i64
  %begin = arith.constant dense<[0, 9]> : tensor<2xi64>
  %e = tensor.empty() : tensor<2xi64>
  %c = linalg.add ins(%s, %begin : tensor<2xi64>, tensor<2xi64>) outs(%e : tensor<2xi64>) -> tensor<2xi64>
  %low = tensor.extract %c[%c0] : tensor<2xi64>
  %high = tensor.extract %c[%c1] : tensor<2xi64>
  %r = host.random_bits %key, %low, %high, %at : i64
  %z = linalg.fill ins(%r : i64) outs(%y : tensor<4xi64>) -> tensor<4xi64>
  return %z : tensor<4xi64>
}
func.func private @later(%s: tensor<2xi64>, %y: tensor<4xi64>) -> tensor<4xi64> attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %key = arith.constant 6 : i64
  %at = arith.constant 3 : i64
  %begin = arith.constant dense<[0, 9]> : tensor<2xi64>
  %e = tensor.empty() : tensor<2xi64>
  %c = linalg.add ins(%s, %begin : tensor<2xi64>, tensor<2xi64>) outs(%e : tensor<2xi64>) -> tensor<2xi64>
  %low = tensor.extract %c[%c0] : tensor<2xi64>
  %high = tensor.extract %c[%c1] : tensor<2xi64>
  %r = host.random_bits %key, %low, %high, %at : i64
  %z = linalg.fill ins(%r : i64) outs(%y : tensor<4xi64>) -> tensor<4xi64>
  return %z : tensor<4xi64>
}
func.func private @row(%s: tensor<2xi64>, %y: tensor<i64>) -> tensor<i64> attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %rows = arith.constant dense<[0, 1]> : tensor<2xi64>
  %row = tensor.extract %rows[%c0] : tensor<2xi64>
  %z = linalg.fill ins(%row : i64) outs(%y : tensor<i64>) -> tensor<i64>
  return %z : tensor<i64>
}
func.func private @other_row(%s: tensor<2xi64>, %y: tensor<i64>) -> tensor<i64> attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %rows = arith.constant dense<[1, 0]> : tensor<2xi64>
  %row = tensor.extract %rows[%c0] : tensor<2xi64>
  %z = linalg.fill ins(%row : i64) outs(%y : tensor<i64>) -> tensor<i64>
  return %z : tensor<i64>
}
