// SPDX-License-Identifier: Apache-2.0
// Convolutions and their gradients as im2col, GEMM and col2im.
// RUN: ingot-opt %s -ingot-lower-convolutions-to-im2col -split-input-file -verify-diagnostics | FileCheck %s
// RUN: ingot-opt %s -ingot-lower-convolutions-to-im2col="policy={max-patch-depth=2304}" -split-input-file -verify-diagnostics | FileCheck %s --check-prefix=CONVOLUTION

// CHECK-LABEL: ingot.entry @forward
ingot.entry @forward role(other) feeds ["x:0", "w:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<?x6x6x4xf32>, %w: tensor<3x3x4x16xf32>):
  // CHECK: %[[P:.*]] = ingot.extract_patches {{.*}} window = array<i64: 3, 3>{{.*}} -> tensor<?x4x4x9x4xf32>
  // CHECK: %[[ROWS:.*]] = ingot.constant dense<[-1, 36]> : tensor<2xi64>
  // CHECK: %[[A:.*]] = ingot.reshape %[[P]], %[[ROWS]] : {{.*}} -> tensor<?x36xf32>
  // CHECK: %[[B:.*]] = ingot.reshape {{.*}} -> tensor<36x16xf32>
  // CHECK: %[[C:.*]] = ingot.matmul %[[A]], %[[B]] : {{.*}} -> tensor<?x16xf32>
  // CHECK: ingot.reshape %[[C]], {{.*}} -> tensor<?x4x4x16xf32>
  %y = ingot.conv2d %x, %w {padding = "VALID", strides = array<i64: 1, 1>}
      : (tensor<?x6x6x4xf32>, tensor<3x3x4x16xf32>) -> tensor<?x4x4x16xf32>
  ingot.return %y : tensor<?x4x4x16xf32>
}

// -----

// A 1x1 window with stride 1 needs no im2col: pixels are rows.
// CHECK-LABEL: ingot.entry @pointwise
ingot.entry @pointwise role(other) feeds ["x:0", "w:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<8x6x6x4xf32>, %w: tensor<1x1x4x16xf32>):
  // CHECK-NOT: ingot.extract_patches
  // CHECK: ingot.matmul {{.*}} : (tensor<288x4xf32>, tensor<4x16xf32>) -> tensor<288x16xf32>
  %y = ingot.conv2d %x, %w {padding = "SAME", strides = array<i64: 1, 1>}
      : (tensor<8x6x6x4xf32>, tensor<1x1x4x16xf32>) -> tensor<8x6x6x16xf32>
  ingot.return %y : tensor<8x6x6x16xf32>
}

// -----

// CHECK-LABEL: ingot.entry @backward
ingot.entry @backward role(other) feeds ["x:0", "w:0", "dy:0"] fetches ["dx:0", "dw:0"] variables [] updates [] {
^bb0(%x: tensor<8x6x6x4xf32>, %w: tensor<3x3x4x16xf32>, %dy: tensor<8x3x3x16xf32>):
  %xs = ingot.constant dense<[8, 6, 6, 4]> : tensor<4xi32>
  %ws = ingot.constant dense<[3, 3, 4, 16]> : tensor<4xi32>
  // CHECK: %[[G:.*]] = ingot.matmul {{.*}} {transpose_b = true} : (tensor<72x16xf32>, tensor<36x16xf32>) -> tensor<72x36xf32>
  // CHECK: %[[P:.*]] = ingot.reshape %[[G]], {{.*}} -> tensor<8x3x3x9x4xf32>
  // CHECK: ingot.sum_patches %[[P]] {{.*}} size = array<i64: 6, 6>{{.*}} -> tensor<8x6x6x4xf32>
  %dx = ingot.conv2d_backprop_input %xs, %w, %dy {padding = "SAME", strides = array<i64: 2, 2>}
      : (tensor<4xi32>, tensor<3x3x4x16xf32>, tensor<8x3x3x16xf32>) -> tensor<8x6x6x4xf32>
  // CHECK: %[[Q:.*]] = ingot.extract_patches {{.*}} -> tensor<8x3x3x9x4xf32>
  // CHECK: %[[A:.*]] = ingot.reshape %[[Q]], {{.*}} -> tensor<72x36xf32>
  // CHECK: ingot.matmul %[[A]], {{.*}} {transpose_a = true} : {{.*}} -> tensor<36x16xf32>
  %dw = ingot.conv2d_backprop_filter %x, %ws, %dy {padding = "SAME", strides = array<i64: 2, 2>}
      : (tensor<8x6x6x4xf32>, tensor<4xi32>, tensor<8x3x3x16xf32>) -> tensor<3x3x4x16xf32>
  ingot.return %dx, %dw : tensor<8x6x6x4xf32>, tensor<3x3x4x16xf32>
}

// -----

// CHECK-LABEL: ingot.entry @depthwise
ingot.entry @depthwise role(other) feeds ["x:0", "w:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<8x6x6x4xf32>, %w: tensor<3x3x4x2xf32>):
  // CHECK: ingot.conv2d {{.*}} {depthwise = true
  %y = ingot.conv2d %x, %w {depthwise = true, padding = "SAME", strides = array<i64: 1, 1>}
      : (tensor<8x6x6x4xf32>, tensor<3x3x4x2xf32>) -> tensor<8x6x6x8xf32>
  ingot.return %y : tensor<8x6x6x8xf32>
}

// -----

ingot.entry @unknown_filter role(other) feeds ["x:0", "w:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<8x6x6x4xf32>, %w: tensor<?x3x4x2xf32>):
  // expected-error @+1 {{a convolution needs a static number of channels and a static filter size}}
  %y = ingot.conv2d %x, %w {padding = "SAME", strides = array<i64: 1, 1>}
      : (tensor<8x6x6x4xf32>, tensor<?x3x4x2xf32>) -> tensor<8x6x6x2xf32>
  ingot.return %y : tensor<8x6x6x2xf32>
}

// -----

// Where GEMMs are implicit, an input's gradient is a convolution, too: of the
// output's gradient, padded by the window's reach, with the filter rotated by
// 180 degrees.
// CONVOLUTION-LABEL: ingot.entry @input_gradient
ingot.entry @input_gradient role(other) feeds ["w:0", "dy:0"] fetches ["dx:0"] variables [] updates [] {
^bb0(%w: tensor<3x2x16x32xf32>, %dy: tensor<8x4x6x32xf32>):
  %xs = ingot.constant dense<[8, 6, 6, 16]> : tensor<4xi32>
  // CONVOLUTION: %[[P:.*]] = ingot.extract_patches %{{.*}} {explicit_paddings = array<i64: 2, 2, 1, 0>, padding = "EXPLICIT", {{.*}} window = array<i64: 3, 2>} : {{.*}} -> tensor<8x6x6x6x32xf32>
  // CONVOLUTION: %[[A:.*]] = ingot.reshape %[[P]], {{.*}} -> tensor<288x192xf32>
  // CONVOLUTION: %[[T:.*]] = ingot.reverse {{.*}} -> tensor<6x16x32xf32>
  // CONVOLUTION: %[[X:.*]] = ingot.transpose %[[T]], {{.*}} -> tensor<6x32x16xf32>
  // CONVOLUTION: %[[B:.*]] = ingot.reshape %[[X]], {{.*}} -> tensor<192x16xf32>
  // CONVOLUTION: ingot.matmul %[[A]], %[[B]] : {{.*}} -> tensor<288x16xf32>
  %dx = ingot.conv2d_backprop_input %xs, %w, %dy {explicit_paddings = array<i64: 0, 0, 0, 1>, padding = "EXPLICIT", strides = array<i64: 1, 1>}
      : (tensor<4xi32>, tensor<3x2x16x32xf32>, tensor<8x4x6x32xf32>) -> tensor<8x6x6x16xf32>
  ingot.return %dx : tensor<8x6x6x16xf32>
}

// -----

// With stride two there is a GEMM for each phase, with the taps that reach it:
// of three the first and the last or the one between, of two one or the other. A
// bias and an activation after them are computed on each.
// CONVOLUTION-LABEL: ingot.entry @phases
ingot.entry @phases role(other) feeds ["w:0", "dy:0", "b:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%w: tensor<3x2x16x32xf32>, %dy: tensor<?x4x3x32xf32>, %b: tensor<16xf32>):
  %xs = ingot.constant dense<[7, 6]> : tensor<2xi32>
  // CONVOLUTION: %[[X:.*]] = ingot.transpose {{.*}} -> tensor<3x2x32x16xf32>
  // CONVOLUTION: ingot.reshape %{{.*}} -> tensor<?x32xf32>
  // CONVOLUTION: ingot.strided_slice %[[X]], {{.*}} -> tensor<1x1x32x16xf32>
  // CONVOLUTION: ingot.matmul %{{.*}} : (tensor<?x32xf32>, tensor<32x16xf32>) -> tensor<?x16xf32>
  // CONVOLUTION: ingot.strided_slice %[[X]], {{.*}} -> tensor<1x1x32x16xf32>
  // CONVOLUTION: ingot.matmul %{{.*}} : (tensor<?x32xf32>, tensor<32x16xf32>) -> tensor<?x16xf32>
  // CONVOLUTION: ingot.extract_patches %{{.*}} {explicit_paddings = array<i64: 0, 0, 0, 0>, {{.*}} window = array<i64: 2, 1>} : {{.*}} -> tensor<?x3x3x2x32xf32>
  // CONVOLUTION: ingot.strided_slice %[[X]], {{.*}} -> tensor<2x1x32x16xf32>
  // CONVOLUTION: ingot.extract_patches %{{.*}} window = array<i64: 2, 1>} : {{.*}} -> tensor<?x3x3x2x32xf32>
  // CONVOLUTION-NOT: ingot.sum_patches
  // CONVOLUTION-COUNT-4: ingot.relu {{.*}} -> tensor<?x16xf32>
  // CONVOLUTION: ingot.join_phases %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {phases = array<i64: 0, 1, 2, 3>, size = array<i64: 7, 6>, strides = array<i64: 2, 2>} : (tensor<?x4x3x16xf32>, tensor<?x4x3x16xf32>, tensor<?x3x3x16xf32>, tensor<?x3x3x16xf32>) -> tensor<?x7x6x16xf32>
  %x = ingot.conv2d_backprop_input %xs, %w, %dy {padding = "SAME", strides = array<i64: 2, 2>}
      : (tensor<2xi32>, tensor<3x2x16x32xf32>, tensor<?x4x3x32xf32>) -> tensor<?x7x6x16xf32>
  %z = ingot.bias_add %x, %b : (tensor<?x7x6x16xf32>, tensor<16xf32>) -> tensor<?x7x6x16xf32>
  %y = ingot.relu %z : (tensor<?x7x6x16xf32>) -> tensor<?x7x6x16xf32>
  ingot.return %y : tensor<?x7x6x16xf32>
}

// -----

// Elements that no tap reaches are zero before an activation, not after it.
// CONVOLUTION-LABEL: ingot.entry @unseen
ingot.entry @unseen role(other) feeds ["w:0", "dy:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%w: tensor<1x3x16x32xf32>, %dy: tensor<8x3x3x32xf32>):
  %xs = ingot.constant dense<[8, 6, 6, 16]> : tensor<4xi32>
  // CONVOLUTION: ingot.matmul %{{.*}} : (tensor<72x64xf32>, tensor<64x16xf32>) -> tensor<72x16xf32>
  // CONVOLUTION: ingot.matmul %{{.*}} : (tensor<72x32xf32>, tensor<32x16xf32>) -> tensor<72x16xf32>
  // CONVOLUTION: %[[X:.*]] = ingot.join_phases %{{.*}}, %{{.*}} {phases = array<i64: 0, 1>, size = array<i64: 6, 6>, strides = array<i64: 2, 2>} : (tensor<8x3x3x16xf32>, tensor<8x3x3x16xf32>) -> tensor<8x6x6x16xf32>
  // CONVOLUTION: ingot.sigmoid %[[X]]
  %x = ingot.conv2d_backprop_input %xs, %w, %dy {padding = "SAME", strides = array<i64: 2, 2>}
      : (tensor<4xi32>, tensor<1x3x16x32xf32>, tensor<8x3x3x32xf32>) -> tensor<8x6x6x16xf32>
  %y = ingot.sigmoid %x : (tensor<8x6x6x16xf32>) -> tensor<8x6x6x16xf32>
  ingot.return %y : tensor<8x6x6x16xf32>
}

// -----

// With few channels, with both stride and dilation, with a negative padding of
// the output's gradient, or without overlapping windows, it is GEMM and col2im.
// CONVOLUTION-LABEL: ingot.entry @sums
ingot.entry @sums role(other) feeds ["v:0", "w:0", "u:0", "dy:0", "dz:0"] fetches ["a:0", "b:0", "c:0", "d:0"] variables [] updates [] {
^bb0(%v: tensor<3x3x3x32xf32>, %w: tensor<3x3x16x32xf32>, %u: tensor<2x2x16x32xf32>, %dy: tensor<8x3x3x32xf32>, %dz: tensor<8x5x3x32xf32>):
  %few = ingot.constant dense<[8, 6, 6, 3]> : tensor<4xi32>
  %all = ingot.constant dense<[8, 6, 6, 16]> : tensor<4xi32>
  // CONVOLUTION: ingot.sum_patches
  %a = ingot.conv2d_backprop_input %few, %v, %dy {padding = "SAME", strides = array<i64: 2, 2>}
      : (tensor<4xi32>, tensor<3x3x3x32xf32>, tensor<8x3x3x32xf32>) -> tensor<8x6x6x3xf32>
  // CONVOLUTION: ingot.sum_patches
  %b = ingot.conv2d_backprop_input %all, %w, %dy {padding = "SAME", strides = array<i64: 2, 2>, dilations = array<i64: 2, 2>}
      : (tensor<4xi32>, tensor<3x3x16x32xf32>, tensor<8x3x3x32xf32>) -> tensor<8x6x6x16xf32>
  // CONVOLUTION: ingot.sum_patches
  %c = ingot.conv2d_backprop_input %all, %w, %dz {padding = "EXPLICIT", explicit_paddings = array<i64: 3, 2, 1, 1>, strides = array<i64: 2, 2>}
      : (tensor<4xi32>, tensor<3x3x16x32xf32>, tensor<8x5x3x32xf32>) -> tensor<8x6x6x16xf32>
  // CONVOLUTION: ingot.sum_patches
  %d = ingot.conv2d_backprop_input %all, %u, %dy {padding = "SAME", strides = array<i64: 2, 2>}
      : (tensor<4xi32>, tensor<2x2x16x32xf32>, tensor<8x3x3x32xf32>) -> tensor<8x6x6x16xf32>
  ingot.return %a, %b, %c, %d : tensor<8x6x6x3xf32>, tensor<8x6x6x16xf32>, tensor<8x6x6x16xf32>, tensor<8x6x6x16xf32>
}

// -----

// im2col of zero channels carries the sizes of the result for images of dynamic
// sizes: the one that the GEMM reads need not be in memory for that.
// CONVOLUTION-LABEL: ingot.entry @unknown_sizes
ingot.entry @unknown_sizes role(other) feeds ["x:0", "w:0", "dy:0", "s:0"] fetches ["y:0", "dx:0"] variables [] updates [] {
^bb0(%x: tensor<8x?x?x16xf32>, %w: tensor<3x3x16x32xf32>, %dy: tensor<8x?x?x32xf32>, %s: tensor<4xi32>):
  // CONVOLUTION: %[[P:.*]] = ingot.extract_patches %{{.*}} -> tensor<8x?x?x9x16xf32>
  // CONVOLUTION: ingot.reshape %[[P]], {{.*}} -> tensor<?x144xf32>
  // CONVOLUTION: %[[NONE:.*]] = ingot.slice {{.*}} -> tensor<8x?x?x0xf32>
  // CONVOLUTION: %[[L:.*]] = ingot.extract_patches %[[NONE]] {{.*}} -> tensor<8x?x?x9x0xf32>
  // CONVOLUTION: ingot.shape %[[L]]
  %y = ingot.conv2d %x, %w {padding = "SAME", strides = array<i64: 1, 1>}
      : (tensor<8x?x?x16xf32>, tensor<3x3x16x32xf32>) -> tensor<8x?x?x32xf32>
  // CONVOLUTION: ingot.extract_patches %{{.*}} {explicit_paddings = array<i64: 1, 1, 1, 1>, padding = "EXPLICIT", {{.*}} -> tensor<8x?x?x9x32xf32>
  // CONVOLUTION-NOT: ingot.sum_patches
  // CONVOLUTION: ingot.matmul {{.*}} -> tensor<?x16xf32>
  %dx = ingot.conv2d_backprop_input %s, %w, %dy {padding = "SAME", strides = array<i64: 1, 1>}
      : (tensor<4xi32>, tensor<3x3x16x32xf32>, tensor<8x?x?x32xf32>) -> tensor<8x?x?x16xf32>
  ingot.return %y, %dx : tensor<8x?x?x32xf32>, tensor<8x?x?x16xf32>
}

// -----

// The ops after a one-dimensional convolution are moved onto the GEMM, too,
// through the reshape from images to rows.
// CHECK-LABEL: ingot.entry @rows
// CHECK: %[[C:.*]] = ingot.matmul {{.*}} -> tensor<?x16xf32>
// CHECK: %[[B:.*]] = ingot.bias_add %[[C]], {{.*}} -> tensor<?x16xf32>
// CHECK: %[[T:.*]] = ingot.tanh %[[B]] : (tensor<?x16xf32>) -> tensor<?x16xf32>
// CHECK: %[[I:.*]] = ingot.reshape %[[T]], {{.*}} -> tensor<?x1x6x16xf32>
// CHECK: %[[S:.*]] = ingot.squeeze %[[I]] {dims = array<i64: 1>} : (tensor<?x1x6x16xf32>) -> tensor<?x6x16xf32>
// CHECK: ingot.return %[[S]]
ingot.entry @rows role(other) feeds ["x:0", "w:0", "b:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<?x1x7x4xf32>, %w: tensor<1x2x4x16xf32>, %b: tensor<16xf32>):
  %c = ingot.conv2d %x, %w {padding = "VALID", strides = array<i64: 1, 1>}
      : (tensor<?x1x7x4xf32>, tensor<1x2x4x16xf32>) -> tensor<?x1x6x16xf32>
  %s = ingot.squeeze %c {dims = array<i64: 1>} : (tensor<?x1x6x16xf32>) -> tensor<?x6x16xf32>
  %d = ingot.bias_add %s, %b : (tensor<?x6x16xf32>, tensor<16xf32>) -> tensor<?x6x16xf32>
  %y = ingot.tanh %d : (tensor<?x6x16xf32>) -> tensor<?x6x16xf32>
  ingot.return %y : tensor<?x6x16xf32>
}
