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
