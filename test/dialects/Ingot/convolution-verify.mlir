// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (conv2d_c1)
func.func @conv2d_of_images(%x: tensor<7x9x4xf32>, %w: tensor<3x2x4x5xf32>) {
  // expected-error @+1 {{the input must have 4 dimensions, but has shape [7, 9, 4]}}
  %0 = ingot.conv2d %x, %w {padding = "SAME", strides = array<i64: 1, 1>}
      : (tensor<7x9x4xf32>, tensor<3x2x4x5xf32>) -> tensor<?x?x?x5xf32>
  return
}

// -----

// (conv2d_c1)
func.func @conv2d_of_one_type(%x: tensor<1x7x9x4xf32>, %w: tensor<3x2x4x5xf64>) {
  // expected-error @+1 {{all operands must have the same element type, but have 'f32' and 'f64'}}
  %0 = ingot.conv2d %x, %w {padding = "SAME", strides = array<i64: 1, 1>}
      : (tensor<1x7x9x4xf32>, tensor<3x2x4x5xf64>) -> tensor<1x7x9x5xf32>
  return
}

// -----

// (conv2d_c2)
func.func @conv2d_channels(%x: tensor<1x7x9x4xf32>, %w: tensor<3x2x3x5xf32>) {
  // expected-error @+1 {{the input and the filter have different numbers of channels: 4 and 3}}
  %0 = ingot.conv2d %x, %w {padding = "SAME", strides = array<i64: 1, 1>}
      : (tensor<1x7x9x4xf32>, tensor<3x2x3x5xf32>) -> tensor<1x7x9x5xf32>
  return
}

// -----

// (conv2d_c3)
func.func @gradient_of_the_result(%x: tensor<1x7x9x4xf32>, %s: tensor<4xi32>, %dy: tensor<1x7x8x5xf32>) {
  // expected-error @+1 {{the gradient and the convolution's result differ in width: 8 and 9}}
  %0 = ingot.conv2d_backprop_filter %x, %s, %dy {padding = "SAME", strides = array<i64: 1, 1>}
      : (tensor<1x7x9x4xf32>, tensor<4xi32>, tensor<1x7x8x5xf32>) -> tensor<3x3x4x5xf32>
  return
}

// -----

// (conv2d_c4)
func.func @sizes_of_images(%w: tensor<3x2x4x5xf32>, %dy: tensor<1x7x8x5xf32>) {
  %s = ingot.constant dense<[1, -7, 8, 4]> : tensor<4xi32>
  // expected-error @+1 {{the input's shape has the negative dimension -7}}
  %0 = ingot.conv2d_backprop_input %s, %w, %dy {padding = "SAME", strides = array<i64: 1, 1>}
      : (tensor<4xi32>, tensor<3x2x4x5xf32>, tensor<1x7x8x5xf32>) -> tensor<1x7x8x4xf32>
  return
}

// -----

// (window_c1)
func.func @strides_are_positive(%x: tensor<1x7x9x4xf32>, %w: tensor<3x2x4x5xf32>) {
  // expected-error @+1 {{the strides must be from 1 to 2^31, but one is 0}}
  %0 = ingot.conv2d %x, %w {padding = "SAME", strides = array<i64: 1, 0>}
      : (tensor<1x7x9x4xf32>, tensor<3x2x4x5xf32>) -> tensor<1x7x9x5xf32>
  return
}

// -----

// (window_c1)
func.func @two_dilations(%x: tensor<1x7x9x4xf32>, %w: tensor<3x2x4x5xf32>) {
  // expected-error @+1 {{expected two dilations, one for the height and one for the width, but got 1}}
  %0 = ingot.conv2d %x, %w {padding = "SAME", strides = array<i64: 1, 1>, dilations = array<i64: 2>}
      : (tensor<1x7x9x4xf32>, tensor<3x2x4x5xf32>) -> tensor<1x7x9x5xf32>
  return
}

// -----

// (window_c2)
func.func @known_padding(%x: tensor<1x7x9x4xf32>, %w: tensor<3x2x4x5xf32>) {
  // expected-error @+1 {{the padding 'FULL' is neither SAME nor VALID nor EXPLICIT}}
  %0 = ingot.conv2d %x, %w {padding = "FULL", strides = array<i64: 1, 1>}
      : (tensor<1x7x9x4xf32>, tensor<3x2x4x5xf32>) -> tensor<1x7x9x5xf32>
  return
}

// -----

// (window_c2)
func.func @stated_padding(%x: tensor<1x7x9x4xf32>, %w: tensor<3x2x4x5xf32>) {
  // expected-error @+1 {{explicit padding must be four numbers, each from 0 to 2^31, but is [1, 1]}}
  %0 = ingot.conv2d %x, %w {padding = "EXPLICIT", strides = array<i64: 1, 1>, explicit_paddings = array<i64: 1, 1>}
      : (tensor<1x7x9x4xf32>, tensor<3x2x4x5xf32>) -> tensor<1x7x9x5xf32>
  return
}

// -----

// (window_c3)
func.func @window_fits(%x: tensor<1x2x9x4xf32>, %w: tensor<3x2x4x5xf32>) {
  // expected-error @+1 {{the height of the window, 3, is larger than the height of the padded input, 2}}
  %0 = ingot.conv2d %x, %w {padding = "VALID", strides = array<i64: 1, 1>}
      : (tensor<1x2x9x4xf32>, tensor<3x2x4x5xf32>) -> tensor<1x?x8x5xf32>
  return
}

// -----

// (patches_c1)
func.func @patches_of_the_window(%p: tensor<1x3x4x5x4xf32>) {
  // expected-error @+1 {{patches of a window of 6 elements must have 5 dimensions and size 6 in dimension 3, but have shape [1, 3, 4, 5, 4]}}
  %0 = ingot.sum_patches %p {size = array<i64: 7, 9>, window = array<i64: 3, 2>, padding = "VALID", strides = array<i64: 2, 2>}
      : (tensor<1x3x4x5x4xf32>) -> tensor<1x7x9x4xf32>
  return
}

// -----

// (sum_patches_c1)
func.func @patches_of_the_image(%p: tensor<1x3x4x6x4xf32>) {
  // expected-error @+1 {{an image of 9 by 9 has 4 by 4 patches, not 3 by 4}}
  %0 = ingot.sum_patches %p {size = array<i64: 9, 9>, window = array<i64: 3, 2>, padding = "VALID", strides = array<i64: 2, 2>}
      : (tensor<1x3x4x6x4xf32>) -> tensor<1x9x9x4xf32>
  return
}

// -----

// (join_phases_c1)
func.func @phases_are_images(%a: tensor<1x3x6xf32>) {
  // expected-error @+1 {{the operand of phase 0 must have 4 dimensions and the element type of the first operand, but has type 'tensor<1x3x6xf32>'}}
  %0 = ingot.join_phases %a {size = array<i64: 5, 6>, strides = array<i64: 2, 1>, phases = array<i64: 0>}
      : (tensor<1x3x6xf32>) -> tensor<1x5x6x4xf32>
  return
}

// -----

// (join_phases_c1)
func.func @phases_agree(%a: tensor<1x3x6x4xf32>, %b: tensor<1x3x6x5xf32>) {
  // expected-error @+1 {{the operand of phase 1 differs from the first operand in the number of channels: 5 and 4}}
  %0 = ingot.join_phases %a, %b {size = array<i64: 5, 6>, strides = array<i64: 2, 1>, phases = array<i64: 0, 1>}
      : (tensor<1x3x6x4xf32>, tensor<1x3x6x5xf32>) -> tensor<1x5x6x4xf32>
  return
}

// -----

// (join_phases_c2)
func.func @phases_lie_apart(%a: tensor<1x3x6x4xf32>) {
  // expected-error @+1 {{the strides must be positive, but one is 0}}
  %0 = ingot.join_phases %a {size = array<i64: 5, 6>, strides = array<i64: 2, 0>, phases = array<i64: 0>}
      : (tensor<1x3x6x4xf32>) -> tensor<1x5x6x4xf32>
  return
}

// -----

// (join_phases_c2)
func.func @phases_of_an_image(%a: tensor<1x3x6x4xf32>) {
  // expected-error @+1 {{the size must be a non-negative height and width}}
  %0 = ingot.join_phases %a {size = array<i64: 5>, strides = array<i64: 2, 1>, phases = array<i64: 0>}
      : (tensor<1x3x6x4xf32>) -> tensor<1x5x6x4xf32>
  return
}

// -----

// (join_phases_c3)
func.func @phases_ascend(%a: tensor<1x3x6x4xf32>) {
  // expected-error @+1 {{expected one phase for each of the 2 operands, in ascending order, and each less than 2 * 1, the product of the strides, but got 1, 0}}
  %0 = ingot.join_phases %a, %a {size = array<i64: 5, 6>, strides = array<i64: 2, 1>, phases = array<i64: 1, 0>}
      : (tensor<1x3x6x4xf32>, tensor<1x3x6x4xf32>) -> tensor<1x5x6x4xf32>
  return
}

// -----

// (join_phases_c3)
func.func @phases_are_of_the_strides(%a: tensor<1x3x6x4xf32>) {
  // expected-error @+1 {{expected one phase for each of the 1 operands, in ascending order, and each less than 2 * 1, the product of the strides, but got 2}}
  %0 = ingot.join_phases %a {size = array<i64: 5, 6>, strides = array<i64: 2, 1>, phases = array<i64: 2>}
      : (tensor<1x3x6x4xf32>) -> tensor<1x5x6x4xf32>
  return
}

// -----

// (join_phases_c4)
func.func @phases_fill_the_image(%a: tensor<1x2x6x4xf32>) {
  // expected-error @+1 {{the operand of phase 0 must have at least 3 rows and 6 columns, but has shape [1, 2, 6, 4]}}
  %0 = ingot.join_phases %a {size = array<i64: 5, 6>, strides = array<i64: 2, 1>, phases = array<i64: 0>}
      : (tensor<1x2x6x4xf32>) -> tensor<1x5x6x4xf32>
  return
}
