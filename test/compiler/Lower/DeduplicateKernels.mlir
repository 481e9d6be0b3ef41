// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-outline-kernels -ingot-lower-to-linalg -ingot-deduplicate-kernels | FileCheck %s

// Two layers of the same shape share one kernel; another function, another size
// and another constant do not.
// CHECK-LABEL: ingot.entry @step
// CHECK: host.launch @first ins
// CHECK: host.launch @first ins
// CHECK: host.launch @tanh ins
// CHECK: host.launch @wider ins
// CHECK: host.launch @half ins
// CHECK: host.launch @third ins
// CHECK-NOT: func.func @second
ingot.entry @step role(step) feeds ["x:0", "z:0"] fetches ["y:0", "u:0"] variables [] updates [] {
^bb0(%x: tensor<4xf32>, %z: tensor<5xf32>):
  %a = ingot.fusion "first" -> tensor<4xf32> {
    %0 = ingot.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    ingot.return %0 : tensor<4xf32>
  }
  %b = ingot.fusion "second" -> tensor<4xf32> {
    %0 = ingot.relu %a : (tensor<4xf32>) -> tensor<4xf32>
    ingot.return %0 : tensor<4xf32>
  }
  %c = ingot.fusion "tanh" -> tensor<4xf32> {
    %0 = ingot.tanh %b : (tensor<4xf32>) -> tensor<4xf32>
    ingot.return %0 : tensor<4xf32>
  }
  %d = ingot.fusion "wider" -> tensor<5xf32> {
    %0 = ingot.relu %z : (tensor<5xf32>) -> tensor<5xf32>
    ingot.return %0 : tensor<5xf32>
  }
  %e = ingot.fusion "half" -> tensor<4xf32> {
    %0 = ingot.constant dense<0.5> : tensor<f32>
    %1 = ingot.mul %c, %0 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ingot.return %1 : tensor<4xf32>
  }
  %f = ingot.fusion "third" -> tensor<4xf32> {
    %0 = ingot.constant dense<0.25> : tensor<f32>
    %1 = ingot.mul %e, %0 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ingot.return %1 : tensor<4xf32>
  }
  ingot.return %f, %d : tensor<4xf32>, tensor<5xf32>
}
