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
