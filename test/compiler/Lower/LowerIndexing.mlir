// RUN: ingot-opt %s -ingot-lower-to-linalg -split-input-file | FileCheck %s

// CHECK-LABEL: func.func private @slice
// CHECK: %[[SLICE:.*]] = tensor.extract_slice %{{.*}}[1, 0] [2, 3] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[SLICE]] :
func.func private @slice(%x: tensor<4x3xf32>, %o: tensor<2x3xf32>) -> tensor<2x3xf32> attributes {host.kernel} {
  %b = ingot.constant dense<[1, 0]> : tensor<2xi32>
  %s = ingot.constant dense<[2, 3]> : tensor<2xi32>
  %0 = ingot.slice %x, %b, %s : (tensor<4x3xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
