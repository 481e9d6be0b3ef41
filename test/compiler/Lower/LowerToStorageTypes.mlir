// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-lower-to-storage-types | FileCheck %s

// The attribute distinguishes types with the same storage type.
// CHECK-LABEL: ingot.entry @step
// CHECK-SAME: feed_types = [tensor<4xui8>]
// CHECK-SAME: fetch_types = [tensor<4xui8>, tensor<2x!ingot.string>]
ingot.entry @step role(step) feeds ["x:0"] fetches ["y:0", "s:0"] variables [] updates [] {
// CHECK: ^bb0(%[[X:.*]]: tensor<4xi8>):
^bb0(%x: tensor<4xui8>):
  // CHECK: ingot.constant {{.*}} dense<[-1, 0, 1, 2]> : tensor<4xi8>
  %c = ingot.constant dense<[255, 0, 1, 2]> : tensor<4xui8>
  // CHECK: ingot.maximum {{.*}} {element_types = [ui8, ui8, ui8]} : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  %y = ingot.maximum %x, %c : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  // CHECK: host.strings ["a", "bc"] : tensor<2xi128>
  %s = ingot.constant dense<["a", "bc"]> : tensor<2x!ingot.string>
  // Types that are their own storage types need none.
  // CHECK: ingot.cast %{{.*}} {dst = f32, element_types = [ui8, f32]}
  %f = ingot.cast %x {dst = f32} : (tensor<4xui8>) -> tensor<4xf32>
  // CHECK: ingot.neg %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %n = ingot.neg %f : (tensor<4xf32>) -> tensor<4xf32>
  ingot.return %y, %s : tensor<4xui8>, tensor<2x!ingot.string>
}

// Complex numbers are integers with the real part in the low half.
// CHECK-LABEL: ingot.entry @complex
ingot.entry @complex role(other) feeds ["z:0"] fetches ["y:0"] variables [] updates [] {
// CHECK: ^bb0(%{{.*}}: tensor<2xi64>):
^bb0(%z: tensor<2xcomplex<f32>>):
  // CHECK: ingot.constant {{.*}} dense<[1065353216, 4611686018427387904]> : tensor<2xi64>
  %c = ingot.constant dense<[(1.0, 0.0), (0.0, 2.0)]> : tensor<2xcomplex<f32>>
  // CHECK: ingot.real %{{.*}} {element_types = [complex<f32>, f32]} : (tensor<2xi64>) -> tensor<2xf32>
  %r = ingot.real %z : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  ingot.return %c : tensor<2xcomplex<f32>>
}
