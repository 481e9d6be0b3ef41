// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-lower-to-linalg="policy={max-padded-elements=512 max-bounds-checked-taps=25}" -split-input-file | FileCheck %s

// Images are padded with zeros as far as their windows reach, and read without
// bounds checks.

// CHECK-DAG: #[[SEEN:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 * 2 + d3, d2 * 2 + d4, d5)>
// CHECK-DAG: #[[TAP:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d4, d5)>
// CHECK-LABEL: func.func private @forward(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<2x6x6x8xf32>, %[[W:[^:]*]]: tensor<3x3x8x1xf32>
// CHECK: %[[PADDED:.*]] = linalg.generic {{.*}} outs({{.*}} : tensor<2x7x7x8xf32>)
// CHECK:   tensor.extract %[[X]]
// CHECK:   arith.select
// CHECK: %[[F:.*]] = tensor.collapse_shape %[[W]] {{.*}} into tensor<3x3x8xf32>
// CHECK: linalg.generic {indexing_maps = [#[[SEEN]], #[[TAP]], {{.*}}], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "parallel"]} ins(%[[PADDED]], %[[F]] :
// CHECK:   arith.mulf
// CHECK:   arith.addf
func.func private @forward(%x: tensor<2x6x6x8xf32>, %w: tensor<3x3x8x1xf32>, %o: tensor<2x3x3x8xf32>) -> tensor<2x3x3x8xf32> attributes {host.kernel} {
  %0 = ingot.conv2d %x, %w {depthwise = true, padding = "SAME", strides = array<i64: 2, 2>} : (tensor<2x6x6x8xf32>, tensor<3x3x8x1xf32>) -> tensor<2x3x3x8xf32>
  return %0 : tensor<2x3x3x8xf32>
}

// -----

// Without padding they are read in place.

// CHECK-LABEL: func.func private @valid(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<1x5x5x8xf32>
// CHECK-NOT: tensor.extract
// CHECK: linalg.generic {{.*}}"reduction", "reduction", "parallel"]} ins(%[[X]], %{{.*}} :
func.func private @valid(%x: tensor<1x5x5x8xf32>, %w: tensor<2x2x8x1xf32>, %o: tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32> attributes {host.kernel} {
  %0 = ingot.conv2d %x, %w {depthwise = true, padding = "VALID", strides = array<i64: 1, 1>} : (tensor<1x5x5x8xf32>, tensor<2x2x8x1xf32>) -> tensor<1x4x4x8xf32>
  return %0 : tensor<1x4x4x8xf32>
}

// -----

// The gradient of images is a sum of those of outputs, with reversed taps.

// CHECK-DAG: #[[SEEN:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d3, d2 + d4, d5)>
// CHECK-DAG: #[[TAP:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (-d3 + 1, -d4 + 2, d5)>
// CHECK-DAG: #[[COUNT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d4)>
// CHECK-LABEL: func.func private @gradient(
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<1x6x7x8xf32>)
// CHECK: linalg.generic {indexing_maps = [#[[SEEN]], #[[TAP]], #[[COUNT]], {{.*}}"parallel", "reduction", "reduction", "parallel"]}
func.func private @gradient(%w: tensor<2x3x8x1xf32>, %dy: tensor<1x4x3x8xf32>, %o: tensor<1x5x5x8xf32>) -> tensor<1x5x5x8xf32> attributes {host.kernel} {
  %sizes = ingot.constant dense<[1, 5, 5, 8]> : tensor<4xi32>
  %0 = ingot.conv2d_backprop_input %sizes, %w, %dy {depthwise = true, padding = "VALID", strides = array<i64: 1, 1>} : (tensor<4xi32>, tensor<2x3x8x1xf32>, tensor<1x4x3x8xf32>) -> tensor<1x5x5x8xf32>
  return %0 : tensor<1x5x5x8xf32>
}

// -----

// Few taps of a large image are bounds-checked in place of a copy.

// CHECK-LABEL: func.func private @large(
// CHECK-NOT: "reduction"
// CHECK: tensor.extract
// CHECK-NOT: "reduction"
func.func private @large(%x: tensor<2x10x10x8xf32>, %w: tensor<3x3x8x1xf32>, %o: tensor<2x10x10x8xf32>) -> tensor<2x10x10x8xf32> attributes {host.kernel} {
  %0 = ingot.conv2d %x, %w {depthwise = true, padding = "SAME", strides = array<i64: 1, 1>} : (tensor<2x10x10x8xf32>, tensor<3x3x8x1xf32>) -> tensor<2x10x10x8xf32>
  return %0 : tensor<2x10x10x8xf32>
}

// -----

// Many taps are worth a copy at any size.

// CHECK-LABEL: func.func private @many(
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<?x16x16x8xf32>)
// CHECK: linalg.generic {{.*}}"reduction", "reduction", "parallel"]}
func.func private @many(%x: tensor<?x10x10x8xf32>, %w: tensor<7x7x8x1xf32>, %o: tensor<?x10x10x8xf32>) -> tensor<?x10x10x8xf32> attributes {host.kernel} {
  %0 = ingot.conv2d %x, %w {depthwise = true, padding = "SAME", strides = array<i64: 1, 1>} : (tensor<?x10x10x8xf32>, tensor<7x7x8x1xf32>) -> tensor<?x10x10x8xf32>
  return %0 : tensor<?x10x10x8xf32>
}

// -----

// The gradient of filters sums over all windows of all images.

// CHECK-DAG: #[[SEEN:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d3 * 2, d2 + d4 * 2, d5)>
// CHECK-DAG: #[[WINDOW:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d5)>
// CHECK-DAG: #[[TAP:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d4, d5)>
// CHECK-LABEL: func.func private @filter(
// CHECK-SAME:    %{{[^:]*}}: tensor<2x4x4x8xf32>, %[[DY:[^:]*]]: tensor<2x4x4x8xf32>
// CHECK: %[[PADDED:.*]] = linalg.generic {{.*}} outs({{.*}} : tensor<2x8x8x8xf32>)
// CHECK: linalg.generic {indexing_maps = [#[[SEEN]], #[[WINDOW]], #[[TAP]]], iterator_types = ["reduction", "reduction", "reduction", "parallel", "parallel", "parallel"]} ins(%[[PADDED]], %[[DY]] : {{.*}}) outs({{.*}} : tensor<3x3x8xf32>)
func.func private @filter(%x: tensor<2x4x4x8xf32>, %dy: tensor<2x4x4x8xf32>, %o: tensor<3x3x8x1xf32>) -> tensor<3x3x8x1xf32> attributes {host.kernel} {
  %size = ingot.constant dense<[3, 3, 8, 1]> : tensor<4xi32>
  %0 = ingot.conv2d_backprop_filter %x, %size, %dy {depthwise = true, dilations = array<i64: 2, 2>, padding = "SAME", strides = array<i64: 1, 1>} : (tensor<2x4x4x8xf32>, tensor<4xi32>, tensor<2x4x4x8xf32>) -> tensor<3x3x8x1xf32>
  return %0 : tensor<3x3x8x1xf32>
}
