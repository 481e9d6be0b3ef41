// RUN: ingot-opt %s -ingot-lower-to-linalg -split-input-file | FileCheck %s

// A patch is a window's elements, each read from its place in the image.
// CHECK-LABEL: func.func private @patches
// CHECK: linalg.generic
// CHECK: tensor.extract %{{.*}} : tensor<1x5x5x2xf32>
// CHECK-NOT: reduction
func.func private @patches(%x: tensor<1x5x5x2xf32>, %o: tensor<1x2x2x9x2xf32>) -> tensor<1x2x2x9x2xf32> attributes {host.kernel} {
  %0 = ingot.extract_patches %x {window = array<i64: 3, 3>, padding = "VALID", strides = array<i64: 2, 2>} : (tensor<1x5x5x2xf32>) -> tensor<1x2x2x9x2xf32>
  return %0 : tensor<1x2x2x9x2xf32>
}
