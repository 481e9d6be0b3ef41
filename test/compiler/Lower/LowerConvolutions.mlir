// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-lower-to-linalg -split-input-file | FileCheck %s

// im2col: a patch has a window's elements, each read from its position in the
// image.
// CHECK-LABEL: func.func private @patches
// CHECK: linalg.generic
// CHECK: tensor.extract %{{.*}} : tensor<1x5x5x2xf32>
// CHECK-NOT: reduction
func.func private @patches(%x: tensor<1x5x5x2xf32>, %o: tensor<1x2x2x9x2xf32>) -> tensor<1x2x2x9x2xf32> attributes {host.kernel} {
  %0 = ingot.extract_patches %x {window = array<i64: 3, 3>, padding = "VALID", strides = array<i64: 2, 2>} : (tensor<1x5x5x2xf32>) -> tensor<1x2x2x9x2xf32>
  return %0 : tensor<1x2x2x9x2xf32>
}

// -----

// Few taps are unrolled: each element sums its contributions from the windows
// that see it; with stride two and three taps, at most two per dimension.
// CHECK-LABEL: func.func private @sum
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs
// CHECK: arith.remui
// CHECK-COUNT-4: tensor.extract %arg0
// CHECK-NOT: tensor.extract
// CHECK: linalg.yield
func.func private @sum(%x: tensor<1x2x2x9x2xf32>, %o: tensor<1x5x5x2xf32>) -> tensor<1x5x5x2xf32> attributes {host.kernel} {
  %0 = ingot.sum_patches %x {size = array<i64: 5, 5>, window = array<i64: 3, 3>, padding = "VALID", strides = array<i64: 2, 2>} : (tensor<1x2x2x9x2xf32>) -> tensor<1x5x5x2xf32>
  return %0 : tensor<1x5x5x2xf32>
}

// -----

// A depthwise filter with one element per tap and channel: four products,
// unrolled, with channels as vector lanes.
// CHECK-LABEL: func.func private @depthwise
// CHECK: %[[W:.*]] = tensor.collapse_shape %arg1 {{.*}} into tensor<4x8xf32>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs
// CHECK: %[[C:.*]] = linalg.index 3
// CHECK: tensor.extract %arg0[%{{.*}}, %{{.*}}, %{{.*}}, %[[C]]]
// CHECK: tensor.extract %[[W]][%{{.*}}, %[[C]]]
// CHECK-COUNT-6: tensor.extract
// CHECK-NOT: tensor.extract
// CHECK: linalg.yield
func.func private @depthwise(%x: tensor<1x5x5x8xf32>, %w: tensor<2x2x8x1xf32>, %o: tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32> attributes {host.kernel} {
  %0 = ingot.conv2d %x, %w {depthwise = true, padding = "VALID", strides = array<i64: 1, 1>} : (tensor<1x5x5x8xf32>, tensor<2x2x8x1xf32>) -> tensor<1x4x4x8xf32>
  return %0 : tensor<1x4x4x8xf32>
}

// -----

// Its gradient sums over all images with channels innermost.
// CHECK-LABEL: func.func private @depthwise_filter
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "reduction", "reduction", "parallel", "parallel"]} {{.*}} outs({{.*}} : tensor<4x8xf32>)
func.func private @depthwise_filter(%x: tensor<1x5x5x8xf32>, %dy: tensor<1x4x4x8xf32>, %o: tensor<2x2x8x1xf32>) -> tensor<2x2x8x1xf32> attributes {host.kernel} {
  %size = ingot.constant dense<[2, 2, 8, 1]> : tensor<4xi32>
  %0 = ingot.conv2d_backprop_filter %x, %size, %dy {depthwise = true, padding = "VALID", strides = array<i64: 1, 1>} : (tensor<1x5x5x8xf32>, tensor<4xi32>, tensor<1x4x4x8xf32>) -> tensor<2x2x8x1xf32>
  return %0 : tensor<2x2x8x1xf32>
}
